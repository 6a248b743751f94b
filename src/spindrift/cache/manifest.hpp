// manifest.json: what a cache is of, which frames it holds, and the files of each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spindrift {

// The version of the cache format that this Spindrift writes, and the newest that it reads.
inline constexpr int kCacheFormat = 1;

struct FrameFile {
  std::string name;  // in the frame's folder
  std::int64_t bytes = 0;
  std::optional<std::uint64_t> checksum = {};  // early caches have none
  std::int64_t vertices = 0, triangles = 0, tets = 0;
};

// What a frame added to a file that grows.
struct FrameLines {
  std::string name;            // in the cache's folder
  std::int64_t bytes = 0;      // of the file, after this frame
  std::uint64_t checksum = 0;  // of what the frame added
};

struct FrameEntry {
  double time = 0;  // s
  std::vector<FrameFile> files = {};
  std::vector<FrameLines> lines = {};

  // Null if the frame has no file of that name.
  [[nodiscard]] const FrameFile* find(std::string_view name) const;
};

struct Manifest {
  std::string version;                               // of the Spindrift that wrote it
  std::string scene;                                 // name
  std::optional<std::uint64_t> scene_checksum = {};  // of scene.toml
  std::string branch_of = {};                        // "CACHE:FRAME"; empty: begun at frame 0
  double fps = 0;                                    // frames a second
  int frames_asked = 0;                              // from frame 0 on
  std::vector<FrameEntry> frames = {};               // done, from frame 0 on
};

[[nodiscard]] std::string write_manifest(const Manifest& manifest);

// `name` stands for the text in errors. Throws InputError for what is no manifest, one that was
// changed since, and one of a newer format.
[[nodiscard]] Manifest parse_manifest(std::string_view text, const std::string& name);

// Throws InputError that says what to name instead if the folder is not a cache.
[[nodiscard]] Manifest read_manifest(const std::filesystem::path& cache);

}  // namespace spindrift
