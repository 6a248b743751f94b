#include "spindrift/core/parallel.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>

namespace spindrift {

int available_threads() { return tbb::info::default_concurrency(); }

struct ThreadLimit::Control {
  tbb::global_control control;
};

ThreadLimit::ThreadLimit(int count) {
  const int threads = count > 0 ? count : available_threads();
  control_ = std::make_unique<Control>(Control{tbb::global_control(
      tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads))});
}

ThreadLimit::~ThreadLimit() = default;

}  // namespace spindrift
