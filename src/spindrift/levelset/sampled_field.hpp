// A function known at some nodes of a lattice, in blocks; negative is inside.
#pragma once

#include <utility>
#include <vector>

#include "spindrift/core/buffer.hpp"
#include "spindrift/levelset/block_set.hpp"
#include "spindrift/levelset/lattice.hpp"

namespace spindrift {

struct SampledField {
  Lattice lattice;
  BlockSet blocks;
  Buffer<float> values;          // kBlockNodes for each block, in lattice units
  std::vector<BlockMask> known;  // for each block, the nodes whose value is exact

  [[nodiscard]] const float* block_values(std::int64_t block) const {
    return values.data() + block * kBlockNodes;
  }
  [[nodiscard]] float* block_values(std::int64_t block) {
    return values.data() + block * kBlockNodes;
  }
};

// Room for a function at the nodes of the blocks; none is known yet.
[[nodiscard]] inline SampledField unknown_field(const Lattice& lattice, BlockSet blocks) {
  SampledField field;
  field.lattice = lattice;
  field.blocks = std::move(blocks);
  const auto count = static_cast<std::size_t>(field.blocks.size());
  field.values.resize(count * kBlockNodes);
  field.known.resize(count);
  return field;
}

}  // namespace spindrift
