#include "spindrift/levelset/prism_raster.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/levelset/block_tile.hpp"
#include "spindrift/levelset/measured_tile.hpp"
#include "spindrift/levelset/triangle_lanes.hpp"

namespace spindrift {
namespace {

constexpr int kBlockTiles = kBlockSide / 2;

// A brick is what a thread works on at a time: a cube of blocks, of tiles.
template <int kBlocks>
struct Brick {
  static constexpr int kNodes = kBlocks * kBlockSide;
  static constexpr int kTiles = kNodes / 2;
  static constexpr std::size_t kAllTiles = std::size_t{kTiles} * kTiles * kTiles;
  // From one tile to the next along each axis.
  static constexpr std::array<int, 3> kStrides = {1, kTiles, kTiles* kTiles};

  static constexpr int kBits = std::countr_zero(unsigned{kBlocks});
  static_assert(1 << kBits == kBlocks);
  // Bricks begin half a brick off the lattice's origin: walls are often there, and the surface
  // along them would be in the bricks on both sides.
  static constexpr int kShift = kBlocks / 2;
  static Vec3i of_block(const Vec3i& block) {
    return {(block.x() + kShift) >> kBits, (block.y() + kShift) >> kBits,
            (block.z() + kShift) >> kBits};
  }
  static Vec3i first_block(const Vec3i& brick) { return kBlocks * brick - Vec3i::Constant(kShift); }
};

// Prisms lean outwards by this angle more than they have to, in radians: normals are rounded.
constexpr float kSpareAngle = 0.01F;
// Lattice units. Of a triangle that is less high the normal is noise.
constexpr float kLeastHeight = 1e-5F;
// Spare room around prisms, lattice units.
constexpr float kSpareRoom = 1e-3F;

// For every point of the surface, the sum of the normals of its triangles, each as long as twice
// the area. On one thread: sums must not depend on how many there are.
Buffer<Vec3f> corner_normals(const FixedSurface& surface) {
  Buffer<Vec3f> sums(surface.points.size());
  std::fill(sums.begin(), sums.end(), Vec3f::Zero());
  for (const Triangle& t : surface.triangles) {
    const auto point = [&](int k) { return surface.points[static_cast<std::size_t>(t[k])]; };
    const FixedPoint a = point(0);
    const FixedPoint b = point(1);
    const FixedPoint c = point(2);
    const auto way = [&](const FixedPoint& to) {
      return Vec3f(static_cast<float>(to[0] - a[0]), static_cast<float>(to[1] - a[1]),
                   static_cast<float>(to[2] - a[2]));
    };
    const Vec3f normal = way(b).cross(way(c));
    for (int k = 0; k < 3; ++k) sums[static_cast<std::size_t>(t[k])] += normal;
  }
  return sums;
}

// Where eight triangles are to be measured. All from a node of their own, in lattice units.
struct PrismLanes {
  Lanes3<Int8> origin;  // that node, the first of a tile, from the surface's base
  TriangleLanes triangles;
  Points8 least, most;  // the corners of a box around the prism
  // The axis closest to the normal is a, the next two b and c. At a height x above the origin along
  // a, a prism without a lean covers low + slope x to high + slope x along b and c.
  Int8 axis;
  Float8 low_a, high_a;  // of the triangle
  Float8 least_a, most_a;
  struct Side {
    Float8 slope, low, high;
    Float8 least, most;
    Float8 lean;  // of a prism's way outwards, how far it goes along this axis
  };
  Side b, c;
  // Outwards it leans by `growth` times the height, and by no more than `greatest`.
  Float8 growth, greatest;
};

// The tiles in which one triangle is measured: their coordinates, from the tile of its origin,
// along the axes a, b and c.
struct TileList {
  static constexpr int kRoom = 64;
  int count = 0;
  std::array<std::int32_t, kRoom> a{}, b{}, c{};

  void put(int at_a, int at_b, int at_c) {
    const auto i = static_cast<std::size_t>(count);
    a[i] = at_a;
    b[i] = at_b;
    c[i] = at_c;
  }
};

template <class V>
V pick(Int8 axis, V x, V y, V z, int turn) {
  const auto component = [&](int k) { return k % 3 == 0 ? x : k % 3 == 1 ? y : z; };
  const Int8 is_x = axis == Int8{};
  const Int8 is_y = axis == (Int8{} + 1);
  return is_x ? component(turn) : (is_y ? component(turn + 1) : component(turn + 2));
}

template <class Tile>
class BrickRaster {
 public:
  using Cube = Brick<Tile::kBrickBlocks>;

  BrickRaster(const FixedSurface& surface, const TriangleBins& bins, std::span<const Vec3f> normals,
              float band)
      : surface_(surface), bins_(bins), normals_(normals), band_(band), nodes_(Cube::kAllTiles) {}

  // Measures all triangles near a brick.
  void run(const Vec3i& brick);

  // Stores the distances of one of its blocks, and says which are less than the band.
  BlockMask store(const Vec3i& block, const BlockMask& inside, float* distances) const;

 private:
  void gather(const Vec3i& brick);
  void set_up(const std::array<std::int32_t, 8>& triangles);
  void lean(const std::array<std::int32_t, 8>& triangles, const std::array<Points8, 3>& corners);
  [[nodiscard]] unsigned touching(const Vec3i& first_node) const;
  class OneTriangle;
  void measure(const Vec3i& first_node, int lane, std::int32_t number);

  const FixedSurface& surface_;
  const TriangleBins& bins_;
  std::span<const Vec3f> normals_;
  float band_;
  std::vector<std::int32_t> candidates_;
  PrismLanes prisms_;
  TileList tiles_;
  Buffer<Tile> nodes_;  // of the brick
};

template <class Tile>
void BrickRaster<Tile>::gather(const Vec3i& brick) {
  candidates_.clear();
  const int reach = static_cast<int>(std::ceil(band_));
  for (int z = -1; z <= Tile::kBrickBlocks; ++z) {
    for (int y = -1; y <= Tile::kBrickBlocks; ++y) {
      for (int x = -1; x <= Tile::kBrickBlocks; ++x) {
        const Vec3i offset(x, y, z);
        const std::int32_t bin = bins_.blocks.find(Cube::first_block(brick) + offset);
        if (bin < 0) continue;
        const Vec3i first = -kBlockSide * offset;
        bins_.add_near(bin, first.array() - reach, first.array() + (Cube::kNodes - 1 + reach),
                       offset.array() >= 0, candidates_);
      }
    }
  }
}

template <class Tile>
void BrickRaster<Tile>::set_up(const std::array<std::int32_t, 8>& triangles) {
  std::array<Lanes3<Int8>, 3> fixed;
  for (std::size_t corner = 0; corner < 3; ++corner) {
    std::array<const void*, 8> from;
    for (std::size_t k = 0; k < 8; ++k) {
      const Triangle& t = surface_.triangles[static_cast<std::size_t>(triangles[k])];
      from[k] = &surface_.points[static_cast<std::size_t>(t[corner])];
    }
    fixed[corner] = load_points(from);
  }
  // The first node of the tile of the lowest corner. So coordinates are small, and exact.
  const auto first_node = [&](Int8 a, Int8 b, Int8 c) {
    const Int8 lowest = lane_min(lane_min(a, b), c);
    return lowest >> (surface_.bits + 1) << 1;
  };
  prisms_.origin = {first_node(fixed[0].x, fixed[1].x, fixed[2].x),
                    first_node(fixed[0].y, fixed[1].y, fixed[2].y),
                    first_node(fixed[0].z, fixed[1].z, fixed[2].z)};
  const Float8 unit = splat8(std::ldexp(1.0F, -surface_.bits));
  const auto local = [&](Int8 coordinate, Int8 zero) {
    return __builtin_convertvector(coordinate - (zero << surface_.bits), Float8) * unit;
  };
  std::array<Points8, 3> corners;
  for (std::size_t k = 0; k < 3; ++k) {
    corners[k] = {local(fixed[k].x, prisms_.origin.x), local(fixed[k].y, prisms_.origin.y),
                  local(fixed[k].z, prisms_.origin.z)};
  }
  set_up_lanes(corners[0], corners[1], corners[2], prisms_.triangles);
  lean(triangles, corners);
}

// If x = q + t d is a node, q on the triangle, |t| <= band, and d is no farther than the angle A
// from the normal n, then d = n cos B + l sin B with B <= A and l in the plane. Along a, with m the
// length of the normal across a, x is t (n_a cos B + l_a sin B) from q, and that is between
// t (n_a cos A - m sin A) and t (n_a cos A + m sin A), or t where d may be a itself. Along b it is
// t sin B (l_b - l_a n_b / n_a) off the line through q along n.
template <class Tile>
void BrickRaster<Tile>::lean(const std::array<std::int32_t, 8>& triangles,
                             const std::array<Points8, 3>& corners) {
  const Float8 zero = splat8(0);
  const Float8 band = splat8(band_);
  const auto& z = prisms_.triangles.z;
  const Points8 normal = {z.x, z.y, z.z};
  Float8 cosine = splat8(1);
  for (std::size_t corner = 0; corner < 3; ++corner) {
    std::array<const void*, 8> from;
    for (std::size_t k = 0; k < 8; ++k) {
      const Triangle& t = surface_.triangles[static_cast<std::size_t>(triangles[k])];
      from[k] = normals_[static_cast<std::size_t>(t[corner])].data();
    }
    const Lanes3<Int8> bits = load_points(from);
    const Points8 mean = {std::bit_cast<Float8>(bits.x), std::bit_cast<Float8>(bits.y),
                          std::bit_cast<Float8>(bits.z)};
    const Float8 length = root(dot(mean, mean));
    const Int8 is_none = length <= zero;
    cosine = lane_min(cosine, is_none ? -splat8(1) : dot(normal, mean) / length);
  }
  const auto clamped_root = [&](Float8 square) { return root(lane_max(square, zero)); };
  const Float8 sine = clamped_root(splat8(1) - cosine * cosine);
  const Float8 cos_lean =
      cosine * splat8(std::cos(kSpareAngle)) - sine * splat8(std::sin(kSpareAngle));
  const Float8 sin_lean = clamped_root(splat8(1) - cos_lean * cos_lean);

  const auto size = [&](Float8 v) { return lane_max(v, -v); };
  const Float8 nx = size(normal.x);
  const Float8 ny = size(normal.y);
  const Float8 nz = size(normal.z);
  const Int8 is_z = (nz >= nx) & (nz >= ny);
  const Int8 is_y = (ny >= nx) & ~is_z;
  prisms_.axis = is_z ? Int8{} + 2 : (is_y ? Int8{} + 1 : Int8{});
  const auto along = [&](const Points8& p, int turn) {
    return pick(prisms_.axis, p.x, p.y, p.z, turn);
  };
  const Float8 n_a = along(normal, 0);
  const Float8 size_a = size(n_a);
  const Float8 across = clamped_root(splat8(1) - size_a * size_a);
  const Float8 least_rise = size_a * cos_lean - across * sin_lean;
  const Float8 height = prisms_.triangles.v2 * prisms_.triangles.length2;
  // Anywhere around the triangle: where directions may be level, or there is no normal.
  const Int8 is_all =
      (least_rise < splat8(0.05F)) | (cos_lean < splat8(0.05F)) | (height < splat8(kLeastHeight));
  const auto least_of = [&](const std::array<Float8, 3>& v) {
    return lane_min(lane_min(v[0], v[1]), v[2]);
  };
  const auto most_of = [&](const std::array<Float8, 3>& v) {
    return lane_max(lane_max(v[0], v[1]), v[2]);
  };
  const std::array<Float8, 3> heights = {along(corners[0], 0), along(corners[1], 0),
                                         along(corners[2], 0)};
  prisms_.low_a = least_of(heights);
  prisms_.high_a = most_of(heights);
  prisms_.growth = is_all ? splat8(1e6F) : sin_lean / least_rise;
  prisms_.greatest = is_all ? band : band * sin_lean;
  // Along an axis: the whole band where the direction may be that of the axis.
  const auto extent = [&](Float8 component) {
    const Float8 own = size(component);
    const Float8 rest = clamped_root(splat8(1) - own * own);
    return (is_all | (own >= cos_lean)) ? band : band * (own * cos_lean + rest * sin_lean);
  };
  const Points8 extents = {extent(normal.x), extent(normal.y), extent(normal.z)};
  const auto [p, q, r] = corners;
  prisms_.least = {least_of({p.x, q.x, r.x}) - extents.x, least_of({p.y, q.y, r.y}) - extents.y,
                   least_of({p.z, q.z, r.z}) - extents.z};
  prisms_.most = {most_of({p.x, q.x, r.x}) + extents.x, most_of({p.y, q.y, r.y}) + extents.y,
                  most_of({p.z, q.z, r.z}) + extents.z};
  prisms_.least_a = along(prisms_.least, 0);
  prisms_.most_a = along(prisms_.most, 0);
  const auto set_side = [&](int turn, PrismLanes::Side& side) {
    side.least = along(prisms_.least, turn);
    side.most = along(prisms_.most, turn);
    side.slope = is_all ? zero : along(normal, turn) / n_a;
    std::array<Float8, 3> sheared;
    for (std::size_t k = 0; k < 3; ++k) {
      sheared[k] = along(corners[k], turn) - side.slope * heights[k];
    }
    side.low = least_of(sheared);
    side.high = most_of(sheared);
    side.lean = root(splat8(1) + side.slope * side.slope);
  };
  set_side(1, prisms_.b);
  set_side(2, prisms_.c);
}

// The prisms that come into the brick: a bit for each.
template <class Tile>
unsigned BrickRaster<Tile>::touching(const Vec3i& first_node) const {
  const auto is_in = [](Float8 least, Float8 most, Int8 origin, int first) {
    const Float8 begin = __builtin_convertvector(first - origin, Float8);
    return (most >= begin) & (least <= begin + splat8(Cube::kNodes - 1));
  };
  const PrismLanes& p = prisms_;
  return true_lanes(is_in(p.least.x, p.most.x, p.origin.x, first_node.x()) &
                    is_in(p.least.y, p.most.y, p.origin.y, first_node.y()) &
                    is_in(p.least.z, p.most.z, p.origin.z, first_node.z()));
}

// What it takes to measure one of the triangles in tiles.
template <class Tile>
class BrickRaster<Tile>::OneTriangle {
 public:
  // `axes`: a, b and c. `brick`: its first tile along these, from the tile of the origin.
  OneTriangle(const TriangleLanes& lanes, int lane, const std::array<int, 3>& axes,
              const std::array<int, 3>& brick, std::int32_t number, Tile* nodes)
      : flat_(lanes, lane),
        z_(lanes.z, lane, axes),
        u_(lanes.u, lane, axes),
        v_(lanes.v, lane, axes),
        number_(number),
        nodes_(nodes) {
    for (std::size_t k = 0; k < 3; ++k) {
      strides_[k] = static_cast<std::uint32_t>(Cube::kStrides[static_cast<std::size_t>(axes[k])]);
      first_place_ += static_cast<std::uint32_t>(brick[k]) * strides_[k];
    }
  }

  // Empties the list.
  void measure(TileList& tiles) const {
    // Without a sign: what is in the list behind its end, and products of what is far from the
    // origin, may overflow. The places of tiles of the brick come out right.
    using Places8 = std::uint32_t __attribute__((vector_size(32)));
    std::array<float, 8> z, u, v;
    std::array<std::uint32_t, 8> places;
    for (int begin = 0; begin < tiles.count; begin += 8) {
      const Int8 a = load8(tiles.a.data() + begin);
      const Int8 b = load8(tiles.b.data() + begin);
      const Int8 c = load8(tiles.c.data() + begin);
      const auto offset = [&](Int8 coordinate, std::size_t k) {
        return std::bit_cast<Places8>(coordinate) * strides_[k];
      };
      places = std::bit_cast<std::array<std::uint32_t, 8>>(offset(a, 0) + offset(b, 1) +
                                                           offset(c, 2) - first_place_);
      const Points8 at = {__builtin_convertvector(a, Float8), __builtin_convertvector(b, Float8),
                          __builtin_convertvector(c, Float8)};
      store8(z.data(), z_.from_tile(at));
      store8(u.data(), u_.from_tile(at));
      store8(v.data(), v_.from_tile(at));
      const auto end = static_cast<std::size_t>(std::min(8, tiles.count - begin));
      for (std::size_t i = 0; i < end; ++i) {
        nodes_[places[i]].measure(
            flat_.squared_distances(u_.at + splat8(u[i]), v_.at + splat8(v[i]),
                                    z_.at + splat8(z[i])),
            number_);
      }
    }
    tiles.count = 0;
  }

 private:
  // A coordinate in the frame of the triangle: at the nodes of its origin's tile, and what changes
  // from tile to tile.
  struct Coordinate {
    Float8 at;
    std::array<Float8, 3> change;

    Coordinate(const TriangleLanes::Affine& f, int lane, const std::array<int, 3>& axes) {
      const std::array<Float8, 3> gradient = {
          FlatTriangle::one(f.x, lane), FlatTriangle::one(f.y, lane), FlatTriangle::one(f.z, lane)};
      at = fused(gradient[0], kLaneX,
                 fused(gradient[1], kLaneY,
                       fused(gradient[2], kLaneZ, FlatTriangle::one(f.offset, lane))));
      for (std::size_t k = 0; k < 3; ++k) {
        change[k] = splat8(2) * gradient[static_cast<std::size_t>(axes[k])];
      }
    }
    [[nodiscard]] Float8 from_tile(const Points8& tile) const {
      return fused(change[0], tile.x, fused(change[1], tile.y, change[2] * tile.z));
    }
  };

  FlatTriangle flat_;
  Coordinate z_, u_, v_;
  std::array<std::uint32_t, 3> strides_;
  std::uint32_t first_place_ = 0;  // of the brick, from the tile of the origin
  std::int32_t number_;
  Tile* nodes_;
};

// The tiles with a node from `low` to `high`, of so many from the first on.
struct TileRange {
  Int8 begin, end;
  TileRange(Float8 low, Float8 high, int first, int tiles) {
    const Float8 room = splat8(kSpareRoom);
    const Int8 from = -rounded_down(room - low) >> 1;
    const Int8 to = (rounded_down(high + room) >> 1) + 1;
    begin = lane_max(from, Int8{} + first);
    end = lane_min(to, Int8{} + (first + tiles));
  }
};

template <class Tile>
void BrickRaster<Tile>::measure(const Vec3i& first_node, int lane, std::int32_t number) {
  const auto scalar = [lane](const Float8& member) {
    return reinterpret_cast<const float*>(&member)[lane];
  };
  const auto one = [lane](const Float8& member) { return FlatTriangle::one(member, lane); };
  const auto whole = [lane](const Int8& member) {
    return reinterpret_cast<const std::int32_t*>(&member)[lane];
  };
  const PrismLanes& p = prisms_;
  constexpr std::array<int, 5> kTurns = {0, 1, 2, 0, 1};
  const auto axis = static_cast<std::size_t>(whole(p.axis));
  const std::array<int, 3> axes = {kTurns[axis], kTurns[axis + 1], kTurns[axis + 2]};
  const std::array<int, 3> from_origin = {(first_node.x() - whole(p.origin.x)) / 2,
                                          (first_node.y() - whole(p.origin.y)) / 2,
                                          (first_node.z() - whole(p.origin.z)) / 2};
  const std::array<int, 3> brick = {from_origin[static_cast<std::size_t>(axes[0])],
                                    from_origin[static_cast<std::size_t>(axes[1])],
                                    from_origin[static_cast<std::size_t>(axes[2])]};
  const OneTriangle triangle(p.triangles, lane, axes, brick, number, nodes_.data());
  const auto range = [&](const PrismLanes::Side& side, Float8 height, Float8 outwards, int first) {
    const Float8 slope = one(side.slope);
    const Float8 at = slope * height;
    const Float8 room = outwards * one(side.lean);
    const Float8 zero = splat8(0);
    return TileRange(lane_max(one(side.low) + at + lane_min(slope, zero) - room, one(side.least)),
                     lane_min(one(side.high) + at + lane_max(slope, zero) + room, one(side.most)),
                     first, Cube::kTiles);
  };
  const int first =
      std::max(static_cast<int>(std::ceil(scalar(p.least_a) - kSpareRoom)) >> 1, brick[0]);
  const int last = std::min(static_cast<int>(std::floor(scalar(p.most_a) + kSpareRoom)) >> 1,
                            brick[0] + Cube::kTiles - 1);
  // Eight layers of tiles at a time.
  for (int begin = first; begin <= last; begin += 8) {
    constexpr Float8 kHeights = {0, 2, 4, 6, 8, 10, 12, 14};
    const Float8 height = splat8(2 * static_cast<float>(begin)) + kHeights;
    const Float8 away = lane_max(height + splat8(1) - one(p.low_a), one(p.high_a) - height);
    const Float8 outwards = lane_min(one(p.greatest), one(p.growth) * away);
    const TileRange in_b = range(p.b, height, outwards, brick[1]);
    const TileRange in_c = range(p.c, height, outwards, brick[2]);
    std::array<std::int32_t, 8> begins_b, ends_b, begins_c, ends_c;
    store8(begins_b.data(), in_b.begin);
    store8(ends_b.data(), in_b.end);
    store8(begins_c.data(), in_c.begin);
    store8(ends_c.data(), in_c.end);
    const auto layers = static_cast<std::size_t>(std::min(8, last + 1 - begin));
    for (std::size_t i = 0; i < layers; ++i) {
      const int a = begin + static_cast<int>(i);
      const int b = begins_b[i];
      const int c = begins_c[i];
      if (ends_b[i] <= b + 2 && ends_c[i] <= c + 2) {
        // Mostly. Without branches, which nobody could foresee.
        const int has_b = ends_b[i] > b ? 1 : 0;
        const int has_c = ends_c[i] > c ? 1 : 0;
        const int has_next_b = ends_b[i] > b + 1 ? 1 : 0;
        const int has_next_c = ends_c[i] > c + 1 ? 1 : 0;
        tiles_.put(a, b, c);
        tiles_.count += has_b & has_c;
        tiles_.put(a, b, c + 1);
        tiles_.count += has_b & has_next_c;
        tiles_.put(a, b + 1, c);
        tiles_.count += has_next_b & has_c;
        tiles_.put(a, b + 1, c + 1);
        tiles_.count += has_next_b & has_next_c;
      } else {
        for (int at_b = b; at_b < ends_b[i]; ++at_b) {
          for (int at_c = c; at_c < ends_c[i]; ++at_c) {
            tiles_.put(a, at_b, at_c);
            if (++tiles_.count > TileList::kRoom - 4) triangle.measure(tiles_);
          }
        }
      }
      if (tiles_.count > TileList::kRoom - 4) triangle.measure(tiles_);
    }
  }
  triangle.measure(tiles_);
}

template <class Tile>
void BrickRaster<Tile>::run(const Vec3i& brick) {
  gather(brick);
  for (Tile& tile : nodes_) tile.squared = splat8(band_ * band_);
  const Vec3i first_node = kBlockSide * Cube::first_block(brick) - surface_.base;
  for (std::size_t i = 0; i < candidates_.size(); i += 8) {
    // Spare lanes repeat the last triangle.
    const std::size_t count = std::min<std::size_t>(8, candidates_.size() - i);
    std::array<std::int32_t, 8> triangles;
    for (std::size_t k = 0; k < 8; ++k) triangles[k] = candidates_[i + std::min(k, count - 1)];
    set_up(triangles);
    unsigned bits = touching(first_node) & ((1U << count) - 1);
    for (; bits != 0; bits &= bits - 1) {
      const int lane = std::countr_zero(bits);
      measure(first_node, lane, triangles[static_cast<std::size_t>(lane)]);
    }
  }
}

template <class Tile>
BlockMask BrickRaster<Tile>::store(const Vec3i& block, const BlockMask& inside,
                                   float* distances) const {
  const Float8 band = splat8(band_);
  const Float8 limit = band * band;
  BlockMask known{};
  const Vec3i in_brick = block - Cube::first_block(Cube::of_block(block));
  for (int z = 0; z < kBlockTiles; ++z) {
    for (int y = 0; y < kBlockTiles; ++y) {
      const Tile* tile = nodes_.data() + (kBlockTiles * in_brick.z() + z) * Cube::kStrides[2] +
                         (kBlockTiles * in_brick.y() + y) * Cube::kStrides[1] +
                         kBlockTiles * in_brick.x();
      for (int x = 0; x < kBlockTiles; ++x, ++tile) {
        const Vec3i low = 2 * Vec3i(x, y, z);
        const BlockTile place(low);
        Float8 distance = place.negated(root(tile->squared), inside);
        const Int8 is_near = tile->squared < limit;
        if constexpr (std::is_same_v<Tile, FlatTile>) {
          place.add(is_near, known);
        } else if (true_lanes(is_near) != 0) {
          const Int8 closest = is_near ? tile->closest : Int8{};
          const Float8 to_curved = curved_distances(surface_, block, low, closest, distance);
          distance = is_near ? to_curved : distance;
          place.add((distance < band) & (distance > -band), known);
        }
        place.store(distance, distances);
      }
    }
  }
  return known;
}

// The same for all kinds of tiles.
template <class Tile>
void rasterise(const FixedSurface& surface, const TriangleBins& bins,
               std::span<const Vec3f> normals, const InsideNodes& inside, float band,
               SampledField& field) {
  using InBrick = std::pair<std::uint64_t, std::int32_t>;  // its brick and a block
  std::vector<InBrick> blocks;
  for (std::int64_t b = 0; b < field.blocks.size(); ++b) {
    const Vec3i brick = Brick<Tile::kBrickBlocks>::of_block(field.blocks.coordinate(b));
    blocks.emplace_back(block_key(brick), b);
  }
  parallel_sort_total(blocks.begin(), blocks.end());
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i == 0 || blocks[i].first != blocks[i - 1].first) starts.push_back(i);
  }
  starts.push_back(blocks.size());
  constexpr std::int64_t kBricksAtOnce = 1;
  parallel_for_chunks(
      std::ssize(starts) - 1, kBricksAtOnce, [&](std::int64_t begin, std::int64_t end) {
        BrickRaster<Tile> raster(surface, bins, normals, band);
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          raster.run(block_of_key(blocks[starts[i]].first));
          for (std::size_t k = starts[i]; k < starts[i + 1]; ++k) {
            const auto b = static_cast<std::size_t>(blocks[k].second);
            field.known[b] = raster.store(field.blocks.coordinate(blocks[k].second),
                                          inside.masks[b], field.block_values(blocks[k].second));
          }
        }
      });
}

}  // namespace

void rasterise_prisms(const FixedSurface& surface, const TriangleBins& bins,
                      const InsideNodes& inside, float band, SampledField& field) {
  if (surface.normals.empty()) {
    rasterise<FlatTile>(surface, bins, corner_normals(surface), inside, band, field);
  } else {
    rasterise<CurvedTile>(surface, bins, surface.normals, inside, band, field);
  }
}

}  // namespace spindrift
