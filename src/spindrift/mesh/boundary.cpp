#include "spindrift/mesh/boundary.hpp"

#include <algorithm>
#include <utility>

#include "spindrift/core/parallel.hpp"

namespace spindrift {

namespace {

constexpr std::int64_t kChunk = 8192;  // tetrahedra

bool is_beyond(const TetMesh& mesh, std::int64_t tet, const Vec3& point, const Vec3& normal) {
  const Vec3 sum =
      mesh.corner(tet, 0) + mesh.corner(tet, 1) + mesh.corner(tet, 2) + mesh.corner(tet, 3);
  return (sum / 4 - point).dot(normal) > 0;
}

}  // namespace

TetBoundary surface_of(const TetMesh& mesh, std::span<const FaceId> faces) {
  std::vector<std::int32_t> surface_vertex(mesh.vertices.size(), -1);
  for (const FaceId face : faces) {
    for (const std::int32_t v : face_corners(mesh, face)) surface_vertex[v] = 0;
  }
  TetBoundary boundary;
  for (std::int64_t v = 0; v < mesh.vertex_count(); ++v) {
    if (surface_vertex[v] < 0) continue;
    surface_vertex[v] = static_cast<std::int32_t>(boundary.mesh_vertex.size());
    boundary.mesh_vertex.push_back(static_cast<std::int32_t>(v));
    boundary.surface.vertices.push_back(mesh.vertices[v]);
  }
  boundary.surface.triangles.reserve(faces.size());
  for (const FaceId face : faces) {
    Triangle triangle = face_corners(mesh, face);
    for (std::int32_t& v : triangle) v = surface_vertex[v];
    boundary.surface.triangles.push_back(triangle);
  }
  return boundary;
}

TetBoundary boundary_of(const TetMesh& mesh) {
  std::vector<FaceId> faces;
  for_each_face(sorted_face_uses(mesh), [&](std::span<const FaceUse> uses) {
    if (uses.size() == 1) faces.push_back(uses[0].face());
  });
  std::sort(faces.begin(), faces.end());
  return surface_of(mesh, faces);
}

std::vector<std::int32_t> boundary_sides(const TetNeighbors& neighbors) {
  const std::int64_t tets = std::ssize(neighbors);
  std::vector<std::vector<std::int32_t>> parts(static_cast<std::size_t>(chunk_count(tets, kChunk)));
  parallel_for_chunks(tets, kChunk, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int32_t>& part = parts[static_cast<std::size_t>(begin / kChunk)];
    for (std::int64_t t = begin; t < end; ++t) {
      const auto& others = neighbors[static_cast<std::size_t>(t)];
      for (std::size_t side = 0; side < 4; ++side) {
        if (others[side] >= 0) continue;
        part.push_back(static_cast<std::int32_t>(4 * t + static_cast<std::int64_t>(side)));
      }
    }
  });
  std::vector<std::int32_t> sides;
  for (const auto& part : parts) sides.insert(sides.end(), part.begin(), part.end());
  return sides;
}

std::vector<std::int32_t> vertices_of(const TetMesh& mesh, std::span<const std::int32_t> sides) {
  std::vector<std::uint8_t> is_used(mesh.vertices.size(), 0);
  for (const std::int32_t side : sides) {
    for (const std::int32_t v : face_corners(mesh, side)) is_used[static_cast<std::size_t>(v)] = 1;
  }
  std::vector<std::int32_t> vertices;
  for (std::size_t v = 0; v < is_used.size(); ++v) {
    if (is_used[v] != 0) vertices.push_back(static_cast<std::int32_t>(v));
  }
  return vertices;
}

CutAway cut_away(const TetMesh& mesh, const Vec3& point, const Vec3& normal) {
  std::vector<FaceId> outer, cut;
  for_each_face(sorted_face_uses(mesh), [&](std::span<const FaceUse> uses) {
    FaceId kept = -1;
    std::size_t kept_count = 0;
    for (const FaceUse& use : uses) {
      if (is_beyond(mesh, use.face() >> 2, point, normal)) continue;
      kept = use.face();
      ++kept_count;
    }
    if (kept_count == 1) (uses.size() == 1 ? outer : cut).push_back(kept);
  });
  std::sort(outer.begin(), outer.end());
  std::sort(cut.begin(), cut.end());
  CutAway rest{surface_of(mesh, outer).surface, surface_of(mesh, cut).surface, {}};
  rest.outer_faces = std::move(outer);
  return rest;
}

}  // namespace spindrift
