#include "spindrift/core/wait.hpp"

#include <chrono>
#include <thread>

#include "spindrift/core/stats.hpp"

namespace spindrift {

bool wait_until(const std::function<bool()>& is_so, double most_seconds) {
  const Stopwatch watch;
  while (!is_so()) {
    if (watch.seconds() >= most_seconds) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return true;
}

}  // namespace spindrift
