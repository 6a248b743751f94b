#include "spindrift/cache/cache_reader.hpp"

#include <fmt/format.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/file.hpp"
#include "spindrift/core/text.hpp"
#include "spindrift/io/ply.hpp"
#include "spindrift/scene/read.hpp"

namespace spindrift {

namespace {

constexpr const char* kRestore = "restore the file from a copy, or run the scene again";

[[noreturn]] void fail(const std::filesystem::path& path, int frame, const std::string& problem) {
  throw InputError({.file = path.string()}, fmt::format("frame {}: {}", frame, problem), kRestore);
}

void check_count(const std::filesystem::path& path, int frame, std::int64_t found,
                 std::int64_t promised, const char* what) {
  if (found == promised) return;
  fail(path, frame,
       fmt::format("has {} {}; the manifest says {}", with_commas(found), what,
                   with_commas(promised)));
}

// What a run needs to make a file.
std::string advice_for(std::string_view name) {
  const char* key = "output.surface";
  if (name == kMeshFile) key = "output.mesh";
  if (name == kLevelSetFile) key = "output.levelset";
  return fmt::format("run the scene with {} = true", key);
}

const char* word_for(std::string_view name) {
  if (name == kMeshFile) return "mesh";
  return name == kLevelSetFile ? "level set" : "surface";
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

FileBytes CacheReader::file(int number, const char* name) const {
  const FrameFile* const promised = frame(number).find(name);
  if (promised == nullptr) {
    throw InputError({.file = layout_.folder.string()},
                     fmt::format("frame {} has no {}", number, word_for(name)), advice_for(name));
  }
  const std::filesystem::path path = layout_.frame(number) / name;
  // Before memory is taken for it: a file may be anything.
  std::error_code failure;
  const std::uintmax_t bytes = std::filesystem::file_size(path, failure);
  if (failure) fail(path, number, "cannot be opened: " + failure.message());
  check_count(path, number, static_cast<std::int64_t>(bytes), promised->bytes, "bytes");
  FileBytes read = read_file(path);
  if (promised->checksum && checksum_of(read.view()) != *promised->checksum) {
    fail(path, number, "is damaged: its checksum is not the manifest's");
  }
  return read;
}

CachedSurface CacheReader::surface(int number) const {
  const FileBytes bytes = file(number, kSurfaceFile);
  const FrameFile& promised = *frame(number).find(kSurfaceFile);
  CachedSurface surface;
  if (promised.triangles == 0) return surface;  // no liquid; readers of meshes want a triangle
  const std::filesystem::path path = layout_.frame(number) / kSurfaceFile;
  MeshFile read = parse_ply(bytes.view(), path.string());
  surface.mesh = std::move(read.mesh);
  surface.velocities = std::move(read.velocities);
  check_count(path, number, surface.mesh.vertex_count(), promised.vertices, "vertices");
  check_count(path, number, surface.mesh.triangle_count(), promised.triangles, "triangles");
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
