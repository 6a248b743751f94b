// The surface around particles [Zhu & Bridson 2005]: with weights w_i = (1 - |x - x_i|^2 / R^2)^3,
//
//   phi(x) = |x - sum w_i x_i / sum w_i| - sum w_i r_i / sum w_i
//
// smooth where particles are dense, and a sphere around a single one.
//
// There R is fixed, and means of positions pull the ends of strands and the rims of sheets in, by
// half a radius in each step. Here R is little more than the distance to the closest particle.
#pragma once

#include <span>
#include <vector>

#include "spindrift/geometry/fields.hpp"
#include "spindrift/surface/medial_particles.hpp"
#include "spindrift/surface/point_cubes.hpp"

namespace spindrift {

[[nodiscard]] std::vector<Vec3> positions(std::span<const MedialParticle> particles);

class ParticleField final : public ScalarField {
 public:
  // `reach`, voxels: there is nothing farther from particles.
  ParticleField(std::vector<MedialParticle> particles, const Lattice& lattice, double reach)
      : particles_(std::move(particles)),
        cubes_(positions(particles_), lattice, reach),
        reach_(reach),
        spacing_(lattice.spacing) {}

  [[nodiscard]] bool is_empty() const { return cubes_.is_empty(); }

  // m; a large value where there is no particle.
  void evaluate(std::span<const Vec3> points, std::span<double> values) const override;

 private:
  std::vector<MedialParticle> particles_;
  PointCubes cubes_;
  double reach_;
  double spacing_;
};

}  // namespace spindrift
