// Writes a cache frame by frame, so that a kill at any instant leaves one that can be continued.
//
//   CacheWriter cache = CacheWriter::create("dam.cache", scene, {.version = "0.1.0", .last_frame =
//   120}); cache.write_frame({.number = 0, .surface = &mesh, .velocities = velocities, .stats =
//   line}); cache.write_checkpoint(state);
//
// A frame's files come first, then the lines of files that grow, then the manifest, then the
// checkpoint. What is beyond the checkpoint is cut off when the cache is continued.
#pragma once

#include <deque>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "spindrift/cache/checkpoint.hpp"
#include "spindrift/cache/folder_lock.hpp"
#include "spindrift/cache/layout.hpp"
#include "spindrift/cache/manifest.hpp"
#include "spindrift/cache/probe_file.hpp"
#include "spindrift/core/append_file.hpp"
#include "spindrift/geometry/triangle_mesh.hpp"
#include "spindrift/scene/scene.hpp"

namespace spindrift {

struct CacheParams {
  std::string version;  // of Spindrift, for the manifest
  int last_frame = 0;   // that was asked for
};

struct CacheFrame {
  int number = 0;
  double time = 0;                                 // s
  const TriangleMesh* surface = nullptr;           // null: the frame has no surface file
  std::span<const Vec3> velocities = {};           // of the surface's vertices, m/s
  std::string stats;                               // a JSON object, without the line end
  std::vector<std::vector<ProbeRow>> probes = {};  // since the last frame, in the scene's order
};

class CacheWriter {
 public:
  // Throws InputError if the folder holds anything, SystemError if it cannot be written.
  [[nodiscard]] static CacheWriter create(const std::filesystem::path& folder, const Scene& scene,
                                          const CacheParams& params);

  // Continues after the checkpoint: whatever else there is of later frames is removed. A cache that
  // was never begun is created. Throws InputError if the folder holds something else, or a cache of
  // another scene: it says what differs.
  [[nodiscard]] static CacheWriter resume(const std::filesystem::path& folder, const Scene& scene,
                                          const CacheParams& params);

  [[nodiscard]] int next_frame() const { return static_cast<int>(manifest_.frames.size()); }
  [[nodiscard]] const CacheLayout& layout() const { return layout_; }

  // What to continue from; none if that is the start, or if it was taken before.
  [[nodiscard]] std::optional<Checkpoint> take_checkpoint() {
    return std::exchange(checkpoint_, std::nullopt);
  }

  // The frame must be the next.
  void write_frame(const CacheFrame& frame);

  // Of the frame that was written last.
  void write_checkpoint(StateWriter& state);

 private:
  CacheWriter(const std::filesystem::path& folder, const Scene& scene);

  [[nodiscard]] bool was_begun() const;
  void begin(const CacheParams& params);
  void check_scene() const;
  void continue_from_checkpoint(const CacheParams& params);
  void remove_beyond_checkpoint() const;
  void open_growing_files();

  CacheLayout layout_;
  FolderLock lock_;
  std::string scene_text_;
  std::string scene_name_;
  double fps_ = 0;
  std::vector<ProbeSpec> probes_;
  Manifest manifest_;
  std::optional<Checkpoint> checkpoint_;
  std::deque<AppendFile> growing_;  // stats.jsonl, then the probes' files
};

}  // namespace spindrift
