#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/file.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/io/byte_order.hpp"
#include "spindrift/io/ply.hpp"

namespace spindrift {

namespace {

constexpr std::int64_t kChunk = 4096;
constexpr std::int64_t kBlock = 64 * kChunk;  // rows that are formatted, in parallel, at a time

std::string header_of(const TriangleMesh& mesh, bool has_velocities) {
  std::string text = "ply\nformat binary_little_endian 1.0\ncomment made by Spindrift\n";
  text += fmt::format("element vertex {}\n", mesh.vertex_count());
  text += "property float x\nproperty float y\nproperty float z\n";
  if (has_velocities) text += "property float vx\nproperty float vy\nproperty float vz\n";
  text += fmt::format("element face {}\n", mesh.triangle_count());
  return text + "property list uchar int vertex_indices\nend_header\n";
}

// Writes `count` rows of equal size, each by put(row, address).
template <class Put>
void write_rows(AtomicFile& file, std::int64_t count, std::int64_t row_bytes, const Put& put) {
  std::string block;
  for (std::int64_t first = 0; first < count; first += kBlock) {
    const std::int64_t rows = std::min(kBlock, count - first);
    block.resize(static_cast<std::size_t>(rows * row_bytes));
    parallel_for_each(
        rows, [&](std::int64_t i) { put(first + i, block.data() + i * row_bytes); }, kChunk);
    file.write(block);
  }
}

void put_vector(char* to, const Vec3& vector) {
  for (int axis = 0; axis < 3; ++axis) {
    store(to + 4 * axis, static_cast<float>(vector[axis]), ByteOrder::little);
  }
}

void check_floats(const std::filesystem::path& path, std::span<const Vec3> vectors,
                  std::string_view what) {
  // False for NaN too.
  const auto fits = [](const Vec3& v) {
    return v.cwiseAbs().maxCoeff<Eigen::PropagateNaN>() <= std::numeric_limits<float>::max();
  };
  const std::int64_t count = std::ssize(vectors);
  const std::int64_t bad = parallel_reduce_chunks(
      count, kChunk, count,
      [&](std::int64_t begin, std::int64_t end) {
        const auto found = std::find_if_not(vectors.begin() + begin, vectors.begin() + end, fits);
        return found == vectors.begin() + end ? count : found - vectors.begin();
      },
      [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
  if (bad == count) return;
  const Vec3& v = vectors[bad];
  throw InputError({.file = path.string()},
                   fmt::format("the {} of vertex {} is ({:g}, {:g}, {:g}), which no float can hold",
                               what, bad, v.x(), v.y(), v.z()));
}

}  // namespace

void write_ply(const std::filesystem::path& path, const TriangleMesh& mesh,
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
  file.commit();
}

}  // namespace spindrift
