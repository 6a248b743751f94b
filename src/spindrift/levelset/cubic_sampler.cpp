#include "spindrift/levelset/cubic_sampler.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "spindrift/core/simd.hpp"
#include "spindrift/levelset/limited_cubic.hpp"

namespace spindrift {
namespace {

// Samples at the 4 x 4 x 4 nodes around a cell: x runs fastest.
using Stencil = std::array<float, 64>;

// Looks up blocks; neighbours in a batch mostly share them.
class StencilReader {
 public:
  explicit StencilReader(const BandDistance& distance) : distance_(distance) {}

  // `first`: the lowest of the nodes. False if all of them are beyond the band, on the same side:
  // the first then tells which.
  bool read(const Vec3i& first, Stencil& stencil) {
    const Vec3i block = block_of_node(first);
    if (block != block_) enter(block);
    const int x = first.x() & 7;
    const int y = first.y() & 7;
    const int z = first.z() & 7;
    const unsigned crossed = (x > 4 ? 1U : 0U) | (y > 4 ? 2U : 0U) | (z > 4 ? 4U : 0U);
    if (are_beyond(crossed)) {
      stencil[0] = far_value(0);
      return false;
    }
    for (int k = 0; k < 4; ++k) {
      for (int j = 0; j < 4; ++j) {
        const unsigned row = (z + k > 7 ? 4U : 0U) | (y + j > 7 ? 2U : 0U);
        const int offset = ((y + j) & 7) << 3 | ((z + k) & 7) << 6;
        float* const to = stencil.data() + 4 * j + 16 * k;
        const int low_count = std::min(4, 8 - x);
        copy(row, offset | x, low_count, to);
        if (low_count < 4) copy(row | 1U, offset, 4 - low_count, to + low_count);
      }
    }
    return true;
  }

 private:
  // A block at an offset of 0 or 1 along each axis from block_. Looked up when it is needed.
  struct Corner {
    const float* values = nullptr;
    float far_value = 0;
    bool is_known = false;
  };

  void enter(const Vec3i& block) {
    block_ = block;
    corners_.fill({});
  }

  // Whether no block is kept among those at the offsets whose bits are all in `crossed`.
  bool are_beyond(unsigned crossed) {
    for (unsigned corner = 0; corner < 8; ++corner) {
      if ((corner & ~crossed) != 0) continue;
      if (block_values(corner) != nullptr || far_value(corner) != far_value(0)) return false;
    }
    return true;
  }

  // A part of a row of nodes.
  void copy(unsigned corner, int place, int count, float* to) {
    const float* const values = block_values(corner);
    if (values == nullptr) {
      std::fill_n(to, count, far_value(corner));
    } else if (count == 4) {
      std::copy_n(values + place, 4, to);
    } else {
      for (int i = 0; i < count; ++i) to[i] = values[place + i];
    }
  }

  const float* block_values(unsigned corner) {
    Corner& c = corners_[corner];
    if (!c.is_known) {
      c.is_known = true;
      const Vec3i at =
          block_ + Vec3i(static_cast<int>(corner & 1), static_cast<int>(corner >> 1 & 1),
                         static_cast<int>(corner >> 2));
      const std::int32_t number = distance_.field.blocks.find(at);
      if (number >= 0) {
        c.values = distance_.field.block_values(number);
      } else {
        c.far_value = sign_beyond(at) * distance_.band;
      }
    }
    return c.values;
  }
  float far_value(unsigned corner) const { return corners_[corner].far_value; }

  // No surface lies between a block that is not kept and the one before it in its row.
  float sign_beyond(const Vec3i& at) const {
    const std::int32_t before = distance_.field.blocks.previous_in_row(at);
    if (before < 0) return 1;
    return distance_.field.block_values(before)[kBlockSide - 1] < 0 ? -1.0F : 1.0F;
  }

  const BandDistance& distance_;
  Vec3i block_ = Vec3i::Constant(2 * kBlockLimit);
  std::array<Corner, 8> corners_{};
};

// s: where in the cell, from 0 to 1 along each axis.
float tricubic(const Stencil& stencil, float sx, float sy, float sz) {
  const auto half = [&](std::size_t from) {
    return limited_cubic(load8(&stencil[from]), load8(&stencil[from + 16]),
                         load8(&stencil[from + 32]), load8(&stencil[from + 48]))
        .value(splat8(sz));
  };
  using Rows = std::array<Float4, 4>;
  const std::array<Float8, 2> halves = {half(0), half(8)};
  const Rows rows = std::bit_cast<Rows>(halves);
  const Float4 y = Float4{sy, sy, sy, sy};
  const Float4 line = limited_cubic(rows[0], rows[1], rows[2], rows[3]).value(y);
  return limited_cubic(float{line[0]}, float{line[1]}, float{line[2]}, float{line[3]}).value(sx);
}

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
    const Vec3 cell(std::floor(p.x()), std::floor(p.y()), std::floor(p.z()));
    const Vec3f s = (p - cell).cast<float>();
    if (!reader.read(cell.cast<int>() - Vec3i(1, 1, 1), stencil)) {
      store(i, stencil[0]);
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
