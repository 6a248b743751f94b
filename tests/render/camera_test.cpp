#include "spindrift/render/camera.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "spindrift/core/error.hpp"

#include "support/random.hpp"

namespace spindrift {
namespace {

// Greatest |coordinate| of the box's corners in the picture, whose border is at 1.
Vec2 extent(const Box3& box, const Camera& camera, double aspect) {
  const CameraAxes axes = camera_axes(camera);
  const double half = std::tan(camera.fov_degrees * std::numbers::pi / 360);
  Vec2 most = Vec2::Zero();
  for (int i = 0; i < 8; ++i) {
    const Vec3 offset = box.corner(static_cast<Box3::CornerType>(i)) - camera.eye;
    const double depth = offset.dot(axes.forward);
    EXPECT_GT(depth, 0);
    const Vec2 place(offset.dot(axes.right) / (half * aspect * depth),
                     offset.dot(axes.up) / (half * depth));
    most = most.cwiseMax(place.cwiseAbs());
  }
  return most;
}

std::string error_of(const std::string& text) {
  try {
    (void)parse_camera(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Camera, FramingContainsTheWholeBoxAndFillsThePicture) {
  test::Random random(3);
  for (int i = 0; i < 300; ++i) {
    Box3 box(random.in_box(Box3(Vec3(-5, -5, -5), Vec3(5, 5, 5))));
    box.extend(Vec3(box.min() + random.in_box(Box3(Vec3::Zero(), Vec3(4, 4, 4)))));
    const double aspect = random.between(0.4, 2.5);
    const Vec2 most = extent(box, frame_camera(box, aspect), aspect);
    ASSERT_LE(most.maxCoeff(), 1) << "seed 3, box " << i;
    ASSERT_GE(most.maxCoeff(), 0.85) << "seed 3, box " << i;
  }
}

TEST(Camera, WishesAreKeptAndTheRestIsFramed) {
  const Box3 box(Vec3(0, 0, 0), Vec3(2, 1, 1));
  const Camera eye = complete_camera(parse_camera("eye=3,-3,2"), box, 1.5);
  EXPECT_EQ(eye.eye, Vec3(3, -3, 2));
  EXPECT_EQ(eye.target, Vec3(box.center()));
  EXPECT_EQ(eye.fov_degrees, Camera().fov_degrees);
  const Camera narrow = complete_camera(parse_camera("fov=10"), box, 1.5);
  EXPECT_EQ(narrow.fov_degrees, 10);
  EXPECT_LE(extent(box, narrow, 1.5).maxCoeff(), 1);
  const Camera aimed = complete_camera(parse_camera("target=0,0,0:fov=40"), box, 1.5);
  EXPECT_EQ(aimed.target, Vec3(0, 0, 0));
  EXPECT_LE(extent(box, aimed, 1.5).maxCoeff(), 1);
}

TEST(Camera, BoxesWithoutSizeAreFramedToo) {
  for (const Vec3& point : {Vec3(0, 0, 0), Vec3(1e6, -1e6, 3)}) {
    const Camera camera = frame_camera(Box3(point, point), 1.5);
    EXPECT_TRUE(camera.eye.allFinite());
    EXPECT_LT((camera.target - point).norm(), 1);
    EXPECT_LT((camera.eye - point).norm(), 20);
    (void)camera_axes(camera);
  }
  (void)camera_axes(frame_camera(Box3(), 1.5));
}

TEST(Camera, TextInAnyOrder) {
  const CameraWish all = parse_camera("fov=40:target=1,0.5,.3:eye=3,-3e0,2");
  EXPECT_EQ(*all.eye, Vec3(3, -3, 2));
  EXPECT_EQ(*all.target, Vec3(1, 0.5, 0.3));
  EXPECT_EQ(*all.fov_degrees, 40);
  const CameraWish one = parse_camera("target=1,2,3");
  EXPECT_FALSE(one.eye || one.fov_degrees);
}

TEST(Camera, BadTextSaysWhereAndWhatToWrite) {
  EXPECT_EQ(error_of("eye=1,2"), "--camera:1:8: 'eye' needs 3 numbers; write eye=x,y,z in metres");
  EXPECT_EQ(error_of("eye=1,2,x"), "--camera:1:9: 'x' is not a number; write eye=x,y,z in metres");
  EXPECT_EQ(error_of("eye=1,,3"),
            "--camera:1:7: a number of 'eye' is missing; write eye=x,y,z in metres");
  EXPECT_EQ(error_of("eye=1,2,3,4"),
            "--camera:1:10: 'eye' has too many numbers; write eye=x,y,z in metres");
  EXPECT_EQ(error_of("fov=30:eye=1,2,inf"),
            "--camera:1:16: 'inf' is not a number; write eye=x,y,z in metres");
  EXPECT_EQ(error_of("eye=1,2,3:fov=0"),
            "--camera:1:15: fov is 0 degrees; write an angle from 1 to 170");
  EXPECT_EQ(error_of("fov=20:fov=30"), "--camera:1:8: 'fov' is given twice; leave one of them out");
  EXPECT_EQ(error_of("fov=30:traget=1,2,3"),
            "--camera:1:8: 'traget' is not a part of a camera; did you mean 'target'?");
  const std::string usage = "; write eye=x,y,z:target=x,y,z:fov=degrees, each part optional";
  EXPECT_EQ(error_of("30"), "--camera:1:1: '30' has no '='" + usage);
  EXPECT_EQ(error_of("fov=30:"), "--camera:1:8: a part is empty" + usage);
  EXPECT_EQ(error_of(""), "--camera:1:1: a part is empty" + usage);
}

TEST(Camera, AxesAreOrthonormalAlsoStraightDown) {
  for (const Vec3& eye : {Vec3(3, -3, 2), Vec3(0, 0, 5), Vec3(0, 0, -5), Vec3(1e6, 0, 1)}) {
    const CameraAxes axes = camera_axes({.eye = eye, .target = {0, 0, 0}});
    Mat3 matrix;
    matrix << axes.right, axes.up, -axes.forward;
    EXPECT_TRUE((matrix.transpose() * matrix).isIdentity(1e-12));
    EXPECT_NEAR(matrix.determinant(), 1, 1e-12);
  }
  EXPECT_EQ(camera_axes({.eye = {0, 0, 5}, .target = {0, 0, 0}}).up, Vec3::UnitY());
}

TEST(Camera, ViewsThatAreNone) {
  EXPECT_THROW((void)camera_axes({.eye = {1, 2, 3}, .target = {1, 2, 3}}), InputError);
  EXPECT_THROW((void)camera_axes({.eye = {1e9, 0, 0}, .target = {1e9 + 1e-7, 0, 0}}), InputError);
  EXPECT_THROW((void)camera_axes({.fov_degrees = 180}), InputError);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)camera_axes({.eye = {nan, 0, 0}}), InputError);
}

}  // namespace
}  // namespace spindrift
