// A signed distance between its nodes: cubic in each direction, tamed beside kinks.
//
// Fourth order where the distance is smooth; nearly linear beside edges and medial surfaces
// (limited_cubic.hpp). Beyond the band it is +band or -band, with the right sign everywhere.
#pragma once

#include <span>

#include "spindrift/geometry/fields.hpp"
#include "spindrift/levelset/mesh_distance.hpp"

namespace spindrift {

// Keeps a reference to the distance.
class CubicSampler final : public ScalarField {
 public:
  explicit CubicSampler(const BandDistance& distance) : distance_(distance) {}

  // How far from the surface distances are known, lattice units.
  [[nodiscard]] double band() const { return double{distance_.band}; }

  // Signed distances, m.
  void evaluate(std::span<const Vec3> points, std::span<double> values) const override;

  // In lattice units.
  void evaluate(std::span<const Vec3> points, std::span<float> values) const;

 private:
  const BandDistance& distance_;
};

}  // namespace spindrift
