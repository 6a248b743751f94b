#include "spindrift/surface/offset_grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "spindrift/core/parallel.hpp"
#include "spindrift/surface/node_points.hpp"

namespace spindrift {

BlockSet blocks_around(std::span<const Vec3> places, const Lattice& lattice, double reach) {
  std::vector<std::uint64_t> keys;
  Vec3i last_low = Vec3i::Constant(2 * kBlockLimit);
  Vec3i last_high = last_low;
  for (const Vec3& place : places) {
    const Vec3 at = lattice.to_lattice(place);
    const double nodes = reach / lattice.spacing;
    const Vec3i low = block_of_node((at.array() - nodes).ceil().cast<int>());
    const Vec3i high = block_of_node((at.array() + nodes).floor().cast<int>());
    // Places that follow each other mostly share them.
    if (low == last_low && high == last_high) continue;
    last_low = low;
    last_high = high;
    for (int z = low.z(); z <= high.z(); ++z) {
      for (int y = low.y(); y <= high.y(); ++y) {
        for (int x = low.x(); x <= high.x(); ++x) keys.push_back(block_key({x, y, z}));
      }
    }
  }
  return BlockSet(std::move(keys));
}

OffsetGrid::OffsetGrid(const OffsetPoints& points, const ScalarField& liquid,
                       const Lattice& lattice)
    : lattice_(lattice), blocks_(blocks_around(points.places, lattice, points.none)) {
  values_.assign(static_cast<std::size_t>(blocks_.size()) * kBlockNodes, 0.0F);
  if (values_.empty()) return;
  const double most = *std::max_element(points.offsets.begin(), points.offsets.end());
  // Nodes from which the new surface is interpolated are no farther than this from it.
  const double diagonal = std::sqrt(3.0) * lattice.spacing;
  const NodePoints near_points(points.places, lattice, points.none / lattice.spacing);
  constexpr std::int64_t kBlocksAtOnce = 8;
  parallel_for_chunks(blocks_.size(), kBlocksAtOnce, [&](std::int64_t begin, std::int64_t end) {
    NodePoints::Block near(near_points);
    for (std::int64_t block = begin; block < end; ++block) {
      const Vec3i first = blocks_.first_node(block);
      near.move_to_block(first);
      if (near.is_empty()) continue;
      std::array<float, kBlockNodes> offsets;
      std::array<int, kBlockNodes> nodes;  // that have one
      std::size_t count = 0;
      for (int cube = 0; cube < kBlockCubes; ++cube) {
        if (!near.move_to(cube)) continue;
        Float8 closest = splat8(1e30F);
        Int8 point = {};
        near.for_each_closest([&](std::size_t i, const Lanes3<Float8>&, Float8 squared) {
          const Int8 is_closer = squared < closest;
          closest = is_closer ? squared : closest;
          point = is_closer ? Int8{} + static_cast<std::int32_t>(i) : point;
        });
        for (int lane = 0; lane < 8; ++lane) {
          const double far = std::sqrt(double{closest[lane]}) * lattice.spacing;
          if (far >= points.none) continue;
          const double share = std::min(1.0, (points.none - far) / (points.none - points.whole));
          nodes[count] = cube_node(cube, lane);
          offsets[count++] =
              static_cast<float>(share * points.offsets[static_cast<std::size_t>(point[lane])]);
        }
      }
      std::array<Vec3, kBlockNodes> places;
      std::array<double, kBlockNodes> distances;
      for (std::size_t k = 0; k < count; ++k) {
        places[k] = lattice.position(Vec3i(first + node_offset(nodes[k])));
      }
      liquid.evaluate(std::span(places).first(count), std::span(distances).first(count));
      for (std::size_t k = 0; k < count; ++k) {
        if (distances[k] > most + diagonal) continue;
        values_[static_cast<std::size_t>(block * kBlockNodes + nodes[k])] = offsets[k];
      }
    }
  });
}

double OffsetGrid::Reader::operator()(const Vec3& place) {
  const Vec3 p = grid_.lattice_.to_lattice(place);
  const Vec3 cell = p.array().floor();
  const Vec3 share = p - cell;
  const Vec3 rest = 1 - share.array();
  const Vec3i low = cell.cast<int>();
  const Vec3i block = block_of_node(low);
  // value(side) at the corners of the cell.
  const auto sum_of = [&](const auto& value) {
    double sum = 0;
    for (int k = 0; k < 8; ++k) {
      const Vec3i side(k & 1, k >> 1 & 1, k >> 2);
      const double weight = (side.x() != 0 ? share.x() : rest.x()) *
                            (side.y() != 0 ? share.y() : rest.y()) *
                            (side.z() != 0 ? share.z() : rest.z());
      sum += weight * value(side);
    }
    return sum;
  };
  // Most places are in one block with all nodes around them, and most of these in none.
  if (block == block_of_node(low + Vec3i::Ones())) {
    const std::int32_t number = blocks_.find(block);
    if (number < 0) return 0;
    const float* const first = grid_.values_.data() + place_of(number, low);
    return sum_of([&](const Vec3i& side) { return double{first[node_in_block(side)]}; });
  }
  return sum_of([&](const Vec3i& side) { return at_node(low + side); });
}

}  // namespace spindrift
