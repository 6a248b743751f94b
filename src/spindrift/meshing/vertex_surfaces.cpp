#include "spindrift/meshing/vertex_surfaces.hpp"

#include <cmath>

#include "spindrift/mesh/boundary.hpp"

namespace spindrift {

std::vector<double> evaluate_at(const ScalarField& field, const TetMesh& mesh,
                                std::span<const std::int32_t> vertices) {
  std::vector<Vec3> points(vertices.size());
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    points[i] = mesh.vertices[static_cast<std::size_t>(vertices[i])];
  }
  std::vector<double> values(vertices.size());
  evaluate_parallel(field, points, values);
  return values;
}

VertexSurfaces find_vertex_surfaces(const TetMesh& mesh, std::span<const std::int32_t> boundary,
                                    const ScalarField& liquid, const ScalarField& obstacle,
                                    double tolerance) {
  VertexSurfaces surfaces;
  surfaces.vertices = vertices_of(mesh, boundary);
  surfaces.obstacle = evaluate_at(obstacle, mesh, surfaces.vertices);
  surfaces.bits.assign(mesh.vertices.size(), kNoSurface);
  std::vector<std::int32_t> wet;
  for (std::size_t i = 0; i < surfaces.vertices.size(); ++i) {
    const std::int32_t v = surfaces.vertices[i];
    const bool is_solid = std::abs(surfaces.obstacle[i]) <= tolerance;
    surfaces.bits[static_cast<std::size_t>(v)] = is_solid ? kSolid : kAir;
    if (is_solid) wet.push_back(v);
  }
  const std::vector<double> values = evaluate_at(liquid, mesh, wet);
  for (std::size_t i = 0; i < wet.size(); ++i) {
    if (std::abs(values[i]) <= tolerance)
      surfaces.bits[static_cast<std::size_t>(wet[i])] = kContact;
  }
  return surfaces;
}

}  // namespace spindrift
