// A standing wave in a tank swings with the frequency of linear theory, and keeps its height.
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "damped_cosine.hpp"
#include "experiments.hpp"
#include "support/scene_run.hpp"
#include "wave_shape.hpp"

namespace spindrift::validation {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr Wave kWave = {.amplitude = 0.02, .wavelength = 1, .depth = 0.47};
constexpr int kGauges = 32;  // along the tank

double theory_omega() {
  const double k = 2 * kPi / kWave.wavelength;
  return std::sqrt(9.81 * k * std::tanh(k * kWave.depth));
}
double theory_period() { return 2 * kPi / theory_omega(); }

double gauge_x(int i) { return kWave.wavelength * (i + 0.5) / kGauges; }

// A tank as long as the wave and six cells wide.
Scene wave_scene(int cells) {
  const double width = 6.0 / cells;
  std::string toml = fmt::format(
      "format = 1\n[time]\nfps = 24\n[domain]\nmin = [0, 0, 0]\nmax = [{}, {}, 0.65]\n"
      "[resolution]\nsize = {}\n"
      "[[liquid.body]]\nshape = {{ halfspace = {{ point = [0, 0, {}], normal = [0, 0, 1] }} }}\n",
      kWave.wavelength, width, kWave.wavelength / cells, kWave.depth);
  for (int i = 0; i < kGauges; ++i) {
    toml += fmt::format("[[probe]]\nname = \"g{}\"\nkind = \"height\"\nat = [{}, {}]\n", i,
                        gauge_x(i), width / 2);
  }
  return parse_scene(toml, "wave");
}

// The first mode of the surface at every step, in amplitudes of the start.
std::vector<Vec2> swing(int cells, double periods, const LiquidParams& params) {
  test::SceneRun run(wave_scene(cells), make_wave(kWave), params);
  std::vector<Vec2> series;
  const auto take = [&](const FrameReport& report) {
    for (std::size_t s = 0; s < report.probes[0].size(); ++s) {
      double mode = 0;
      for (int i = 0; i < kGauges; ++i) {
        mode += report.probes[static_cast<std::size_t>(i)][s].value.x() *
                std::cos(2 * kPi * gauge_x(i) / kWave.wavelength);
      }
      series.emplace_back(report.probes[0][s].time, 2 * mode / kGauges / kWave.amplitude);
    }
  };
  take(run.liquid.report());
  while (run.liquid.time() < periods * theory_period()) take(run.liquid.advance_frame());
  return series;
}

Curve theory_curve(double periods) {
  Curve curve{"linear theory", {}, true};
  for (int i = 0; i <= 400; ++i) {
    const double t = periods * theory_period() * i / 400;
    curve.points.emplace_back(t, std::cos(theory_omega() * t));
  }
  return curve;
}

double periods_of(const ExperimentOptions& options) { return options.is_quick ? 3 : 6; }

const char* kSetting =
    "A tank one wavelength (1 m) long, 0.47 m deep and six cells wide, with the surface a cosine "
    "of "
    "2 % of the wavelength at the start. The first Fourier mode of 32 gauges is fitted by a damped "
    "cosine";

}  // namespace

Result standing_wave(const ExperimentOptions& options) {
  const double periods = periods_of(options);
  Result result;
  result.about = fmt::format(
      "{} over {} periods. Linear theory: ω² = g k tanh k d, {:.4f} s; at this height the true "
      "period "
      "is 0.2 % longer.",
      kSetting, periods, theory_period());
  Plot plot{"wave",
            "Standing wave, first mode of the surface",
            "time in s",
            "amplitudes of the start",
            {theory_curve(periods)}};
  std::vector<int> sizes = {16, 32, 64};
  if (options.is_quick) sizes.pop_back();
  for (const int cells : sizes) {
    const std::string name = fmt::format("{} cells", cells);
    progress("  " + name);
    std::vector<Vec2> series = swing(cells, periods, {});
    const DampedCosine fit = fit_damped_cosine(series, theory_omega());
    const double error = 100 * (fit.period() / theory_period() - 1);
    if (cells == 32) {
      result.rows.push_back(bounded(name, "period against linear theory", 2, error, "%"));
    } else {
      result.rows.push_back(
          reported(name, "period against linear theory", fmt::format("{:+.3g} %", error)));
    }
    result.rows.push_back(
        reported(name, "amplitude lost in a period", fmt::format("{:.3g} %", 100 * fit.loss())));
    result.rows.push_back(reported(name, "misfit of the damped cosine",
                                   fmt::format("{:.2g} of the amplitude", fit.misfit)));
    plot.curves.push_back({name, std::move(series)});
  }
  result.plots.push_back(std::move(plot));
  return result;
}

Result interpolants_in_a_wave(const ExperimentOptions& options) {
  const double periods = periods_of(options);
  const int cells = options.is_quick ? 16 : 32;
  struct Choice {
    std::string name;
    LiquidParams params;
  };
  const std::vector<Choice> choices = {
      {"linear between vertices, corrected (default)", {}},
      {"linear between vertices, uncorrected", {.correction = 0}},
      {"sub-tetrahedra, uncorrected", {.interpolant = Interpolant::sub_tet, .correction = 0}},
      {"dual cells, uncorrected (the paper)",
       {.interpolant = Interpolant::dual_cell, .correction = 0}},
      {"dual cells, paths corrected", {.interpolant = Interpolant::dual_cell}}};
  Result result;
  result.about = fmt::format("{} over {} periods, with {} cells.", kSetting, periods, cells);
  Plot plot{"interpolants",
            "The standing wave with other interpolants",
            "time in s",
            "amplitudes of the start",
            {theory_curve(periods)}};
  for (const Choice& choice : choices) {
    progress("  " + choice.name);
    std::vector<Vec2> series = swing(cells, periods, choice.params);
    const DampedCosine fit = fit_damped_cosine(series, theory_omega());
    result.rows.push_back(reported(choice.name, "amplitude lost in a period",
                                   fmt::format("{:.3g} %", 100 * fit.loss())));
    result.rows.push_back(
        reported(choice.name, "period against linear theory",
                 fmt::format("{:+.3g} %", 100 * (fit.period() / theory_period() - 1))));
    plot.curves.push_back({choice.name, std::move(series)});
  }
  result.plots.push_back(std::move(plot));
  return result;
}

}  // namespace spindrift::validation
