// Frames on their way into a cache, written while the next ones are made.
#pragma once

#include <mutex>
#include <vector>

#include "spindrift/app/output.hpp"
#include "spindrift/cache/cache_writer.hpp"
#include "spindrift/core/background_queue.hpp"

namespace spindrift::app {

// A frame that is safe, with its checkpoint.
struct WrittenFrame {
  Json stats;
  double seconds_files = 0, seconds_checkpoint = 0;  // that writing took, wall clock
};

class FrameQueue {
 public:
  // While frames are queued, the cache is the queue's alone.
  explicit FrameQueue(CacheWriter& cache) : cache_(cache) {}

  // The frame, then its checkpoint. Waits if one frame is being written and another one waits:
  // memory is for the simulation. Throws what writing an earlier frame threw.
  void add(CacheFrame frame, StateWriter state, const Json& stats);

  // Has writing failed?
  [[nodiscard]] bool has_failed() const { return queue_.has_failed(); }

  // Waits until all frames are written. Throws what that threw.
  void finish() { queue_.finish(); }
  void finish_quietly() noexcept;

  // Frames that became safe since this was last asked.
  [[nodiscard]] std::vector<WrittenFrame> take_written();

 private:
  CacheWriter& cache_;
  std::mutex mutex_;
  std::vector<WrittenFrame> written_;
  BackgroundQueue queue_{1};  // the last member: its thread uses the others
};

}  // namespace spindrift::app
