// A liquid as the mesher sees it: thin parts are thicker, so that there are cells in them
// [Chentanez2007 §3.4.2].
//
//   f*(p) = f(p) - fade(p) sum W(m - m_i) (radius - d_i) / sum W(m - m_i),   W(z) = (h^2 - |z|^2)^3
//
// over particles m_i in the middle of thin parts, half as thick as d_i; m is the closest to p. The
// paper takes p for m, at a sum for each point, and has no fade: thick liquid swells within the
// reach h of thin parts. Here the offset fades out between 1.4 and 2.8 radii from the particles;
// and it is no less than radius - d of m: the mean leaves strands among sheets without a cell.
#pragma once

#include <span>
#include <vector>

#include "spindrift/geometry/fields.hpp"
#include "spindrift/surface/particle_field.hpp"

namespace spindrift {

// Lengths in m.
struct MeshThickeningParams {
  double radius = 0;   // thin parts become twice as thick: gamma_mesh
  double support = 0;  // h
};

class MeshThickened final : public ScalarField {
 public:
  // Refers to `liquid`.
  MeshThickened(const ScalarField& liquid, std::span<const MedialParticle> particles,
                const Lattice& lattice, const MeshThickeningParams& params);

  void evaluate(std::span<const Vec3> points, std::span<double> values) const override;

 private:
  const ScalarField& liquid_;
  std::vector<Vec3> places_;  // of the particles
  PointCubes cubes_;
  std::vector<double> offsets_;  // of the particles, m
  double voxel_;
  MeshThickeningParams params_;
};

}  // namespace spindrift
