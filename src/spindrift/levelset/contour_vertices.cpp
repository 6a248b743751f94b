#include "spindrift/levelset/contour_vertices.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "spindrift/levelset/limited_cubic.hpp"

namespace spindrift {
namespace {

// The axis k after axis a, as kAxis[a + k].
constexpr std::array<int, 5> kAxis = {0, 1, 2, 0, 1};

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

// A block's samples with those around it, from one node below to two above; NaN where unknown.
class SampleWindow {
 public:
  static constexpr int kRow = 12, kSlice = 11 * kRow;  // 11 nodes along each axis, one unused
  static constexpr std::array<int, 5> kStrides = {1, kRow, kSlice, 1, kRow};  // x, y, z, x, y

  SampleWindow(const SampledField& field, const BlockSet::Neighborhood& around) {
    std::array<Source, 27> sources;
    for (std::size_t k = 0; k < 27; ++k) {
      if (around[k] < 0) continue;
      sources[k] = {field.block_values(around[k]),
                    field.known[static_cast<std::size_t>(around[k])].data()};
    }
    for (int z = -1; z <= 9; ++z) {
      for (int y = -1; y <= 9; ++y) {
        const int middle = 1 + 3 * ((y >> 3) + 1) + 9 * ((z >> 3) + 1);
        copy_row(&sources[middle], y, z);
      }
    }
  }

  [[nodiscard]] const float* at(int node) const {
    return samples_.data() + (node & 7) + 1 + kRow * ((node >> 3 & 7) + 1) +
           kSlice * ((node >> 6) + 1);
  }

 private:
  static constexpr BlockMask kNoneKnown{};
  static constexpr std::array<float, kBlockNodes> kNoValues{};
  struct Source {
    const float* values = kNoValues.data();
    const std::uint64_t* known = kNoneKnown.data();
  };

  // From the block of the row, the one before it and the one after it along x.
  void copy_row(const Source* block, int y, int z) {
    const int first = kBlockSide * (y & 7), slice = z & 7;
    const int row = first + kBlockSide * kBlockSide * slice;
    const auto known = [&](const Source& source) {
      return static_cast<std::int32_t>(source.known[slice] >> first & 0xff);
    };
    float* out = samples_.data() + kRow * (y + 1) + kSlice * (z + 1);
    out[0] = (known(block[-1]) & 128) != 0 ? block[-1].values[row + 7] : kUnknown;
    Float8 values;
    std::memcpy(&values, block->values + row, sizeof(values));
    const Int8 lane_bits = {1, 2, 4, 8, 16, 32, 64, 128};
    values = (lane_bits & known(*block)) != 0 ? values : splat8(kUnknown);
    std::memcpy(out + 1, &values, sizeof(values));
    const std::int32_t known_after = known(block[1]);
    out[9] = (known_after & 1) != 0 ? block[1].values[row] : kUnknown;
    out[10] = (known_after & 2) != 0 ? block[1].values[row + 1] : kUnknown;
  }

  std::array<float, 11 * kSlice> samples_;
};

// The samples along eight edges' lines, at -1, 0, 1 and 2, and beside their ends.
struct EdgeSamples {
  Float8 before, a, b, after;
  struct Beside {
    Float8 a_low, a_high, b_low, b_high;
  };
  std::array<Beside, 2> beside;  // along the next axis and the one after (x, y, z, x, ...)
};

EdgeSamples gather(const SampleWindow& window, std::span<const BlockEdge, 8> edges) {
  EdgeSamples samples;
  for (int k = 0; k < 8; ++k) {
    const int axis = edges[k].axis;
    const int step = SampleWindow::kStrides[axis];
    const float* at = window.at(edges[k].node);
    samples.before[k] = at[-step];
    samples.a[k] = at[0];
    samples.b[k] = at[step];
    samples.after[k] = at[2 * step];
    for (int side = 0; side < 2; ++side) {
      const int across = SampleWindow::kStrides[axis + 1 + side];
      EdgeSamples::Beside& beside = samples.beside[side];
      beside.a_low[k] = at[-across];
      beside.a_high[k] = at[across];
      beside.b_low[k] = at[step - across];
      beside.b_high[k] = at[step + across];
    }
  }
  return samples;
}

Int8 is_known(Float8 sample) { return sample <= splat8(std::numeric_limits<float>::infinity()); }

// The second difference that is known stands in for the other: then the cubic is a quadratic.
LimitedCubic<Float8> edge_cubic(const EdgeSamples& samples) {
  const Float8 d0 = samples.before - 2.0f * samples.a + samples.b;
  const Float8 d1 = samples.a - 2.0f * samples.b + samples.after;
  const Float8 known0 = is_known(d0) ? d0 : (is_known(d1) ? d1 : Float8{});
  const Float8 known1 = is_known(d1) ? d1 : known0;
  return {samples.a, samples.b, limited(known0, known1)};
}

// The difference quotient at the middle sample: central, or one-sided beside an unknown sample.
Float8 derivative(Float8 low, Float8 middle, Float8 high) {
  const Float8 rise = (is_known(high) ? high : middle) - (is_known(low) ? low : middle);
  return (is_known(low) & is_known(high)) != 0 ? 0.5f * rise : rise;
}

struct EdgePoints {
  Float8 s;                      // of the way from the edge's low end
  std::array<Float8, 3> normal;  // along the edge's axis and the two after
};

EdgePoints edge_points(const EdgeSamples& samples) {
  const Float8 a = samples.a, b = samples.b, zero = {};
  EdgePoints points;
  const Float8 s = root(edge_cubic(samples));
  // Vertices of neighbouring edges stay apart.
  points.s = lane_max(zero + 0.001f, lane_min(zero + 0.999f, s));

  const auto between = [&](Float8 at_a, Float8 at_b) { return at_a + points.s * (at_b - at_a); };
  std::array<Float8, 3> gradient;
  gradient[0] = between(derivative(samples.before, a, b), derivative(a, b, samples.after));
  for (int side = 0; side < 2; ++side) {
    const EdgeSamples::Beside& beside = samples.beside[side];
    gradient[side + 1] = between(derivative(beside.a_low, a, beside.a_high),
                                 derivative(beside.b_low, b, beside.b_high));
  }
  // Without a gradient: along the edge, to its outside end.
  const Float8 square =
      gradient[0] * gradient[0] + gradient[1] * gradient[1] + gradient[2] * gradient[2];
  const Int8 is_flat = square < zero + 1e-12f;
  Float8 scale;
  for (int k = 0; k < 8; ++k) scale[k] = 1 / std::sqrt(square[k]);
  points.normal[0] = is_flat != 0 ? (a < b ? zero + 1.0f : zero - 1.0f) : scale * gradient[0];
  for (int k = 1; k < 3; ++k) points.normal[k] = is_flat != 0 ? zero : scale * gradient[k];
  return points;
}

}  // namespace

void place_vertices(const SampledField& field, std::int64_t block,
                    const BlockSet::Neighborhood& around, std::span<const BlockEdge> edges,
                    Vec3* positions, Vec3f* normals) {
  const SampleWindow window(field, around);
  const Vec3 first_node = field.blocks.first_node(block).cast<double>();
  for (std::size_t begin = 0; begin < edges.size(); begin += 8) {
    std::array<BlockEdge, 8> group;
    const std::size_t count = std::min<std::size_t>(8, edges.size() - begin);
    for (std::size_t k = 0; k < 8; ++k) group[k] = edges[begin + std::min(k, count - 1)];
    const EdgePoints points = edge_points(gather(window, group));
    for (std::size_t k = 0; k < count; ++k) {
      const int axis = group[k].axis;
      const double s = double(points.s[k]);
      const Vec3 along(axis == 0 ? s : 0, axis == 1 ? s : 0, axis == 2 ? s : 0);
      const Vec3 node = first_node + node_offset(group[k].node).cast<double>();
      positions[begin + k] = field.lattice.position(Vec3(node + along));
      Vec3f& normal = normals[begin + k];
      for (int j = 0; j < 3; ++j) normal[kAxis[axis + j]] = points.normal[j][k];
    }
  }
}

}  // namespace spindrift
