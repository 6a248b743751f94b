#include "spindrift/core/error.hpp"
#include "spindrift/io/bulk_write.hpp"
#include "spindrift/io/obj.hpp"

namespace spindrift {

namespace {

void append_vector(std::string& text, const char* keyword, const Vec3& vector) {
  text += keyword;
  for (int axis = 0; axis < 3; ++axis) {
    text += ' ';
    append_number(text, vector[axis]);
  }
  text += '\n';
}

}  // namespace

void write_obj(const std::filesystem::path& path, const TriangleMesh& mesh,
               std::span<const Vec3> velocities) {
  SPINDRIFT_ASSERT(velocities.empty() || velocities.size() == mesh.vertices.size());
  AtomicFile file(path);
  file.write("# made by Spindrift\n");
  write_lines(file, mesh.vertex_count(), [&](std::int64_t i, std::string& text) {
    append_vector(text, "v", mesh.vertices[i]);
    if (!velocities.empty()) append_vector(text, "#vel", velocities[i]);
  });
  write_lines(file, mesh.triangle_count(), [&](std::int64_t i, std::string& text) {
    text += 'f';
    for (const std::int32_t corner : mesh.triangles[i]) {
      text += ' ';
      append_number(text, std::int64_t{corner} + 1);
    }
    text += '\n';
  });
  file.commit();
}

}  // namespace spindrift
