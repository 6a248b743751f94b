#include "spindrift/io/msh.hpp"

#include <limits>
#include <vector>

#include <fmt/format.h>

#include "spindrift/io/bulk_write.hpp"
#include "spindrift/io/byte_order.hpp"
#include "spindrift/mesh/tet_faces.hpp"

namespace spindrift {

namespace {

// The dimensions of entities.
constexpr std::int32_t kSurface = 2, kVolume = 3;
constexpr std::int32_t kVolumeTag = 1;  // our only one
// Gmsh's numbers of kinds of elements.
constexpr std::int32_t kTriangle = 2, kTetrahedron = 4;

// Faces with the same tag.
struct Surface {
  FaceTag tag;
  const char* name;
  std::vector<std::int32_t> sides;
};

// Those that have faces.
std::vector<Surface> surfaces_of(std::span<const TaggedFace> boundary) {
  std::vector<Surface> surfaces = {{FaceTag::air, "air", {}}, {FaceTag::solid, "solid", {}}};
  for (Surface& surface : surfaces) {
    for (const TaggedFace& face : boundary) {
      if (face.tag == surface.tag) surface.sides.push_back(face.side);
    }
  }
  std::erase_if(surfaces, [](const Surface& surface) { return surface.sides.empty(); });
  return surfaces;
}

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

// Text also in binary files.
std::string names_section(std::span<const Surface> surfaces) {
  if (surfaces.empty()) return {};
  std::string text = fmt::format("$PhysicalNames\n{}\n", surfaces.size() + 1);
  for (const Surface& surface : surfaces) {
    text += fmt::format("{} {} \"{}\"\n", kSurface, static_cast<int>(surface.tag), surface.name);
  }
  text += fmt::format("{} {} \"liquid\"\n", kVolume, kVolumeTag);
  return text + "$EndPhysicalNames\n";
}

// An entity of the mesh's extent; `group` is its physical group, 0 for none.
void append_entity(std::string& bytes, std::int32_t tag, const Box3& box, std::int32_t group) {
  append(bytes, tag);
  for (int axis = 0; axis < 3; ++axis) append(bytes, box.isEmpty() ? 0.0 : box.min()[axis]);
  for (int axis = 0; axis < 3; ++axis) append(bytes, box.isEmpty() ? 0.0 : box.max()[axis]);
  append_sizes(bytes, {group > 0});
  if (group > 0) append(bytes, group);
}

std::string entities_section(const TetMesh& mesh, std::span<const Surface> surfaces) {
  const Box3 box = parallel_reduce_chunks(
      mesh.vertex_count(), bulk_write::kChunk, Box3(),
      [&](std::int64_t begin, std::int64_t end) {
        Box3 part;
        for (std::int64_t v = begin; v < end; ++v) part.extend(mesh.vertices[v]);
        return part;
      },
      [](Box3 a, const Box3& b) { return a.extend(b); });
  std::string bytes = "$Entities\n";
  append_sizes(bytes, {0, 0, std::ssize(surfaces), 1});  // points, curves, surfaces, volumes
  for (const Surface& surface : surfaces) {
    const auto tag = static_cast<std::int32_t>(surface.tag);
    append_entity(bytes, tag, box, tag);
    append_sizes(bytes, {0});  // bounding curves
  }
  append_entity(bytes, kVolumeTag, box, surfaces.empty() ? 0 : kVolumeTag);
  append_sizes(bytes, {std::ssize(surfaces)});
  for (const Surface& surface : surfaces) append(bytes, static_cast<std::int32_t>(surface.tag));
  return bytes + "\n$EndEntities\n";
}

// The start of a section of `count` numbered things in `blocks` blocks.
std::string section_start(std::string_view name, std::int64_t blocks, std::int64_t count) {
  std::string bytes(name);
  append_sizes(bytes, {blocks, count, std::min<std::int64_t>(1, count), count});
  return bytes;
}

// The start of `count` things that belong to an entity. `kind` is whether nodes are parametric, or
// what the elements are.
std::string block_start(std::int32_t dimension, std::int32_t tag, std::int32_t kind,
                        std::int64_t count) {
  std::string bytes;
  append(bytes, dimension);
  append(bytes, tag);
  append(bytes, kind);
  append_sizes(bytes, {count});
  return bytes;
}

// Elements numbered from `first`; corners(row) gives the vertices of one.
template <int kCorners, class Corners>
void write_elements(AtomicFile& file, std::int64_t first, std::int64_t count,
                    const Corners& corners) {
  write_rows(file, count, 8 * (1 + kCorners), [&](std::int64_t row, char* to) {
    store(to, static_cast<std::uint64_t>(first + row), ByteOrder::little);
    const std::array<std::int32_t, kCorners> vertices = corners(row);
    for (int k = 0; k < kCorners; ++k) {
      store(to + 8 + 8 * k, static_cast<std::uint64_t>(vertices[k]) + 1, ByteOrder::little);
    }
  });
}

}  // namespace

void write_msh(const std::filesystem::path& path, const TetMesh& mesh,
               std::span<const TaggedFace> boundary) {
  require_at_most(path, mesh.vertices, std::numeric_limits<double>::max(), "position",
                  "is no place");
  const std::vector<Surface> surfaces = surfaces_of(boundary);
  AtomicFile file(path);
  file.write(format_section());
  file.write(names_section(surfaces));
  file.write(entities_section(mesh, surfaces));

  file.write(section_start("$Nodes\n", 1, mesh.vertex_count()));
  file.write(block_start(kVolume, kVolumeTag, 0, mesh.vertex_count()));
  write_rows(file, mesh.vertex_count(), 8, [](std::int64_t v, char* to) {
    store(to, static_cast<std::uint64_t>(v + 1), ByteOrder::little);
  });
  write_rows(file, mesh.vertex_count(), 24, [&](std::int64_t v, char* to) {
    for (int axis = 0; axis < 3; ++axis) {
      store(to + 8 * axis, mesh.vertices[v][axis], ByteOrder::little);
    }
  });

  file.write("\n$EndNodes\n");
  file.write(section_start("$Elements\n", 1 + std::ssize(surfaces),
                           mesh.tet_count() + std::ssize(boundary)));
  file.write(block_start(kVolume, kVolumeTag, kTetrahedron, mesh.tet_count()));
  write_elements<4>(file, 1, mesh.tet_count(), [&](std::int64_t t) { return mesh.tets[t]; });
  std::int64_t next = mesh.tet_count() + 1;
  for (const Surface& surface : surfaces) {
    const std::int64_t count = std::ssize(surface.sides);
    file.write(block_start(kSurface, static_cast<std::int32_t>(surface.tag), kTriangle, count));
    write_elements<3>(file, next, count,
                      [&](std::int64_t i) { return face_corners(mesh, surface.sides[i]); });
    next += count;
  }
  file.write("\n$EndElements\n");
  file.commit();
}

}  // namespace spindrift
