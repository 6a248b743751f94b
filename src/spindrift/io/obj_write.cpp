#include "spindrift/io/bulk_write.hpp"
#include "spindrift/io/obj.hpp"

namespace spindrift {

void write_obj(const std::filesystem::path& path, const TriangleMesh& mesh) {
  AtomicFile file(path);
  file.write("# made by Spindrift\n");
  write_lines(file, mesh.vertex_count(), [&](std::int64_t i, std::string& text) {
    text += 'v';
    for (int axis = 0; axis < 3; ++axis) {
      text += ' ';
      append_number(text, mesh.vertices[i][axis]);
    }
    text += '\n';
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
