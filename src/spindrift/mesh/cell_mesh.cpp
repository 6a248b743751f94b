#include "spindrift/mesh/cell_mesh.hpp"

#include "spindrift/core/parallel.hpp"

namespace spindrift {

CellMesh cell_mesh(const TetMesh& mesh, const MeshFaces& faces,
                   std::span<const TaggedFace> boundary) {
  CellMesh cells;
  const auto face_count = static_cast<std::size_t>(faces.count());
  const auto cell_count = static_cast<std::size_t>(mesh.tet_count());
  cells.face_cells.resize(face_count);
  cells.area_vectors.resize(face_count);
  cells.face_centers.resize(face_count);
  cells.tags.resize(face_count);
  parallel_for_each(faces.count(), [&](std::int64_t face) {
    const auto f = static_cast<std::size_t>(face);
    const std::int32_t first = faces.first_side(face);
    const std::int32_t second = faces.second_side(face);
    cells.face_cells[f] = {first >> 2, second < 0 ? -1 : second >> 2};
    cells.tags[f] = second < 0 ? FaceTag::air : FaceTag::inside;
    const auto& corners = kTetFaces[static_cast<std::size_t>(first & 3)];
    const Vec3& a = mesh.corner(first >> 2, corners[0]);
    const Vec3& b = mesh.corner(first >> 2, corners[1]);
    const Vec3& c = mesh.corner(first >> 2, corners[2]);
    cells.area_vectors[f] = (b - a).cross(c - a) / 2;
    cells.face_centers[f] = (a + b + c) / 3;
  });
  for (const TaggedFace& tagged : boundary) {
    const std::int32_t face =
        faces.of_tet(tagged.side >> 2)[static_cast<std::size_t>(tagged.side & 3)];
    cells.tags[static_cast<std::size_t>(face)] = tagged.tag;
  }
  cells.volumes.resize(cell_count);
  cells.centers.resize(cell_count);
  cells.face_starts.resize(cell_count + 1);
  cells.cell_faces.resize(4 * cell_count);
  parallel_for_each(mesh.tet_count(), [&](std::int64_t t) {
    const auto c = static_cast<std::size_t>(t);
    cells.volumes[c] = mesh.volume(t);
    cells.centers[c] =
        (mesh.corner(t, 0) + mesh.corner(t, 1) + mesh.corner(t, 2) + mesh.corner(t, 3)) / 4;
    cells.face_starts[c + 1] = static_cast<std::int32_t>(4 * (t + 1));
    const auto& own = faces.of_tet(t);
    for (std::size_t k = 0; k < 4; ++k) cells.cell_faces[4 * c + k] = own[k];
  });
  return cells;
}

}  // namespace spindrift
