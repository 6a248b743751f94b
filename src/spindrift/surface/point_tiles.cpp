#include "spindrift/surface/point_tiles.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "spindrift/core/error.hpp"
#include "spindrift/levelset/block_order.hpp"
#include "spindrift/levelset/block_set.hpp"

namespace spindrift {
namespace {

// Of a voxel: coordinates are multiples of 1 / kGrain.
constexpr double kGrain = 32768;

// Keys of neighbours differ by these, unless they are at the very end of what has keys.
constexpr std::uint64_t kNextAlongY = std::uint64_t{1} << 21;
constexpr std::uint64_t kNextAlongZ = std::uint64_t{1} << 42;

// Where points are not; and twice as far squares still have room.
constexpr float kNowhere = 1e9F;

Vec3 rounded(const Vec3& place) { return (place * kGrain).array().round() / kGrain; }

}  // namespace

PointTiles::PointTiles(std::span<const Vec3> points, const Lattice& lattice, int side)
    : side_(side) {
  const auto tile_of = [&](const Vec3& place) -> Vec3i {
    return (place / side).array().floor().cast<int>();
  };
  std::vector<std::uint64_t> unsorted(points.size());
  parallel_for_each(std::ssize(points), [&](std::int64_t n) {
    const auto i = static_cast<std::size_t>(n);
    unsorted[i] = block_key(tile_of(rounded(lattice.to_lattice(points[i]))));
  });
  KeyOrder order = block_key_order(unsorted);
  order_ = std::move(order.indices);
  for (Buffer<float>* const axis : {&x_, &y_, &z_}) axis->resize(points.size() + 7, 0.0F);
  parallel_for_each(std::ssize(points), [&](std::int64_t n) {
    const auto k = static_cast<std::size_t>(n);
    const Vec3 place = rounded(lattice.to_lattice(points[static_cast<std::size_t>(order_[k])]));
    const Vec3f within = (place - side_ * tile_of(place).cast<double>()).cast<float>();
    x_[k] = within.x();
    y_[k] = within.y();
    z_[k] = within.z();
  });
  for (std::size_t k = 0; k < order.keys.size(); ++k) {
    if (tiles_.empty() || order.keys[k] != tiles_.back().key)
      tiles_.push_back({order.keys[k], k, k});
    tiles_.back().end = k + 1;
  }
}

NearTile::NearTile(const PointTiles& points, double reach)
    : points_(points), rings_(static_cast<int>(std::ceil(reach / points.side()))) {
  // Or differences would be rounded.
  SPINDRIFT_ASSERT((rings_ + 1) * points.side() <= 256);
  const auto rows = static_cast<std::size_t>((2 * rings_ + 1) * (2 * rings_ + 1));
  next_tiles_.assign(rows, 0);
}

void NearTile::move_to(std::uint64_t key) {
  const std::span<const PointTiles::Tile> tiles = points_.tiles();
  const bool is_behind = key < last_key_;
  last_key_ = key;
  found_ = floats_.used = doubles_.used = 0;
  const auto rings = static_cast<std::uint64_t>(rings_);
  const auto side = static_cast<float>(points_.side());
  std::size_t row = 0;
  for (int z = -rings_; z <= rings_; ++z) {
    for (int y = -rings_; y <= rings_; ++y) {
      // Numbers without signs: all of this is modulo 2^64.
      const std::uint64_t first = key + static_cast<std::uint64_t>(z) * kNextAlongZ +
                                  static_cast<std::uint64_t>(y) * kNextAlongY - rings;
      std::size_t& next = next_tiles_[row++];
      if (is_behind) {
        next = static_cast<std::size_t>(
            std::lower_bound(
                tiles.begin(), tiles.end(), first,
                [](const PointTiles::Tile& tile, std::uint64_t than) { return tile.key < than; }) -
            tiles.begin());
      }
      while (next < tiles.size() && tiles[next].key < first) ++next;
      for (std::size_t t = next; t < tiles.size() && tiles[t].key <= first + 2 * rings; ++t) {
        const int x = static_cast<int>(tiles[t].key - first) - rings_;
        add(tiles[t],
            side * Vec3f(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)));
      }
    }
  }
  count_ = (found_ + 7) / 8 * 8;
  make_room(count_);
  for (std::size_t k = found_; k < count_; ++k) x_[k] = y_[k] = z_[k] = kNowhere;
}

void NearTile::make_room(std::size_t count) {
  if (x_.size() >= count) return;
  for (Buffer<float>* const axis : {&x_, &y_, &z_}) axis->resize(2 * count);
  numbers_.resize(2 * count);
}

void NearTile::add(const PointTiles::Tile& tile, const Vec3f& corner) {
  const std::size_t count = tile.end - tile.begin;
  make_room(found_ + count + 7);
  // Eight at a time: what is beyond the last one is written over.
  for (std::size_t k = 0; k < count; k += 8) {
    const std::size_t from = tile.begin + k;
    const std::size_t to = found_ + k;
    store8(x_.data() + to, corner.x() + load8(points_.x_.data() + from));
    store8(y_.data() + to, corner.y() + load8(points_.y_.data() + from));
    store8(z_.data() + to, corner.z() + load8(points_.z_.data() + from));
    store8(numbers_.data() + to, Int8{0, 1, 2, 3, 4, 5, 6, 7} + static_cast<std::int32_t>(from));
  }
  found_ += count;
}

namespace {

// Appends those of eight points that are near.
NearPairs::Point* append(Int8 numbers, Float8 squared, unsigned near, NearPairs::Point* end) {
  const Int8 places = bit_places(near);
  const Float8 n = permuted(std::bit_cast<Float8>(numbers), places);
  const Float8 s = permuted(squared, places);
  static_assert(sizeof(NearPairs::Point) == 2 * sizeof(float));
  auto* const to = reinterpret_cast<float*>(end);
  store8(to, __builtin_shufflevector(n, s, 0, 8, 1, 9, 2, 10, 3, 11));
  store8(to + 8, __builtin_shufflevector(n, s, 4, 12, 5, 13, 6, 14, 7, 15));
  return end + std::popcount(near);
}

}  // namespace

NearPairs::NearPairs(const PointTiles& at, const PointTiles& among, double reach)
    : parts_(static_cast<std::size_t>(chunk_count(std::ssize(at.tiles()), kTilesAtOnce))),
      points_(at.order().size()),
      starts_(at.order().size() + 1, 0) {
  const auto squared_reach = static_cast<float>(reach * reach);
  parallel_for_chunks(
      std::ssize(at.tiles()), kTilesAtOnce, [&](std::int64_t begin, std::int64_t end) {
        Buffer<Point>& part = parts_[static_cast<std::size_t>(begin / kTilesAtOnce)];
        const std::span tiles = at.tiles().subspan(static_cast<std::size_t>(begin),
                                                   static_cast<std::size_t>(end - begin));
        NearTile near(among, reach);
        std::size_t size = 0;
        for (const PointTiles::Tile& tile : tiles) {
          near.move_to(tile.key);
          // Eight at a time: what is beyond the last one is written over.
          const std::size_t room = size + (tile.end - tile.begin) * near.count() + 7;
          if (part.size() < room) part.resize(2 * room);
          Point* next = part.data() + size;
          for (std::size_t n = tile.begin; n < tile.end; ++n) {
            const Point* const first = next;
            const Vec3f place = at.place(n);
            for (std::size_t k = 0; k < near.count(); k += 8) {
              const Lanes3<Float8> away = near.away(k, place);
              const Float8 squared = dot(away, away);
              next = append(near.numbers(k), squared, true_lanes(squared < squared_reach), next);
            }
            starts_[n + 1] = static_cast<std::size_t>(next - first);
          }
          size = static_cast<std::size_t>(next - part.data());
        }
        const Point* first = part.data();
        for (std::size_t n = tiles.front().begin; n < tiles.back().end; ++n) {
          points_[n] = first;
          first += starts_[n + 1];
        }
      });
  for (std::size_t n = 1; n < starts_.size(); ++n) starts_[n] += starts_[n - 1];
}

}  // namespace spindrift
