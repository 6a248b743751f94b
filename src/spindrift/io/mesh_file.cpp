#include "spindrift/io/mesh_file.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/file.hpp"
#include "spindrift/core/text.hpp"
#include "spindrift/io/extension.hpp"
#include "spindrift/io/obj.hpp"
#include "spindrift/io/off.hpp"
#include "spindrift/io/ply.hpp"
#include "spindrift/io/stl.hpp"
#include "spindrift/io/text_cursor.hpp"

namespace spindrift {

namespace {

struct Format {
  std::string_view name;
  std::string_view extension;
  MeshFile (*parse)(std::string_view bytes, const std::string& name);
};

constexpr std::array kFormats = {
    Format{"OBJ", ".obj", parse_obj},
    Format{"PLY", ".ply", parse_ply},
    Format{"OFF", ".off", parse_off},
    Format{"STL", ".stl", parse_stl},
};

std::string lower_extension(const std::filesystem::path& path) {
  return lower_case(path.extension().string());
}

const Format* format_of(const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  const auto found = std::find_if(kFormats.begin(), kFormats.end(), [&](const Format& format) {
    return format.extension == extension;
  });
  return found == kFormats.end() ? nullptr : &*found;
}

// The extension that fits the content, where its first word tells; else empty.
std::string_view extension_by_content(std::string_view bytes) {
  if (is_binary_stl(bytes)) return ".stl";
  TextCursor cursor(bytes, {}, {.comments = true});
  if (cursor.text_ended()) return {};
  const std::string_view word = cursor.word();
  if (word == "ply") return ".ply";
  if (word == "solid") return ".stl";
  if (word.size() <= 8 && word.ends_with("OFF")) return ".off";
  if (word == "v" || word == "mtllib") return ".obj";
  return {};
}

constexpr std::string_view kKind = "a mesh format";

}  // namespace

bool is_mesh_path(const std::filesystem::path& path) { return format_of(path) != nullptr; }

MeshFile read_mesh(const std::filesystem::path& path) {
  const Format* const format = format_of(path);
  if (format == nullptr) {
    std::vector<std::string> known;
    for (const Format& each : kFormats) known.emplace_back(each.extension);
    fail_extension(path, "read", kKind, known);
  }
  const FileBytes bytes = read_file(path);
  const std::string_view actual = extension_by_content(bytes.view());
  if (!actual.empty() && actual != format->extension) {
    throw InputError({.file = path.string()},
                     fmt::format("is named {} but holds a {} mesh", format->extension, actual),
                     fmt::format("rename it to end in {}", actual));
  }
  return format->parse(bytes.view(), path.string());
}

void write_mesh(const std::filesystem::path& path, const TriangleMesh& mesh,
                std::span<const Vec3> velocities) {
  const std::string extension = lower_extension(path);
  if (extension == ".ply") {
    write_ply(path, mesh, velocities);
  } else if (extension == ".obj") {
    if (!velocities.empty()) {
      throw InputError({.file = path.string()}, "OBJ cannot hold velocities",
                       "write a .ply file to keep them");
    }
    write_obj(path, mesh);
  } else {
    fail_extension(path, "written", kKind, std::vector<std::string>{".ply", ".obj"});
  }
}

}  // namespace spindrift
