// Points, found by where they are: sorted into cubes at least as large as the reach of a search.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "spindrift/core/buffer.hpp"
#include "spindrift/levelset/block_set.hpp"
#include "spindrift/levelset/lattice.hpp"

namespace spindrift {

class PointCubes {
 public:
  // `reach`: voxels. Points less than kBlockLimit - 2 cubes from the lattice's origin.
  PointCubes(std::span<const Vec3> points, const Lattice& lattice, double reach);

  [[nodiscard]] bool is_empty() const { return places_.empty(); }

  struct Range {
    std::int32_t begin = 0, end = 0;
  };
  // Of the points around a cube: those of three cubes along x follow each other.
  using Rows = std::array<Range, 9>;

  // The cube of the last place: the next one is mostly there, too.
  struct Around {
    Vec3i cube = Vec3i::Constant(2 * kBlockLimit);
    Rows rows = {};
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
    if (cube != around.cube) around = {cube, rows_around(cube)};
    for (const Range& row : around.rows) {
      for (auto i = static_cast<std::size_t>(row.begin); i < static_cast<std::size_t>(row.end);
           ++i) {
        const double squared = (places_[i] - p).squaredNorm();
        if (squared < reach_ * reach_) visit(static_cast<std::size_t>(indices_[i]), squared);
      }
    }
  }

 private:
  [[nodiscard]] Rows rows_around(const Vec3i& cube) const;
  void find_rows();

  Lattice lattice_;
  double reach_;
  double side_;                   // of the cubes, voxels
  BlockSet cubes_;                // those with points, and all around them
  std::vector<Rows> rows_;        // of each of them
  Buffer<std::uint64_t> keys_;    // of the cubes of the points, ascending
  Buffer<std::int32_t> indices_;  // of the points, by cubes
  std::vector<Vec3> places_;      // lattice coordinates, in that order
};

}  // namespace spindrift
