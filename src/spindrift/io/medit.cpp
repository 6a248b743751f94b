#include "spindrift/io/medit.hpp"

#include <limits>

#include <fmt/format.h>

#include "spindrift/io/bulk_write.hpp"
#include "spindrift/mesh/boundary.hpp"

namespace spindrift {

namespace {

// The reference of all that has no tag.
constexpr int kRegion = 1;

void append_vertices(std::string& text, std::span<const std::int32_t> vertices, int reference) {
  for (const std::int32_t v : vertices) {
    append_number(text, std::int64_t{v} + 1);
    text += ' ';
  }
  append_number(text, reference);
  text += '\n';
}

struct ReferencedTriangle {
  Triangle corners;
  int reference;
};

std::vector<ReferencedTriangle> triangles_of(const TetMesh& mesh,
                                             std::span<const TaggedFace> boundary) {
  std::vector<ReferencedTriangle> triangles;
  for (const TaggedFace& face : boundary) {
    triangles.push_back({face_corners(mesh, face.side), static_cast<int>(face.tag)});
  }
  if (!triangles.empty()) return triangles;
  const TetBoundary untagged = boundary_of(mesh);
  for (Triangle corners : untagged.surface.triangles) {
    for (std::int32_t& v : corners) v = untagged.mesh_vertex[v];
    triangles.push_back({corners, kRegion});
  }
  return triangles;
}

}  // namespace

void write_medit(const std::filesystem::path& path, const TetMesh& mesh,
                 std::span<const TaggedFace> boundary) {
  require_at_most(path, mesh.vertices, std::numeric_limits<double>::max(), "position",
                  "is no place");
  const std::vector<ReferencedTriangle> triangles = triangles_of(mesh, boundary);

  AtomicFile file(path);
  file.write("MeshVersionFormatted 2\n# made by Spindrift\nDimension 3\n");
  file.write(fmt::format("Vertices\n{}\n", mesh.vertex_count()));
  write_lines(file, mesh.vertex_count(), [&](std::int64_t v, std::string& text) {
    for (int axis = 0; axis < 3; ++axis) {
      append_number(text, mesh.vertices[v][axis]);
      text += ' ';
    }
    append_number(text, kRegion);
    text += '\n';
  });
  file.write(fmt::format("Triangles\n{}\n", triangles.size()));
  write_lines(file, std::ssize(triangles), [&](std::int64_t t, std::string& text) {
    append_vertices(text, triangles[t].corners, triangles[t].reference);
  });
  file.write(fmt::format("Tetrahedra\n{}\n", mesh.tet_count()));
  write_lines(file, mesh.tet_count(), [&](std::int64_t t, std::string& text) {
    append_vertices(text, mesh.tets[t], kRegion);
  });
  file.write("End\n");
  file.commit();
}

}  // namespace spindrift
