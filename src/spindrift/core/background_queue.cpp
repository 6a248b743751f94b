#include "spindrift/core/background_queue.hpp"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace spindrift {

struct BackgroundQueue::Shared {
  std::size_t most_waiting;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> waiting;
  bool is_working = false, is_closing = false;
  std::exception_ptr failure;
  std::thread thread;

  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return is_closing || !waiting.empty(); });
      if (waiting.empty()) return;
      std::function<void()> task = std::move(waiting.front());
      waiting.pop_front();
      is_working = true;
      changed.notify_all();
      lock.unlock();
      std::exception_ptr thrown;
      try {
        task();
      } catch (...) {
        thrown = std::current_exception();
      }
      task = nullptr;  // what it holds is let go here, not under the lock
      lock.lock();
      is_working = false;
      if (thrown) {
        failure = thrown;
        waiting.clear();
      }
      changed.notify_all();
    }
  }

  void throw_failure() const {
    if (failure) std::rethrow_exception(failure);
  }
};

BackgroundQueue::BackgroundQueue(int most_waiting) : shared_(std::make_unique<Shared>()) {
  shared_->most_waiting = static_cast<std::size_t>(most_waiting);
  shared_->thread = std::thread([shared = shared_.get()] { shared->work(); });
}

BackgroundQueue::~BackgroundQueue() {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->is_closing = true;
  }
  shared_->changed.notify_all();
  shared_->thread.join();
}

void BackgroundQueue::add(std::function<void()> task) {
  Shared& shared = *shared_;
  std::unique_lock lock(shared.mutex);
  shared.changed.wait(lock, [&] {
    const std::size_t unfinished = shared.waiting.size() + (shared.is_working ? 1 : 0);
    return shared.failure || unfinished <= shared.most_waiting;
  });
  shared.throw_failure();
  shared.waiting.push_back(std::move(task));
  shared.changed.notify_all();
}

bool BackgroundQueue::has_failed() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->failure != nullptr;
}

void BackgroundQueue::finish() {
  Shared& shared = *shared_;
  std::unique_lock lock(shared.mutex);
  shared.changed.wait(lock, [&] { return shared.waiting.empty() && !shared.is_working; });
  shared.throw_failure();
}

}  // namespace spindrift
