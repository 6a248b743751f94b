// The tools of the validation measure what they say.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "damped_cosine.hpp"
#include "experiment.hpp"
#include "surface_roughness.hpp"
#include "svg_plot.hpp"
#include "wave_shape.hpp"

namespace spindrift::validation {
namespace {

TEST(DampedCosine, IsFoundAgain) {
  std::vector<Vec2> points;
  for (int i = 0; i < 60; ++i) {
    const double t = 0.05 * i;
    points.emplace_back(t, std::exp(-0.3 * t) * std::cos(7.7 * t + 0.2) + 0.01);
  }
  const DampedCosine fit = fit_damped_cosine(points, 7.9);
  EXPECT_NEAR(fit.omega, 7.7, 1e-9);
  EXPECT_NEAR(fit.rate, 0.3, 1e-9);
  EXPECT_NEAR(fit.c, 0.01, 1e-9);
  EXPECT_NEAR(fit.loss(), 1 - std::exp(-0.3 * 2 * std::numbers::pi / 7.7), 1e-9);
  EXPECT_LT(fit.misfit, 1e-9);
}

TEST(WaveShape, HasTheDistanceOfItsNearestPoint) {
  const Wave wave{.amplitude = 0.05, .wavelength = 0.9, .depth = 0.4};
  const ShapePtr shape = make_wave(wave);
  const double k = 2 * std::numbers::pi / wave.wavelength;
  for (const Vec3& point : {Vec3(0.1, 5, 0.5), Vec3(0.4, 0, 0.3), Vec3(-0.7, 1, 0.41)}) {
    double nearest = 1;
    for (int i = -20000; i < 20000; ++i) {
      const double x = 1e-4 * i;
      nearest = std::min(nearest, std::hypot(x - point.x(), wave.depth - point.z() +
                                                                wave.amplitude * std::cos(k * x)));
    }
    const bool is_inside = point.z() < wave.depth + wave.amplitude * std::cos(k * point.x());
    EXPECT_NEAR(shape->distance(point), is_inside ? -nearest : nearest, 1e-6);
  }
}

TEST(SvgPlot, MarksAreRoundNumbers) {
  EXPECT_EQ(axis_marks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(axis_marks(-0.3, 0.9, 3), (std::vector<double>{0, 0.5}));
  EXPECT_EQ(axis_marks(3, 77, 4), (std::vector<double>{20, 40, 60}));
}

TEST(SvgPlot, LeavesOutWhatIsNotFinite) {
  const Plot plot{"name", "a < b", "x", "y", {{"curve", {{0, 0}, {1, NAN}, {2, 1}}}}};
  const std::string svg = to_svg(plot);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
}

TEST(Rows, SayWhetherABoundIsMet) {
  EXPECT_EQ(bounded("", "", 0.5, -0.4, "%").is_met, true);
  EXPECT_EQ(bounded("", "", 0.5, -0.6, "%").is_met, false);
  EXPECT_EQ(bounded("", "", 0.5, NAN, "%").is_met, false);
  const Experiment experiment{"name", "Title", {}};
  const Result result{"About.", {bounded("run", "speed", 1, 2, "m/s")}, {}, ""};
  EXPECT_NE(to_markdown(experiment, result, "").find("| ≤ 1 m/s | 2 m/s | **not met** |"),
            std::string::npos);
}

// Waves of ten spacings, so flat that mean curvature is half of the second differences.
TEST(CurvatureSpectrum, IsInTheBandOfItsWaves) {
  constexpr double kSpacing = 0.02;
  constexpr double kAmplitude = 1e-6;
  constexpr double kPhase = 2 * std::numbers::pi / 10;  // of a spacing
  HeightGrid grid{.columns = 42, .rows = 32, .spacing = kSpacing, .heights = {}};
  for (int j = 0; j < grid.rows; ++j) {
    for (int i = 0; i < grid.columns; ++i) {
      grid.heights.push_back(0.3 + kAmplitude * std::cos(kPhase * (i - 0.5)));
    }
  }
  const double greatest = kAmplitude * (1 - std::cos(kPhase)) / (kSpacing * kSpacing);
  const std::vector<RoughnessBand> bands = curvature_spectrum(grid);
  ASSERT_EQ(bands.size(), 6);
  for (const RoughnessBand& band : bands) {
    const bool is_there = band.shortest == 8;
    EXPECT_NEAR(band.curvature, is_there ? greatest / std::numbers::sqrt2 : 0, 1e-4 * greatest);
  }
}

}  // namespace
}  // namespace spindrift::validation
