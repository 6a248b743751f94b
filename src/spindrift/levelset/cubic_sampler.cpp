#include "spindrift/levelset/cubic_sampler.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "spindrift/core/simd.hpp"
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

// Looks up blocks; neighbours in a batch mostly share them, or go back and forth between a few.
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
    enter(block_of_node(first));
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
        if (x <= 4) return load4(now_->corners[corner].at(offset | x));
        const Float8 both = beside(load4(now_->corners[corner].at(offset | 4)),
                                   load4(now_->corners[corner | 1U].at(offset)));
        return first_half(permuted(both, places));
      };
      const auto at = static_cast<std::size_t>(k);
      stencil.first[at] = beside(row(0), row(1));
      stencil.second[at] = beside(row(2), row(3));
    }
    return true;
  }

  [[nodiscard]] float far_value() const { return now_->corners[0].values[0]; }

  // The sample at a node.
  float at(const Vec3i& node) {
    enter(block_of_node(node));
    if ((now_->known & 1U) == 0) look_up(0);
    return *now_->corners[0].at(node_in_block(node));
  }

 private:
  // A block at an offset of 0 or 1 along each axis from another one.
  struct Corner {
    const float* values;
    int places;  // 0: the first four values are those of all nodes
    [[nodiscard]] const float* at(int place) const { return values + (place & places); }
  };

  struct Around {
    Vec3i block = Vec3i::Constant(2 * kBlockLimit);
    // Of the corners, bit by bit: looked up; kept; and not kept, but inside.
    unsigned known = 0, kept = 0, inside = 0;
    std::array<Corner, 8> corners;
  };

  // The corners, as bits, at offsets whose bits are all in the index.
  static constexpr std::array<unsigned, 8> kWithin = {0x01, 0x03, 0x05, 0x0f,
                                                      0x11, 0x33, 0x55, 0xff};

  static Float8 beside(Float4 a, Float4 b) {
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
  }
  static Float4 first_half(Float8 a) { return __builtin_shufflevector(a, a, 0, 1, 2, 3); }

  void enter(const Vec3i& block) {
    now_ = &recent_[static_cast<std::size_t>((block.x() & 1) | (block.y() & 1) << 1 |
                                             (block.z() & 1) << 2)];
    if (now_->block == block) return;
    now_->block = block;
    now_->known = now_->kept = now_->inside = 0;
  }

  // Whether no block is kept among these corners, and all lie on the same side.
  bool are_beyond(unsigned corners) {
    for (unsigned left = corners & ~now_->known; left != 0; left &= left - 1) {
      look_up(static_cast<unsigned>(std::countr_zero(left)));
    }
    const unsigned inside = now_->inside & corners;
    return (now_->kept & corners) == 0 && (inside == 0 || inside == corners);
  }

  void look_up(unsigned corner) {
    now_->known |= 1U << corner;
    const Vec3i at =
        now_->block + Vec3i(static_cast<int>(corner & 1), static_cast<int>(corner >> 1 & 1),
                            static_cast<int>(corner >> 2));
    const std::int32_t number = distance_.field.blocks.find(at);
    if (number >= 0) {
      now_->kept |= 1U << corner;
      now_->corners[corner] = {distance_.field.block_values(number), kBlockNodes - 1};
    } else if (is_inside_beyond(at)) {
      now_->inside |= 1U << corner;
      now_->corners[corner] = {inside_values_.data(), 0};
    } else {
      now_->corners[corner] = {outside_values_.data(), 0};
    }
  }

  // No surface lies between a block that is not kept and the one before it in its row.
  [[nodiscard]] bool is_inside_beyond(const Vec3i& at) const {
    const std::int32_t before = distance_.field.blocks.previous_in_row(at);
    return before >= 0 && distance_.field.block_values(before)[kBlockSide - 1] < 0;
  }

  const BandDistance& distance_;
  std::array<float, 4> inside_values_, outside_values_;  // of blocks that are not kept
  // Of blocks whose coordinates are even or odd along each axis, the last one.
  std::array<Around, 8> recent_;
  Around* now_ = recent_.data();
};

// s: where in the cell, from 0 to 1 along each axis.
float tricubic(const Stencil& stencil, float sx, float sy, float sz) {
  const auto half = [&](const std::array<Float8, 4>& rows) {
    return limited_cubic(rows[0], rows[1], rows[2], rows[3]).value(splat8(sz));
  };
  using Rows = std::array<Float4, 4>;
  const std::array<Float8, 2> halves = {half(stencil.first), half(stencil.second)};
  const Rows rows = std::bit_cast<Rows>(halves);
  const Float4 y = Float4{sy, sy, sy, sy};
  const Float4 line = limited_cubic(rows[0], rows[1], rows[2], rows[3]).value(y);
  return limited_cubic(float{line[0]}, float{line[1]}, float{line[2]}, float{line[3]}).value(sx);
}

// Lattice units: rounding of coordinates. Meshers mostly ask at nodes.
constexpr double kAtNode = 1e-9;

// Calls store(i, value in lattice units) for every point.
template <class Store>
void sample(const BandDistance& distance, std::span<const Vec3> points, const Store& store) {
  StencilReader reader(distance);
  Stencil stencil;
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
    const float value = tricubic(stencil, s.x(), s.y(), s.z());
    store(i, std::clamp(value, -distance.band, distance.band));
  }
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
