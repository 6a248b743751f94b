#include "spindrift/surface/cut_samples.hpp"

#include <algorithm>
#include <cmath>

#include "spindrift/core/parallel.hpp"
#include "spindrift/levelset/surface_samples.hpp"

namespace spindrift {
namespace {

// Corners of one cell are at most this far apart, and a little more.
constexpr float kCellReach = 1.8F;
// From the middle of a block to the corners of cells around its nodes and its edges' lines.
constexpr double kBlockReach = 8;

Vec3 middle_of_block(const Lattice& lattice, const Vec3i& first_node) {
  return lattice.position(Vec3(first_node.cast<double>().array() + 0.5 * (kBlockSide - 1)));
}

// The solid at a block's nodes where liquid is or a cell with liquid may reach. Rows are walked
// from their first node on, by steps as long as the distance allows, all rows side by side.
class SolidRows {
 public:
  SolidRows(const CutBounds& bounds, const Vec3i& first_node, const float* liquid, float* solid)
      : bounds_(bounds), first_(first_node), liquid_(liquid), solid_(solid) {}

  void run() {
    std::fill_n(solid_, kBlockNodes, -kFarSolid);
    constexpr int kRows = kBlockSide * kBlockSide;
    std::vector<int> nodes;
    for (int row = 0; row < kRows; ++row) enter(row * kBlockSide, nodes);
    std::vector<Vec3> points;
    std::vector<double> values;
    while (!nodes.empty()) {
      points.clear();
      for (const int node : nodes) {
        points.push_back(bounds_.lattice().position(Vec3i(first_ + node_offset(node))));
      }
      values.resize(points.size());
      bounds_.solid(points, values);
      std::vector<int> next;
      for (std::size_t i = 0; i < nodes.size(); ++i) step(nodes[i], values[i], next);
      nodes = std::move(next);
    }
  }

 private:
  // Notes the first node from `node` on in its row that matters, if any.
  void enter(int node, std::vector<int>& nodes) const {
    for (;; ++node) {
      if (liquid_[node] < kCellReach) {
        nodes.push_back(node);
        return;
      }
      if (node % kBlockSide == kBlockSide - 1) return;
    }
  }

  void step(int node, double value, std::vector<int>& nodes) const {
    solid_[node] = static_cast<float>(value);
    for (int along = 1;; ++along) {
      if ((node + along) % kBlockSide == 0) return;
      if (std::abs(value) - along <= double{kCellReach}) {
        enter(node + along, nodes);
        return;
      }
      solid_[node + along] = value < 0 ? -kFarSolid : kFarSolid;
    }
  }

  const CutBounds& bounds_;
  Vec3i first_;
  const float* liquid_;
  float* solid_;
};

}  // namespace

BlockSet cut_blocks(const BandDistance& liquid, const ScalarField& solid, const Box3& box) {
  const Lattice& lattice = liquid.field.lattice;
  const BlockSet& own = liquid.field.blocks;
  std::vector<std::uint64_t> keys(own.keys().begin(), own.keys().end());
  if (box.isEmpty()) return BlockSet(std::move(keys));
  const BlockSet walls = nodes_near_zero(solid, box, lattice).blocks;
  std::vector<std::uint64_t> others;
  std::vector<Vec3> middles;
  for (std::int64_t block = 0; block < walls.size(); ++block) {
    if (own.find(walls.coordinate(block)) >= 0) continue;
    others.push_back(walls.keys()[static_cast<std::size_t>(block)]);
    middles.push_back(middle_of_block(lattice, walls.first_node(block)));
  }
  std::vector<float> values(middles.size());
  CubicSampler(liquid).evaluate(middles, std::span<float>(values));
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (values[i] < 0) keys.push_back(others[i]);
  }
  return BlockSet(std::move(keys));
}

CutSamples cut_samples(const BandDistance& liquid, const CutBounds& bounds, BlockSet blocks) {
  CutSamples samples;
  SampledField& field = samples.field;
  field = unknown_field(liquid.field.lattice, std::move(blocks));
  samples.is_near_solid.resize(static_cast<std::size_t>(field.blocks.size()));
  samples.liquid.resize(field.values.size());
  samples.solid.resize(field.values.size());
  constexpr std::int64_t kBlocksAtOnce = 8;
  parallel_for_each(
      field.blocks.size(),
      [&](std::int64_t block) {
        field.known[static_cast<std::size_t>(block)].fill(~std::uint64_t{0});
        float* const values = field.block_values(block);
        const Vec3i first = field.blocks.first_node(block);
        const Vec3 middle = middle_of_block(field.lattice, first);
        const std::int32_t own = liquid.field.blocks.find(field.blocks.coordinate(block));
        if (own >= 0) {
          std::copy_n(liquid.field.block_values(own), kBlockNodes, values);
        } else {
          // No surface comes near: one sign for all.
          float at_middle = 0;
          bounds.liquid(std::span(&middle, 1), std::span(&at_middle, 1));
          std::fill_n(values, kBlockNodes, at_middle);
        }
        double at_middle = 0;
        bounds.solid(std::span(&middle, 1), std::span(&at_middle, 1));
        const bool is_near = at_middle > -kBlockReach;
        samples.is_near_solid[static_cast<std::size_t>(block)] = is_near ? 1 : 0;
        if (!is_near) return;
        float* const of_liquid = samples.liquid.data() + block * kBlockNodes;
        float* const of_solid = samples.solid.data() + block * kBlockNodes;
        std::copy_n(values, kBlockNodes, of_liquid);
        SolidRows(bounds, first, of_liquid, of_solid).run();
        for (int node = 0; node < kBlockNodes; ++node) {
          if (of_solid[node] >= 0) values[node] = std::max(of_liquid[node], of_solid[node]);
        }
      },
      kBlocksAtOnce);
  return samples;
}

}  // namespace spindrift
