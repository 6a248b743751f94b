#include "spindrift/meshing/octree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/morton.hpp"
#include "spindrift/meshing/limits.hpp"
#include "spindrift/meshing/padded_signs.hpp"
#include "spindrift/meshing/volume.hpp"

namespace spindrift {
namespace {

void expect_number(double size) {
  if (!std::isnan(size)) return;
  throw InputError({}, "the size asked for is not a number somewhere", "check the sizing function");
}

// Bricks in a row along x, none of which is at the surface.
struct Gap {
  Vec3i first;
  int length;
};

// The gaps that are inside, as the vertices beside them are. Near bricks in scan order; the mask of
// corners inside for each of them.
template <class Inside>
std::vector<Gap> find_inside_gaps(const BrickGrid& grid, const std::vector<Vec3i>& near,
                                  const Inside& inside) {
  constexpr int kFirst = 0;
  constexpr int kLast = kBlockSide - 1;
  std::vector<Gap> gaps;
  for (std::size_t i = 0; i < near.size(); ++i) {
    const Vec3i& place = near[i];
    const auto in_row = [&](const Vec3i& other) {
      return other.y() == place.y() && other.z() == place.z();
    };
    const bool is_first = i == 0 || !in_row(near[i - 1]);
    const bool begins_late = is_first && place.x() > grid.low.x();
    if (begins_late && has_node(inside(i), kFirst)) fail_to_stay_in_box();
    if (!has_node(inside(i), kLast)) continue;
    const bool is_last = i + 1 == near.size() || !in_row(near[i + 1]);
    const int end = is_last ? grid.high.x() + 1 : near[i + 1].x();
    if (end == place.x() + 1) continue;
    if (is_last) fail_to_stay_in_box();
    gaps.push_back({place + Vec3i::UnitX(), end - place.x() - 1});
  }
  return gaps;
}

// Adds the bricks that are inside to those at the surface.
void add_inside_bricks(const BrickGrid& grid, bool uniform, Octree& tree) {
  std::vector<std::int32_t> order(tree.bricks.size());
  std::iota(order.begin(), order.end(), 0);
  const auto place_of = [&](std::int32_t b) {
    return tree.bricks[static_cast<std::size_t>(b)].place;
  };
  parallel_sort_total(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return block_key(place_of(a)) < block_key(place_of(b));
  });
  std::vector<Vec3i> near(order.size());
  std::transform(order.begin(), order.end(), near.begin(), place_of);
  const std::vector<Gap> gaps =
      find_inside_gaps(grid, near, [&](std::size_t i) -> const BlockMask& {
        return tree.surface_bricks[static_cast<std::size_t>(order[i])].inside[kCorners];
      });
  double count = 0;
  for (const Gap& gap : gaps) count += gap.length;
  expect_to_fit(static_cast<double>(near.size()), count, grid.size, uniform);
  for (const Gap& gap : gaps) {
    for (int x = 0; x < gap.length; ++x) {
      tree.bricks.emplace_back().place = gap.first + Vec3i(x, 0, 0);
    }
  }
}

void sort_bricks(std::vector<Brick>& bricks) {
  parallel_sort_total(bricks.begin(), bricks.end(), [](const Brick& a, const Brick& b) {
    return morton_key(a.place) < morton_key(b.place);
  });
  std::vector<std::uint64_t> keys(bricks.size());
  for (std::size_t b = 0; b < bricks.size(); ++b) keys[b] = block_key(bricks[b].place);
  const BlockSet places(std::move(keys));
  std::vector<std::int32_t> numbers(bricks.size());
  for (std::size_t b = 0; b < bricks.size(); ++b) {
    numbers[static_cast<std::size_t>(places.find(bricks[b].place))] = static_cast<std::int32_t>(b);
  }
  parallel_for_each(std::ssize(bricks), [&](std::int64_t b) {
    Brick& brick = bricks[static_cast<std::size_t>(b)];
    brick.around = places.neighborhood(brick.place);
    for (std::int32_t& neighbor : brick.around) {
      if (neighbor >= 0) neighbor = numbers[static_cast<std::size_t>(neighbor)];
    }
  });
}

void mark(const Octree& tree, const Brick& brick, SurfaceBrick& surface) {
  const PaddedSigns signs(tree, brick);
  for (const Sublattice lattice : {kCorners, kCenters}) {
    const Sublattice other = lattice == kCorners ? kCenters : kCorners;
    surface.marked[lattice] = mask_of_rows([&](int y, int z) {
      const unsigned in = signs.inside[lattice].moved_row(y, z, 0, 0, 0);
      const unsigned out = signs.outside[lattice].moved_row(y, z, 0, 0, 0);
      return (in & any_neighbor(signs.outside[lattice], signs.outside[other], lattice, y, z)) |
             (out & any_neighbor(signs.inside[lattice], signs.inside[other], lattice, y, z)) |
             (~(in | out) & 0xff);
    });
  }
}

// The octants of two cells a side that are split: all cells that touch a marked vertex, and those
// with a marked centre across a face, are finest.
std::uint64_t octants_at_surface(const Octree& tree, const Brick& brick) {
  const auto marked = [&](Sublattice lattice) {
    return padded(tree, brick, kNoNodes, kNoNodes,
                  [&](const SurfaceBrick& s) -> const BlockMask& { return s.marked[lattice]; });
  };
  const PaddedMask corners = marked(kCorners);
  const PaddedMask centers = marked(kCenters);
  std::uint64_t octants = 0;
  for (int z = 0; z < kBlockSide; ++z) {
    for (int y = 0; y < kBlockSide; ++y) {
      unsigned bits = centers.moved_row(y, z, 0, 0, 0);
      for (const int d : {-1, 1}) {
        bits |= centers.moved_row(y, z, d, 0, 0) | centers.moved_row(y, z, 0, d, 0) |
                centers.moved_row(y, z, 0, 0, d);
      }
      for (int k = 0; k < 8; ++k) bits |= corners.moved_row(y, z, k & 1, k >> 1 & 1, k >> 2);
      for (int x = 0; x < 4; ++x) {
        const std::uint64_t any = (bits >> (2 * x) & 3) != 0;
        octants |= any << (x + 4 * (y >> 1) + 16 * (z >> 1));
      }
    }
  }
  return octants;
}

// Octants that have an octant with a set bit in their 18-neighbourhood: those that share a face or
// an edge. `bit(x, y, z)` for coordinates from -1 to `side`; calls set(x, y, z).
template <class Bit, class Set>
void dilate(int side, const Bit& bit, const Set& set) {
  for (int z = 0; z < side; ++z) {
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) {
        bool any = false;
        for (int k = 0; k < 27 && !any; ++k) {
          const Vec3i d(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
          if (d.squaredNorm() <= 2) any = bit(x + d.x(), y + d.y(), z + d.z());
        }
        if (any) set(x, y, z);
      }
    }
  }
}

// Splits octants that are larger than the field asks for, anywhere in them: it is sampled in the
// middle of all octants of 2 cells.
void split_by_size(const ScalarField& sizing, Octree& tree) {
  parallel_for_each(
      std::ssize(tree.bricks),
      [&](std::int64_t b) {
        Brick& brick = tree.bricks[static_cast<std::size_t>(b)];
        std::array<Vec3, 64> points;
        std::array<double, 64> sizes;
        for (int o = 0; o < 64; ++o) {
          const Vec3i middle = 4 * Vec3i(o & 3, o >> 2 & 3, o >> 4) + Vec3i::Constant(2);
          points[static_cast<std::size_t>(o)] = tree.position(brick.place, middle.cast<double>());
        }
        sizing.evaluate(points, sizes);
        for (int o = 0; o < 64; ++o) {
          const double size = sizes[static_cast<std::size_t>(o)];
          expect_number(size);
          if (size < 2 * tree.size) brick.split2 |= std::uint64_t{1} << o;
          const int parent = (o >> 1 & 1) | (o >> 3 & 1) << 1 | (o >> 5) << 2;
          if (size < 4 * tree.size)
            brick.split4 = static_cast<std::uint8_t>(brick.split4 | 1U << parent);
          if (size < 8 * tree.size) brick.split8 = true;
        }
      },
      8);
}

// The neighbour (or the brick itself) that octant (x, y, z) of `side` octants lies in.
const Brick* brick_of_octant(const Octree& tree, const Brick& brick, int side, int x, int y,
                             int z) {
  const auto step = [side](int c) { return c < 0 ? 0 : c < side ? 1 : 2; };
  const int direction = step(x) + 3 * step(y) + 9 * step(z);
  const std::int32_t neighbor = brick.around[static_cast<std::size_t>(direction)];
  return neighbor < 0 ? nullptr : &tree.bricks[static_cast<std::size_t>(neighbor)];
}

bool has_split_around(const Octree& tree, const Brick& brick) {
  return std::any_of(brick.around.begin(), brick.around.end(), [&](std::int32_t neighbor) {
    return neighbor >= 0 && tree.bricks[static_cast<std::size_t>(neighbor)].split2 != 0;
  });
}

void balance(Octree& tree) {
  parallel_for_each(
      std::ssize(tree.bricks),
      [&](std::int64_t b) {
        Brick& brick = tree.bricks[static_cast<std::size_t>(b)];
        if (!has_split_around(tree, brick)) return;
        if (brick.split2 == ~std::uint64_t{0}) {
          brick.split4 = 0xff;
          return;
        }
        unsigned split = brick.split4;
        dilate(
            4,
            [&](int x, int y, int z) {
              const Brick* other = brick_of_octant(tree, brick, 4, x, y, z);
              const int octant = (x & 3) | (y & 3) << 2 | (z & 3) << 4;
              return other != nullptr && (other->split2 >> octant & 1) != 0;
            },
            [&](int x, int y, int z) {
              split |= 1U << ((x >> 1) | (y >> 1) << 1 | (z >> 1) << 2);
            });
        brick.split4 = static_cast<std::uint8_t>(split);
      },
      64);
  parallel_for_each(
      std::ssize(tree.bricks),
      [&](std::int64_t b) {
        Brick& brick = tree.bricks[static_cast<std::size_t>(b)];
        if (brick.split4 != 0) {
          brick.split8 = true;
          return;
        }
        dilate(
            2,
            [&](int x, int y, int z) {
              const Brick* other = brick_of_octant(tree, brick, 2, x, y, z);
              const int octant = (x & 1) | (y & 1) << 1 | (z & 1) << 2;
              return other != nullptr && (other->split4 >> octant & 1) != 0;
            },
            [&](int, int, int) { brick.split8 = true; });
      },
      64);
}

// The vertices on the sides of the grid must be outside.
void expect_within(const BrickGrid& grid, const Octree& tree) {
  for (const Brick& brick : tree.bricks) {
    for (int axis = 0; axis < 3; ++axis) {
      for (const int side : {-1, 1}) {
        if (brick.place[axis] != (side < 0 ? grid.low : grid.high)[axis]) continue;
        for (int node = 0; node < kBlockNodes; ++node) {
          if (node_offset(node)[axis] != (side < 0 ? 0 : kBlockSide - 1)) continue;
          const SurfaceBrick& s = tree.surface_bricks[static_cast<std::size_t>(brick.surface)];
          const bool leaves =
              !has_node(s.outside[kCorners], node) || !has_node(s.outside[kCenters], node);
          if (leaves) fail_to_stay_in_box();
        }
      }
    }
  }
}

}  // namespace

Octree build_octree(Volume& volume, const BrickGrid& grid, const OctreeParams& params) {
  Octree tree;
  tree.origin = grid.origin;
  tree.size = grid.size;
  std::vector<Vec3i> near = volume.bricks_at_surface();
  parallel_sort_total(near.begin(), near.end(),
                      [](const Vec3i& a, const Vec3i& b) { return morton_key(a) < morton_key(b); });
  tree.bricks.resize(near.size());
  for (std::size_t b = 0; b < near.size(); ++b) {
    tree.bricks[b].place = near[b];
    tree.bricks[b].surface = static_cast<std::int32_t>(b);
  }
  tree.surface_bricks.resize(near.size());
  volume.classify(tree);
  expect_within(grid, tree);
  add_inside_bricks(grid, params.uniform, tree);
  sort_bricks(tree.bricks);
  const auto for_each_brick = [&](const auto& visit) {
    parallel_for_each(
        std::ssize(tree.bricks),
        [&](std::int64_t b) { visit(tree.bricks[static_cast<std::size_t>(b)]); }, 8);
  };
  for_each_brick([&](const Brick& brick) {
    if (brick.surface >= 0) {
      mark(tree, brick, tree.surface_bricks[static_cast<std::size_t>(brick.surface)]);
    }
  });
  for_each_brick([&](Brick& brick) {
    brick.split2 = params.uniform ? ~std::uint64_t{0} : octants_at_surface(tree, brick);
  });
  if (params.sizing != nullptr && !params.uniform) split_by_size(*params.sizing, tree);
  balance(tree);
  return tree;
}

}  // namespace spindrift
