// Where liquid is left outside of solids, at lattice nodes: the signs that the contour of the cut
// surface follows from, and the two functions that bound it.
//
// The liquid's distance is stored already; solids are looked at only where liquid is, and only as
// close to their surface as a cell that it crosses may reach.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "spindrift/geometry/fields.hpp"
#include "spindrift/levelset/cubic_sampler.hpp"
#include "spindrift/levelset/mesh_distance.hpp"

namespace spindrift {

// The two functions whose greater one bounds the liquid outside of the solids: both negative inside
// it. Lattice units, for points in metres. Keeps references.
class CutBounds {
 public:
  CutBounds(const BandDistance& liquid, const ScalarField& solid)
      : sampler_(liquid), solid_(solid), lattice_(liquid.field.lattice) {}

  [[nodiscard]] const Lattice& lattice() const { return lattice_; }
  void liquid(std::span<const Vec3> points, std::span<float> values) const {
    sampler_.evaluate(points, values);
  }
  void solid(std::span<const Vec3> points, std::span<double> values) const {
    solid_.evaluate(points, values);
    for (double& value : values) value /= -lattice_.spacing;
  }

 private:
  CubicSampler sampler_;
  const ScalarField& solid_;
  Lattice lattice_;
};

struct CutSamples {
  // Negative where liquid is left. All nodes of its blocks are known: the liquid's distance, or in
  // solids the greater of both functions.
  SampledField field;
  // For each block: 0 if no solid comes near its nodes, nor near the edges that start there.
  std::vector<std::uint8_t> is_near_solid;
  // Both functions at the nodes of the blocks near solids. A solid farther from a node than the
  // corners of a crossed cell are is -kFarSolid or kFarSolid.
  Buffer<float> liquid;
  Buffer<float> solid;
};
inline constexpr float kFarSolid = 2;

// The blocks that a contour of the greater function needs: the liquid's own, and those where a
// solid ends in `box` inside the liquid.
[[nodiscard]] BlockSet cut_blocks(const BandDistance& liquid, const ScalarField& solid,
                                  const Box3& box);

// `blocks`: at least the liquid's own.
[[nodiscard]] CutSamples cut_samples(const BandDistance& liquid, const CutBounds& bounds,
                                     BlockSet blocks);

// Both functions at nodes, found by their coordinates; fast for nodes close to the ones before.
class CutNodes {
 public:
  explicit CutNodes(const CutSamples& samples) : samples_(samples) {}

  // Where a node is in the arrays of the samples; -1 if it is not there.
  [[nodiscard]] std::int64_t place(const Vec3i& node) {
    const Vec3i block = block_of_node(node);
    Recent& recent = recent_[static_cast<std::size_t>((block.x() & 1) | (block.y() & 1) << 1 |
                                                      (block.z() & 1) << 2)];
    if (recent.block != block) recent = {block, samples_.field.blocks.find(block)};
    return recent.number < 0 ? -1 : std::int64_t{recent.number} * kBlockNodes + node_in_block(node);
  }
  [[nodiscard]] bool is_near_solid(std::int64_t place) const {
    return samples_.is_near_solid[static_cast<std::size_t>(place / kBlockNodes)] != 0;
  }
  [[nodiscard]] float value(std::int64_t place) const {
    return samples_.field.values[static_cast<std::size_t>(place)];
  }
  [[nodiscard]] float liquid(std::int64_t place) const {
    return is_near_solid(place) ? samples_.liquid[static_cast<std::size_t>(place)] : value(place);
  }
  [[nodiscard]] float solid(std::int64_t place) const {
    return is_near_solid(place) ? samples_.solid[static_cast<std::size_t>(place)] : -kFarSolid;
  }

 private:
  struct Recent {
    Vec3i block = Vec3i::Constant(2 * kBlockLimit);
    std::int32_t number = -1;
  };
  const CutSamples& samples_;
  std::array<Recent, 8> recent_;
};

}  // namespace spindrift
