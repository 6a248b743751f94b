// What sources, sinks and open sides do to the volume, against what is booked.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "experiments.hpp"
#include "support/scene_run.hpp"

namespace spindrift::validation {
namespace {

struct Filling {
  std::string name, source;
  double rate = 0;  // m^3/s, its cross-section times its speed
};

// Once the source is full, liquid leaves it as fast as it is told to move.
void fill_box(const Filling& filling, Result& result) {
  test::SceneRun run(
      "format = 1\n[time]\nfps = 30\n[domain]\nmin = [0, 0, 0]\nmax = [0.8, 0.6, 0.9]\n"
      "[resolution]\nsize = 0.025\n[[source]]\n" +
      filling.source);
  FrameReport early;
  FrameReport late;
  Curve volume{filling.name};
  for (int frame = 1; frame <= 40; ++frame) {
    late = run.liquid.advance_frame();
    if (frame == 10) early = late;
    volume.points.emplace_back(late.time, late.volume / filling.rate);
  }
  const double time = late.time - early.time;
  const auto error = [&](double filled) { return 100 * (filled / time / filling.rate - 1); };
  result.rows.push_back(bounded(filling.name, "booked rate against cross-section times speed", 1,
                                error(late.ledger.book.sources - early.ledger.book.sources), "%"));
  result.rows.push_back(bounded(filling.name, "rate of the volume in the box", 1,
                                error(late.volume - early.volume), "%"));
  result.plots[0].curves.push_back(std::move(volume));
}

// A tank that empties. What is there, against the start and what was booked, in parts of the start.
void empty_box(const std::string& name, const std::string& scene, bool has_control,
               double VolumeBook::*way_out, Result& result) {
  test::SceneRun run(
      "format = 1\n[time]\nfps = 30\n[domain]\nmin = [0, 0, 0]\nmax = [0.8, 0.4, 0.4]\n" +
      std::string(way_out == &VolumeBook::open_sides ? "sides = { x_max = \"open\" }\n" : "") +
      "[resolution]\nsize = 0.025\n[volume]\ncontrol = " + (has_control ? "true" : "false") + "\n" +
      scene);
  FrameReport report;
  double worst = 0;
  Curve volume{name + ": volume"};
  Curve books{name + ": books"};
  for (int frame = 0; frame < 45; ++frame) {
    report = run.liquid.advance_frame();
    const VolumeBook& book = report.ledger.book;
    worst = std::max(worst, std::abs(report.volume - book.expected()) / book.start);
    volume.points.emplace_back(report.time, report.volume / book.start);
    books.points.emplace_back(report.time, book.expected() / book.start);
  }
  const VolumeBook& book = report.ledger.book;
  result.rows.push_back(
      bounded(name, "volume against the books, worst frame", 1, 100 * worst, "% of the start"));
  result.rows.push_back(
      reported(name, "left at the end",
               fmt::format("{:.3g} % of the start", 100 * report.volume / book.start)));
  result.rows.push_back(
      reported(name, "booked as gone",
               fmt::format("{:.3g} % of the start", -100 * book.*way_out / book.start)));
  if (!has_control) return;
  result.plots[1].curves.push_back(std::move(volume));
  result.plots[1].curves.push_back(std::move(books));
}

}  // namespace

Result sources_and_sinks(const ExperimentOptions& /*options*/) {
  Result result;
  result.about =
      "Cells of 0.025 m. A source pours into an empty box of 0.8 × 0.6 × 0.9 m; rates are means "
      "from "
      "1/3 s to 4/3 s. A sink of 0.1 × 0.4 × 0.05 m in a corner of the floor empties a tank of 0.8 "
      "× "
      "0.4 m, filled 0.2 m high; so does an open side, with 0.6 m filled. 1.5 s each.";
  result.plots.push_back(
      {"filling", "A source fills a box: volume over its nominal rate", "time in s", "s", {}});
  result.plots.push_back(
      {"emptying", "A sink and an open side empty a tank", "time in s", "share of the start", {}});
  Curve nominal{"nominal rate", {}, true};
  nominal.points = {{0, 0}, {4.0 / 3, 4.0 / 3}};
  result.plots[0].curves.push_back(std::move(nominal));
  fill_box({"box, downwards",
            "shape = { box = { min = [0.31, 0.21, 0.7], max = [0.51, 0.41, 0.8] } }\n"
            "velocity = [0, 0, -1]\n",
            0.2 * 0.2 * 1},
           result);
  // Along its axis, across the lattice.
  fill_box({"tilted cylinder",
            "shape = { cylinder = { from = [0.2, 0.31, 0.7], to = [0.28, 0.31, 0.64], radius = 0.1 "
            "} }\nvelocity = [1.2, 0, -0.9]\n",
            std::numbers::pi * 0.01 * 1.5},
           result);
  const std::string sink =
      "[[liquid.body]]\nshape = { box = { min = [0, 0, 0], max = [0.8, 0.4, 0.2] } }\n"
      "[[sink]]\nshape = { box = { min = [0, 0, 0], max = [0.1, 0.4, 0.05] } }\n";
  const std::string open =
      "[[liquid.body]]\nshape = { box = { min = [0, 0, 0], max = [0.6, 0.4, 0.2] } }\n";
  for (const bool has_control : {true, false}) {
    const std::string suffix = has_control ? "" : ", no volume control";
    empty_box("sink" + suffix, sink, has_control, &VolumeBook::sinks, result);
    empty_box("open side" + suffix, open, has_control, &VolumeBook::open_sides, result);
  }
  return result;
}

}  // namespace spindrift::validation
