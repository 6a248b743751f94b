#include "spindrift/app/interrupt.hpp"

#include <array>
#include <cerrno>
#include <csignal>

#include <unistd.h>

#include "spindrift/core/error.hpp"

namespace spindrift::app {

namespace {

constexpr std::array<int, 2> kSignals = {SIGINT, SIGTERM};

volatile std::sig_atomic_t g_is_requested = 0;
std::string_view g_text;  // written only while no handler is in place
std::array<struct sigaction, kSignals.size()> g_before;

// Only what is safe in a signal handler.
extern "C" void on_interrupt(int) {
  if (g_is_requested != 0) ::_exit(static_cast<int>(ErrorKind::interrupted));
  g_is_requested = 1;
  const int error_number = errno;
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, g_text.data(), g_text.size());
  errno = error_number;
}

}  // namespace

InterruptGuard::InterruptGuard(std::string_view text) {
  g_text = text;
  g_is_requested = 0;
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &g_before[i]);
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &g_before[i], nullptr);
}

bool InterruptGuard::is_requested() { return g_is_requested != 0; }

}  // namespace spindrift::app
