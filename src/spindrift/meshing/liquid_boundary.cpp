#include "spindrift/meshing/liquid_boundary.hpp"

#include <cmath>

#include "spindrift/core/parallel.hpp"
#include "spindrift/mesh/boundary.hpp"
#include "spindrift/meshing/surface_walk.hpp"

namespace spindrift {

std::vector<double> evaluate_at(const ScalarField& field, const TetMesh& mesh,
                                std::span<const std::int32_t> vertices) {
  std::vector<Vec3> points(vertices.size());
  parallel_for_each(std::ssize(vertices), [&](std::int64_t i) {
    points[static_cast<std::size_t>(i)] =
        mesh.vertices[static_cast<std::size_t>(vertices[static_cast<std::size_t>(i)])];
  });
  std::vector<double> values(vertices.size());
  evaluate_parallel(field, points, values);
  return values;
}

LiquidBoundary find_liquid_boundary(const TetMesh& mesh, const TetNeighbors& neighbors,
                                    const ScalarField& liquid, const ScalarField& obstacle) {
  const double tolerance = kOnSurface * mesh.lattice_size;
  LiquidBoundary boundary;
  boundary.sides = boundary_sides(neighbors);
  boundary.vertices = vertices_of(mesh, boundary.sides);
  boundary.obstacle = evaluate_at(obstacle, mesh, boundary.vertices);
  boundary.bits.assign(mesh.vertices.size(), kNoSurface);
  std::vector<std::int32_t> wet;
  for (std::size_t i = 0; i < boundary.vertices.size(); ++i) {
    const std::int32_t v = boundary.vertices[i];
    const bool is_solid = std::abs(boundary.obstacle[i]) <= tolerance;
    boundary.bits[static_cast<std::size_t>(v)] = is_solid ? kSolid : kAir;
    if (is_solid) wet.push_back(v);
  }
  const std::vector<double> values = evaluate_at(liquid, mesh, wet);
  for (std::size_t i = 0; i < wet.size(); ++i) {
    if (std::abs(values[i]) <= tolerance)
      boundary.bits[static_cast<std::size_t>(wet[i])] = kContact;
  }
  return boundary;
}

}  // namespace spindrift
