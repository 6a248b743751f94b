#include "spindrift/app/frame_queue.hpp"

#include <memory>
#include <utility>

#include "spindrift/core/stats.hpp"

namespace spindrift::app {

void FrameQueue::add(CacheFrame frame, StateWriter state, const Json& stats) {
  struct Job {
    CacheFrame frame;
    StateWriter state;
    Json stats;
  };
  const auto job = std::make_shared<Job>(Job{std::move(frame), std::move(state), stats});
  queue_.add([this, job] {
    const Stopwatch watch;
    cache_.write_frame(job->frame);
    const double files = watch.seconds();
    cache_.write_checkpoint(job->state);
    const std::lock_guard lock(mutex_);
    written_.push_back({std::move(job->stats), files, watch.seconds() - files});
  });
}

void FrameQueue::finish_quietly() noexcept {
  try {
    queue_.finish();
  } catch (...) {
    // Another error is on its way already, or this one has been thrown.
  }
}

std::vector<WrittenFrame> FrameQueue::take_written() {
  const std::lock_guard lock(mutex_);
  return std::exchange(written_, {});
}

}  // namespace spindrift::app
