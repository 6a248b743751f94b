#include "spindrift/mesh/quality.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "spindrift/core/parallel.hpp"

#include "support/random.hpp"
#include "support/tet_meshes.hpp"

namespace spindrift {
namespace {

constexpr double kRegular = 70.528779365509308;  // acos(1 / 3)
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TetMesh one_tet(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  TetMesh mesh;
  mesh.vertices = {a, b, c, d};
  mesh.tets = {{0, 1, 2, 3}};
  return mesh;
}

// The angle between the two faces at an edge, by projecting the other two vertices along it.
double projected_angle(const std::array<Vec3, 4>& x, int edge) {
  const Vec3 from = x[kTetEdges[edge][0]];
  const Vec3 along = (x[kTetEdges[edge][1]] - from).normalized();
  const auto across = [&](int k) { return Vec3((x[k] - from) - along * along.dot(x[k] - from)); };
  const Vec3 u = across(kTetEdges[5 - edge][0]), v = across(kTetEdges[5 - edge][1]);
  return std::atan2(u.cross(v).norm(), u.dot(v)) * 180 / std::numbers::pi;
}

TEST(Quality, AnglesOfTheRegularTetrahedronAndOfACorner) {
  for (const double angle : dihedral_angles({1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1})) {
    EXPECT_NEAR(angle, kRegular, 1e-13);
  }
  // Edges from the corner: right angles. Edges of the slanted face: acos(1 / sqrt(3)).
  const auto corner = dihedral_angles({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1});
  for (int k = 0; k < 3; ++k) EXPECT_EQ(corner[k], 90);
  for (int k = 3; k < 6; ++k) EXPECT_NEAR(corner[k], 54.735610317245346, 1e-13);
}

TEST(Quality, EachAngleBelongsToItsEdge) {
  test::Random random(1);
  for (int trial = 0; trial < 1000; ++trial) {
    std::array<Vec3, 4> x;
    for (Vec3& v : x) v = random.in_box(Box3(Vec3(-1, -1, -1), Vec3(1, 1, 1)));
    const auto angles = dihedral_angles(x[0], x[1], x[2], x[3]);
    for (int k = 0; k < 6; ++k) {
      ASSERT_NEAR(angles[k], projected_angle(x, k), 1e-9) << "trial " << trial << ", edge " << k;
    }
  }
}

TEST(Quality, AnglesOfSliversAreExactToTheirLastDigits) {
  // Four points near a circle, the diagonals `height` apart: two angles near 180, four near 0.
  for (const double height : {1e-3, 1e-8, 1e-12}) {
    const auto angles = dihedral_angles({1, 0, 0}, {-1, 0, 0}, {0, 1, height}, {0, -1, height});
    const double flat = 2 * std::atan(height) * 180 / std::numbers::pi;
    EXPECT_NEAR(180 - angles[0], flat, 1e-13);
    EXPECT_NEAR(180 - angles[5], flat, 1e-13);
    // Faces (a, b, c) and (a, c, d): normals (0, -h, 1) and (h, 0, 1) up to sign.
    const double thin = std::acos(1 / (1 + height * height));
    const double expected =
        (height < 1e-6 ? std::sqrt(2.0) * height : thin) * 180 / std::numbers::pi;
    for (int k = 1; k < 5; ++k) EXPECT_NEAR(angles[k] / expected, 1, 1e-9) << height;
  }
}

TEST(Quality, OfGridsWithKnownAngles) {
  const TetQuality kuhn = measure_quality(test::kuhn_grid({5, 4, 3}, 0.5));
  EXPECT_EQ(kuhn.tets, 6 * 60);
  EXPECT_EQ(kuhn.vertices, 6 * 5 * 4);
  EXPECT_NEAR(kuhn.min_dihedral.value, 45, 1e-12);
  EXPECT_NEAR(kuhn.max_dihedral.value, 90, 1e-12);
  EXPECT_NEAR(kuhn.volume, 60 * 0.125, 1e-12);
  EXPECT_NEAR(kuhn.min_volume.value, 0.125 / 6, 1e-15);
  EXPECT_EQ(kuhn.not_positive, 0);

  const TetQuality five = measure_quality(test::five_grid({4, 4, 4}));
  EXPECT_EQ(five.tets, 5 * 64);
  EXPECT_NEAR(five.min_dihedral.value, 54.735610317245346, 1e-12);
  EXPECT_EQ(five.max_dihedral.value, 90);
  EXPECT_NEAR(five.volume, 64, 1e-12);
  std::array<std::int64_t, kDihedralBins> expected{};
  expected[10] = 64 * 4 * 3;  // 54.7
  expected[14] = 64 * 6;      // 70.5
  expected[18] = 64 * 4 * 3;  // 90, which is not below 90
  EXPECT_EQ(five.dihedrals, expected);
}

TEST(Quality, HistogramAgreesWithTheAngles) {
  test::Random random(2);
  TetMesh mesh;
  std::array<std::int64_t, kDihedralBins> expected{};
  for (int t = 0; t < 20000; ++t) {
    Tet tet;
    for (std::int32_t& v : tet) {
      v = static_cast<std::int32_t>(mesh.vertices.size());
      mesh.vertices.push_back(random.in_box(Box3(Vec3(-1, -1, -1), Vec3(1, 1, 1))));
    }
    // Squeezed ones too, for the bins at both ends.
    for (const std::int32_t v : tet) mesh.vertices[v].z() *= std::pow(0.1, t % 4);
    mesh.tets.push_back(tet);
    const auto angles =
        dihedral_angles(mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2), mesh.corner(t, 3));
    for (const double angle : angles) ++expected[static_cast<int>(angle / kDihedralBinDegrees)];
  }
  const TetQuality quality = measure_quality(mesh);
  EXPECT_EQ(quality.dihedrals, expected);
  EXPECT_GT(*std::min_element(expected.begin(), expected.end()), 0);
}

TEST(Quality, FindsTheWorstAndWhereItIs) {
  TetMesh mesh = test::five_grid({20, 20, 20});
  const std::int64_t victim = 31111;
  const Vec3 apex = mesh.corner(victim, 0);
  // A copy of one tetrahedron with its apex pulled almost into the opposite face.
  const Vec3 base = (mesh.corner(victim, 1) + mesh.corner(victim, 2) + mesh.corner(victim, 3)) / 3;
  Tet tet = mesh.tets[victim];
  tet[0] = static_cast<std::int32_t>(mesh.vertex_count());
  mesh.vertices.emplace_back(base + 1e-3 * (apex - base));
  mesh.tets[victim] = tet;
  const auto angles = dihedral_angles(mesh.corner(victim, 0), mesh.corner(victim, 1),
                                      mesh.corner(victim, 2), mesh.corner(victim, 3));
  const TetQuality quality = measure_quality(mesh);
  EXPECT_EQ(quality.min_dihedral.tet, victim);
  EXPECT_EQ(quality.max_dihedral.tet, victim);
  EXPECT_EQ(quality.min_volume.tet, victim);
  EXPECT_EQ(quality.min_dihedral.value, *std::min_element(angles.begin(), angles.end()));
  EXPECT_EQ(quality.max_dihedral.value, *std::max_element(angles.begin(), angles.end()));
  EXPECT_LT((quality.min_dihedral.barycentre - base).norm(), 1e-3);
  EXPECT_EQ(quality.not_positive, 0);
}

TEST(Quality, CountsWhatIsFlatInsideOutOrNotFinite) {
  TetMesh mesh = test::kuhn_grid({2, 2, 2});
  std::swap(mesh.tets[7][0], mesh.tets[7][1]);
  TetQuality quality = measure_quality(mesh);
  EXPECT_EQ(quality.not_positive, 1);
  EXPECT_EQ(quality.min_volume.tet, 7);
  EXPECT_NEAR(quality.min_volume.value, -1.0 / 6, 1e-15);
  // Its angles are those of its mirror image.
  EXPECT_NEAR(quality.min_dihedral.value, 45, 1e-12);

  quality = measure_quality(one_tet({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}));
  EXPECT_EQ(quality.not_positive, 1);
  EXPECT_EQ(quality.min_dihedral.value, 0);
  EXPECT_EQ(quality.max_dihedral.value, 180);

  for (const double bad : {kNan, std::numeric_limits<double>::infinity(), 1e300}) {
    quality = measure_quality(one_tet({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, bad, 1}));
    EXPECT_EQ(quality.tets, 1);
    EXPECT_EQ(quality.min_dihedral.tet, 0);
    EXPECT_EQ(quality.dihedrals[0] + quality.dihedrals[kDihedralBins - 1] +
                  quality.dihedrals[kDihedralBins / 2],
              6);
  }
  EXPECT_EQ(measure_quality(one_tet({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, kNan, 1})).not_positive,
            1);

  quality = measure_quality({});
  EXPECT_EQ(quality.min_dihedral.tet, -1);
  EXPECT_EQ(quality.volume, 0);
}

TEST(Quality, TheSameBitsForAnyNumberOfThreads) {
  TetMesh mesh = test::kuhn_grid({24, 24, 24}, 0.1);
  test::Random random(3);
  for (Vec3& v : mesh.vertices) v += 0.02 * random.direction();
  const TetQuality all = measure_quality(mesh);
  const ThreadLimit limit(1);
  const TetQuality one = measure_quality(mesh);
  EXPECT_EQ(all.volume, one.volume);
  EXPECT_EQ(all.min_dihedral.value, one.min_dihedral.value);
  EXPECT_EQ(all.min_dihedral.tet, one.min_dihedral.tet);
  EXPECT_EQ(all.max_dihedral.value, one.max_dihedral.value);
  EXPECT_EQ(all.max_dihedral.tet, one.max_dihedral.tet);
  EXPECT_EQ(all.min_volume.value, one.min_volume.value);
  EXPECT_EQ(all.dihedrals, one.dihedrals);
}

}  // namespace
}  // namespace spindrift
