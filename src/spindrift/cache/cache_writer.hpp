// Writes a cache frame by frame, so that a kill at any instant leaves one that can be continued.
//
//   CacheWriter cache = CacheWriter::create("dam.cache", scene, {"0.1.0", /*last_frame=*/120});
//   cache.write_frame({.number = 0, .surface = surface, .stats = line});
//   cache.write_checkpoint(state);
//
// A frame's files come first, then the lines of files that grow, then the manifest, then the
// checkpoint, and then old checkpoints go. What is beyond the checkpoint is cut off when the cache
// is continued.
#pragma once

#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spindrift/cache/branch.hpp"
#include "spindrift/cache/checkpoint.hpp"
#include "spindrift/cache/folder_lock.hpp"
#include "spindrift/cache/frame.hpp"
#include "spindrift/cache/layout.hpp"
#include "spindrift/cache/manifest.hpp"
#include "spindrift/core/append_file.hpp"
#include "spindrift/scene/scene.hpp"

namespace spindrift {

struct CacheParams {
  std::string version;  // of Spindrift, for the manifest
  int last_frame = 0;   // that was asked for
};

class CacheWriter {
 public:
  // Throws InputError if the folder holds anything, SystemError if it cannot be written.
  [[nodiscard]] static CacheWriter create(const std::filesystem::path& folder, const Scene& scene,
                                          const CacheParams& params);

  // Continues after the newest checkpoint that is whole: whatever else there is of later frames is
  // removed. A cache that was never begun is created. Throws InputError if the folder holds
  // something else, or a cache of another scene: it says what differs.
  [[nodiscard]] static CacheWriter resume(const std::filesystem::path& folder, const Scene& scene,
                                          const CacheParams& params);

  // Begins with the frames of another cache up to the branch, copied. The first thing to write is
  // the checkpoint of the branch, changed to the scene: before that there is nothing to resume.
  [[nodiscard]] static CacheWriter branch(const std::filesystem::path& folder, const Scene& scene,
                                          const CacheParams& params, const Branch& from);

  [[nodiscard]] int next_frame() const { return static_cast<int>(manifest_.frames.size()); }
  [[nodiscard]] const CacheLayout& layout() const { return layout_; }

  // What to continue from; none if that is the start, or if it was taken before.
  [[nodiscard]] std::optional<Checkpoint> take_checkpoint() {
    return std::exchange(checkpoint_, std::nullopt);
  }

  // The frame must be the next.
  void write_frame(const CacheFrame& frame);

  // Of the frame that was written last. Lets old ones go.
  void write_checkpoint(StateWriter& state);

 private:
  // A file that grows, and the sum of what the frame that is being written has added.
  struct Growing {
    std::string name;
    AppendFile file;
    Checksum added = {};

    void append(std::string_view text) {
      file.append(text);
      added.add(text);
    }
  };

  CacheWriter(const std::filesystem::path& folder, const Scene& scene);

  [[nodiscard]] bool was_begun() const;
  void begin(const CacheParams& params);
  void check_scene() const;
  void continue_from_checkpoint(const CacheParams& params);
  void choose_checkpoint();
  void copy_frames(const Branch& from);
  void remove_beyond_checkpoint() const;
  void open_growing_files();
  void write_manifest_file() const;
  void expect_in_place() const;
  [[noreturn]] void fail_being_deleted() const;
  template <class Write>
  void in_folder(const Write& write) const;

  CacheLayout layout_;
  FolderLock lock_;
  std::string scene_text_;
  std::string scene_name_;
  double fps_ = 0;
  std::vector<ProbeSpec> probes_;
  Manifest manifest_;
  std::optional<Checkpoint> checkpoint_;
  bool must_write_manifest_ = false;  // with the checkpoint of a branch
  std::deque<Growing> growing_;       // stats.jsonl, then the probes' files
};

}  // namespace spindrift
