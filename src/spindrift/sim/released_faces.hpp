// Where liquid is likely to be let go by solids: where it was a step before, in another mesh.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spindrift/mesh/cell_mesh.hpp"

namespace spindrift {

// The solid faces of `now`, ascending, for which the closest face of `before` on a solid is one of
// those `released` there, and no farther than `reach` (m). Those were tagged as air.
[[nodiscard]] std::vector<std::int32_t> likely_released(const CellMesh& before,
                                                        std::span<const std::int32_t> released,
                                                        const CellMesh& now, double reach);

}  // namespace spindrift
