// Where the contour's vertices lie on the crossed edges of a block, and their normals.
#pragma once

#include <cstdint>
#include <span>

#include "spindrift/levelset/sampled_field.hpp"

namespace spindrift {

// An edge from a node of a block one step up an axis.
struct BlockEdge {
  std::int16_t node;
  std::int16_t axis;
};

// Edges of one block whose ends are known and have opposite signs; positions and normals receive as
// many entries. The result for an edge depends only on the samples near it.
void place_vertices(const SampledField& field, std::int64_t block,
                    const BlockSet::Neighborhood& around, std::span<const BlockEdge> edges,
                    Vec3* positions, Vec3f* normals);

}  // namespace spindrift
