// Pressures in the vertices of a mesh, from which those on faces are interpolated.
//
// Functions that are linear in tetrahedra and continuous are among the pressures of the consistent
// projection; a face's value is the mean of its vertices'. They make a coarse space for its
// multigrid that varies linearly, where aggregates are constant [auxiliary spaces: Xu 1996].
#pragma once

#include <span>

#include "spindrift/linear/interpolation.hpp"
#include "spindrift/mesh/cell_mesh.hpp"

namespace spindrift {

// `unknown`: the row of every face, -1 where the pressure is given; vertices of such faces have
// none. Empty if the mesh is not one of tetrahedra with vertices, or has no vertex left.
[[nodiscard]] Interpolation vertex_pressures(const CellMesh& mesh,
                                             std::span<const std::int32_t> unknown,
                                             std::int64_t unknowns);

}  // namespace spindrift
