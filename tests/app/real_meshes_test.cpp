// Every mesh of Debian's libcgal-demo, many of them broken on purpose: read, validated, repaired or
// refused, and where accepted asked for distances that are compared with brute force.
#include "support/real_meshes.hpp"

#include <gtest/gtest.h>

#include "spindrift/core/error.hpp"
#include "spindrift/geometry/mesh_check.hpp"
#include "spindrift/geometry/mesh_repair.hpp"
#include "spindrift/geometry/mesh_shape.hpp"
#include "spindrift/geometry/triangle.hpp"
#include "spindrift/io/mesh_file.hpp"

#include "support/random.hpp"

namespace spindrift {
namespace {

struct BruteForce {
  double distance;
  double winding;
};

BruteForce brute_force(const TriangleMesh& mesh, const Vec3& p) {
  BruteForce result{std::numeric_limits<double>::infinity(), 0};
  for (std::int64_t t = 0; t < mesh.triangle_count(); ++t) {
    const Vec3 &a = mesh.corner(t, 0), &b = mesh.corner(t, 1), &c = mesh.corner(t, 2);
    result.distance = std::min(result.distance, (closest_point_on_triangle(p, a, b, c) - p).norm());
    result.winding += solid_angle_share(p, a, b, c);
  }
  return result;
}

// Half of the points in the box around the mesh, half close to its triangles.
Vec3 query_point(const TriangleMesh& mesh, const Box3& box, test::Random& random) {
  const Vec3 margin = 0.2 * box.sizes();
  if (random.unit() < 0.5) return random.in_box(Box3(box.min() - margin, box.max() + margin));
  const std::int64_t t = random.below(mesh.triangle_count());
  const Vec3 middle = (mesh.corner(t, 0) + mesh.corner(t, 1) + mesh.corner(t, 2)) / 3;
  return middle + 0.01 * box.diagonal().norm() * random.unit() * random.direction();
}

void compare_with_brute_force(const TriangleMesh& mesh, const std::string& name) {
  const ShapePtr shape = make_mesh_shape(mesh);
  const Box3 box = bounds(mesh);
  constexpr std::uint64_t kSeed = 1234;
  test::Random random(kSeed);
#ifdef SPINDRIFT_SANITIZED
  constexpr std::int64_t kTriangleTests = 50'000;
#else
  constexpr std::int64_t kTriangleTests = 2'000'000;
#endif
  const std::int64_t queries =
      std::clamp<std::int64_t>(kTriangleTests / mesh.triangle_count(), 4, 400);
  const double digits = 1e-12 * (box.diagonal().norm() + box.max().cwiseAbs().maxCoeff() +
                                 box.min().cwiseAbs().maxCoeff());
  for (int i = 0; i < queries; ++i) {
    const Vec3 p = query_point(mesh, box, random);
    const BruteForce exact = brute_force(mesh, p);
    const double fast = shape->distance(p);
    if (shape->is_exact()) {
      ASSERT_NEAR(std::abs(fast), exact.distance, digits)
          << name << " query " << i << " seed " << kSeed;
      if (exact.distance > digits) {
        ASSERT_EQ(fast<0, exact.winding> 0.5)
            << name << " query " << i << " seed " << kSeed << " winding " << exact.winding;
      }
    } else {
      ASSERT_LE(std::abs(fast), exact.distance + digits) << name << " query " << i;
      if (std::abs(exact.winding - 0.5) > 0.05) {
        ASSERT_EQ(fast<0, exact.winding> 0.5) << name << " query " << i << " seed " << kSeed;
      }
    }
  }
}

TEST(RealMeshes, AreReadRepairedOrRefusedAndAnswerLikeBruteForce) {
  const auto paths = test::real_meshes();
  ASSERT_GT(paths.size(), 100u) << "run scripts/setup, which unpacks the example meshes";
  int read = 0, closed = 0, refused = 0;
  for (const auto& path : paths) {
    const std::string name = path.filename().string();
    MeshFile file;
    try {
      file = read_mesh(path);
    } catch (const InputError& error) {
      EXPECT_FALSE(error.location().file.empty()) << name;
      ++refused;
      continue;
    }
    ++read;
    TriangleMesh mesh = file.mesh;
    const RepairReport repair = repair_mesh(mesh);
    if (mesh.triangles.empty()) continue;
    const MeshReport report = check_mesh(mesh);
    EXPECT_EQ(repair.sentences().empty(), !repair.changed_anything()) << name;
    closed += report.is_closed();
    compare_with_brute_force(mesh, name);
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(closed, 70);
  EXPECT_GT(refused, 0);  // point clouds
}

}  // namespace
}  // namespace spindrift
