#include "spindrift/io/tet_mesh_file.hpp"

#include <array>
#include <string>
#include <vector>

#include "spindrift/core/text.hpp"
#include "spindrift/io/extension.hpp"
#include "spindrift/io/medit.hpp"
#include "spindrift/io/msh.hpp"
#include "spindrift/io/vtu.hpp"

namespace spindrift {

namespace {

using Boundary = std::span<const TaggedFace>;

struct Format {
  const char* extension;
  void (*write)(const std::filesystem::path& path, const TetMesh& mesh, Boundary boundary);
};

constexpr std::array kFormats = {
    Format{".vtu", [](const std::filesystem::path& path, const TetMesh& mesh,
                      Boundary boundary) { write_vtu(path, mesh, {}, boundary); }},
    Format{".msh", write_msh},
    Format{".mesh", write_medit},
};

const Format& format_of(const std::filesystem::path& path) {
  const std::string extension = lower_case(path.extension().string());
  std::vector<std::string> known;
  for (const Format& format : kFormats) {
    if (format.extension == extension) return format;
    known.emplace_back(format.extension);
  }
  fail_extension(path, "written", "a format of tetrahedral meshes", known);
}

}  // namespace

void require_tet_mesh_path(const std::filesystem::path& path) {
  static_cast<void>(format_of(path));
}

void write_tet_mesh(const std::filesystem::path& path, const TetMesh& mesh,
                    std::span<const TaggedFace> boundary) {
  format_of(path).write(path, mesh, boundary);
}

}  // namespace spindrift
