#include "spindrift/cache/cache_reader.hpp"

#include <fmt/format.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/file.hpp"
#include "spindrift/core/text.hpp"
#include "spindrift/io/mesh_file.hpp"
#include "spindrift/scene/read.hpp"

namespace spindrift {

namespace {

constexpr const char* kRestore = "restore the file from a copy, or run the scene again";

void check_count(const std::filesystem::path& path, std::int64_t found, std::int64_t promised,
                 const char* what) {
  if (found == promised) return;
  throw InputError({.file = path.string()},
                   fmt::format("has {} {}; the manifest says {}", with_commas(found), what,
                               with_commas(promised)),
                   kRestore);
}

}  // namespace

CacheReader::CacheReader(const std::filesystem::path& folder)
    : layout_{folder}, manifest_(read_manifest(folder)), scene_(load_scene(layout_.scene())) {}

const FrameEntry& CacheReader::frame(int number) const {
  if (number >= 0 && number < frame_count()) return manifest_.frames[number];
  const std::string there = frame_count() == 0
                                ? "no frame is finished yet"
                                : fmt::format("choose one from 0 to {}", frame_count() - 1);
  throw InputError({.file = layout_.folder.string()}, fmt::format("has no frame {}", number),
                   there);
}

CachedSurface CacheReader::surface(int number) const {
  const FrameFile* file = frame(number).find(kSurfaceFile);
  if (file == nullptr) {
    throw InputError({.file = layout_.folder.string()},
                     fmt::format("frame {} has no surface", number),
                     "run the scene with output.surface = true");
  }
  const std::filesystem::path path = layout_.frame(number) / kSurfaceFile;
  std::error_code failure;
  const std::uintmax_t bytes = std::filesystem::file_size(path, failure);
  if (failure) {
    throw InputError({.file = path.string()}, "cannot be opened: " + failure.message(), kRestore);
  }
  check_count(path, static_cast<std::int64_t>(bytes), file->bytes, "bytes");
  CachedSurface surface;
  if (file->triangles == 0) return surface;  // no liquid; readers of meshes want a triangle
  MeshFile read = read_mesh(path);
  surface.mesh = std::move(read.mesh);
  surface.velocities = std::move(read.velocities);
  check_count(path, surface.mesh.vertex_count(), file->vertices, "vertices");
  check_count(path, surface.mesh.triangle_count(), file->triangles, "triangles");
  return surface;
}

std::vector<std::string> CacheReader::stats() const {
  if (frame_count() == 0) return {};  // perhaps there is no file yet
  const FileBytes bytes = read_file(layout_.stats());
  std::string_view rest = bytes.view();
  std::vector<std::string> lines;
  // What a run that goes on has written beyond the manifest is not yet a frame.
  while (std::ssize(lines) < frame_count()) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) {
      throw InputError({.file = layout_.stats().string()},
                       fmt::format("has {} of {} frames", lines.size(), frame_count()), kRestore);
    }
    lines.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  return lines;
}

bool is_cache(const std::filesystem::path& folder) {
  std::error_code failure;
  return std::filesystem::exists(CacheLayout{folder}.manifest(), failure);
}

}  // namespace spindrift
