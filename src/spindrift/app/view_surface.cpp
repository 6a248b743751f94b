#include "spindrift/app/view_surface.hpp"

#include <cmath>

#include "spindrift/app/view_pack.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/mesh_edges.hpp"

namespace spindrift::app {

namespace {

// Means of the triangles around each vertex, weighted with their areas, not of length 1. Edges are
// made sharp by the page, which sees the facets too.
std::vector<Vec3f> vertex_normals(const TriangleMesh& mesh) {
  std::vector<Vec3f> normals(mesh.vertices.size(), Vec3f::Zero());
  for (const Triangle& triangle : mesh.triangles) {
    const Vec3& a = mesh.vertices[triangle[0]];
    const Vec3f normal =
        (mesh.vertices[triangle[1]] - a).cross(mesh.vertices[triangle[2]] - a).cast<float>();
    for (const std::int32_t vertex : triangle) normals[vertex] += normal;
  }
  return normals;
}

void put_vectors(const std::vector<Vec3>& vectors, std::span<float> to) {
  parallel_for_each(std::ssize(vectors), [&](std::int64_t i) {
    for (int axis = 0; axis < 3; ++axis) {
      to[static_cast<std::size_t>(3 * i + axis)] = static_cast<float>(vectors[i][axis]);
    }
  });
}

void put_normals(const TriangleMesh& mesh, std::span<std::int8_t> to) {
  const std::vector<Vec3f> normals = vertex_normals(mesh);
  parallel_for_each(std::ssize(normals), [&](std::int64_t i) {
    const float length = normals[i].norm();
    for (int axis = 0; axis < 3; ++axis) {
      const float unit = length > 0 ? normals[i][axis] / length : 0;
      to[static_cast<std::size_t>(4 * i + axis)] =
          static_cast<std::int8_t>(std::lround(127 * unit));
    }
  });
}

}  // namespace

std::string meshes_pack(const std::vector<TriangleMesh>& meshes) {
  Json parts = Json::array();
  std::int64_t vertices = 0, triangles = 0;
  for (const TriangleMesh& mesh : meshes) {
    parts.push_back({{"first", 3 * triangles}, {"count", 3 * mesh.triangle_count()}});
    vertices += mesh.vertex_count();
    triangles += mesh.triangle_count();
  }
  Pack pack;
  const std::size_t positions = pack.declare<float>("position", 3, vertices);
  const std::size_t normals = pack.declare<std::int8_t>("normal", 4, vertices);
  const std::size_t index = pack.declare<std::uint32_t>("index", 3, triangles);
  pack.lay_out({{"parts", parts}});
  std::size_t vertex = 0, triangle = 0;
  for (const TriangleMesh& mesh : meshes) {
    put_vectors(mesh.vertices, pack.array<float>(positions).subspan(3 * vertex));
    put_normals(mesh, pack.array<std::int8_t>(normals).subspan(4 * vertex));
    const std::span<std::uint32_t> corners = pack.array<std::uint32_t>(index).subspan(3 * triangle);
    parallel_for_each(mesh.triangle_count(), [&](std::int64_t i) {
      for (int k = 0; k < 3; ++k) {
        corners[static_cast<std::size_t>(3 * i + k)] =
            static_cast<std::uint32_t>(vertex) + static_cast<std::uint32_t>(mesh.triangles[i][k]);
      }
    });
    vertex += mesh.vertices.size();
    triangle += mesh.triangles.size();
  }
  return std::move(pack).take();
}

std::string surface_pack(const TriangleMesh& mesh) { return meshes_pack({mesh}); }

std::string edges_pack(const TriangleMesh& mesh) {
  const MeshEdges edges(mesh);
  Pack pack;
  const std::size_t index = pack.declare<std::uint32_t>("index", 2, edges.edge_count());
  pack.lay_out(Json::object());
  const std::span<std::uint32_t> ends = pack.array<std::uint32_t>(index);
  parallel_for_each(edges.edge_count(), [&](std::int64_t i) {
    const EdgeUse& use = edges.uses(i).front();
    ends[static_cast<std::size_t>(2 * i)] = static_cast<std::uint32_t>(use.low);
    ends[static_cast<std::size_t>(2 * i + 1)] = static_cast<std::uint32_t>(use.high);
  });
  return std::move(pack).take();
}

std::string velocity_pack(const CachedSurface& surface) {
  Pack pack;
  const std::size_t velocities = pack.declare<float>("velocity", 3, std::ssize(surface.velocities));
  pack.lay_out(Json::object());
  put_vectors(surface.velocities, pack.array<float>(velocities));
  return std::move(pack).take();
}

}  // namespace spindrift::app
