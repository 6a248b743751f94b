#include "spindrift/surface/inflation.hpp"

#include <algorithm>
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

// The slope of the distance between a node and the surface: from differences to the neighbours
// nearer to it, so that it is right at the middle of sheets, too. `around`: the next and the last
// along each axis.
Vec3 slope_from_surface(float value, const float* around) {
  const double side = value < 0 ? 1 : -1;
  Vec3 slope;
  for (int axis = 0; axis < 3; ++axis) {
    const double next = side * (double{around[2 * axis]} - double{value});
    const double last = side * (double{around[2 * axis + 1]} - double{value});
    slope[axis] = side * (next >= last ? std::max(0.0, next) : -std::max(0.0, last));
  }
  return slope;
}

// The shares that nodes take of offsets inwards: those of the surface closest to them.
std::vector<double> thick_shares(const CubicSampler& distance, const Lattice& lattice,
                                 std::span<const Vec3> nodes, std::span<const float> values) {
  // Differences between nodes, whose samples are at hand.
  std::vector<Vec3> points;
  points.reserve(6 * nodes.size());
  for (const Vec3& node : nodes) {
    for (int axis = 0; axis < 3; ++axis) {
      points.push_back(node + lattice.spacing * Vec3::Unit(axis));
      points.push_back(node - lattice.spacing * Vec3::Unit(axis));
    }
  }
  std::vector<float> found(points.size());
  distance.evaluate(points, found);
  points.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Vec3 slope = slope_from_surface(values[i], found.data() + 6 * i);
    const double length = slope.norm();
    points[i] = nodes[i];
    if (length > 0) {
      points[i] -= (double{values[i]} + kThicknessDepth) * lattice.spacing / length * slope;
    }
  }
  found.resize(points.size());
  distance.evaluate(points, found);
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

void inflate_bodies(const BodySurfaces& bodies, std::span<const double> offsets,
                    BandDistance& distance) {
  if (std::all_of(offsets.begin(), offsets.end(), [](double o) { return o == 0; })) return;
  const std::int32_t main = main_body(bodies.components);
  const std::vector<char> is_shared = shared_blocks(bodies, main, distance);
  const bool goes_inwards =
      std::any_of(offsets.begin(), offsets.end(), [](double o) { return o < 0; });
  const BandDistance before = goes_inwards ? distance : BandDistance();
  const CubicSampler distance_before(before);
  SampledField& field = distance.field;
  const double spacing = field.lattice.spacing;
  const auto offset_of = [&](std::int32_t body) {
    return static_cast<float>(offsets[static_cast<std::size_t>(body)] / spacing);
  };
  parallel_for_each(
      field.blocks.size(),
      [&](std::int64_t block) {
        float* const values = field.block_values(block);
        const Vec3i first = field.blocks.first_node(block);
        std::vector<int> inwards;
        std::vector<Vec3> places;
        std::vector<float> old_values, parts;
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
          places.push_back(field.lattice.position(Vec3i(first + node_offset(node))));
          old_values.push_back(values[node]);
          parts.push_back(offset);
        }
        if (inwards.empty()) return;
        const std::vector<double> shares =
            thick_shares(distance_before, field.lattice, places, old_values);
        for (std::size_t i = 0; i < inwards.size(); ++i) {
          values[inwards[i]] -= static_cast<float>(shares[i]) * parts[i];
        }
      },
      8);
}

}  // namespace spindrift
