// The checkpoints of a cache: the state of the simulation after a frame, and how long the files
// were that grow with every frame.
//
// Every frame has one, but not for long: kept are those of the last frames, to continue from, and
// some on the way, to branch from (keeps_checkpoint()).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "spindrift/cache/layout.hpp"
#include "spindrift/cache/state.hpp"

namespace spindrift {

struct CheckpointHead {
  int frame = 0;                          // the last complete one
  std::string scene;                      // scene.toml of the cache
  std::int64_t stats_bytes = 0;           // of stats.jsonl
  std::vector<std::int64_t> probe_bytes;  // of the probes' files, in the scene's order
};

class Checkpoint {
 public:
  // Reads and checks the file, which is named by its frame. Throws InputError if it is damaged, or
  // was made by another version of Spindrift.
  explicit Checkpoint(const std::filesystem::path& path);

  [[nodiscard]] const CheckpointHead& head() const { return head_; }
  [[nodiscard]] const StateReader& state() const { return state_; }

 private:
  FileBytes bytes_;
  StateReader state_;
  CheckpointHead head_;
};

// Adds the head to a simulation's state, whose names must not begin with "cache.", and writes both.
void write_checkpoint(const std::filesystem::path& path, const CheckpointHead& head,
                      StateWriter& state);

// Frames that have one, ascending.
[[nodiscard]] std::vector<int> checkpoint_frames(const CacheLayout& layout);

// Is the checkpoint of `frame` kept when `last` is the newest? At most kRecentCheckpoints +
// kSpreadCheckpoints are: the last ones, and those at multiples of a power of two, the least with
// which there are few enough. One that was let go is never wanted again.
inline constexpr int kRecentCheckpoints = 4;
inline constexpr int kSpreadCheckpoints = 8;
[[nodiscard]] bool keeps_checkpoint(int frame, int last);

}  // namespace spindrift
