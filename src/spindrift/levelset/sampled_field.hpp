// A function known at some nodes of a lattice, in blocks; negative is inside.
#pragma once

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

}  // namespace spindrift
