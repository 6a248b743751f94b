#include <limits>

#include <fmt/format.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/file.hpp"
#include "spindrift/io/bulk_write.hpp"
#include "spindrift/io/byte_order.hpp"
#include "spindrift/io/ply.hpp"

namespace spindrift {

namespace {

std::string header_of(const TriangleMesh& mesh, bool has_velocities) {
  std::string text = "ply\nformat binary_little_endian 1.0\ncomment made by Spindrift\n";
  text += fmt::format("element vertex {}\n", mesh.vertex_count());
  text += "property float x\nproperty float y\nproperty float z\n";
  if (has_velocities) text += "property float vx\nproperty float vy\nproperty float vz\n";
  text += fmt::format("element face {}\n", mesh.triangle_count());
  return text + "property list uchar int vertex_indices\nend_header\n";
}

void put_vector(char* to, const Vec3& vector) {
  for (int axis = 0; axis < 3; ++axis) {
    store(to + 4 * axis, static_cast<float>(vector[axis]), ByteOrder::little);
  }
}

void check_floats(const std::filesystem::path& path, std::span<const Vec3> vectors,
                  std::string_view what) {
  require_at_most(path, vectors, std::numeric_limits<float>::max(), what, "no float can hold");
}

}  // namespace

FileStamp write_ply(const std::filesystem::path& path, const TriangleMesh& mesh,
                    std::span<const Vec3> velocities) {
  SPINDRIFT_ASSERT(velocities.empty() || velocities.size() == mesh.vertices.size());
  check_floats(path, mesh.vertices, "position");
  check_floats(path, velocities, "velocity");
  const bool has_velocities = !velocities.empty();
  AtomicFile file(path);
  file.write(header_of(mesh, has_velocities));
  write_rows(file, mesh.vertex_count(), has_velocities ? 24 : 12, [&](std::int64_t i, char* to) {
    put_vector(to, mesh.vertices[i]);
    if (has_velocities) put_vector(to + 12, velocities[i]);
  });
  write_rows(file, mesh.triangle_count(), 13, [&](std::int64_t i, char* to) {
    *to = 3;
    for (int k = 0; k < 3; ++k) store(to + 1 + 4 * k, mesh.triangles[i][k], ByteOrder::little);
  });
  return file.commit();
}

}  // namespace spindrift
