#include "spindrift/geometry/triangle_bvh.hpp"

#include <gtest/gtest.h>

#include "spindrift/geometry/triangle.hpp"

#include "support/meshes.hpp"
#include "support/random.hpp"

namespace spindrift {
namespace {

// Random triangles of all sizes, with needles, points and repeated ones among them.
TriangleMesh triangle_soup(std::uint64_t seed, int count) {
  test::Random random(seed);
  TriangleMesh mesh;
  for (int t = 0; t < count; ++t) {
    const Vec3 center = random.in_box(Box3(Vec3(-1, -1, -1), Vec3(1, 1, 1)));
    const double size = std::exp(random.between(-7, -1));
    Vec3 corners[3];
    for (Vec3& c : corners) c = center + size * random.direction();
    if (t % 17 == 0) corners[2] = corners[1];
    if (t % 19 == 0) corners[2] = corners[0] + 0.3 * (corners[1] - corners[0]);
    if (t % 101 == 0) corners[1] = corners[2] = corners[0];
    for (const Vec3& c : corners) mesh.vertices.push_back(c);
    mesh.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
    if (t % 23 == 0) mesh.triangles.push_back(mesh.triangles.back());
  }
  return mesh;
}

double brute_force_distance2(const TriangleMesh& mesh, const Vec3& p) {
  double best = std::numeric_limits<double>::infinity();
  for (std::int64_t t = 0; t < mesh.triangle_count(); ++t) {
    const Vec3 q =
        closest_point_on_triangle(p, mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2));
    best = std::min(best, (q - p).squaredNorm());
  }
  return best;
}

TriangleMesh moved(TriangleMesh mesh, const Vec3& offset, double scale) {
  for (Vec3& v : mesh.vertices) v = scale * v + offset;
  return mesh;
}

TEST(Triangle, ClosestPointIsTheBestOfDenseSamples) {
  test::Random random(3);
  const Box3 box(Vec3(-1, -1, -1), Vec3(1, 1, 1));
  for (int i = 0; i < 300; ++i) {
    const Vec3 a = random.in_box(box), b = random.in_box(box), c = random.in_box(box);
    const Vec3 p = 2 * random.in_box(box);
    const Vec3 q = closest_point_on_triangle(p, a, b, c);
    // On the triangle: its barycentric coordinates are in [0, 1] and reproduce it.
    const Vec3 n = (b - a).cross(c - a);
    EXPECT_NEAR((q - a).dot(n.normalized()), 0, 1e-12);
    double sampled = 1e300;
    for (int u = 0; u <= 50; ++u) {
      for (int v = 0; u + v <= 50; ++v) {
        const Vec3 x = a + u / 50.0 * (b - a) + v / 50.0 * (c - a);
        sampled = std::min(sampled, (x - p).norm());
      }
    }
    EXPECT_LE((q - p).norm(), sampled + 1e-12);
    EXPECT_GE((q - p).norm(), sampled - 0.06);  // the samples' spacing
  }
}

TEST(TriangleBvh, ClosestPointAgreesWithBruteForce) {
  for (const auto& [offset, scale] : {std::pair{Vec3(0, 0, 0), 1.0},
                                      {Vec3(1e7, -3e6, 5), 1.0},
                                      {Vec3(0, 0, 0), 1e-9},
                                      {Vec3(1e60, 0, 0), 1e50}}) {
    const TriangleMesh mesh = moved(triangle_soup(5, 1500), offset, scale);
    const TriangleBvh bvh(mesh);
    test::Random random(17);
    for (int i = 0; i < 400; ++i) {
      const double reach = i % 10 == 0 ? 1e6 : 1.5;
      const Vec3 p = offset + scale * reach * random.in_box(Box3(Vec3(-1, -1, -1), Vec3(1, 1, 1)));
      const ClosestPoint hit = bvh.closest_point(p);
      const double exact = std::sqrt(brute_force_distance2(mesh, p));
      const double digits = 1e-13 * (p.cwiseAbs().maxCoeff() + scale);
      ASSERT_NEAR(std::sqrt(hit.distance2), exact, digits) << "point " << i << " scale " << scale;
      ASSERT_NEAR((hit.point - p).norm(), exact, 8 * digits);
      const Vec3 again =
          closest_point_on_triangle(p, mesh.corner(hit.triangle, 0), mesh.corner(hit.triangle, 1),
                                    mesh.corner(hit.triangle, 2));
      ASSERT_NEAR((again - p).norm(), exact, 8 * digits) << "names the wrong triangle";
    }
  }
}

TEST(TriangleBvh, ClosestPointRespectsItsReach) {
  const TriangleBvh bvh(test::cube());
  EXPECT_EQ(bvh.closest_point({3, 0.5, 0.5}, 1.9).triangle, -1);
  EXPECT_NEAR(bvh.closest_point({3, 0.5, 0.5}, 2.1).distance2, 4, 1e-15);
  EXPECT_EQ(TriangleBvh(TriangleMesh{}).closest_point({0, 0, 0}).triangle, -1);
}

TEST(TriangleBvh, NoRaySlipsThroughASharedEdgeOrVertex) {
  const TriangleMesh mesh = test::sphere(4);
  const TriangleBvh bvh(mesh);
  test::Random random(23);
  for (int i = 0; i < 3000; ++i) {
    // From inside towards a vertex, an edge's middle or a random place: always a hit, at the radius
    // to within the sagitta of the facets.
    const Vec3 origin = 0.3 * random.direction();
    const Triangle& t = mesh.triangles[random.below(mesh.triangle_count())];
    Vec3 target = mesh.vertices[t[0]];
    if (i % 3 == 1) target = (mesh.vertices[t[0]] + mesh.vertices[t[1]]) / 2;
    if (i % 3 == 2) target = random.direction();
    const auto hit = bvh.first_hit(origin, target - origin);
    ASSERT_TRUE(hit.has_value()) << "ray " << i;
    EXPECT_NEAR((origin + hit->t * (target - origin)).norm(), 1, 0.003);
  }
}

TEST(TriangleBvh, RaysAgreeWithBruteForce) {
  const TriangleMesh mesh = triangle_soup(29, 800);
  const TriangleBvh bvh(mesh);
  test::Random random(31);
  int hits = 0;
  for (int i = 0; i < 1000; ++i) {
    const Vec3 o = 2 * random.direction();
    Vec3 d = random.in_box(Box3(Vec3(-1, -1, -1), Vec3(1, 1, 1))) - o;
    if (i % 5 == 0) d = (o.x() > 0 ? -1 : 1) * Vec3::UnitX();  // along an axis: infinite slopes
    double best = 1e300;
    for (std::int64_t t = 0; t < mesh.triangle_count(); ++t) {
      const Vec3& a = mesh.corner(t, 0);
      const Vec3 e1 = mesh.corner(t, 1) - a, e2 = mesh.corner(t, 2) - a;
      const double det = e1.dot(d.cross(e2));
      if (std::abs(det) < 1e-14) continue;
      const double u = (o - a).dot(d.cross(e2)) / det;
      const double v = d.dot((o - a).cross(e1)) / det;
      const double time = e2.dot((o - a).cross(e1)) / det;
      if (u >= 0 && v >= 0 && u + v <= 1 && time >= 0) best = std::min(best, time);
    }
    const auto hit = bvh.first_hit(o, d);
    ASSERT_EQ(hit.has_value(), best < 1e300) << "ray " << i;
    if (hit) {
      ++hits;
      ASSERT_NEAR(hit->t, best, 1e-9) << "ray " << i;
      ASSERT_FALSE(bvh.first_hit(o, d, best * 0.999).has_value() &&
                   bvh.first_hit(o, d, best * 0.999)->t > best);
    }
  }
  EXPECT_GT(hits, 100);
}

TEST(TriangleBvh, OverlapsContainEveryTriangleThatMeetsTheBox) {
  const TriangleMesh mesh = triangle_soup(37, 500);
  const TriangleBvh bvh(mesh);
  test::Random random(41);
  for (int i = 0; i < 200; ++i) {
    const Vec3 c = random.in_box(Box3(Vec3(-1, -1, -1), Vec3(1, 1, 1)));
    const Box3 box(c - Vec3::Constant(0.1), c + Vec3::Constant(0.1));
    std::vector<std::int32_t> found;
    bvh.append_overlaps(box, found);
    for (std::int64_t t = 0; t < mesh.triangle_count(); ++t) {
      Box3 own(mesh.corner(t, 0));
      own.extend(mesh.corner(t, 1)).extend(mesh.corner(t, 2));
      if (own.intersects(box)) {
        ASSERT_NE(std::find(found.begin(), found.end(), t), found.end()) << "box " << i;
      }
    }
  }
}

double exact_winding(const TriangleMesh& mesh, const Vec3& p) {
  double sum = 0;
  for (std::int64_t t = 0; t < mesh.triangle_count(); ++t) {
    sum += solid_angle_share(p, mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2));
  }
  return sum;
}

TEST(Winding, FastAgreesWithExact) {
  TriangleMesh half = test::sphere(4);
  std::erase_if(half.triangles, [&](const Triangle& t) { return half.vertices[t[0]].z() > 0.4; });
  for (const TriangleMesh& mesh : {test::sphere(4), half, triangle_soup(43, 2000)}) {
    const TriangleBvh bvh(mesh);
    test::Random random(47);
    for (int i = 0; i < 500; ++i) {
      const Vec3 p = 1.6 * random.in_box(Box3(Vec3(-1, -1, -1), Vec3(1, 1, 1)));
      ASSERT_NEAR(bvh.winding_number(p), exact_winding(mesh, p), 0.05) << "point " << i;
    }
  }
}

TEST(Winding, IsOneInsideAndZeroOutsideUpToTheSurface) {
  const TriangleMesh mesh = test::cube();
  const TriangleBvh bvh(mesh);
  for (double gap : {1e-2, 1e-6, 1e-10}) {
    EXPECT_NEAR(bvh.winding_number({gap, 0.4, 0.3}), 1, 1e-6);
    EXPECT_NEAR(bvh.winding_number({-gap, 0.4, 0.3}), 0, 1e-6);
    EXPECT_NEAR(bvh.winding_number({1 - gap, 1 - gap, 1 - gap}), 1, 1e-6);
  }
  EXPECT_NEAR(bvh.winding_number({1e12, 0, 0}), 0, 1e-12);
}

}  // namespace
}  // namespace spindrift
