#include "spindrift/render/render.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"

#include "render/meshes.hpp"

namespace spindrift {
namespace {

using test::mesh_ball;

Picture ball_picture(const Item& item) {
  Picture picture;
  picture.items = {item};
  picture.camera = {.eye = {0, -5, 0}, .target = {0, 0, 0}, .fov_degrees = 30};
  return picture;
}

double luminance(const Rgb& rgb) { return (0.3 * rgb[0] + 0.6 * rgb[1] + 0.1 * rgb[2]) / 255; }

bool is_warning(const Rgb& rgb) { return rgb[0] > 2 * rgb[1] && rgb[2] > 2 * rgb[1]; }

// Mean absolute difference of bytes.
double difference(const Image& a, const Image& b) {
  EXPECT_EQ(a.bytes.size(), b.bytes.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.bytes.size(); ++i) sum += std::abs(a.bytes[i] - b.bytes[i]);
  return sum / static_cast<double>(a.bytes.size());
}

// Something of everything: facets, smooth triangles, shapes with and without end, floor, domain.
Picture mixed_picture(const Vec3& shift) {
  Picture picture;
  picture.items.push_back(
      {.geometry = mesh_ball(shift + Vec3(0.6, 0.5, 0.35), 0.25, 3), .material = solid_material()});
  picture.items.push_back({.geometry = mesh_ball(shift + Vec3(1.4, 0.4, 0.5), 0.2, 2),
                           .material = highlight_material(),
                           .smooth = true});
  picture.items.push_back({.geometry = make_halfspace(shift + Vec3(1, 0.5, 0.3), {0.1, 0, 1}),
                           .material = liquid_material()});
  picture.items.push_back(
      {.geometry = make_cylinder(shift + Vec3(1, 0.8, 0), shift + Vec3(1, 0.8, 0.9), 0.1)});
  picture.domain = Box3(shift, shift + Vec3(2, 1, 1));
  picture.floor = shift.z();
  picture.camera = frame_camera(bounds(picture), 1.6);
  return picture;
}

TEST(Render, ASphereCoversAsManyPixelsAsItsConeDoes) {
  Picture picture = ball_picture({.geometry = make_sphere({0, 0, 0}, 1)});
  picture.background = Vec3::Zero();
  const int width = 400, height = 300;
  const Image ball = render(picture, {.width = width, .height = height, .quality = Quality::final});
  // A pixel counts if it has more than half the light of one a little further inside. Half the
  // light is 0.72 of the brightness at the levels of this picture's outline.
  int covered = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const Vec2 inwards = Vec2(width / 2.0 - x, height / 2.0 - y).normalized() * 2.5;
      const Rgb inner = ball.pixel(static_cast<int>(std::lround(x + inwards.x())),
                                   static_cast<int>(std::lround(y + inwards.y())));
      if (luminance(inner) > 0 && luminance(ball.pixel(x, y)) > 0.72 * luminance(inner)) ++covered;
    }
  }
  // The cone around the sphere has sin = radius / distance; the picture's half height is tan 15°.
  const double tangent = 1 / std::sqrt(5.0 * 5.0 - 1);
  const double radius = height / 2.0 * tangent / std::tan(15 * std::numbers::pi / 180);
  const double expected = std::numbers::pi * radius * radius;
  EXPECT_NEAR(covered, expected, 0.005 * expected);
}

TEST(Render, MeshAndDistanceGiveTheSamePicture) {
  for (const Material& material : {solid_material(), liquid_material()}) {
    Picture shape = ball_picture({.geometry = make_sphere({0, 0, 0}, 1), .material = material});
    shape.floor = -1;
    Picture mesh = shape;
    mesh.items[0] = {.geometry = mesh_ball({0, 0, 0}, 1, 6), .material = material};
    const RenderParams params{.width = 320, .height = 200, .quality = Quality::draft};
    EXPECT_LT(difference(render(shape, params), render(mesh, params)), 0.6);
  }
}

TEST(Render, SameBitsForAnyNumberOfThreads) {
  const Picture picture = mixed_picture(Vec3::Zero());
  const RenderParams params{.width = 240, .height = 150};
  const auto with = [&](int threads) {
    const ThreadLimit limit(threads);
    return render(picture, params).bytes;
  };
  const auto one = with(1);
  for (const int threads : {2, 3}) EXPECT_EQ(with(threads), one) << threads << " threads";
}

// Which of two surfaces in one place Embree meets first depends on its tree, and that on the
// threads that built it. Ours is always the first.
TEST(Render, OfSurfacesInOnePlaceTheFirstIsSeen) {
  const MeshPtr ball = mesh_ball({0, 0, 0}, 1, 5);
  Picture picture = ball_picture({.geometry = ball, .material = highlight_material()});
  picture.floor = -1;
  const RenderParams params{.width = 160, .height = 120};
  const Image alone = render(picture, params);
  picture.items.push_back({.geometry = ball, .material = liquid_material()});
  EXPECT_EQ(render(picture, params).bytes, alone.bytes);
}

TEST(Render, ShadowsOnTheFloorAreDark) {
  Picture picture = ball_picture({.geometry = make_sphere({0, 0, 1}, 0.5)});
  picture.floor = 0;
  picture.sun = Vec3(0, 0, 1);
  picture.camera = {.eye = {0, -6, 4}, .target = {0, 0, 0.5}, .fov_degrees = 30};
  const RenderParams params{.width = 200, .height = 200, .quality = Quality::final};
  const Image image = render(picture, params);
  // The spot under the ball, projected by hand: it is 0.5 below the target.
  const CameraAxes axes = camera_axes(picture.camera);
  const Vec3 offset = Vec3(0, 0, 0) - picture.camera.eye;
  const double scale = 100 / std::tan(15 * std::numbers::pi / 180) / offset.dot(axes.forward);
  const int y = static_cast<int>(100 - scale * offset.dot(axes.up));
  const double shaded = luminance(image.pixel(100, y)), lit = luminance(image.pixel(10, y));
  EXPECT_LT(shaded, 0.75 * lit);
  // Without anything above it, the floor cannot be told from the background.
  Picture empty = picture;
  empty.items.clear();
  const Image floor = render(empty, params);
  empty.floor.reset();
  const Image background = render(empty, params);
  for (std::size_t i = 0; i < floor.bytes.size(); ++i) {
    ASSERT_NEAR(floor.bytes[i], background.bytes[i], 1) << i;  // rounding
  }
}

TEST(Render, FarFromTheOriginLooksTheSame) {
  const RenderParams params{.width = 240, .height = 150};
  const Image near = render(mixed_picture(Vec3::Zero()), params);
  const Image far = render(mixed_picture(Vec3(1e6, -2e6, 1e6)), params);
  EXPECT_LT(difference(near, far), 0.3);
}

TEST(Render, InnerSidesAreMarkedUnlessUnwanted) {
  MeshPtr ball = mesh_ball({0, 0, 0}, 1, 4);
  auto turned = std::make_shared<TriangleMesh>(*ball);
  for (Triangle& triangle : turned->triangles) std::swap(triangle[1], triangle[2]);
  const auto middle = [](const MeshPtr& mesh, bool mark) {
    const RenderParams params{.width = 80, .height = 60, .mark_back_faces = mark};
    return render(ball_picture({.geometry = mesh}), params).pixel(40, 30);
  };
  EXPECT_FALSE(is_warning(middle(ball, true)));
  EXPECT_TRUE(is_warning(middle(turned, true)));
  EXPECT_FALSE(is_warning(middle(turned, false)));
  // Without the warning the inner side is shaded as if it were the outer one.
  EXPECT_NEAR(luminance(middle(turned, false)), luminance(middle(ball, true)), 0.03);
}

TEST(Render, HolesShowTheInside) {
  auto open = std::make_shared<TriangleMesh>(*mesh_ball({0, 0, 0}, 1, 4));
  std::erase_if(open->triangles,
                [&](const Triangle& t) { return open->vertices[t[0]].y() < -0.7; });
  const Image image = render(ball_picture({.geometry = open}), {.width = 80, .height = 60});
  EXPECT_TRUE(is_warning(image.pixel(40, 30)));
  EXPECT_FALSE(is_warning(image.pixel(40, 8)));
}

TEST(Render, FromInsideASolidItsWallsAreMarked) {
  for (const Item& item : {Item{.geometry = mesh_ball({0, 0, 0}, 10, 3)},
                           Item{.geometry = make_sphere({0, 0, 0}, 10)}}) {
    const Image image = render(ball_picture(item), {.width = 40, .height = 30});
    EXPECT_TRUE(is_warning(image.pixel(20, 15)));
  }
}

TEST(Render, FacetsAreFlatUnlessSmoothIsAskedFor) {
  const auto ball = [](bool smooth) {
    Item item{.geometry = mesh_ball({0, 0, 0}, 1, 2), .smooth = smooth};
    const RenderParams params{.width = 200, .height = 150, .quality = Quality::final};
    return render(ball_picture(item), params);
  };
  // Steps between neighbouring pixels well inside the outline.
  const auto greatest_step = [](const Image& image) {
    double most = 0;
    for (int y = 50; y < 100; ++y) {
      for (int x = 75; x < 125; ++x) {
        const double step = luminance(image.pixel(x, y)) - luminance(image.pixel(x + 1, y));
        most = std::max(most, std::abs(step));
      }
    }
    return most;
  };
  EXPECT_GT(greatest_step(ball(false)), 0.05);
  EXPECT_LT(greatest_step(ball(true)), 0.03);
}

TEST(Render, OddScenesStillGiveAPicture) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  auto odd = std::make_shared<TriangleMesh>();
  odd->vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {nan, 0, 0}, {2, 0, 0}};
  odd->triangles = {
      {0, 1, 2}, {0, 0, 0}, {0, 1, 5}, {0, 2, 4}};  // one good, the others flat or NaN
  Picture picture;
  picture.items.push_back({.geometry = odd, .material = highlight_material(), .smooth = true});
  picture.items.push_back({.geometry = std::make_shared<TriangleMesh>()});
  picture.items.push_back(
      {.geometry = make_intersection({make_sphere({0, 0, 0}, 0.1), make_sphere({3, 0, 0}, 0.1)})});
  EXPECT_TRUE(bounds(picture).isApprox(Box3(Vec3(0, 0, 0), Vec3(2, 1, 0))));
  picture.camera = {.eye = {0.6, 0.4, 3}, .target = {0.6, 0.4, 0}};  // straight down
  const Image image = render(picture, {.width = 60, .height = 40});
  EXPECT_GT(image.pixel(30, 20)[0], 2 * image.pixel(30, 20)[2]);  // orange
  EXPECT_EQ(render(Picture(), {.width = 1, .height = 1}).bytes.size(), 3u);
}

TEST(Render, ThinWaterShowsWhatIsBehind) {
  // A plate of ink or of water before an orange ball.
  const auto middle = [](double thickness, double absorption) {
    Picture picture =
        ball_picture({.geometry = make_sphere({0, 0, 0}, 1), .material = highlight_material()});
    Material material = liquid_material();
    material.absorption = Vec3::Constant(absorption);
    picture.items.push_back(
        {.geometry = make_box({-1, -2, -1}, {1, -2 + thickness, 1}), .material = material});
    return render(picture, {.width = 40, .height = 30}).pixel(20, 15);
  };
  EXPECT_GT(luminance(middle(0.01, 0.2)), 0.2);
  EXPECT_LT(luminance(middle(0.8, 20)), 0.15) << "what is left is mirrored";
}

TEST(Render, SizeOfTheSceneDoesNotMatter) {
  const auto at_scale = [](double scale) {
    Picture picture =
        ball_picture({.geometry = mesh_ball({0, 0, 0}, scale, 4), .material = liquid_material()});
    // Absorption alone is measured in metres.
    picture.items[0].material.absorption /= scale;
    picture.camera.eye *= scale;
    picture.floor = -scale;
    return render(picture, {.width = 160, .height = 100});
  };
  const Image meters = at_scale(1);
  EXPECT_LT(difference(at_scale(1e-6), meters), 0.1);
  EXPECT_LT(difference(at_scale(1e6), meters), 0.1);
}

TEST(Render, TheDomainIsDrawnAndHiddenByWhatIsInFront) {
  Picture picture = ball_picture({.geometry = make_sphere({0, -1.5, 0}, 0.3)});
  const RenderParams params{.width = 201, .height = 151};
  const Image without = render(picture, params);
  picture.domain = Box3(Vec3(-1, 1, -1), Vec3(0, 2, 1));  // an edge passes behind the ball, x = 0
  const Image with = render(picture, params);
  EXPECT_LT(luminance(with.pixel(100, 35)), 0.7 * luminance(without.pixel(100, 35)));
  EXPECT_GT(luminance(with.pixel(100, 75)), 0.85 * luminance(without.pixel(100, 75)));
}

TEST(Render, WhatMakesNoPictureIsAnInputError) {
  Picture picture = ball_picture({.geometry = make_sphere({0, 0, 0}, 1)});
  EXPECT_THROW((void)render(picture, {.width = 0, .height = 10}), InputError);
  EXPECT_THROW((void)render(picture, {.width = 10, .height = 40000}), InputError);
  Picture blind = picture;
  blind.camera.eye = blind.camera.target;
  EXPECT_THROW((void)render(blind, {}), InputError);
  Picture dark = picture;
  dark.sun = Vec3::Zero();
  EXPECT_THROW((void)render(dark, {.width = 8, .height = 8}), InputError);
  Picture loud = picture;
  loud.background = {2, 0, 0};
  EXPECT_THROW((void)render(loud, {.width = 8, .height = 8}), InputError);
  Picture endless = picture;
  endless.items.push_back({.geometry = make_halfspace({0, 0, 0}, {0, 0, 1})});
  EXPECT_THROW((void)render(endless, {.width = 8, .height = 8}), InputError);
}

TEST(Render, TellsItsProgressInOrderUpToTheEnd) {
  const Picture picture = ball_picture({.geometry = mesh_ball({0, 0, 0}, 1, 1)});
  std::vector<double> shares;
  RenderParams params{.width = 100, .height = 50};
  params.progress = [&](double share) { shares.push_back(share); };
  (void)render(picture, params);
  ASSERT_EQ(shares.size(), 7u * 4u) << "one for each tile of 16 x 16 pixels";
  for (std::size_t i = 0; i < shares.size(); ++i) {
    EXPECT_EQ(shares[i], static_cast<double>(i + 1) / 28);
  }
}

}  // namespace
}  // namespace spindrift
