// Light through water, in scenes whose picture is known exactly.
#include <cmath>

#include <gtest/gtest.h>

#include "spindrift/core/parallel.hpp"
#include "spindrift/render/render.hpp"

#include "render/meshes.hpp"

namespace spindrift {
namespace {

// Part of the light that a border mirrors, looking straight at it.
const double kMirrored = std::pow(0.33 / 2.33, 2);

Material water(double absorption = 0) {
  Material material = liquid_material();
  material.absorption = Vec3::Constant(absorption);
  return material;
}

// Under light of 1 from everywhere.
Picture furnace(const Item& item) {
  Picture picture;
  picture.items = {item};
  picture.camera = {.eye = {0, -5, 0}, .target = {0, 0, 0}, .fov_degrees = 30};
  picture.uniform_light = 1;
  return picture;
}

double mean_difference(const LightImage& a, const LightImage& b) {
  EXPECT_EQ(a.pixels.size(), b.pixels.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    sum += double{(a.pixels[i] - b.pixels[i]).cwiseAbs().maxCoeff()};
  }
  return sum / static_cast<double>(a.pixels.size());
}

// The white furnace: water that absorbs nothing can neither make nor take light.
TEST(Water, ClearWaterUnderUniformLightCannotBeSeen) {
  const std::vector<Item> items = {
      {.geometry = make_sphere({0, 0, 0}, 1), .material = water()},
      {.geometry = test::mesh_ball({0, 0, 0}, 1, 4), .material = water()},
      {.geometry = test::mesh_ball({0, 0, 0}, 1, 3), .material = water(), .smooth = true},
      {.geometry = make_torus({0, 0, 0}, {1, 1, 0}, 0.7, 0.3), .material = water()},
      {.geometry = test::mesh_box({-0.7, -0.5, -0.6}, {0.5, 0.7, 0.8}), .material = water()}};
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (const Quality quality : {Quality::draft, Quality::final}) {
      const LightImage image =
          render_light(furnace(items[i]), {.width = 48, .height = 36, .quality = quality});
      for (const Vec3f& light : image.pixels) {
        ASSERT_LT((light - Vec3f::Ones()).cwiseAbs().maxCoeff(), 1e-5f) << "item " << i;
      }
    }
  }
}

// Through a slab, looking straight at it: what its front mirrors, and of the rest exp(-a d).
TEST(Water, ASlabAbsorbsExponentially) {
  for (const double thickness : {0.1, 0.5, 2.0}) {
    for (const double absorption : {0.0, 1.0, 3.0}) {
      const Vec3 corner(20, thickness / 2, 20);
      Picture picture =
          furnace({.geometry = test::mesh_box(-corner, corner), .material = water(absorption)});
      picture.camera.fov_degrees = 1;
      const LightImage image = render_light(picture, {.width = 8, .height = 8});
      const double passed = std::exp(-absorption * thickness);
      EXPECT_NEAR(double{image.pixels[27].x()}, kMirrored + (1 - kMirrored) * passed, 2e-4)
          << thickness << " m, " << absorption << " / m";
    }
  }
}

TEST(Water, FinalPicturesCountInnerReflectionsToo) {
  const double a = 0.8;
  const Vec3 corner(20, 0.5, 20);
  Picture picture = furnace({.geometry = test::mesh_box(-corner, corner), .material = water(a)});
  picture.camera.fov_degrees = 1;
  const LightImage image =
      render_light(picture, {.width = 64, .height = 64, .quality = Quality::final});
  double mean = 0;
  for (const Vec3f& light : image.pixels) mean += double{light.x()} / 4096;
  const double r = kMirrored, t = 1 - r, e = std::exp(-a);
  const double through = t * t * e / (1 - r * r * e * e);
  const double back = r + r * t * t * e * e / (1 - r * r * e * e);
  EXPECT_NEAR(mean, through + back, 1e-3);
}

// The same water, measured in other lengths, looks the same if it absorbs as much over its size.
TEST(Water, AbsorptionIsMeasuredInMetres) {
  const auto at_scale = [](double scale) {
    Picture picture =
        furnace({.geometry = make_sphere({0, 0, 0}, scale), .material = water(1 / scale)});
    picture.camera.eye *= scale;
    return render_light(picture, {.width = 32, .height = 24});
  };
  EXPECT_LT(mean_difference(at_scale(1), at_scale(100)), 1e-3);
}

// Looks down into a tank of water on the floor, with a ball in it.
Picture tank(double bottom, double ball_radius) {
  Picture picture;
  const ShapePtr ball = make_sphere({0, 0, 0.2}, 0.2);
  const ShapePtr block = make_box({-1, -1, bottom}, {1, 1, 0.6});
  picture.items.push_back(
      {.geometry = make_difference({block, make_sphere({0, 0, 0.2}, ball_radius)}),
       .material = liquid_material()});
  picture.items.push_back({.geometry = ball, .material = highlight_material()});
  picture.floor = 0;
  picture.camera = {.eye = {1.5, -3, 3}, .target = {0, 0, 0.3}, .fov_degrees = 30};
  return picture;
}

// Liquid that ends exactly at a solid, just in it, and just before it: the solid is seen through
// it, lit, and never a mirror of air between the two.
TEST(Water, TouchesWhatItIsMeshedUpTo) {
  const RenderParams params{.width = 96, .height = 72};
  const LightImage exact = render_light(tank(0, 0.2), params);
  const LightImage in_solids = render_light(tank(-1e-3, 0.199), params);
  const LightImage with_gaps = render_light(tank(1e-3, 0.201), params);
  EXPECT_LT(mean_difference(exact, in_solids), 0.012);
  EXPECT_LT(mean_difference(exact, with_gaps), 0.016);
  float darkest = 1;
  for (const Vec3f& light : exact.pixels) darkest = std::min(darkest, light.maxCoeff());
  EXPECT_GT(darkest, 0.02f);
}

TEST(Water, ShadowsAreColouredByTheWaterThatLightPasses) {
  const auto on_floor = [](double absorption) {
    Material material = water();
    material.absorption = {absorption, 0, 0};
    Picture picture;
    picture.items.push_back({.geometry = make_box({-1, -1, 2}, {1, 1, 3}), .material = material});
    picture.floor = 0;
    picture.sun = Vec3(0, 0, 1);
    picture.camera = {.eye = {0, -9, 2}, .target = {0, 0, 0}, .fov_degrees = 5};
    return render_light(picture, {.width = 9, .height = 9, .quality = Quality::final}).pixels[40];
  };
  const Vec3f clear = on_floor(0), red_less = on_floor(50);
  EXPECT_NEAR(clear.y(), red_less.y(), 0.03f * clear.y());
  EXPECT_LT(red_less.x(), 0.7f * clear.x());
  EXPECT_GT(red_less.x(), 0.1f * clear.x()) << "the sky still shines from the sides";
}

TEST(Water, SameBitsForAnyNumberOfThreads) {
  Picture picture = tank(0, 0.2);
  const MeshPtr drop = test::mesh_ball({0.2, -0.3, 0.9}, 0.2, 4);
  picture.items.push_back({.geometry = drop, .material = liquid_material(), .smooth = true});
  picture.items.back().motion.assign(drop->vertices.size(), Vec3(0.05, 0, 0.1));
  for (const Quality quality : {Quality::draft, Quality::final}) {
    const auto with = [&](int threads) {
      const ThreadLimit limit(threads);
      return render(picture, {.width = 80, .height = 50, .quality = quality}).bytes;
    };
    const auto one = with(1);
    for (const int threads : {2, 3}) EXPECT_EQ(with(threads), one) << threads << " threads";
  }
}

TEST(Water, AnEyeUnderWaterSeesThroughIt) {
  // From the middle of a ball of water, all that is seen has passed one radius of it.
  Picture picture = furnace({.geometry = make_sphere({0, 0, 0}, 1), .material = water(0.5)});
  picture.camera.eye = {0, 0, 0};
  picture.camera.target = {0, 1, 0};
  const LightImage image = render_light(picture, {.width = 8, .height = 8});
  // The border mirrors a little, which has passed two more.
  const double expected = std::exp(-0.5) * (1 - kMirrored + kMirrored * std::exp(-1.0));
  for (const Vec3f& light : image.pixels) EXPECT_NEAR(double{light.x()}, expected, 2e-4);
}

}  // namespace
}  // namespace spindrift
