#include "spindrift/meshing/octree.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/memory.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/morton.hpp"
#include "spindrift/meshing/padded_signs.hpp"

namespace spindrift {
namespace {

// A vertex closer to the surface than this lies on it. Cell sides.
constexpr double kOnSurface = 1e-7;
// No edge reaches farther: the ends of a cut edge lie in bricks near the surface. Cell sides.
constexpr double kLongestEdge = 1;

void expect_finite(double value) {
  if (std::isfinite(value)) return;
  throw InputError({}, "the distance from the surface is not a finite number somewhere",
                   "check the shape's coordinates");
}

// A guess, on the safe side: about 130 bytes a tetrahedron (docs/performance.md), and in a brick of
// finest cells twelve of them a cell. Bricks at the surface are half full; those inside have a few
// large leaves unless all cells are finest.
constexpr double kBytesOfFullBrick = 130.0 * 12 * kBlockNodes;
constexpr double kBytesOfCoarseBrick = 4e3;

void expect_to_fit(double surface_bricks, double inside_bricks, double size, bool uniform) {
  const double bytes = surface_bricks * kBytesOfFullBrick / 2 +
                       inside_bricks * (uniform ? kBytesOfFullBrick : kBytesOfCoarseBrick);
  const auto available = static_cast<double>(available_memory());
  if (bytes <= available) return;
  throw InputError({},
                   fmt::format("cells of {:.3g} m would take about {:.3g} GB of memory, and {:.3g} "
                               "GB are free",
                               size, bytes * 1e-9, available * 1e-9),
                   "use larger cells");
}

// Finds the bricks that are not outside, from large cubes to small ones.
class BrickSearch {
 public:
  BrickSearch(const ScalarField& distance, const Box3& box, double size, bool uniform)
      : distance_(distance), size_(size), uniform_(uniform) {
    // Two cells more on every side: vertices there tell whether the surface leaves the box.
    const double side = kBlockSide * size;
    const Vec3 extent = (box.sizes().array() + 2 * size) / side;
    constexpr double kMost = 1 << 20;
    if (extent.maxCoeff() > kMost) {
      throw InputError({}, fmt::format("the box is more than {:.0f} cells across", 8 * kMost),
                       "use larger cells");
    }
    low_ = Vec3i::Constant(-1);
    high_ = extent.array().ceil().cast<int>().max(0) - 1;
    origin_ = box.min();
  }

  void run(Octree& tree) {
    int level = 0;
    const int across = (high_ - low_).maxCoeff() + 1;
    while ((1 << level) < across) ++level;
    std::vector<Vec3i> cubes = {low_};  // their first bricks
    for (; level >= 0; --level) {
      std::vector<double> values = evaluate(cubes, level);
      const double reach =
          size_ * (std::sqrt(3.0) / 2 * kBlockSide * std::ldexp(1.0, level) + kLongestEdge + 0.01);
      std::vector<Vec3i> near;
      std::vector<Vec3i> inside;
      for (std::size_t i = 0; i < cubes.size(); ++i) {
        expect_finite(values[i]);
        if (values[i] < -reach) inside.push_back(cubes[i]);
        if (std::abs(values[i]) <= reach) near.push_back(cubes[i]);
      }
      // Before they are made.
      expect_to_fit(std::ldexp(static_cast<double>(near.size()), level),
                    static_cast<double>(tree.bricks.size()) +
                        std::ldexp(static_cast<double>(inside.size()), 3 * level),
                    size_, uniform_);
      for (const Vec3i& cube : inside) add_inside(cube, level, tree);
      cubes = level > 0 ? children(near, level - 1) : std::move(near);
    }
    for (const Vec3i& place : cubes) {
      Brick& brick = tree.bricks.emplace_back();
      brick.place = place;
      brick.surface = 0;
    }
  }

  // Does a brick border on what was not looked at, on this side of an axis?
  [[nodiscard]] bool is_at_end(const Vec3i& brick, int axis, int side) const {
    return brick[axis] == (side < 0 ? low_ : high_)[axis];
  }

 private:
  [[nodiscard]] std::vector<double> evaluate(const std::vector<Vec3i>& cubes, int level) const {
    std::vector<Vec3> centers(cubes.size());
    for (std::size_t i = 0; i < cubes.size(); ++i) {
      const Vec3 middle = cubes[i].cast<double>().array() + 0.5 * std::ldexp(1.0, level);
      centers[i] = origin_ + kBlockSide * size_ * middle;
    }
    std::vector<double> values(cubes.size());
    evaluate_parallel(distance_, centers, values);
    return values;
  }

  [[nodiscard]] std::vector<Vec3i> children(const std::vector<Vec3i>& cubes, int level) const {
    std::vector<Vec3i> result;
    for (const Vec3i& cube : cubes) {
      for (int k = 0; k < 8; ++k) {
        const Vec3i child = cube + (1 << level) * Vec3i(k & 1, k >> 1 & 1, k >> 2);
        if ((child.array() <= high_.array()).all()) result.push_back(child);
      }
    }
    return result;
  }

  void add_inside(const Vec3i& cube, int level, Octree& tree) const {
    const Vec3i last = (cube.array() + (1 << level) - 1).min(high_.array());
    for (int z = cube.z(); z <= last.z(); ++z) {
      for (int y = cube.y(); y <= last.y(); ++y) {
        for (int x = cube.x(); x <= last.x(); ++x) {
          tree.bricks.emplace_back().place = Vec3i(x, y, z);
        }
      }
    }
  }

  const ScalarField& distance_;
  double size_;
  bool uniform_;
  Vec3 origin_;
  Vec3i low_, high_;
};

void sort_bricks(std::vector<Brick>& bricks) {
  parallel_sort_total(bricks.begin(), bricks.end(), [](const Brick& a, const Brick& b) {
    return morton_key(a.place) < morton_key(b.place);
  });
  std::vector<std::uint64_t> keys(bricks.size());
  for (std::size_t b = 0; b < bricks.size(); ++b) keys[b] = block_key(bricks[b].place);
  const BlockSet places(std::move(keys));
  std::vector<std::int32_t> numbers(bricks.size());
  std::int32_t surface_bricks = 0;
  for (std::size_t b = 0; b < bricks.size(); ++b) {
    numbers[static_cast<std::size_t>(places.find(bricks[b].place))] = static_cast<std::int32_t>(b);
    if (bricks[b].surface >= 0) bricks[b].surface = surface_bricks++;
  }
  parallel_for_each(std::ssize(bricks), [&](std::int64_t b) {
    Brick& brick = bricks[static_cast<std::size_t>(b)];
    brick.around = places.neighborhood(brick.place);
    for (std::int32_t& neighbor : brick.around) {
      if (neighbor >= 0) neighbor = numbers[static_cast<std::size_t>(neighbor)];
    }
  });
}

// Evaluates the field at the corners and centres of a brick.
void sample(const ScalarField& distance, const Octree& tree, const Vec3i& place,
            SurfaceBrick& surface) {
  std::array<Vec3, kBlockNodes> points;
  std::array<double, kBlockNodes> values;
  for (const Lattice2 lattice : {kCorners, kCenters}) {
    for (int node = 0; node < kBlockNodes; ++node) {
      points[static_cast<std::size_t>(node)] =
          tree.position(place, node_units(lattice, node).cast<double>());
    }
    distance.evaluate(points, values);
    BlockMask& inside = surface.inside[lattice];
    BlockMask& outside = surface.outside[lattice];
    inside = kNoNodes;
    outside = kNoNodes;
    for (std::size_t node = 0; node < kBlockNodes; ++node) {
      const double value = values[node] / tree.size;
      expect_finite(value);
      surface.values[lattice][node] = static_cast<float>(value);
      inside[node >> 6] |= std::uint64_t{value < -kOnSurface} << (node & 63);
      outside[node >> 6] |= std::uint64_t{value > kOnSurface} << (node & 63);
    }
  }
}

void mark(const Octree& tree, const Brick& brick, SurfaceBrick& surface) {
  const PaddedSigns signs(tree, brick);
  for (const Lattice2 lattice : {kCorners, kCenters}) {
    const Lattice2 other = lattice == kCorners ? kCenters : kCorners;
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
  const auto marked = [&](Lattice2 lattice) {
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

// The neighbour (or the brick itself) that octant (x, y, z) of `side` octants lies in.
const Brick* brick_at(const Octree& tree, const Brick& brick, int side, int x, int y, int z) {
  const auto step = [side](int c) { return c < 0 ? 0 : c < side ? 1 : 2; };
  const std::int32_t neighbor =
      brick.around[static_cast<std::size_t>(step(x) + 3 * step(y) + 9 * step(z))];
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
        unsigned split = 0;
        dilate(
            4,
            [&](int x, int y, int z) {
              const Brick* other = brick_at(tree, brick, 4, x, y, z);
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
              const Brick* other = brick_at(tree, brick, 2, x, y, z);
              const int octant = (x & 1) | (y & 1) << 1 | (z & 1) << 2;
              return other != nullptr && (other->split4 >> octant & 1) != 0;
            },
            [&](int, int, int) { brick.split8 = true; });
      },
      64);
}

void expect_within(const BrickSearch& search, const Octree& tree) {
  for (const Brick& brick : tree.bricks) {
    for (int axis = 0; axis < 3; ++axis) {
      for (const int side : {-1, 1}) {
        if (!search.is_at_end(brick.place, axis, side)) continue;
        bool leaves = brick.surface < 0;
        for (int node = 0; node < kBlockNodes && !leaves; ++node) {
          if (node_offset(node)[axis] != (side < 0 ? 0 : kBlockSide - 1)) continue;
          const SurfaceBrick& s = tree.surface_bricks[static_cast<std::size_t>(brick.surface)];
          leaves = !has_node(s.outside[kCorners], node) || !has_node(s.outside[kCenters], node);
        }
        if (!leaves) continue;
        throw InputError({}, "the surface leaves the box in which it is meshed",
                         "make the box larger, or cut the shape with a box");
      }
    }
  }
}

}  // namespace

Octree build_octree(const ScalarField& distance, const Box3& box, double size, bool uniform) {
  Octree tree;
  tree.origin = box.min();
  tree.size = size;
  BrickSearch search(distance, box, size, uniform);
  search.run(tree);
  sort_bricks(tree.bricks);
  const auto surface_bricks = std::count_if(tree.bricks.begin(), tree.bricks.end(),
                                            [](const Brick& brick) { return brick.surface >= 0; });
  tree.surface_bricks.resize(static_cast<std::size_t>(surface_bricks));
  const auto for_each_brick = [&](const auto& visit) {
    parallel_for_each(
        std::ssize(tree.bricks),
        [&](std::int64_t b) { visit(tree.bricks[static_cast<std::size_t>(b)]); }, 8);
  };
  const auto surface_of = [&](const Brick& brick) -> SurfaceBrick& {
    return tree.surface_bricks[static_cast<std::size_t>(brick.surface)];
  };
  for_each_brick([&](const Brick& brick) {
    if (brick.surface >= 0) sample(distance, tree, brick.place, surface_of(brick));
  });
  expect_within(search, tree);
  for_each_brick([&](const Brick& brick) {
    if (brick.surface >= 0) mark(tree, brick, surface_of(brick));
  });
  for_each_brick([&](Brick& brick) {
    brick.split2 = uniform ? ~std::uint64_t{0} : octants_at_surface(tree, brick);
  });
  balance(tree);
  return tree;
}

}  // namespace spindrift
