#include "spindrift/surface/inflation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "spindrift/core/parallel.hpp"
#include "spindrift/levelset/cubic_sampler.hpp"

namespace spindrift {
namespace {

// The body with the most vertices: most blocks see no other.
std::int32_t main_body(const LiquidComponents& components) {
  std::vector<std::int64_t> counts(components.components.size(), 0);
  for (const std::int32_t body : components.of_vertex) {
    if (body >= 0) ++counts[static_cast<std::size_t>(body)];
  }
  return static_cast<std::int32_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

// The blocks that other bodies than the main one come near to.
std::vector<char> shared_blocks(const BodySurfaces& bodies, std::int32_t main,
                                const BandDistance& distance) {
  const SampledField& field = distance.field;
  std::vector<char> is_shared(static_cast<std::size_t>(field.blocks.size()), 0);
  const double reach = std::ceil(distance.band) + 1;
  for (std::size_t v = 0; v < bodies.positions.size(); ++v) {
    if (bodies.components.of_vertex[v] == main) continue;
    const Vec3 p = field.lattice.to_lattice(bodies.positions[v]);
    const Vec3i low = block_of_node((p.array() - reach).floor().cast<int>());
    const Vec3i high = block_of_node((p.array() + reach).floor().cast<int>());
    for (int z = low.z(); z <= high.z(); ++z) {
      for (int y = low.y(); y <= high.y(); ++y) {
        for (int x = low.x(); x <= high.x(); ++x) {
          const std::int32_t block = field.blocks.find({x, y, z});
          if (block >= 0) is_shared[static_cast<std::size_t>(block)] = 1;
        }
      }
    }
  }
  return is_shared;
}

// The distances at a block's nodes and around them.
class NodesAround {
 public:
  NodesAround(const BandDistance& distance, std::int64_t block) {
    const SampledField& field = distance.field;
    const float* own = field.block_values(block);
    for (int node = 0; node < kBlockNodes; ++node) at(node_offset(node)) = own[node];
    for (int axis = 0; axis < 3; ++axis) {
      for (const int side : {-1, 1}) {
        const Vec3i other = field.blocks.coordinate(block) + side * Vec3i::Unit(axis);
        const std::int32_t found = field.blocks.find(other);
        const float beyond = found < 0 ? value_beyond(distance, other) : 0;
        for (int k = 0; k < kBlockSide * kBlockSide; ++k) {
          Vec3i place;
          place[axis] = side < 0 ? -1 : kBlockSide;
          place[(axis + 1) % 3] = k % kBlockSide;
          place[(axis + 2) % 3] = k / kBlockSide;
          const Vec3i there = place - side * kBlockSide * Vec3i::Unit(axis);
          at(place) = found < 0 ? beyond : field.block_values(found)[node_in_block(there)];
        }
      }
    }
    for (float& value : values_) value = std::clamp(value, -distance.band, distance.band);
  }

  // The next and the last along each axis.
  [[nodiscard]] std::array<float, 6> next_to(int node) const {
    const float* here = &values_[index(node_offset(node))];
    return {here[kStride[0]],  here[-kStride[0]], here[kStride[1]],
            here[-kStride[1]], here[kStride[2]],  here[-kStride[2]]};
  }

 private:
  static constexpr int kSide = kBlockSide + 2;
  static constexpr std::array<int, 3> kStride = {1, kSide, kSide* kSide};
  static std::size_t index(const Vec3i& place) {
    return static_cast<std::size_t>(place.x() + 1 + kStride[1] * (place.y() + 1) +
                                    kStride[2] * (place.z() + 1));
  }
  float& at(const Vec3i& place) { return values_[index(place)]; }

  std::array<float, kSide * kSide * kSide> values_{};
};

// The slope of the distance between a node and the surface: from differences to the neighbours
// nearer to it, so that it is right at the middle of sheets, too.
Vec3 slope_from_surface(float value, const std::array<float, 6>& around) {
  const double side = value < 0 ? 1 : -1;
  Vec3 slope;
  for (int axis = 0; axis < 3; ++axis) {
    const auto k = static_cast<std::size_t>(2 * axis);
    const double next = side * (double{around[k]} - double{value});
    const double last = side * (double{around[k + 1]} - double{value});
    slope[axis] = side * (next >= last ? std::max(0.0, next) : -std::max(0.0, last));
  }
  return slope;
}

// The shares that nodes of a block take of offsets inwards: those of the surface closest to them.
std::vector<double> thick_shares(const CubicSampler& sampler, const BandDistance& distance,
                                 std::int64_t block, std::span<const int> nodes) {
  const NodesAround around(distance, block);
  const Lattice& lattice = distance.field.lattice;
  const Vec3i first = distance.field.blocks.first_node(block);
  std::vector<Vec3> below;
  below.reserve(nodes.size());
  for (const int node : nodes) {
    const float value = distance.field.block_values(block)[node];
    const Vec3 slope = slope_from_surface(value, around.next_to(node));
    const double length = slope.norm();
    below.push_back(lattice.position(Vec3i(first + node_offset(node))));
    if (length > 0) {
      below.back() -= (double{value} + kThicknessDepth) * lattice.spacing / length * slope;
    }
  }
  std::vector<float> found(below.size());
  sampler.evaluate(below, found);
  std::vector<double> shares(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) shares[i] = thick_share(double{found[i]});
  return shares;
}

}  // namespace

double thick_share(double distance_below) {
  constexpr double kThin = -1;
  constexpr double kThick = -1.8;
  return std::clamp((kThin - distance_below) / (kThin - kThick), 0.0, 1.0);
}

BandDistance inflated_bodies(const BodySurfaces& bodies, std::span<const double> offsets,
                             const BandDistance& distance) {
  BandDistance moved = distance;
  if (std::all_of(offsets.begin(), offsets.end(), [](double o) { return o == 0; })) return moved;
  const std::int32_t main = main_body(bodies.components);
  const std::vector<char> is_shared = shared_blocks(bodies, main, distance);
  const CubicSampler sampler(distance);
  const SampledField& field = distance.field;
  const auto offset_of = [&](std::int32_t body) {
    return static_cast<float>(offsets[static_cast<std::size_t>(body)] / field.lattice.spacing);
  };
  parallel_for_each(
      field.blocks.size(),
      [&](std::int64_t block) {
        float* const values = moved.field.block_values(block);
        const Vec3i first = field.blocks.first_node(block);
        std::vector<int> inwards;
        std::vector<float> parts;
        for (int node = 0; node < kBlockNodes; ++node) {
          if (std::abs(values[node]) >= distance.band) continue;
          std::int32_t body = main;
          if (is_shared[static_cast<std::size_t>(block)] != 0) {
            // Vertices are at most a cell's diagonal from the closest point of their surface.
            const std::int32_t vertex = bodies.vertices.closest(
                field.lattice.position(Vec3i(first + node_offset(node))), distance.band + 2.0);
            if (vertex < 0) continue;
            body = bodies.components.of_vertex[static_cast<std::size_t>(vertex)];
          }
          if (body < 0) continue;
          const float offset = offset_of(body);
          if (offset >= 0) {
            values[node] -= offset;
            continue;
          }
          inwards.push_back(node);
          parts.push_back(offset);
        }
        if (inwards.empty()) return;
        const std::vector<double> shares = thick_shares(sampler, distance, block, inwards);
        for (std::size_t i = 0; i < inwards.size(); ++i) {
          values[inwards[i]] -= static_cast<float>(shares[i]) * parts[i];
        }
      },
      8);
  return moved;
}

}  // namespace spindrift
