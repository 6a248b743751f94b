// Motion blur: what moves covers a pixel for as long as it is there.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "spindrift/render/render.hpp"

namespace spindrift {
namespace {

// A black plate before light of 1: a pixel loses the part of the time that it is covered.
LightImage blurred(const Vec3& motion, Quality quality, int width, double half_width) {
  auto plate = std::make_shared<TriangleMesh>();
  plate->vertices = {
      {-half_width, 0, -9}, {half_width, 0, -9}, {half_width, 0, 9}, {-half_width, 0, 9}};
  plate->triangles = {{0, 1, 2}, {0, 2, 3}};
  Picture picture;
  picture.items.push_back({.geometry = plate, .material = {.color = {0, 0, 0}}});
  picture.items[0].motion.assign(4, motion);
  picture.uniform_light = 1;
  // One unit is half the height of the picture.
  const double half_fov = std::atan(1 / 100.0) * 180 / std::numbers::pi;
  picture.camera = {.eye = {0, -100, 0}, .target = {0, 0, 0}, .fov_degrees = 2 * half_fov};
  return render_light(picture, {.width = width, .height = 16, .quality = quality});
}

TEST(Motion, APlateCoversEachPixelForTheTimeThatItIsThere) {
  // 8 pixels a unit. The plate is 1 wide and moves by 2, from [-1.5, -0.5] to [0.5, 1.5]: a place x
  // is covered while the middle is within 0.5 of it.
  const int width = 64;
  const LightImage image = blurred({2, 0, 0}, Quality::final, width, 0.5);
  for (int x = 0; x < width; ++x) {
    const double at = (x + 0.5 - width / 2.0) / 8;
    const double covered =
        std::clamp((std::min(at + 0.5, 1.0) - std::max(at - 0.5, -1.0)) / 2, 0.0, 1.0);
    double mean = 0;
    for (int y = 0; y < 16; ++y) mean += double{image.pixels[y * width + x].x()} / 16;
    // 32 samples in time, each at its own place in the pixel, and 16 rows.
    EXPECT_NEAR(1 - mean, covered, 0.02) << "column " << x;
  }
}

TEST(Motion, BlurMovesLightButKeepsIt) {
  for (const Quality quality : {Quality::draft, Quality::final}) {
    for (const double speed : {0.0, 0.7, 3.0}) {
      const int width = 96;
      const LightImage image = blurred({speed, 0, 0}, quality, width, 0.5);
      double lost = 0;
      for (const Vec3f& light : image.pixels) lost += 1 - double{light.x()};
      // One unit, 8 pixels, of 16 rows.
      EXPECT_NEAR(lost, 8 * 16, quality == Quality::draft ? 5 : 1.5) << speed;
    }
  }
}

TEST(Motion, InTheMiddleOfTheShutterThingsAreWhereTheyAre) {
  const int width = 64;
  const LightImage image = blurred({2, 0, 0}, Quality::final, width, 0.5);
  double first = 0, total = 0;
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    const double lost = 1 - double{image.pixels[i].x()};
    total += lost;
    first += lost * (static_cast<double>(i % width) + 0.5 - width / 2.0);
  }
  EXPECT_NEAR(first / total, 0, 0.05) << "pixels";
}

}  // namespace
}  // namespace spindrift
