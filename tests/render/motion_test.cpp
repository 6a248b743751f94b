// Motion blur: what moves covers a pixel for as long as it is there.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "spindrift/render/render.hpp"

#include "render/meshes.hpp"

namespace spindrift {
namespace {

// A black item before light of 1: a pixel loses the part of the time that it is covered. One unit
// is half the height of the picture.
LightImage light_behind(Item item, Quality quality, int width, int height) {
  item.material = {.color = {0, 0, 0}};
  Picture picture;
  picture.items.push_back(std::move(item));
  picture.uniform_light = 1;
  const double half_fov = std::atan(1 / 100.0) * 180 / std::numbers::pi;
  picture.camera = {.eye = {0, -100, 0}, .target = {0, 0, 0}, .fov_degrees = 2 * half_fov};
  return render_light(picture, {.width = width, .height = height, .quality = quality});
}

LightImage blurred(const Vec3& motion, Quality quality, int width, double half_width) {
  auto plate = std::make_shared<TriangleMesh>();
  plate->vertices = {
      {-half_width, 0, -9}, {half_width, 0, -9}, {half_width, 0, 9}, {-half_width, 0, 9}};
  plate->triangles = {{0, 1, 2}, {0, 2, 3}};
  Item item{.geometry = plate};
  item.motion.assign(4, motion);
  return light_behind(std::move(item), quality, width, 16);
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

// The same body as triangles and as a shape.
std::vector<Item> boxes(const Vec3& low, const Vec3& high) {
  std::vector<Item> items(2);
  items[0].geometry = test::mesh_box(low, high);
  items[1].geometry = make_box(low, high);
  return items;
}

TEST(Motion, MeshesAndShapesMoveAsAWhole) {
  // As above: 1 wide, moves by 2, of which three quarters of the time are spent on the first half.
  const int width = 64;
  for (Item& item : boxes({-0.5, 0, -9}, {0.5, 0.01, 9})) {
    for (const double x : {-1.0, -2.0 / 3, -1.0 / 3, 0.0, 1.0}) {
      item.path.push_back({Quat::Identity(), Vec3(x, 0, 0)});
    }
    const LightImage image = light_behind(item, Quality::final, width, 16);
    for (int x = 0; x < width; ++x) {
      const double at = (x + 0.5 - width / 2.0) / 8;
      // How long the middle is left of a place.
      const auto time = [](double place) {
        return place < 0 ? 0.75 * std::max(place + 1, 0.0) : 0.75 + 0.25 * std::min(place, 1.0);
      };
      double mean = 0;
      for (int y = 0; y < 16; ++y) mean += double{image.pixels[y * width + x].x()} / 16;
      EXPECT_NEAR(1 - mean, time(at + 0.5) - time(at - 0.5), 0.025) << "column " << x;
    }
  }
}

TEST(Motion, ATurnIsRound) {
  // Half of everything is black, and turns by 90 degrees in all: at an angle from the middle of the
  // black half, a place is covered for a time that is linear in that angle.
  const int size = 48;
  const double quarter = std::numbers::pi / 2;
  for (Item& item : boxes({0, 0, -90}, {90, 0.01, 90})) {
    for (int i = 0; i <= 16; ++i) {
      const double angle = quarter * (i / 16.0 - 0.5);
      item.path.push_back({Quat(Eigen::AngleAxisd(angle, Vec3::UnitY())), Vec3::Zero()});
    }
    const LightImage image = light_behind(item, Quality::final, size, size);
    for (int y = 0; y < size; ++y) {
      for (int x = 0; x < size; ++x) {
        const double right = x + 0.5 - size / 2.0, up = size / 2.0 - y - 0.5;
        if (std::hypot(right, up) < size / 8.0) continue;  // where a pixel sees many angles
        const double angle = std::abs(std::atan2(up, right));
        const double covered = std::clamp((1.5 * quarter - angle) / quarter, 0.0, 1.0);
        // 32 instants, each at its own place in the pixel.
        EXPECT_NEAR(1 - double{image.pixels[y * size + x].x()}, covered, 0.1) << x << ", " << y;
      }
    }
  }
}

}  // namespace
}  // namespace spindrift
