// Ctrl-C and SIGTERM as a wish that the work asks about; the second ends the process at once.
#pragma once

#include <string_view>

namespace spindrift::app {

inline constexpr std::string_view kFinishingStep =
    "\ninterrupted: finishing the step; once more ends at once\n";

// Only one at a time. What the signals did before is restored at its end.
class InterruptGuard {
 public:
  // `text` is said at the first signal; it must live on.
  explicit InterruptGuard(std::string_view text = kFinishingStep);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] static bool is_requested();
};

}  // namespace spindrift::app
