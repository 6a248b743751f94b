#include "spindrift/app/run_loop.hpp"

#include <algorithm>
#include <cmath>

#include "spindrift/app/frame_json.hpp"
#include "spindrift/app/frame_queue.hpp"
#include "spindrift/core/log.hpp"
#include "spindrift/core/stats.hpp"

namespace spindrift::app {

namespace {

[[noreturn]] void fail(int frame, const std::string& problem, const std::string& advice = {}) {
  throw Error(ErrorKind::numerical, {}, fmt::format("frame {}: {}", frame, problem), advice);
}

// What is not a number must not reach a file as if it were a frame.
void require_finite(int frame, const FrameReport& report, const LiquidSurface& surface) {
  for (const double value : {report.volume, report.energy, report.max_speed}) {
    if (!std::isfinite(value)) fail(frame, "volume, energy or speed is not a number");
  }
  const auto is_finite = [](const Vec3& v) { return v.allFinite(); };
  const std::vector<Vec3>& vertices = surface.mesh.vertices;
  const std::vector<Vec3>& velocities = surface.velocities;
  if (!std::all_of(vertices.begin(), vertices.end(), is_finite) ||
      !std::all_of(velocities.begin(), velocities.end(), is_finite)) {
    fail(frame, "a vertex of the surface has a position or velocity that is not a number");
  }
}

std::vector<std::vector<ProbeRow>> probe_rows(const FrameReport& report) {
  std::vector<std::vector<ProbeRow>> probes;
  for (const std::vector<ProbeSample>& samples : report.probes) {
    std::vector<ProbeRow>& rows = probes.emplace_back();
    for (const ProbeSample& sample : samples) rows.push_back({sample.time, sample.value});
  }
  return probes;
}

// The seconds of every part of a frame's steps; stats.jsonl has those of the main ones.
std::string parts_text(const Stats& stats) {
  std::string text;
  for (const auto& part : stats.phases()) {
    text += fmt::format("{}{} {:.3f}", text.empty() ? "" : "; ", part.name, part.value);
  }
  return text;
}

// Calls a part of the simulation, and says in which frame it failed.
template <class Part>
auto in_frame(int frame, const Part& part) {
  try {
    return part();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::numerical) throw;
    fail(frame, error.problem(), error.advice());
  }
}

class Loop {
 public:
  Loop(std::unique_ptr<Simulation> simulation, CacheWriter& cache, const Scene& scene,
       const RunHooks& hooks)
      : simulation_(std::move(simulation)),
        cache_(cache),
        scene_(scene),
        hooks_(hooks),
        first_(cache.next_frame()),
        queue_(cache) {}

  // `watch`: since the simulation was begun.
  RunEnd run(int last_frame, const Stopwatch& watch) {
    try {
      const RunEnd end = make_frames(last_frame, watch);
      queue_.finish();
      report_written();
      return end;
    } catch (...) {
      // What was made before is saved, and said.
      queue_.finish_quietly();
      report_written();
      throw;
    }
  }

 private:
  [[nodiscard]] double time_of(int frame) const { return frame / scene_.time.fps; }

  RunEnd make_frames(int last_frame, Stopwatch watch) {
    if (const auto checkpoint = cache_.take_checkpoint()) {
      simulation_->restore(checkpoint->state());
    } else if (hooks_.branch) {
      hooks_.branch(*simulation_);
      StateWriter state;
      simulation_->save(state);
      cache_.write_checkpoint(state);
    }
    for (int frame = first_; frame <= last_frame; ++frame) {
      if (frame > 0) watch = Stopwatch();
      const FrameReport report = frame == 0 ? simulation_->report() : advance_to(frame);
      if (report.frame < frame) return RunEnd::stopped;
      queue(frame, report, watch);
      if (frame < last_frame && hooks_.wants_stop()) return RunEnd::stopped;
    }
    return RunEnd::done;
  }

  void report_written() {
    for (const WrittenFrame& frame : queue_.take_written()) {
      hooks_.frame_done(frame.stats);
      log_debug("frame {} written: files in {:.3f} s, checkpoint in {:.3f} s",
                frame.stats["frame"].get<int>(), frame.seconds_files, frame.seconds_checkpoint);
    }
  }

  FrameReport advance_to(int frame) {
    const double begin = time_of(frame - 1);
    const double end = time_of(frame);
    const auto after_step = [&](double time) {
      report_written();
      hooks_.progress(frame - first_ + (time - begin) / (end - begin));
      return !hooks_.wants_stop() && !queue_.has_failed();
    };
    return in_frame(frame, [&] { return simulation_->advance_frame(after_step); });
  }

  void queue(int number, const FrameReport& report, const Stopwatch& watch) {
    log_debug("frame {} took, in s: {}", number, parts_text(report.stats));
    const Stopwatch handing_over;
    LiquidSurface surface = simulation_->surface();
    require_finite(number, report, surface);
    const Json stats = frame_json(number, report, watch.seconds());
    const OutputSettings& wanted = scene_.output;
    CacheFrame frame;
    frame.number = number;
    frame.time = report.time;
    frame.has_surface_file = wanted.surface;
    if (wanted.surface || wanted.levelset) {
      frame.surface = {std::move(surface.mesh), std::move(surface.velocities)};
    }
    if (wanted.mesh) frame.mesh = simulation_->inside();
    if (wanted.levelset) frame.levelset = simulation_->level_set();
    frame.stats = stats.dump();
    frame.probes = probe_rows(report);
    StateWriter state;
    simulation_->save(state);
    const double made = handing_over.seconds();
    queue_.add(std::move(frame), std::move(state), stats);
    log_debug("frame {} handed over: made in {:.3f} s, waited {:.3f} s", number, made,
              handing_over.seconds() - made);
    report_written();
    hooks_.progress(number - first_ + 1);
  }

  std::unique_ptr<Simulation> simulation_;
  CacheWriter& cache_;
  const Scene& scene_;
  const RunHooks& hooks_;
  int first_;
  FrameQueue queue_;
};

}  // namespace

RunEnd run_frames(const std::function<std::unique_ptr<Simulation>()>& make_simulation,
                  CacheWriter& cache, const Scene& scene, int last_frame, const RunHooks& hooks) {
  const Stopwatch watch;
  return Loop(in_frame(0, make_simulation), cache, scene, hooks).run(last_frame, watch);
}

}  // namespace spindrift::app
