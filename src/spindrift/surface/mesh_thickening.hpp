// A liquid as the mesher sees it: thin parts are thicker, so that there are cells in them
// [Chentanez2007 §3.4.2].
//
//   f*(p) = f(p) - fade(p) sum W(m - m_i) (radius - d_i) / sum W(m - m_i),   W(z) = (h^2 - |z|^2)^3
//
// over particles m_i in the middle of thin parts, twice as thick as d_i, those of half a cell
// together; m is the closest to p. The
// paper takes p for m, at a sum for each point, and has no fade: thick liquid swells within the
// reach h of thin parts. Here the offset fades out between 1.4 and 2.8 radii from the particles;
// and it is no less than radius - d of m: the mean leaves strands among sheets without a cell.
// Thin parts that the mesher would still miss, and films on solids, hold on to vertices of its
// lattice (mesh_anchors.hpp).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "spindrift/geometry/fields.hpp"
#include "spindrift/surface/mesh_anchors.hpp"
#include "spindrift/surface/offset_grid.hpp"
#include "spindrift/surface/particle_field.hpp"
#include "spindrift/surface/point_lists.hpp"

namespace spindrift {

// Lengths in m.
struct MeshThickeningParams {
  double thinness = 0;  // thicker parts stay as they are: gamma
  double radius = 0;    // others become twice as thick: gamma_mesh
  double support = 0;   // h
  double most = 0;      // no offset is greater: up to where distances are known
};

// Where the mesher's vertices are, what it leaves out, and where there is never any liquid: in
// sinks and beyond open sides, which the mesh ends at.
struct MeshedAmong {
  Lattice cells;  // corners of its finest cells
  // Null: none.
  const ScalarField* solids = nullptr;
  const ScalarField* outlets = nullptr;
};

class MeshThickened final : public ScalarField {
 public:
  // Refers to `liquid` and the outlets. `particles`: in all parts of it that may be too thin, films
  // too.
  MeshThickened(const ScalarField& liquid, std::span<const MedialParticle> particles,
                const Lattice& lattice, const MeshThickeningParams& params,
                const MeshedAmong& among);

  void evaluate(std::span<const Vec3> points, std::span<double> values) const override;

  [[nodiscard]] double greatest_offset() const { return most_; }  // m

 private:
  // The offset at a place beside what is in the way, m.
  [[nodiscard]] double anchor_offset(const PointLists::Place& place,
                                     PointLists::Reader& anchors) const;

  const ScalarField& liquid_;
  const ScalarField* outlets_;
  double voxel_;
  double cell_;
  std::optional<OffsetGrid> offsets_;
  std::vector<MeshAnchor> offset_anchors_;  // those that have one
  std::optional<PointLists> anchor_lists_, offset_anchor_lists_;
  double most_ = 0;
  Box3 reached_;  // all that offsets and anchors reach
};

}  // namespace spindrift
