// Points, found by where they are: sorted into cubes at least as large as the reach of a search.
#pragma once

#include <span>
#include <vector>

#include "spindrift/levelset/block_set.hpp"
#include "spindrift/levelset/lattice.hpp"

namespace spindrift {

class PointCubes {
 public:
  // `reach`: voxels. Points within kBlockLimit voxels of the lattice's origin.
  PointCubes(std::span<const Vec3> points, const Lattice& lattice, double reach);

  [[nodiscard]] bool is_empty() const { return places_.empty(); }

  // The cubes around the last place: the next one is mostly there, too.
  struct Around {
    Vec3i cube = Vec3i::Constant(2 * kBlockLimit);
    bool has_any = false;
    BlockSet::Neighborhood cubes;
  };

  // visit(index of the point, squared distance in voxels) for all within reach of a place, m.
  template <class Visit>
  void for_each_near(const Vec3& place, const Visit& visit) const {
    Around around;
    for_each_near(place, around, visit);
  }
  template <class Visit>
  void for_each_near(const Vec3& place, Around& around, const Visit& visit) const {
    const Vec3 p = lattice_.to_lattice(place);
    const Vec3i cube = (p / side_).array().floor().cast<int>();
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
        if (squared < reach_ * reach_) visit(indices_[i], squared);
      }
    }
  }

 private:
  Lattice lattice_;
  double reach_;
  double side_;            // of the cubes, voxels
  BlockSet cubes_, near_;  // near: those, and all around them
  std::vector<std::size_t> indices_;
  std::vector<Vec3> places_;  // lattice coordinates
  std::vector<std::int32_t> starts_;
};

}  // namespace spindrift
