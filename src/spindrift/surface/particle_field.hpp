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
#include "spindrift/levelset/block_set.hpp"
#include "spindrift/levelset/lattice.hpp"
#include "spindrift/surface/medial_particles.hpp"

namespace spindrift {

// Particles sorted into cubes as large as the reach of their weights.
class ParticleCubes {
 public:
  ParticleCubes(std::vector<MedialParticle> particles, const Lattice& lattice, double reach);

  [[nodiscard]] const std::vector<MedialParticle>& particles() const { return particles_; }
  [[nodiscard]] bool is_empty() const { return particles_.empty(); }

  // The cubes around the last point: the next one is mostly there, too.
  struct Around {
    Vec3i cube = Vec3i::Constant(2 * kBlockLimit);
    bool has_any = false;
    BlockSet::Neighborhood cubes;
  };

  // visit(index of the particle, squared distance in voxels) for all within reach of the point.
  template <class Visit>
  void for_each_near(const Vec3& point, const Visit& visit) const {
    Around around;
    for_each_near(point, around, visit);
  }
  template <class Visit>
  void for_each_near(const Vec3& point, Around& around, const Visit& visit) const {
    const Vec3 p = lattice_.to_lattice(point);
    const Vec3i cube = (p / reach_).array().floor().cast<int>();
    if (cube != around.cube) {
      around.cube = cube;
      around.has_any = near_.find(cube) >= 0;
      if (around.has_any) around.cubes = cubes_.neighborhood(cube);
    }
    if (!around.has_any) return;
    for (const std::int32_t c : around.cubes) {
      if (c < 0) continue;
      for (auto i = static_cast<std::size_t>(starts_[static_cast<std::size_t>(c)]);
           i < static_cast<std::size_t>(starts_[static_cast<std::size_t>(c) + 1]); ++i) {
        const double squared = (places_[i] - p).squaredNorm();
        if (squared < reach_ * reach_) visit(i, squared);
      }
    }
  }

 private:
  Lattice lattice_;
  double reach_;           // voxels
  BlockSet cubes_, near_;  // near: those, and all around them
  std::vector<MedialParticle> particles_;
  std::vector<Vec3> places_;  // of the particles, lattice coordinates
  std::vector<std::int32_t> starts_;
};

class ParticleField final : public ScalarField {
 public:
  // `reach`, voxels: there is nothing farther from particles.
  ParticleField(std::vector<MedialParticle> particles, const Lattice& lattice, double reach)
      : cubes_(std::move(particles), lattice, reach), reach_(reach), spacing_(lattice.spacing) {}

  [[nodiscard]] std::int64_t count() const { return std::ssize(cubes_.particles()); }
  [[nodiscard]] bool is_empty() const { return cubes_.is_empty(); }

  // m; a large value where there is no particle.
  void evaluate(std::span<const Vec3> points, std::span<double> values) const override;

 private:
  ParticleCubes cubes_;
  double reach_;
  double spacing_;
};

}  // namespace spindrift
