#include "spindrift/levelset/cubic_sampler.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "spindrift/core/simd.hpp"
#include "spindrift/levelset/block_finder.hpp"
#include "spindrift/levelset/limited_cubic.hpp"

namespace spindrift {
namespace {

// Samples at the 4 x 4 x 4 nodes around a cell, for each z: four along x of the first two y beside
// each other, and of the other two.
struct Stencil {
  std::array<Float8, 4> first, second;
};

Float4 load4(const float* from) {
  Float4 v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

// Looks up blocks; neighbours in a batch mostly share them.
class StencilReader {
 public:
  explicit StencilReader(const BandDistance& distance) : distance_(distance) {
    inside_values_.fill(-distance.band);
    outside_values_.fill(distance.band);
  }
  StencilReader(const StencilReader&) = delete;
  StencilReader& operator=(const StencilReader&) = delete;

  // `first`: the lowest of the nodes. False if all of them are beyond the band, on the same side:
  // far_value() then tells which.
  bool read(const Vec3i& first, Stencil& stencil) {
    const Vec3i block = block_of_node(first);
    if (block != block_) enter(block);
    const int x = first.x() & 7;
    const int y = first.y() & 7;
    const int z = first.z() & 7;
    const unsigned crossed = (x > 4 ? 1U : 0U) | (y > 4 ? 2U : 0U) | (z > 4 ? 4U : 0U);
    if (are_beyond(kWithin[crossed])) return false;
    // From where in eight values of a row the four come.
    const Int8 places = Int8{0, 1, 2, 3, 0, 0, 0, 0} + (x & 3);
    for (int k = 0; k < 4; ++k) {
      const auto row = [&](int j) {
        const std::size_t corner = (z + k > 7 ? 4U : 0U) | (y + j > 7 ? 2U : 0U);
        const int offset = ((y + j) & 7) << 3 | ((z + k) & 7) << 6;
        if (x <= 4) return load4(corners_[corner].at(offset | x));
        const Float8 both =
            beside(load4(corners_[corner].at(offset | 4)), load4(corners_[corner | 1U].at(offset)));
        return first_half(permuted(both, places));
      };
      const auto at = static_cast<std::size_t>(k);
      stencil.first[at] = beside(row(0), row(1));
      stencil.second[at] = beside(row(2), row(3));
    }
    return true;
  }

  [[nodiscard]] float far_value() const { return corners_[0].values[0]; }

  // The sample at a node.
  float at(const Vec3i& node) {
    const Vec3i block = block_of_node(node);
    if (block != block_) enter(block);
    if ((known_ & 1U) == 0) look_up(0);
    return *corners_[0].at(node_in_block(node));
  }

 private:
  // A block at an offset of 0 or 1 along each axis from block_.
  struct Corner {
    const float* values = nullptr;
    int places = 0;  // 0: the first four values are those of all nodes
    [[nodiscard]] const float* at(int place) const { return values + (place & places); }
  };

  // The corners, as bits, at offsets whose bits are all in the index.
  static constexpr std::array<unsigned, 8> kWithin = {0x01, 0x03, 0x05, 0x0f,
                                                      0x11, 0x33, 0x55, 0xff};

  static Float8 beside(Float4 a, Float4 b) {
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
  }
  static Float4 first_half(Float8 a) { return __builtin_shufflevector(a, a, 0, 1, 2, 3); }

  void enter(const Vec3i& block) {
    block_ = block;
    known_ = kept_ = inside_ = 0;
  }

  // Whether no block is kept among these corners, and all lie on the same side.
  bool are_beyond(unsigned corners) {
    for (unsigned left = corners & ~known_; left != 0; left &= left - 1) {
      look_up(static_cast<unsigned>(std::countr_zero(left)));
    }
    const unsigned inside = inside_ & corners;
    return (kept_ & corners) == 0 && (inside == 0 || inside == corners);
  }

  void look_up(unsigned corner) {
    known_ |= 1U << corner;
    const Vec3i at = block_ + Vec3i(static_cast<int>(corner & 1), static_cast<int>(corner >> 1 & 1),
                                    static_cast<int>(corner >> 2));
    Found& found = found_[block_parity(at)];
    if (found.block != at) found = found_at(at);
    corners_[corner] = found.values;
    kept_ |= unsigned{found.is_kept} << corner;
    inside_ |= unsigned{found.is_inside} << corner;
  }

  // What is known of a block, whether it is kept or not.
  struct Found {
    Vec3i block = Vec3i::Constant(2 * kBlockLimit);
    Corner values;
    bool is_kept = false;
    bool is_inside = false;  // and not kept
  };
  [[nodiscard]] Found found_at(const Vec3i& at) const {
    const std::int32_t number = distance_.field.blocks.find(at);
    if (number >= 0) {
      return {at, {distance_.field.block_values(number), kBlockNodes - 1}, true, false};
    }
    if (value_beyond(distance_, at) < 0) return {at, {inside_values_.data(), 0}, false, true};
    return {at, {outside_values_.data(), 0}, false, false};
  }

  const BandDistance& distance_;
  std::array<float, 4> inside_values_, outside_values_;  // of blocks that are not kept
  Vec3i block_ = Vec3i::Constant(2 * kBlockLimit);
  // Of the corners, bit by bit: looked up; kept; and not kept, but inside.
  unsigned known_ = 0, kept_ = 0, inside_ = 0;
  std::array<Corner, 8> corners_{};
  std::array<Found, 8> found_{};  // points go to and fro between blocks
};

// The limited cubics of eight cells at once: one would wait for itself from axis to axis. First
// along z, each cell by itself; then along y, two cells beside each other; then along x, all eight.
class CubicBatch {
 public:
  static constexpr std::size_t kSize = 8;

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t number(std::size_t k) const { return numbers_[k]; }

  // `s`: where in the cell, from 0 to 1 along each axis.
  void add(std::size_t number, const Stencil& stencil, const Vec3f& s) {
    const auto along_z = [&](const std::array<Float8, 4>& rows) {
      return limited_cubic(rows[0], rows[1], rows[2], rows[3]).value(splat8(s.z()));
    };
    first_[count_] = along_z(stencil.first);
    second_[count_] = along_z(stencil.second);
    x_[count_] = s.x();
    y_[count_] = s.y();
    numbers_[count_++] = number;
  }

  // Of all that were added; forgets them.
  Float8 values() {
    // Four along x of two cells beside each other.
    const auto along_y = [&](std::size_t k) {
      const auto low = [](Float8 a, Float8 b) {
        return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
      };
      const auto high = [](Float8 a, Float8 b) {
        return __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
      };
      const float y0 = y_[k];
      const float y1 = y_[k + 1];
      return limited_cubic(low(first_[k], first_[k + 1]), high(first_[k], first_[k + 1]),
                           low(second_[k], second_[k + 1]), high(second_[k], second_[k + 1]))
          .value(Float8{y0, y0, y0, y0, y1, y1, y1, y1});
    };
    const Float8 a = along_y(0);
    const Float8 b = along_y(2);
    const Float8 c = along_y(4);
    const Float8 d = along_y(6);
    // Transposed; cells in the order 0 2 1 3 4 6 5 7.
    const auto pairs = [](Float8 v, Float8 w, bool is_high) {
      return is_high ? __builtin_shufflevector(v, w, 2, 10, 3, 11, 6, 14, 7, 15)
                     : __builtin_shufflevector(v, w, 0, 8, 1, 9, 4, 12, 5, 13);
    };
    const auto rows = [&](bool is_high, bool is_second) {
      const Float8 ab = pairs(a, b, is_high);  // x of 0 2, next x, of 1 3, next x
      const Float8 cd = pairs(c, d, is_high);
      return is_second ? __builtin_shufflevector(ab, cd, 2, 3, 6, 7, 10, 11, 14, 15)
                       : __builtin_shufflevector(ab, cd, 0, 1, 4, 5, 8, 9, 12, 13);
    };
    const Float8 x = {x_[0], x_[2], x_[1], x_[3], x_[4], x_[6], x_[5], x_[7]};
    const Float8 v =
        limited_cubic(rows(false, false), rows(false, true), rows(true, false), rows(true, true))
            .value(x);
    count_ = 0;
    return __builtin_shufflevector(v, v, 0, 2, 1, 3, 4, 6, 5, 7);
  }

 private:
  std::size_t count_ = 0;
  std::array<std::size_t, kSize> numbers_{};
  std::array<Float8, kSize> first_{}, second_{};  // of each cell, the first two y and the others
  std::array<float, kSize> x_{}, y_{};
};

// Lattice units: rounding of coordinates. Meshers mostly ask at nodes.
constexpr double kAtNode = 1e-9;

// Calls store(i, value in lattice units) for every point.
template <class Store>
void sample(const BandDistance& distance, std::span<const Vec3> points, const Store& store) {
  StencilReader reader(distance);
  Stencil stencil;
  CubicBatch batch;
  const auto finish = [&] {
    const std::size_t count = batch.count();
    const Float8 band = splat8(distance.band);
    const Float8 values = lane_min(lane_max(batch.values(), -band), band);
    for (std::size_t k = 0; k < count; ++k) store(batch.number(k), values[static_cast<int>(k)]);
  };
  // Far enough for blocks to have keys, and for a cell to have an integer.
  constexpr double kFarthest = 8.0 * (kBlockLimit - 4);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 p = distance.field.lattice.to_lattice(points[i]);
    // Not by the greatest of them, which may overlook what is not a number.
    if (!(p.array().abs() < kFarthest).all()) {
      store(i, distance.band);
      continue;
    }
    const Vec3 node(std::nearbyint(p.x()), std::nearbyint(p.y()), std::nearbyint(p.z()));
    if (((p - node).array().abs() < kAtNode).all()) {
      store(i, std::clamp(reader.at(node.cast<int>()), -distance.band, distance.band));
      continue;
    }
    const Vec3 cell(std::floor(p.x()), std::floor(p.y()), std::floor(p.z()));
    const Vec3f s = (p - cell).cast<float>();
    if (!reader.read(cell.cast<int>() - Vec3i(1, 1, 1), stencil)) {
      store(i, reader.far_value());
      continue;
    }
    batch.add(i, stencil, s);
    if (batch.count() == CubicBatch::kSize) finish();
  }
  if (batch.count() > 0) finish();
}

}  // namespace

void CubicSampler::evaluate(std::span<const Vec3> points, std::span<double> values) const {
  const double spacing = distance_.field.lattice.spacing;
  sample(distance_, points, [&](std::size_t i, float value) { values[i] = value * spacing; });
}

void CubicSampler::evaluate(std::span<const Vec3> points, std::span<float> values) const {
  sample(distance_, points, [&](std::size_t i, float value) { values[i] = value; });
}

}  // namespace spindrift
