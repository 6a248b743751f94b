#include <algorithm>
#include <cmath>

#include "spindrift/app/bench.hpp"
#include "spindrift/app/bench_dam_break.hpp"
#include "spindrift/core/parallel.hpp"

namespace spindrift::app {

namespace {

void bench_steps(const FlowingDamBreak& start, int cells, int steps, const BenchOptions& options,
                 BenchTable& table) {
  FineDamBreak dam(start, cells);
  Liquid& liquid = dam.liquid();
  (void)liquid.advance_frame([](double) { return false; });  // the first one finds the memory
  int left = steps;
  const FrameReport report = liquid.advance_frame([&left](double) { return --left > 0; });
  const double seconds = report.stats.seconds("total");
  Json row = {{"scene", "dam_break"},      {"cells", cells},
              {"tets", report.tets},       {"triangles", report.triangles},
              {"threads", thread_limit()}, {"steps", report.steps},
              {"seconds", seconds},        {"seconds_per_step", seconds / report.steps}};
  double other = seconds;
  for (const char* phase : {"surface", "mesh", "advect", "project"}) {
    row[std::string("seconds_") + phase] = report.stats.seconds(phase) / report.steps;
    other -= report.stats.seconds(phase);
  }
  row["seconds_other"] = std::max(0.0, other) / report.steps;
  row["iterations"] = report.iterations;
  row["microseconds_per_element"] =
      1e6 * seconds / report.steps / static_cast<double>(report.tets + report.triangles);
  row["peak_bytes"] = peak_bytes();
  if (options.json) {
    for (const auto& part : report.stats.phases()) {
      row["parts"][part.name] = part.value / report.steps;
    }
  }
  table.add(row);
}

}  // namespace

void bench_frame(const BenchOptions& options) {
  BenchTable table("frame", options.json);
  const FlowingDamBreak start(options.quick ? 24 : 48);
  // From 0.1 to 4 million tetrahedra; the third is the paper's size.
  std::vector<int> sizes = {48, 94, kPaperCells, 296};
  if (options.quick) sizes = {24, 48};
  if (options.tets > 0) sizes = {static_cast<int>(kPaperCells * std::sqrt(options.tets / 1.3e6))};
  for (const int cells : sizes) {
    for (const int threads : bench_threads()) {
      if (cells > kPaperCells && threads < bench_threads().back()) continue;  // minutes
      const ThreadLimit limit(threads);
      bench_steps(start, cells, 3, options, table);
    }
  }
}

}  // namespace spindrift::app
