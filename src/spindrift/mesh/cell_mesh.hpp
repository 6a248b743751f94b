// Cells with faces between them: what the finite-volume method works on.
//
// Cells may be of any convex shape with flat faces. Every face has a first cell, out of which its
// area vector points, and a second one unless it is on the boundary.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "spindrift/core/buffer.hpp"
#include "spindrift/core/vec.hpp"
#include "spindrift/mesh/face_tags.hpp"
#include "spindrift/mesh/mesh_faces.hpp"

namespace spindrift {

struct CellMesh {
  // Of faces.
  Buffer<std::array<std::int32_t, 2>> face_cells;  // the second is -1 on the boundary
  Buffer<Vec3> area_vectors;                       // m^2
  Buffer<Vec3> face_centers;                       // m, barycentres
  Buffer<FaceTag> tags;

  // Of cells.
  Buffer<double> volumes;               // m^3
  Buffer<Vec3> centers;                 // m, barycentres
  Buffer<std::int32_t> face_starts{0};  // in cell_faces
  Buffer<std::int32_t> cell_faces;

  [[nodiscard]] std::int64_t cell_count() const { return std::ssize(volumes); }
  [[nodiscard]] std::int64_t face_count() const { return std::ssize(face_cells); }
  [[nodiscard]] std::span<const std::int32_t> faces_of(std::int64_t cell) const {
    const auto c = static_cast<std::size_t>(cell);
    return std::span(cell_faces)
        .subspan(static_cast<std::size_t>(face_starts[c]),
                 static_cast<std::size_t>(face_starts[c + 1] - face_starts[c]));
  }
  // 1 if the face's area vector points out of the cell, -1 if into it.
  [[nodiscard]] double sign(std::int32_t face, std::int64_t cell) const {
    return face_cells[static_cast<std::size_t>(face)][0] == cell ? 1 : -1;
  }
  // From the cell's barycentre to the plane of the face, m.
  [[nodiscard]] double distance(std::int32_t face, std::int64_t cell) const {
    const auto f = static_cast<std::size_t>(face);
    const Vec3 way = face_centers[f] - centers[static_cast<std::size_t>(cell)];
    return sign(face, cell) * way.dot(area_vectors[f]) / area_vectors[f].norm();
  }
};

// The tetrahedra of a mesh. `boundary`: the tags of boundary faces; those not in it are air.
[[nodiscard]] CellMesh cell_mesh(const TetMesh& mesh, const MeshFaces& faces,
                                 std::span<const TaggedFace> boundary = {});

}  // namespace spindrift
