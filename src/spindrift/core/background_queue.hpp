// Work that is done in order on a thread of its own, while the caller goes on.
//
//   BackgroundQueue queue(1);
//   for (;;) { queue.add([frame = make_frame()] { write(frame); }); }
//   queue.finish();
#pragma once

#include <functional>
#include <memory>

namespace spindrift {

class BackgroundQueue {
 public:
  // `most_waiting`: tasks beside the one that is at work, from 0 on.
  explicit BackgroundQueue(int most_waiting);
  // Waits for the tasks; what they throw then is lost.
  ~BackgroundQueue();
  BackgroundQueue(const BackgroundQueue&) = delete;
  BackgroundQueue& operator=(const BackgroundQueue&) = delete;

  // Waits while too many tasks do. Once a task has thrown, those after it are not done, and this
  // throws the same.
  void add(std::function<void()> task);

  // Has a task thrown?
  [[nodiscard]] bool has_failed() const;

  // Waits for all tasks. Throws what one of them threw.
  void finish();

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

}  // namespace spindrift
