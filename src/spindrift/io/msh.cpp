#include "spindrift/io/msh.hpp"

#include <limits>

#include "spindrift/io/bulk_write.hpp"
#include "spindrift/io/byte_order.hpp"

namespace spindrift {

namespace {

constexpr std::int32_t kVolume = 3;       // the dimension of the entity
constexpr std::int32_t kVolumeTag = 1;    // our only one
constexpr std::int32_t kTetrahedron = 4;  // Gmsh's number of the kind of element

template <class T>
void append(std::string& bytes, T value) {
  std::array<char, sizeof(T)> raw;
  store(raw.data(), value, ByteOrder::little);
  bytes.append(raw.data(), raw.size());
}

void append_sizes(std::string& bytes, std::initializer_list<std::int64_t> sizes) {
  for (const std::int64_t size : sizes) append(bytes, static_cast<std::uint64_t>(size));
}

// The 1 tells readers the byte order.
std::string format_section() {
  std::string bytes = "$MeshFormat\n4.1 1 8\n";
  append(bytes, std::int32_t{1});
  return bytes + "\n$EndMeshFormat\n";
}

std::string entities_section(const TetMesh& mesh) {
  const Box3 box = parallel_reduce_chunks(
      mesh.vertex_count(), bulk_write::kChunk, Box3(),
      [&](std::int64_t begin, std::int64_t end) {
        Box3 part;
        for (std::int64_t v = begin; v < end; ++v) part.extend(mesh.vertices[v]);
        return part;
      },
      [](Box3 a, const Box3& b) { return a.extend(b); });
  std::string bytes = "$Entities\n";
  append_sizes(bytes, {0, 0, 0, 1});  // points, curves, surfaces, volumes
  append(bytes, kVolumeTag);
  for (int axis = 0; axis < 3; ++axis) append(bytes, box.isEmpty() ? 0.0 : box.min()[axis]);
  for (int axis = 0; axis < 3; ++axis) append(bytes, box.isEmpty() ? 0.0 : box.max()[axis]);
  append_sizes(bytes, {0, 0});  // physical groups, bounding surfaces
  return bytes + "\n$EndEntities\n";
}

// One block of `count` numbered things that belong to the volume. `kind` is whether nodes are
// parametric, or what the elements are.
std::string block_start(std::string_view name, std::int32_t kind, std::int64_t count) {
  std::string bytes(name);
  append_sizes(bytes, {1, count, std::min<std::int64_t>(1, count), count});
  append(bytes, kVolume);
  append(bytes, kVolumeTag);
  append(bytes, kind);
  append_sizes(bytes, {count});
  return bytes;
}

}  // namespace

void write_msh(const std::filesystem::path& path, const TetMesh& mesh) {
  require_at_most(path, mesh.vertices, std::numeric_limits<double>::max(), "position",
                  "is no place");
  AtomicFile file(path);
  file.write(format_section());
  file.write(entities_section(mesh));

  file.write(block_start("$Nodes\n", 0, mesh.vertex_count()));
  write_rows(file, mesh.vertex_count(), 8, [](std::int64_t v, char* to) {
    store(to, static_cast<std::uint64_t>(v + 1), ByteOrder::little);
  });
  write_rows(file, mesh.vertex_count(), 24, [&](std::int64_t v, char* to) {
    for (int axis = 0; axis < 3; ++axis) {
      store(to + 8 * axis, mesh.vertices[v][axis], ByteOrder::little);
    }
  });

  file.write("\n$EndNodes\n");
  file.write(block_start("$Elements\n", kTetrahedron, mesh.tet_count()));
  write_rows(file, mesh.tet_count(), 40, [&](std::int64_t t, char* to) {
    store(to, static_cast<std::uint64_t>(t + 1), ByteOrder::little);
    for (int k = 0; k < 4; ++k) {
      const std::uint64_t node = static_cast<std::uint64_t>(mesh.tets[t][k]) + 1;
      store(to + 8 + 8 * k, node, ByteOrder::little);
    }
  });
  file.write("\n$EndElements\n");
  file.commit();
}

}  // namespace spindrift
