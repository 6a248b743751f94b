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

struct Format {
  const char* extension;
  void (*write)(const std::filesystem::path& path, const TetMesh& mesh);
};

constexpr std::array kFormats = {
    Format{".vtu",
           [](const std::filesystem::path& path, const TetMesh& mesh) { write_vtu(path, mesh); }},
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

void write_tet_mesh(const std::filesystem::path& path, const TetMesh& mesh) {
  format_of(path).write(path, mesh);
}

}  // namespace spindrift
