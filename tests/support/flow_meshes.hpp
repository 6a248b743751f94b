// Cell meshes of liquids.
#pragma once

#include "spindrift/flow/components.hpp"
#include "spindrift/mesh/boundary.hpp"
#include "spindrift/meshing/boundary_tags.hpp"
#include "spindrift/meshing/obstacles.hpp"
#include "spindrift/meshing/stuffing.hpp"

#include "support/random.hpp"

namespace spindrift::test {

// A body in the air.
inline CellMesh blob(const Shape& shape, double size) {
  const TetMesh mesh = stuff(shape, shape.bounds(), {.size = size});
  return cell_mesh(mesh, MeshFaces(mesh, find_neighbors(mesh)));
}

// A liquid among obstacles.
inline CellMesh pool(const Shape& liquid, const Shape& obstacle, const Box3& box, double size) {
  TetMesh mesh = stuff(WithoutObstacles(liquid, obstacle), box, {.size = size});
  TetNeighbors neighbors = find_neighbors(mesh);
  LiquidBoundary boundary = find_liquid_boundary(mesh, neighbors, liquid, obstacle);
  (void)snap_to_obstacles(mesh, boundary, liquid, obstacle);
  const BoundaryTags tags = tag_boundary(mesh, boundary, liquid, obstacle);
  return cell_mesh(mesh, MeshFaces(mesh, std::move(neighbors)), tags.faces);
}

// Boxes of 1 x 1 x 1, in the air.
inline CellMesh hexahedra(const Vec3i& count) {
  CellMesh mesh;
  const auto number = [&](const Vec3i& c) {
    return c.x() + count.x() * (c.y() + count.y() * c.z());
  };
  std::vector<std::vector<std::int32_t>> faces(static_cast<std::size_t>(count.prod()));
  const auto add_face = [&](int first, int second, const Vec3& center, const Vec3& area) {
    const auto face = static_cast<std::int32_t>(mesh.face_cells.size());
    mesh.face_cells.push_back({first, second});
    mesh.face_centers.push_back(center);
    mesh.area_vectors.push_back(area);
    mesh.tags.push_back(second < 0 ? FaceTag::air : FaceTag::inside);
    for (const int cell : {first, second}) {
      if (cell >= 0) faces[static_cast<std::size_t>(cell)].push_back(face);
    }
  };
  for (int z = 0; z < count.z(); ++z) {
    for (int y = 0; y < count.y(); ++y) {
      for (int x = 0; x < count.x(); ++x) {
        const Vec3i cell(x, y, z);
        const Vec3 center = cell.cast<double>().array() + 0.5;
        mesh.volumes.push_back(1);
        mesh.centers.push_back(center);
        for (int axis = 0; axis < 3; ++axis) {
          const Vec3 normal = Vec3::Unit(axis);
          if (cell[axis] == 0) add_face(number(cell), -1, center - 0.5 * normal, -normal);
          const bool is_last = cell[axis] + 1 == count[axis];
          add_face(number(cell), is_last ? -1 : number(cell + Vec3i::Unit(axis)),
                   center + 0.5 * normal, normal);
        }
      }
    }
  }
  for (const auto& own : faces) {
    mesh.cell_faces.insert(mesh.cell_faces.end(), own.begin(), own.end());
    mesh.face_starts.push_back(static_cast<std::int32_t>(mesh.cell_faces.size()));
  }
  return mesh;
}

inline std::vector<double> random_numbers(std::int64_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> numbers(static_cast<std::size_t>(count));
  for (double& number : numbers) number = random.between(-1, 1);
  return numbers;
}

}  // namespace spindrift::test
