// A surface of triangles: positions and vertex triples, counter-clockwise seen from outside.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "spindrift/core/vec.hpp"

namespace spindrift {

using Triangle = std::array<std::int32_t, 3>;

struct TriangleMesh {
  std::vector<Vec3> vertices;       // m
  std::vector<Triangle> triangles;  // indices into `vertices`, all in range

  [[nodiscard]] std::int64_t vertex_count() const { return std::ssize(vertices); }
  [[nodiscard]] std::int64_t triangle_count() const { return std::ssize(triangles); }
  [[nodiscard]] const Vec3& corner(std::int64_t triangle, int k) const {
    return vertices[static_cast<std::size_t>(triangles[static_cast<std::size_t>(triangle)][k])];
  }
};

// Of the vertices that triangles use.
[[nodiscard]] Box3 bounds(const TriangleMesh& mesh);

// Mass properties of the solid that a closed, outward-oriented mesh bounds.
struct MassProperties {
  double volume = 0;            // m^3; negative if the mesh is inside out
  double mass = 0;              // kg
  Vec3 center = Vec3::Zero();   // centre of mass, m
  Mat3 inertia = Mat3::Zero();  // about the centre of mass, kg m^2
};
[[nodiscard]] MassProperties mass_properties(const TriangleMesh& mesh, double density = 1.0);

[[nodiscard]] double surface_area(const TriangleMesh& mesh);
[[nodiscard]] double enclosed_volume(const TriangleMesh& mesh);

}  // namespace spindrift
