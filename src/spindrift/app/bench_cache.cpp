#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <limits>

#include <unistd.h>

#include "spindrift/app/bench.hpp"
#include "spindrift/app/bench_dam_break.hpp"
#include "spindrift/app/frame_queue.hpp"
#include "spindrift/cache/frame_files.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/core/stats.hpp"

namespace spindrift::app {

namespace {

// At which it has 1.5 million triangles.
constexpr int kFineCells = 218;

constexpr int kRepeats = 3;

// Where TMPDIR says; gone with this.
class ScratchFolder {
 public:
  ScratchFolder()
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("spindrift-bench-cache-{}", ::getpid())) {}
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// What a run hands over to be written.
struct Handed {
  CacheFrame frame;
  StateWriter state;
};

Handed hand_over(const Liquid& liquid, int number) {
  Handed handed;
  handed.frame.number = number;
  LiquidSurface surface = liquid.surface();
  handed.frame.surface = {std::move(surface.mesh), std::move(surface.velocities)};
  handed.frame.stats = "{}";
  liquid.save(handed.state);
  return handed;
}

double step_seconds(Liquid& liquid) {
  const Stopwatch watch;
  (void)liquid.advance_frame([](double) { return false; });
  return watch.seconds();
}

// The least of each, of several frames.
struct Costs {
  double step = kNever;          // with nothing beside it
  double step_beside = kNever;   // while the frame before is written
  double handing_over = kNever;  // velocities evaluated at the surface, the state shared
  double surface = kNever;       // written, with nothing beside it
  double checkpoint = kNever;    // the same
  double processors = kNever;    // busy with these two, on all threads together
  double level_set_made = kNever, level_set = kNever;  // of a scene that wants it: more than that
  double level_set_processors = kNever;                // busy with writing it
  // Busy with a step, with handing over, and with making a level set.
  double step_processors = kNever, handing_processors = kNever, made_processors = kNever;
  std::int64_t surface_bytes = 0, checkpoint_bytes = 0, level_set_bytes = 0;  // of the last frame

  static constexpr double kNever = std::numeric_limits<double>::infinity();
};

void keep_least(double& least, double seconds) { least = std::min(least, seconds); }

// Seconds, of all threads together.
double busy_since(std::clock_t before) {
  return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
}

void write_alone(Liquid& liquid, CacheWriter& cache, Costs& costs) {
  std::clock_t before = std::clock();
  keep_least(costs.step, step_seconds(liquid));
  keep_least(costs.step_processors, busy_since(before));
  before = std::clock();
  Stopwatch watch;
  Handed handed = hand_over(liquid, cache.next_frame());
  keep_least(costs.handing_over, watch.seconds());
  keep_least(costs.handing_processors, busy_since(before));
  before = std::clock();
  watch = Stopwatch();
  cache.write_frame(handed.frame);
  keep_least(costs.surface, watch.seconds());
  watch = Stopwatch();
  cache.write_checkpoint(handed.state);
  keep_least(costs.checkpoint, watch.seconds());
  keep_least(costs.processors, busy_since(before));
}

void write_level_set(const Liquid& liquid, const std::filesystem::path& folder, Costs& costs) {
  CacheFrame frame;
  LiquidSurface surface = liquid.surface();
  frame.surface = {std::move(surface.mesh), std::move(surface.velocities)};
  frame.has_surface_file = false;
  std::clock_t before = std::clock();
  Stopwatch watch;
  frame.levelset = liquid.level_set();
  keep_least(costs.level_set_made, watch.seconds());
  keep_least(costs.made_processors, busy_since(before));
  before = std::clock();
  watch = Stopwatch();
  costs.level_set_bytes = write_frame_files(folder, frame).front().bytes;
  keep_least(costs.level_set, watch.seconds());
  keep_least(costs.level_set_processors, busy_since(before));
}

void write_beside(Liquid& liquid, CacheWriter& cache, Costs& costs) {
  Handed handed = hand_over(liquid, cache.next_frame());
  FrameQueue queue(cache);
  const Stopwatch watch;
  queue.add(std::move(handed.frame), std::move(handed.state), {});
  (void)step_seconds(liquid);
  keep_least(costs.step_beside, watch.seconds());
  queue.finish();
}

void bench_writing(const FlowingDamBreak& start, int cells, BenchTable& table) {
  FineDamBreak dam(start, cells);
  Liquid& liquid = dam.liquid();
  (void)step_seconds(liquid);  // the first one finds the memory
  const ScratchFolder folder;
  CacheWriter cache = CacheWriter::create(folder.path(), dam.scene(), {"bench", 2 * kRepeats});
  Costs costs;
  FrameReport written;  // the last frame
  for (int i = 0; i < kRepeats; ++i) {
    write_alone(liquid, cache, costs);
    if (has_vdb()) write_level_set(liquid, folder.path(), costs);
    written = liquid.report();
    write_beside(liquid, cache, costs);
  }
  const int last = cache.next_frame() - 1;
  costs.surface_bytes = static_cast<std::int64_t>(
      std::filesystem::file_size(cache.layout().frame(last) / kSurfaceFile));
  costs.checkpoint_bytes =
      static_cast<std::int64_t>(std::filesystem::file_size(cache.layout().checkpoint(last)));
  const double taken = costs.handing_over + costs.processors / thread_limit();
  const double busy = costs.handing_processors + costs.processors;
  const double busy_with_level_set = costs.made_processors + costs.level_set_processors;
  const double taken_by_level_set =
      costs.level_set_made + costs.level_set_processors / thread_limit();
  table.add({{"written", "dam_break"},
             {"cells", cells},
             {"tets", written.tets},
             {"triangles", written.triangles},
             {"threads", thread_limit()},
             {"surface_bytes", costs.surface_bytes},
             {"checkpoint_bytes", costs.checkpoint_bytes},
             {"level_set_bytes", costs.level_set_bytes},
             {"seconds_step", costs.step},
             {"seconds_step_beside", costs.step_beside},
             {"seconds_handing_over", costs.handing_over},
             {"seconds_surface", costs.surface},
             {"seconds_checkpoint", costs.checkpoint},
             {"seconds_level_set_made", costs.level_set_made},
             {"seconds_level_set", costs.level_set},
             {"share_waited", costs.handing_over / costs.step},
             {"share_written", (costs.surface + costs.checkpoint) / costs.step},
             {"share_taken", taken / costs.step},
             {"share_taken_with_level_set", (taken + taken_by_level_set) / costs.step},
             {"share_busy", busy / costs.step_processors},
             {"share_busy_with_level_set", (busy + busy_with_level_set) / costs.step_processors}});
}

}  // namespace

void bench_cache(const BenchOptions& options) {
  BenchTable table("cache", options.json);
  const FlowingDamBreak start(options.quick ? 24 : 48);
  std::vector<int> sizes = {94, kFineCells};
  if (options.quick) sizes = {48};
  if (options.tets > 0) sizes = {static_cast<int>(kPaperCells * std::sqrt(options.tets / 1.3e6))};
  for (const int cells : sizes) bench_writing(start, cells, table);
}

}  // namespace spindrift::app
