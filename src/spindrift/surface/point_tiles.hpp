// Pairs of points that are near each other, for eight points at a time.
//
//   const PointTiles points(places, lattice, 2);
//   const std::vector<float> sizes = points.in_order<float>([&](std::size_t i) { ... });
//   for_each_tile(points, points, reach, [&](const PointTiles::Tile& tile, NearTile& near) {
//     const float* const size = near.gathered(sizes);
//     for (std::size_t n = tile.begin; n < tile.end; ++n) {  // points.order()[n]
//       const Vec3f place = points.place(n);
//       for (std::size_t k = 0; k < near.count(); k += 8) {
//         const Lanes3<Float8> away = near.away(k, place);
//         ... dot(away, away), load8(size + k)
//
// Points are sorted into cubic tiles; those around a tile are copied together once for all points
// of the tile. Coordinates are kept to 1/32768 voxel from the corner of the tile, so that
// differences are exact: of two points each sees the other at the same squared distance, bit for
// bit, and what one of them gives, a sum over its neighbours, is what they get.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spindrift/core/buffer.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/core/simd.hpp"
#include "spindrift/levelset/lattice.hpp"

namespace spindrift {

class PointTiles {
 public:
  // `side` of the tiles, voxels. Points less than kBlockLimit - 2 tiles from the lattice's origin.
  PointTiles(std::span<const Vec3> points, const Lattice& lattice, int side);

  struct Tile {
    std::uint64_t key = 0;
    std::size_t begin = 0, end = 0;  // its points
  };

  [[nodiscard]] int side() const { return side_; }
  [[nodiscard]] std::span<const Tile> tiles() const { return tiles_; }
  // The points, tile by tile.
  [[nodiscard]] std::span<const std::int32_t> order() const { return order_; }
  // Of the n-th of them, from the corner of its tile, voxels.
  [[nodiscard]] Vec3f place(std::size_t n) const { return {x_[n], y_[n], z_[n]}; }

  // What value(point) says, in that order.
  template <class T, class Value>
  [[nodiscard]] std::vector<T> in_order(const Value& value) const {
    std::vector<T> values(order_.size());
    parallel_for_each(std::ssize(order_), [&](std::int64_t n) {
      const auto k = static_cast<std::size_t>(n);
      values[k] = value(static_cast<std::size_t>(order_[k]));
    });
    return values;
  }

 private:
  friend class NearTile;
  int side_;
  std::vector<Tile> tiles_;  // ascending
  Buffer<std::int32_t> order_;
  Buffer<float> x_, y_, z_;  // and seven more, so that eight can be loaded from anywhere
};

// The points that points of one tile may have within reach.
class NearTile {
 public:
  // `reach`: voxels.
  NearTile(const PointTiles& points, double reach);

  // Keys ascend from one call to the next, or it takes longer.
  void move_to(std::uint64_t key);

  // Where they are in the order of tiles, of all but those that are far away.
  [[nodiscard]] std::span<const std::int32_t> numbers() const {
    return std::span(numbers_).first(found_);
  }

  // A multiple of eight: the last ones may be far away.
  [[nodiscard]] std::size_t count() const { return count_; }

  // Eight of them; anything for those that are far away.
  [[nodiscard]] Int8 numbers(std::size_t first) const { return load8(numbers_.data() + first); }
  // From a place in the tile to these points, voxels.
  [[nodiscard]] Lanes3<Float8> away(std::size_t first, const Vec3f& place) const {
    return {load8(x_.data() + first) - place.x(), load8(y_.data() + first) - place.y(),
            load8(z_.data() + first) - place.z()};
  }

  // Values of these points, of all that are in order; 0 for those that are far away. Valid until
  // the tile is left.
  [[nodiscard]] const float* gathered(std::span<const float> values) {
    return gathered(values, floats_);
  }
  [[nodiscard]] const double* gathered(std::span<const double> values) {
    return gathered(values, doubles_);
  }

 private:
  template <class T>
  struct Gathered {
    std::vector<Buffer<T>> arrays;
    std::size_t used = 0;
  };
  template <class T>
  [[nodiscard]] const T* gathered(std::span<const T> values, Gathered<T>& all) const {
    if (all.used == all.arrays.size()) all.arrays.emplace_back();
    Buffer<T>& to = all.arrays[all.used++];
    if (to.size() < count_) to.resize(2 * count_);
    for (std::size_t k = 0; k < found_; ++k) {
      to[k] = values[static_cast<std::size_t>(numbers_[k])];
    }
    for (std::size_t k = found_; k < count_; ++k) to[k] = 0;
    return to.data();
  }
  void make_room(std::size_t count);
  void add(const PointTiles::Tile& tile, const Vec3f& corner);

  const PointTiles& points_;
  int rings_;
  std::vector<std::size_t> next_tiles_;  // of each row of tiles, the first that is not passed yet
  std::uint64_t last_key_ = ~std::uint64_t{0};
  std::size_t found_ = 0, count_ = 0;
  Buffer<float> x_, y_, z_;
  Buffer<std::int32_t> numbers_;
  Gathered<float> floats_;
  Gathered<double> doubles_;
};

// Calls visit(tile of `at`, those of `among` within `reach` of it) for all tiles, from several
// threads, each of which takes so many tiles at once. Both have tiles of the same lattice and size;
// tiles with nothing near by are left out.
inline constexpr std::int64_t kTilesAtOnce = 32;
template <class Visit>
void for_each_tile(const PointTiles& at, const PointTiles& among, double reach,
                   const Visit& visit) {
  const std::span<const PointTiles::Tile> tiles = at.tiles();
  parallel_for_chunks(std::ssize(tiles), kTilesAtOnce, [&](std::int64_t begin, std::int64_t end) {
    NearTile near(among, reach);
    for (std::int64_t t = begin; t < end; ++t) {
      const PointTiles::Tile& tile = tiles[static_cast<std::size_t>(t)];
      near.move_to(tile.key);
      if (near.count() > 0) visit(tile, near);
    }
  });
}

// Pairs that are looked at more than once: of each point of `at` those of `among` within reach.
class NearPairs {
 public:
  struct Point {
    std::int32_t n = 0;  // among.order()[n]
    float squared = 0;   // distance, voxels
  };
  NearPairs(const PointTiles& at, const PointTiles& among, double reach);
  NearPairs(const NearPairs&) = delete;
  NearPairs& operator=(const NearPairs&) = delete;

  // Of the n-th point in the order of tiles.
  [[nodiscard]] std::span<const Point> of(std::size_t n) const {
    return {points_[n], starts_[n + 1] - starts_[n]};
  }
  // Of all points, and before the n-th.
  [[nodiscard]] std::size_t size() const { return starts_.back(); }
  [[nodiscard]] std::size_t first(std::size_t n) const { return starts_[n]; }

 private:
  std::vector<Buffer<Point>> parts_;  // of so many tiles
  std::vector<const Point*> points_;
  std::vector<std::size_t> starts_;
};

// Of eight lanes.
[[nodiscard]] inline double sum_of(Float8 a) {
  const auto half = [&](int first) {
    return (double{a[first]} + double{a[first + 2]}) +
           (double{a[first + 1]} + double{a[first + 3]});
  };
  return half(0) + half(4);
}

}  // namespace spindrift
