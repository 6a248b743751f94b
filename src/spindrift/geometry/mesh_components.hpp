// The connected pieces of a triangle surface, with their volume and area.
#pragma once

#include <cstdint>
#include <vector>

#include "spindrift/geometry/triangle_mesh.hpp"

namespace spindrift {

struct MeshComponent {
  double volume = 0;  // m^3; negative for a surface that faces inwards, such as that of a pocket
  double area = 0;    // m^2
  std::int64_t triangles = 0;
};

struct MeshComponents {
  std::vector<MeshComponent> components;  // in the order of their first vertex
  std::vector<std::int32_t> of_vertex;    // which one; -1 for a vertex that no triangle uses
};

// Triangles that share a vertex are connected.
[[nodiscard]] MeshComponents mesh_components(const TriangleMesh& mesh);

}  // namespace spindrift
