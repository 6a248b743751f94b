#include "spindrift/core/parallel.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>

namespace spindrift {

int available_threads() { return tbb::info::default_concurrency(); }

int thread_limit() {
  using Control = tbb::global_control;
  return static_cast<int>(Control::active_value(Control::max_allowed_parallelism));
}

struct ThreadLimit::Control {
  // Built in place: TBB knows a control by its address, and a copy of it limits nothing.
  explicit Control(int threads)
      : control(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)) {}
  tbb::global_control control;
};

ThreadLimit::ThreadLimit(int count)
    : control_(std::make_unique<Control>(count > 0 ? count : available_threads())) {}

ThreadLimit::~ThreadLimit() = default;

}  // namespace spindrift
