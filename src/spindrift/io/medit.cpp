#include "spindrift/io/medit.hpp"

#include <limits>

#include <fmt/format.h>

#include "spindrift/io/bulk_write.hpp"
#include "spindrift/mesh/boundary.hpp"

namespace spindrift {

namespace {

// The number of the one region that there is, on every line.
constexpr const char* kRegion = "1\n";

void append_vertices(std::string& text, std::span<const std::int32_t> vertices) {
  for (const std::int32_t v : vertices) {
    append_number(text, std::int64_t{v} + 1);
    text += ' ';
  }
  text += kRegion;
}

}  // namespace

void write_medit(const std::filesystem::path& path, const TetMesh& mesh) {
  require_at_most(path, mesh.vertices, std::numeric_limits<double>::max(), "position",
                  "is no place");
  const TetBoundary boundary = boundary_of(mesh);
  const auto& triangles = boundary.surface.triangles;

  AtomicFile file(path);
  file.write("MeshVersionFormatted 2\n# made by Spindrift\nDimension 3\n");
  file.write(fmt::format("Vertices\n{}\n", mesh.vertex_count()));
  write_lines(file, mesh.vertex_count(), [&](std::int64_t v, std::string& text) {
    for (int axis = 0; axis < 3; ++axis) {
      append_number(text, mesh.vertices[v][axis]);
      text += ' ';
    }
    text += kRegion;
  });
  file.write(fmt::format("Triangles\n{}\n", triangles.size()));
  write_lines(file, std::ssize(triangles), [&](std::int64_t t, std::string& text) {
    Triangle corners = triangles[t];
    for (std::int32_t& v : corners) v = boundary.mesh_vertex[v];
    append_vertices(text, corners);
  });
  file.write(fmt::format("Tetrahedra\n{}\n", mesh.tet_count()));
  write_lines(file, mesh.tet_count(),
              [&](std::int64_t t, std::string& text) { append_vertices(text, mesh.tets[t]); });
  file.write("End\n");
  file.commit();
}

}  // namespace spindrift
