// Normals that make a mesh of small facets look round, and leave its sharp edges sharp.
#pragma once

#include <array>
#include <vector>

#include "spindrift/geometry/shape.hpp"
#include "spindrift/geometry/triangle_mesh.hpp"

namespace spindrift::render_detail {

using CornerNormals = std::array<Vec3f, 3>;

// Facets that meet at a greater angle keep an edge between them. Liquid meets walls at sharp edges;
// facets of a resolved surface differ by less.
inline constexpr double kCreaseDegrees = 40;

// For each triangle and corner, the mean normal of the placed triangles around that vertex,
// weighted with their angles there, without those beyond a crease. Zero for triangles without area.
[[nodiscard]] std::vector<CornerNormals> smooth_normals(const TriangleMesh& mesh,
                                                        const Placement& placement);

}  // namespace spindrift::render_detail
