#include "spindrift/surface/specks.hpp"

#include <cmath>

namespace spindrift {

SpeckReport remove_specks(double least_volume, TriangleMesh& mesh, std::vector<Vec3f>& normals,
                          MeshComponents& pieces) {
  SpeckReport report;
  std::vector<std::int32_t> new_piece(pieces.components.size(), -1);
  std::vector<MeshComponent> kept;
  for (std::size_t p = 0; p < pieces.components.size(); ++p) {
    const MeshComponent& piece = pieces.components[p];
    if (std::abs(piece.volume) >= least_volume) {
      new_piece[p] = static_cast<std::int32_t>(kept.size());
      kept.push_back(piece);
    } else if (piece.volume < 0) {
      ++report.pockets;
      report.pocket_volume -= piece.volume;
    } else {
      ++report.drops;
      report.drop_volume += piece.volume;
    }
  }
  if (kept.size() == pieces.components.size()) return report;

  std::vector<std::int32_t> new_vertex(mesh.vertices.size(), -1);
  std::size_t vertices = 0;
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    const std::int32_t piece = pieces.of_vertex[v];
    if (piece < 0 || new_piece[static_cast<std::size_t>(piece)] < 0) continue;
    new_vertex[v] = static_cast<std::int32_t>(vertices);
    mesh.vertices[vertices] = mesh.vertices[v];
    normals[vertices] = normals[v];
    pieces.of_vertex[vertices] = new_piece[static_cast<std::size_t>(piece)];
    ++vertices;
  }
  mesh.vertices.resize(vertices);
  normals.resize(vertices);
  pieces.of_vertex.resize(vertices);
  std::size_t triangles = 0;
  for (const Triangle& t : mesh.triangles) {
    if (new_vertex[static_cast<std::size_t>(t[0])] < 0) continue;
    Triangle& moved = mesh.triangles[triangles++];
    moved = {new_vertex[static_cast<std::size_t>(t[0])], new_vertex[static_cast<std::size_t>(t[1])],
             new_vertex[static_cast<std::size_t>(t[2])]};
  }
  mesh.triangles.resize(triangles);
  pieces.components = std::move(kept);
  return report;
}

}  // namespace spindrift
