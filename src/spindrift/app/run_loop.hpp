// Frame after frame from a simulation into a cache.
#pragma once

#include <functional>
#include <memory>

#include "spindrift/app/output.hpp"
#include "spindrift/app/simulation.hpp"
#include "spindrift/cache/cache_writer.hpp"

namespace spindrift::app {

struct RunHooks {
  std::function<void(const Json& stats)> frame_done;  // the frame and its checkpoint are safe
  std::function<void(double frames)> progress;        // frames done by this run, with fractions
  std::function<bool()> wants_stop;                   // asked after every step and frame
  std::function<void(Simulation&)> branch = {};       // puts a new one where the cache begins
};

enum class RunEnd { done, stopped };

// Continues the cache up to `last_frame`, from its checkpoint if it has one. Frames are written on
// a thread of their own while the next ones are made; what goes wrong there ends the run after the
// step. A stop leaves an unfinished frame out. All hooks are called by the calling thread. Throws
// Error of kind `numerical` that names the frame if the simulation fails, or makes something that
// is not a number.
[[nodiscard]] RunEnd run_frames(const std::function<std::unique_ptr<Simulation>()>& make_simulation,
                                CacheWriter& cache, const Scene& scene, int last_frame,
                                const RunHooks& hooks);

}  // namespace spindrift::app
