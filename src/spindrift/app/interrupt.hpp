// Ctrl-C and SIGTERM as a wish that the work asks about; the second ends the process at once.
#pragma once

namespace spindrift::app {

// Only one at a time. What the signals did before is restored at its end.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] static bool is_requested();
};

}  // namespace spindrift::app
