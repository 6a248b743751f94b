#include "spindrift/geometry/shape.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace spindrift {
namespace {

struct NamedShape {
  const char* name;
  ShapePtr shape;
};

std::vector<NamedShape> all_shapes() {
  const auto box = make_box({-1, -0.5, 0}, {0.5, 1, 2});
  const auto ball = make_sphere({0.3, 0.2, 0.9}, 0.8);
  Placement tilted;
  tilted.rotation = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized());
  tilted.translation = {0.1, -0.3, 0.2};
  tilted.scale = Vec3::Constant(1.3);
  Placement stretched = tilted;
  stretched.scale = {0.5, 1, 2};
  return {{"box", box},
          {"sphere", ball},
          {"cylinder", make_cylinder({0, 0, -1}, {0.5, 0.3, 1}, 0.6)},
          {"capsule", make_capsule({0, 0, -1}, {0.5, 0.3, 1}, 0.4)},
          {"cone", make_cone({0.2, 0, -1}, {-0.2, 0.5, 1}, 0.9)},
          {"torus", make_torus({0, 0.1, 0}, {1, 1, 4}, 1.0, 0.35)},
          {"halfspace", make_halfspace({0, 0, 0.3}, {0.2, -0.1, 1})},
          {"union", make_union({box, ball})},
          {"intersection", make_intersection({box, ball})},
          {"difference", make_difference({box, ball})},
          {"placed", make_placed(box, tilted)},
          {"stretched", make_placed(ball, stretched)}};
}

TEST(Shape, KnownDistances) {
  const auto box = make_box({0, 0, 0}, {2, 2, 2});
  EXPECT_DOUBLE_EQ(box->distance({1, 1, 1}), -1);
  EXPECT_DOUBLE_EQ(box->distance({3, 1, 1}), 1);
  EXPECT_DOUBLE_EQ(box->distance({5, 6, 1}), 5);  // from the edge x = y = 2: a 3-4-5 triangle
  const auto cylinder = make_cylinder({0, 0, 0}, {0, 0, 2}, 1);
  EXPECT_DOUBLE_EQ(cylinder->distance({0, 0, 0.25}), -0.25);
  EXPECT_DOUBLE_EQ(cylinder->distance({4, 0, 6}), 5);
  const auto cone = make_cone({0, 0, 0}, {0, 0, 4}, 3);  // slant side: a 3-4-5 triangle
  EXPECT_DOUBLE_EQ(cone->distance({0, 0, 5}), 1);
  EXPECT_NEAR(cone->distance({0, 0, 1.5}), -1.5, 1e-15);
  EXPECT_NEAR(cone->distance({3, 0, 4}), 2.4, 1e-15);
  const auto torus = make_torus({0, 0, 0}, {0, 0, 1}, 2, 0.5);
  EXPECT_DOUBLE_EQ(torus->distance({0, 0, 0}), 1.5);
  EXPECT_DOUBLE_EQ(torus->distance({2, 0, 0}), -0.5);
  const auto capsule = make_capsule({0, 0, 0}, {0, 0, 1}, 0.5);
  EXPECT_DOUBLE_EQ(capsule->distance({0, 0, 3}), 1.5);
  const auto ground = make_halfspace({0, 0, 1}, {0, 0, 5});
  EXPECT_DOUBLE_EQ(ground->distance({7, 8, 3}), 2);
  EXPECT_DOUBLE_EQ(ground->distance({7, 8, -1}), -2);
}

TEST(Shape, TransformsApplyScaleThenRotationThenTranslation) {
  Placement placement;
  placement.scale = {2, 1, 1};
  placement.rotation = Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitZ());
  placement.translation = {10, 0, 0};
  // A unit cube around the origin becomes 2 long in x, then in y, then moves to x = 10.
  const auto shape = make_placed(make_box({-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}), placement);
  EXPECT_LT(shape->distance({10, 0.9, 0}), 0);
  EXPECT_GT(shape->distance({10.9, 0, 0}), 0);
  EXPECT_TRUE(shape->bounds().isApprox(Box3(Vec3(9.5, -1, -0.5), Vec3(10.5, 1, 0.5)), 1e-12));
  EXPECT_FALSE(shape->is_exact());
}

TEST(Shape, DistanceIsLipschitzAndExactShapesReachTheirSurface) {
  for (const auto& [name, shape] : all_shapes()) {
    test::Random random(7);
    const Box3 box(Vec3(-3, -3, -3), Vec3(3, 3, 3));
    for (int i = 0; i < 2000; ++i) {
      const Vec3 a = random.in_box(box), b = random.in_box(box);
      const double da = shape->distance(a), db = shape->distance(b);
      ASSERT_LE(std::abs(da - db), (a - b).norm() * (1 + 1e-12)) << name << " sample " << i;
      if (!shape->is_exact()) continue;
      // Walking the distance along the gradient of an exact distance ends on the surface, unless
      // the point sits on the medial axis, where the gradient is not defined.
      const Vec3 n = outward_normal(*shape, a, 1e-6);
      const Vec3 foot = a - da * n;
      if (std::abs(shape->distance(a + 1e-4 * n) - da - 1e-4) > 1e-9) continue;
      if (std::abs(shape->distance(a - 1e-4 * n) - da + 1e-4) > 1e-9) continue;
      ASSERT_NEAR(shape->distance(foot), 0, 1e-5) << name << " sample " << i;
    }
  }
}

TEST(Shape, BoundsEncloseTheInside) {
  for (const auto& [name, shape] : all_shapes()) {
    test::Random random(11);
    const Box3 box = shape->bounds();
    for (int i = 0; i < 5000; ++i) {
      const Vec3 x = random.in_box(Box3(Vec3(-3, -3, -3), Vec3(3, 3, 3)));
      if (shape->distance(x) < 0) {
        ASSERT_TRUE(box.contains(x)) << name << " at " << x.transpose();
      }
    }
  }
}

TEST(Shape, PartsThatDoNotMeetHaveEmptyBounds) {
  const auto left = make_sphere({-5, 0, 0}, 1), right = make_sphere({5, 0, 0}, 1);
  const auto nothing = make_intersection({left, right});
  EXPECT_TRUE(nothing->bounds().isEmpty());
  EXPECT_TRUE(make_union({left, nothing})->bounds().isApprox(left->bounds()));
  EXPECT_TRUE(make_union({nothing, left})->bounds().isApprox(left->bounds()));
}

// A sphere that counts the points it is asked about.
class CountedSphere final : public Shape {
 public:
  CountedSphere(const Vec3& center, double radius, std::int64_t& count)
      : sphere_(make_sphere(center, radius)), count_(count) {}
  double distance(const Vec3& point) const override {
    ++count_;
    return sphere_->distance(point);
  }
  Box3 bounds() const override { return sphere_->bounds(); }

 private:
  ShapePtr sphere_;
  std::int64_t& count_;
};

TEST(Shape, UnionsOfManyPartsSkipTheFarOnesBitExactly) {
  test::Random random(17);
  const Box3 room(Vec3(-3, -3, -3), Vec3(3, 3, 3));
  std::int64_t asked = 0;
  std::vector<ShapePtr> parts;
  for (int i = 0; i < 1000; ++i) {
    parts.push_back(std::make_shared<CountedSphere>(random.in_box(room), 0.1, asked));
  }
  // Not exact, far smaller than its box says, without end, and nothing at all.
  parts.push_back(make_placed(make_sphere({1, 1, 1}, 0.2), {.scale = {1, 0.1, 3}}));
  parts.push_back(make_intersection({make_sphere({1, 0, 0}, 1.1), make_sphere({-1, 0, 0}, 1.1)}));
  parts.push_back(make_halfspace({0, 0, -2.9}, {0, 0.1, 1}));
  parts.push_back(make_intersection({make_sphere({2, 0, 0}, 1), make_sphere({-2, 0, 0}, 1)}));
  const ShapePtr all = make_union(parts);

  std::vector<Vec3> points;
  constexpr int kAlong = 40;
  for (int i = 0; i < kAlong * kAlong * kAlong; ++i) {
    const Vec3 cell = Vec3i(i % kAlong, i / kAlong % kAlong, i / kAlong / kAlong).cast<double>();
    points.emplace_back(8.0 / kAlong * cell - Vec3::Constant(4));
  }
  std::vector<double> values(points.size());
  all->evaluate(points, values);
  EXPECT_LT(asked, 1000 * std::ssize(points) / 10);
  for (std::size_t i = 0; i < points.size(); i += 7) {
    ASSERT_EQ(values[i], all->distance(points[i])) << points[i].transpose();
  }
}

TEST(Shape, BatchesAgreeWithSinglePoints) {
  for (const auto& [name, shape] : all_shapes()) {
    test::Random random(13);
    std::vector<Vec3> points;
    for (int i = 0; i < 100; ++i)
      points.push_back(random.in_box(Box3(Vec3(-3, -3, -3), Vec3(3, 3, 3))));
    std::vector<double> values(points.size());
    evaluate_parallel(*shape, points, values);
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_EQ(values[i], shape->distance(points[i])) << name;
    }
  }
}

}  // namespace
}  // namespace spindrift
