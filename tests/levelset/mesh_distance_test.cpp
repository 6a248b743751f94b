#include "spindrift/levelset/mesh_distance.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/triangle_bvh.hpp"

#include "support/meshes.hpp"
#include "support/random.hpp"

namespace spindrift {
namespace {

constexpr float kBand = 3;
// Fixed-point coordinates (a millionth) and float arithmetic on numbers up to 16.
constexpr double kRoundOff = 4e-6;

BandDistance flat_distance(const TriangleMesh& mesh, const Lattice& lattice, float band = kBand) {
  return mesh_distance(mesh, {}, lattice, {.band = band});
}

// Compares every node of every block with a search over all triangles in double precision.
void expect_exact(const TriangleMesh& mesh, const Lattice& lattice, float band = kBand) {
  const BandDistance distance = flat_distance(mesh, lattice, band);
  EXPECT_EQ(distance.open_rows, 0);
  const TriangleBvh bvh(mesh);
  std::int64_t wrong_signs = 0;
  std::int64_t wrong_masks = 0;
  double worst = 0;
  const SampledField& field = distance.field;
  for (std::int64_t block = 0; block < field.blocks.size(); ++block) {
    for (int node = 0; node < kBlockNodes; ++node) {
      const Vec3 p = lattice.position(Vec3i(field.blocks.first_node(block) + node_offset(node)));
      const double expected = std::sqrt(bvh.closest_point(p).distance2) / lattice.spacing;
      const float value = field.block_values(block)[node];
      worst = std::max(worst, std::abs(std::abs(value) - std::min<double>(expected, band)));
      if (std::abs(expected - band) > kRoundOff) {
        wrong_masks +=
            has_node(field.known[static_cast<std::size_t>(block)], node) != (expected < band);
      }
      if (expected > kRoundOff) wrong_signs += (value < 0) != (bvh.winding_number(p) > 0.5);
    }
  }
  EXPECT_LT(worst, kRoundOff);
  EXPECT_EQ(wrong_signs, 0);
  EXPECT_EQ(wrong_masks, 0);
}

// Every node near the surface is in some block.
void expect_band_is_covered(const TriangleMesh& mesh, const Lattice& lattice) {
  const BandDistance distance = flat_distance(mesh, lattice);
  const TriangleBvh bvh(mesh);
  const Box3 box = bounds(mesh);
  const Vec3i low = (lattice.to_lattice(box.min()).array() - 4).floor().cast<int>();
  const Vec3i high = (lattice.to_lattice(box.max()).array() + 4).ceil().cast<int>();
  for (int z = low.z(); z <= high.z(); ++z) {
    for (int y = low.y(); y <= high.y(); ++y) {
      for (int x = low.x(); x <= high.x(); ++x) {
        const Vec3i node(x, y, z);
        if (distance.field.blocks.find(block_of_node(node)) >= 0) continue;
        EXPECT_GE(std::sqrt(bvh.closest_point(lattice.position(node)).distance2),
                  kBand * lattice.spacing);
      }
    }
  }
}

TriangleMesh merged(TriangleMesh a, const TriangleMesh& b) {
  const auto shift = static_cast<std::int32_t>(a.vertices.size());
  a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const Triangle& t : b.triangles) {
    a.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
  }
  return a;
}

TriangleMesh turned_inside_out(TriangleMesh mesh) {
  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

TEST(MeshDistance, SpheresOfSmallAndLargeTriangles) {
  for (const int levels : {1, 3, 5}) {
    for (const double spacing : {0.021, 0.1, 0.6}) {
      SCOPED_TRACE(testing::Message() << levels << " levels, spacing " << spacing);
      expect_exact(test::sphere(levels), {.origin = {0.013, -0.2, 0.1}, .spacing = spacing});
    }
  }
}

TEST(MeshDistance, EveryBand) {
  for (const float band : {1.0F, 1.75F, 4.5F, 7.0F}) {
    SCOPED_TRACE(band);
    expect_exact(test::sphere(3), {.origin = {0, 0, 0}, .spacing = 0.09}, band);
  }
}

TEST(MeshDistance, FacesAndEdgesThatRunThroughNodes) {
  expect_exact(test::cube({0, 0, 0}, {16, 8, 24}), {});
  expect_exact(test::cube({-3, 1, 2}, {5, 2, 3}), {});
  expect_exact(test::cube({0.5, 0.5, 0.5}, {90.5, 70.25, 61}), {});
}

TEST(MeshDistance, BandIsCovered) {
  expect_band_is_covered(test::sphere(3), {.origin = {0, 0, 0}, .spacing = 0.06});
  expect_band_is_covered(test::cube({-8, -8, -8}, {8, 8, 8}), {});
}

TEST(MeshDistance, SealedPocketsStayAir) {
  const TriangleMesh shell =
      merged(test::sphere(4), turned_inside_out(test::sphere(4, 0.5, {0.1, 0, 0})));
  expect_exact(shell, {.origin = {0, 0, 0}, .spacing = 0.05});
}

TEST(MeshDistance, OverlapsAreTheUnion) {
  const TriangleMesh pair = merged(test::sphere(3), test::sphere(3, 1, {0.7, 0.1, 0}));
  const BandDistance distance = flat_distance(pair, {.origin = {0, 0, 0}, .spacing = 0.05});
  EXPECT_EQ(distance.open_rows, 0);
  const SampledField& field = distance.field;
  for (std::int64_t block = 0; block < field.blocks.size(); ++block) {
    for (int node = 0; node < kBlockNodes; ++node) {
      const Vec3 p =
          field.lattice.position(Vec3i(field.blocks.first_node(block) + node_offset(node)));
      const double inside = std::min(p.norm(), (p - Vec3(0.7, 0.1, 0)).norm());
      if (inside > 0.98 && inside < 1.0001) continue;  // where the polyhedra may be either side
      EXPECT_EQ(std::signbit(field.block_values(block)[node]), inside < 1);
    }
  }
}

// Tetrahedra with edges of up to three lattice units and heights down to nothing.
TEST(MeshDistance, Needles) {
  test::Random random(20070803);
  TriangleMesh mesh;
  for (int i = 0; i < 300; ++i) {
    const Vec3i place(i % 10, i / 10 % 10, i / 100);
    const Vec3 corner = 10 * place.cast<double>();
    const auto base = static_cast<std::int32_t>(mesh.vertices.size());
    const Vec3 along(random.between(-3, 3), random.between(-3, 3), random.between(-3, 3));
    const double thickness = std::pow(10.0, random.between(-7, 0));
    for (int k = 0; k < 4; ++k) {
      const Vec3 off(random.between(-1, 1), random.between(-1, 1), random.between(-1, 1));
      mesh.vertices.emplace_back(corner + random.unit() * along + thickness * off);
    }
    const Vec3& a = mesh.vertices[static_cast<std::size_t>(base)];
    const auto edge = [&](std::size_t k) {
      return Vec3(mesh.vertices[static_cast<std::size_t>(base) + k] - a);
    };
    const bool flip = edge(1).cross(edge(2)).dot(edge(3)) < 0;
    for (Triangle t :
         {Triangle{0, 2, 1}, Triangle{0, 1, 3}, Triangle{1, 2, 3}, Triangle{0, 3, 2}}) {
      if (flip) std::swap(t[1], t[2]);
      mesh.triangles.push_back({base + t[0], base + t[1], base + t[2]});
    }
  }
  expect_exact(mesh, {});
}

// Two or all three corners of a triangle at the same place: it is a segment or a point.
TEST(MeshDistance, TrianglesWithoutArea) {
  test::Random random(20070804);
  TriangleMesh mesh = test::sphere(2, 6.3);
  for (int i = 0; i < 30; ++i) {
    const auto a = static_cast<std::int32_t>(mesh.vertices.size());
    const Vec3 p(random.between(-20, 20), random.between(-20, 20), random.between(-20, 20));
    mesh.vertices.push_back(p);
    mesh.vertices.emplace_back(
        p + Vec3(random.between(-4, 4), random.between(-4, 4), i % 3 == 0 ? 0 : 1));
    mesh.triangles.insert(mesh.triangles.end(), {{a, a, a + 1}, {a, a + 1, a}, {a + 1, a, a}});
    mesh.vertices.emplace_back(p + Vec3(9, 0, 0));
    mesh.triangles.push_back({a + 2, a + 2, a + 2});
  }
  for (const float band : {1.0F, 3.0F, 7.0F}) expect_exact(mesh, {}, band);
}

// The place where a row crosses a triangle is rounded: not past the triangle's own nodes, however
// far away the first block is.
TEST(MeshDistance, FacesOnPlanesFarFromTheFirstBlock) {
  test::Random random(20070805);
  for (int i = 0; i < 200; ++i) {
    const double x = 135 + 8.0 * static_cast<double>(random.below(100));
    const TriangleMesh mesh =
        merged(test::cube(), test::cube({x - 2, random.between(0, 9), random.between(0, 9)},
                                        {x, random.between(15, 40), random.between(15, 40)}));
    EXPECT_EQ(flat_distance(mesh, {}, 1).open_rows, 0) << "x = " << x;
  }
}

TEST(MeshDistance, OpenSurfacesAreReported) {
  TriangleMesh mesh = test::sphere(3);
  mesh.triangles.pop_back();
  EXPECT_GT(flat_distance(mesh, {.origin = {0, 0, 0}, .spacing = 0.02}).open_rows, 0);
}

TEST(MeshDistance, NothingIsNowhere) {
  const BandDistance distance = flat_distance({}, {});
  EXPECT_EQ(distance.field.blocks.size(), 0);
  EXPECT_EQ(distance.open_rows, 0);
}

TEST(MeshDistance, RefusesWhatItCannotHold) {
  EXPECT_THROW(flat_distance(test::cube({0, 0, 0}, {3e6, 1, 1}), {}), InputError);
  EXPECT_THROW(flat_distance(test::cube({1e9, 0, 0}, {1e9 + 5, 1, 1}), {}), InputError);
  EXPECT_THROW(flat_distance(test::cube({0, 0, 0}, {NAN, 1, 1}), {}), InputError);
}

TEST(MeshDistance, SameBitsForAnyNumberOfThreads) {
  const TriangleMesh mesh = test::sphere(6);
  const Lattice lattice{.origin = {0, 0, 0}, .spacing = 0.01};
  const auto with_threads = [&](int count) {
    const ThreadLimit limit(count);
    return flat_distance(mesh, lattice);
  };
  const BandDistance one = with_threads(1);
  const BandDistance two = with_threads(2);
  EXPECT_EQ(one.field.values, two.field.values);
  EXPECT_EQ(one.field.known, two.field.known);
}

}  // namespace
}  // namespace spindrift
