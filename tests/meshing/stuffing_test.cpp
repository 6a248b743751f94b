#include "spindrift/meshing/stuffing.hpp"

#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/mesh_shape.hpp"
#include "spindrift/geometry/shape.hpp"
#include "spindrift/mesh/boundary.hpp"

#include "support/lattice_field.hpp"
#include "support/meshes.hpp"
#include "support/random.hpp"
#include "support/stuffed_meshes.hpp"

namespace spindrift {
namespace {

Box3 box_around(const Shape& shape, double margin) {
  return {shape.bounds().min().array() - margin, shape.bounds().max().array() + margin};
}

using test::farthest_from_surface;

// Vertices - edges + faces of the boundary: 2 - 2 genus for each of its pieces.
std::int64_t euler_characteristic(const TetMesh& mesh) {
  const TriangleMesh surface = boundary_of(mesh).surface;
  std::set<std::pair<std::int32_t, std::int32_t>> edges;
  for (const Triangle& t : surface.triangles) {
    for (int k = 0; k < 3; ++k) {
      edges.insert(std::minmax(t[k], t[(k + 1) % 3]));
    }
  }
  return surface.vertex_count() - std::ssize(edges) + surface.triangle_count();
}

struct NamedShape {
  const char* name;
  ShapePtr shape;
  bool is_smooth;
};

std::vector<NamedShape> shapes() {
  const ShapePtr ball = make_sphere({0.1, -0.2, 0.05}, 1);
  const ShapePtr block = make_box({-1.03, -0.71, -0.52}, {0.97, 0.81, 0.55});
  return {
      {"sphere", ball, true},
      {"torus", make_torus({0, 0, 0}, Vec3(0.2, 0.3, 1).normalized(), 0.8, 0.3), true},
      {"capsule", make_capsule({-0.5, 0, 0.2}, {0.7, 0.3, -0.1}, 0.4), true},
      {"box", block, false},
      {"cylinder", make_cylinder({-0.6, 0.1, 0}, {0.8, -0.2, 0.3}, 0.5), false},
      {"cone", make_cone({0, 0, -0.8}, {0.1, 0.2, 1}, 0.9), false},
      {"box without ball", make_difference({block, make_sphere({0.9, 0.7, 0.5}, 0.6)}), false},
      {"shell", make_difference({ball, make_sphere({0.1, -0.2, 0.05}, 0.6)}), true},
  };
}

TEST(Stuffing, FillsShapesWithGoodTetrahedra) {
  for (const NamedShape& named : shapes()) {
    for (const double size : {0.19, 0.083, 0.051}) {
      for (const bool uniform : {false, true}) {
        SCOPED_TRACE(testing::Message()
                     << named.name << ", " << size << (uniform ? ", uniform" : ""));
        const TetMesh mesh =
            stuff(*named.shape, box_around(*named.shape, 0), {.size = size, .uniform = uniform});
        test::expect_good(mesh);
        if (named.is_smooth) {
          EXPECT_LT(farthest_from_surface(mesh, *named.shape, size), 1e-6);
        }
      }
    }
  }
}

TEST(Stuffing, FlatSurfacesAreExact) {
  const Vec3 normal = Vec3(0.3, -0.2, 1).normalized();
  const ShapePtr block = make_box({-1.03, -0.71, -0.52}, {0.97, 0.81, 0.55});
  const ShapePtr half = make_halfspace({0, 0, 0.0137}, normal);
  const TetMesh mesh = stuff(*make_intersection({block, half}), block->bounds(), {.size = 0.083});
  double farthest = 0;
  int on_plane = 0;
  for (const Vec3& v : boundary_of(mesh).surface.vertices) {
    if (block->distance(v) > -1e-3) continue;
    farthest = std::max(farthest, std::abs(half->distance(v)));
    ++on_plane;
  }
  EXPECT_GT(on_plane, 100);
  EXPECT_LT(farthest, 1e-13);
}

TEST(Stuffing, FillsMeshesAsThroughTheirDistance) {
  const TriangleMesh sphere = test::sphere(5);
  const ShapePtr shape = make_mesh_shape(sphere);
  const StuffingParams params = {.size = 0.06};
  const TetMesh fast = stuff(sphere, params);
  const TetMesh slow = stuff(*shape, shape->bounds(), params);
  test::expect_good(fast);
  EXPECT_LT(farthest_from_surface(fast, *shape, params.size), 1e-6);
  // Rounded to fixed point, few vertices move elsewhere.
  EXPECT_EQ(fast.tet_count(), slow.tet_count());
  EXPECT_NEAR(measure_quality(fast).volume, measure_quality(slow).volume, 1e-6);
}

TEST(Stuffing, FillsMeshesWhoseFacesLieOnTheLattice) {
  const TriangleMesh cube = test::cube(Vec3(-0.5, -0.5, -0.5), Vec3(0.5, 0.5, 0.5));
  const ShapePtr shape = make_mesh_shape(cube);
  for (const double size : {0.0625, 0.0617, 0.1}) {
    SCOPED_TRACE(size);
    const TetMesh mesh = stuff(cube, {.size = size});
    test::expect_good(mesh);
    EXPECT_LT(farthest_from_surface(mesh, *shape, size), 1e-6);
    // Edges are chamfered.
    EXPECT_NEAR(measure_quality(mesh).volume, 1, 4 * size * size);
  }
}

TEST(Stuffing, FillsTheUnionOfOverlappingParts) {
  const TriangleMesh one = test::sphere(4);
  const TriangleMesh other = test::sphere(4, 0.9, {0.7, 0.1, 0.2});
  TriangleMesh both = one;
  both.vertices.insert(both.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (const Triangle& t : other.triangles) {
    const auto first = static_cast<std::int32_t>(one.vertex_count());
    both.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
  const TetMesh mesh = stuff(both, {.size = 0.08});
  test::expect_good(mesh);
  const ShapePtr joined = make_union({make_mesh_shape(one), make_mesh_shape(other)});
  EXPECT_LT(farthest_from_surface(mesh, *joined, 0.08), 1e-6);
  EXPECT_EQ(euler_characteristic(mesh), 2);
}

TEST(Stuffing, RefusesOpenMeshes) {
  TriangleMesh sphere = test::sphere(3);
  sphere.triangles.resize(sphere.triangles.size() / 2);
  EXPECT_THROW((void)stuff(sphere, {.size = 0.1}), InputError);
}

// Rows along x, which tell inside from outside, pass through holes in two of the six faces only.
TEST(Stuffing, RefusesMeshesWithAHoleThatNoRowPassesThrough) {
  const TriangleMesh cube = test::cube();
  for (std::size_t face = 0; face < 6; ++face) {
    TriangleMesh open = cube;
    const auto first = open.triangles.begin() + static_cast<std::ptrdiff_t>(2 * face);
    open.triangles.erase(first, first + 2);
    EXPECT_THROW((void)stuff(open, {.size = 0.09}), InputError) << "without face " << face;
    for (Vec3& v : open.vertices) v.z() += 1e-3 * v.x() + 2e-3 * v.y();
    EXPECT_THROW((void)stuff(open, {.size = 0.09}), InputError) << "sheared, without face " << face;
  }
}

// 0.1 at a point, and half of the distance from it.
class SizeAroundPoint final : public ScalarField {
 public:
  void evaluate(std::span<const Vec3> points, std::span<double> values) const override {
    for (std::size_t i = 0; i < points.size(); ++i) {
      values[i] = 0.1 + 0.5 * (points[i] - Vec3(0.3, 0.2, -0.1)).norm();
    }
  }
};

TEST(Stuffing, RefinesWhereTheSizingAsksForIt) {
  const ShapePtr ball = make_sphere({0, 0, 0}, 2);
  const SizeAroundPoint sizing;
  const double size = 0.08;
  const TetMesh coarse = stuff(*ball, ball->bounds(), {.size = size});
  const TetMesh mesh = stuff(*ball, ball->bounds(), {.size = size, .sizing = &sizing});
  test::expect_good(mesh);
  EXPECT_GT(mesh.tet_count(), coarse.tet_count());
  // Tetrahedra reach from a leaf to the next: their longest edge is at most that of the larger.
  int checked = 0;
  for (std::int64_t t = 0; t < mesh.tet_count(); ++t) {
    const ShapeCode code = mesh.shapes[static_cast<std::size_t>(t)];
    if (!code.is_standard() || code.level() == 0) continue;
    const double side = std::ldexp(size, code.level());
    Vec3 center = Vec3::Zero();
    for (int k = 0; k < 4; ++k) center += mesh.corner(t, k) / 4;
    double asked = 0;
    sizing.evaluate({&center, 1}, {&asked, 1});
    // The field grows by half of the way to the leaf's centre.
    EXPECT_LE(side, std::max(2 * size, asked + 0.5 * std::sqrt(3.0) * side));
    ++checked;
  }
  EXPECT_GT(checked, 1000);
}

TEST(Stuffing, SizingBelowTheFinestSizeIsUniform) {
  class Small final : public ScalarField {
    void evaluate(std::span<const Vec3>, std::span<double> values) const override {
      std::fill(values.begin(), values.end(), 0.01);
    }
  };
  const ShapePtr ball = make_sphere({0, 0, 0}, 1);
  const Small sizing;
  const TetMesh sized = stuff(*ball, ball->bounds(), {.size = 0.09, .sizing = &sizing});
  const TetMesh uniform = stuff(*ball, ball->bounds(), {.size = 0.09, .uniform = true});
  EXPECT_EQ(sized.tets, uniform.tets);
  EXPECT_EQ(sized.vertices, uniform.vertices);
}

TEST(Stuffing, RefusesSizesThatAreNotNumbers) {
  class NoNumber final : public ScalarField {
    void evaluate(std::span<const Vec3>, std::span<double> values) const override {
      std::fill(values.begin(), values.end(), std::nan(""));
    }
  };
  const ShapePtr ball = make_sphere({0, 0, 0}, 1);
  const NoNumber sizing;
  EXPECT_THROW((void)stuff(*ball, ball->bounds(), {.size = 0.1, .sizing = &sizing}), InputError);
}

TEST(Stuffing, VolumeConvergesAtSecondOrder) {
  const ShapePtr sphere = make_sphere({0.013, 0.021, -0.017}, 1);
  const double exact = 4 * M_PI / 3;
  std::vector<double> errors;
  for (const double size : {0.1, 0.05, 0.025}) {
    const TetMesh mesh = stuff(*sphere, box_around(*sphere, 0), {.size = size});
    errors.push_back(exact - measure_quality(mesh).volume);
  }
  for (std::size_t i = 1; i < errors.size(); ++i) {
    EXPECT_NEAR(std::log2(errors[i - 1] / errors[i]), 2, 0.1);
  }
}

TEST(Stuffing, KeepsComponentsAndGenus) {
  const auto stuffed = [](const ShapePtr& shape, double size) {
    return stuff(*shape, box_around(*shape, 0), {.size = size});
  };
  const TetMesh torus = stuffed(make_torus({0, 0, 0}, Vec3::UnitZ(), 1, 0.35), 0.06);
  EXPECT_EQ(check_tets(torus).components, 1);
  EXPECT_EQ(euler_characteristic(torus), 0);
  const ShapePtr ball = make_sphere({0, 0, 0}, 1);
  const TetMesh shell = stuffed(make_difference({ball, make_sphere({0, 0, 0}, 0.5)}), 0.06);
  EXPECT_EQ(check_tets(shell).components, 1);
  EXPECT_EQ(euler_characteristic(shell), 4);
  const TetMesh two = stuffed(make_union({ball, make_sphere({3, 0, 0}, 0.7)}), 0.06);
  EXPECT_EQ(check_tets(two).components, 2);
  EXPECT_EQ(euler_characteristic(two), 4);
}

TEST(Stuffing, GradedMeshesAreCoarseInside) {
  const ShapePtr sphere = make_sphere({0, 0, 0}, 1);
  const Box3 box = box_around(*sphere, 0);
  const TetMesh graded = stuff(*sphere, box, {.size = 1.0 / 48});
  const TetMesh uniform = stuff(*sphere, box, {.size = 1.0 / 48, .uniform = true});
  EXPECT_LT(4 * graded.tet_count(), uniform.tet_count());
  // The surface is the same.
  const TriangleMesh a = boundary_of(graded).surface;
  const TriangleMesh b = boundary_of(uniform).surface;
  EXPECT_EQ(a.triangle_count(), b.triangle_count());
  EXPECT_EQ(a.vertex_count(), b.vertex_count());
  // Of the tetrahedra of the largest leaves, eight finest cells a side, each has 1/12 of its cube.
  double greatest = 0;
  for (std::int64_t t = 0; t < graded.tet_count(); ++t) {
    greatest = std::max(greatest, graded.volume(t));
  }
  EXPECT_NEAR(greatest, std::pow(8.0 / 48, 3) / 12, 1e-12);
}

TEST(Stuffing, ThreadsDoNotMatter) {
  const ShapePtr torus = make_torus({0, 0, 0}, Vec3(0.2, 0.3, 1).normalized(), 1, 0.35);
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    return stuff(*torus, box_around(*torus, 0), {.size = 0.03});
  };
  const TetMesh one = run(1);
  const TetMesh two = run(2);
  EXPECT_EQ(one.tets, two.tets);
  EXPECT_EQ(one.vertices, two.vertices);
}

// One of many surfaces, in cells of size 1.
struct RandomSurface {
  const char* family;
  std::shared_ptr<const ScalarField> distance;
};

constexpr int kCells = 9;  // in each direction
const Box3 kRandomBox(Vec3::Zero(), Vec3::Constant(kCells));

// In the box, any value at any vertex.
std::shared_ptr<const ScalarField> random_cuts(std::uint64_t seed, double bias) {
  const auto value = [seed, bias](const Vec3i& at) {
    const bool is_in = (at.array() >= 1).all() && (at.array() <= 2 * kCells - 1).all();
    return is_in ? 0.3 * test::hashed(at, seed) + bias : 0.5;
  };
  return std::make_shared<test::LatticeField<decltype(value)>>(value);
}

// A ball with a rough surface: deep inside nothing is cut, so that the octree is graded.
std::shared_ptr<const ScalarField> rough_ball(std::uint64_t seed, double roughness) {
  const auto value = [seed, roughness](const Vec3i& at) {
    const double smooth = (0.5 * at.cast<double>() - Vec3::Constant(0.5 * kCells)).norm() - 4;
    return 0.5 * (smooth + roughness * test::hashed(at, seed));
  };
  return std::make_shared<test::LatticeField<decltype(value)>>(value);
}

RandomSurface random_surface(std::uint64_t seed) {
  test::Random random(seed);
  const ShapePtr box = make_box(Vec3::Constant(0.6), Vec3::Constant(kCells - 0.6));
  const Vec3 point = random.in_box({Vec3::Constant(3), Vec3::Constant(6)});
  switch (seed % 6) {
    case 0:
      return {"random cuts", random_cuts(seed, random.between(-0.3, 0.15))};
    case 1:
      return {"rough ball", rough_ball(seed, random.between(0.1, 2))};
    case 2: {  // a thin shell
      const double radius = random.between(2, 4);
      return {"shell", make_difference({make_sphere(point, radius),
                                        make_sphere(point, radius - random.between(0.05, 1.5))})};
    }
    case 3: {  // a plane that nearly touches planes of the lattice
      const Vec3 normal = (Vec3::Unit(static_cast<int>(random.below(3))) +
                           random.between(0, 0.02) * random.direction())
                              .normalized();
      const Vec3 lattice_point = (2 * point).array().round() / 2;
      const Vec3 moved = lattice_point + random.between(-0.02, 0.02) * normal;
      return {"tangent plane", make_intersection({make_halfspace(moved, normal), box})};
    }
    case 4: {  // through points of the lattice, with normals along its edges
      const Vec3i half =
          Vec3i::NullaryExpr([&](Eigen::Index) { return static_cast<int>(random.below(5)) - 2; });
      const Vec3 normal = half.cast<double>() + Vec3::Unit(0) * (half.isZero() ? 1 : 0);
      const Vec3 through = (2 * point).array().round() / 2;
      return {"plane of lattice points",
              make_intersection({make_halfspace(through, normal.normalized()),
                                 make_box(Vec3::Constant(1), Vec3::Constant(kCells - 1))})};
    }
    default: {
      return {"intersection", make_intersection({make_sphere(point, random.between(1, 4)),
                                                 make_halfspace(point, random.direction()),
                                                 make_halfspace(point, random.direction())})};
    }
  }
}

TEST(Stuffing, SlowHoldsTheBoundsOnTenThousandRandomSurfaces) {
  struct Worst {
    double least = 180, greatest = 0;
    std::uint64_t least_seed = 0, greatest_seed = 0;
    std::int64_t meshes = 0;
  };
  std::map<std::string, Worst> families;
  std::int64_t meshes = 0;
  for (std::uint64_t seed = 0; meshes < 10000; ++seed) {
    ASSERT_LT(seed, 15000U);
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const RandomSurface surface = random_surface(seed);
    TetMesh mesh;
    try {
      mesh = stuff(*surface.distance, kRandomBox, {.size = 1});
    } catch (const InputError& error) {
      // Only thin things have nothing inside.
      ASSERT_NE(error.problem().find("nothing is inside"), std::string::npos) << error.what();
      continue;
    }
    test::expect_good(mesh);
    if (testing::Test::HasFailure()) return;
    const TetQuality quality = measure_quality(mesh);
    Worst& worst = families[surface.family];
    ++worst.meshes;
    ++meshes;
    if (quality.min_dihedral.value < worst.least) {
      worst.least = quality.min_dihedral.value;
      worst.least_seed = seed;
    }
    if (quality.max_dihedral.value > worst.greatest) {
      worst.greatest = quality.max_dihedral.value;
      worst.greatest_seed = seed;
    }
  }
  for (const auto& [name, worst] : families) {
    std::printf("%-24s %6lld meshes, %.3f (seed %llu) to %.3f (seed %llu)\n", name.c_str(),
                static_cast<long long>(worst.meshes), worst.least,
                static_cast<unsigned long long>(worst.least_seed), worst.greatest,
                static_cast<unsigned long long>(worst.greatest_seed));
  }
}

TEST(Stuffing, SaysWhatCannotBeMeshed) {
  const ShapePtr sphere = make_sphere({0, 0, 0}, 1);
  const Box3 box = box_around(*sphere, 0);
  const auto problem = [&](const ScalarField& field, const Box3& where, double size) {
    try {
      (void)stuff(field, where, {.size = size});
    } catch (const InputError& error) {
      EXPECT_FALSE(error.advice().empty());
      return error.problem();
    }
    return std::string("none");
  };
  const auto contains = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(contains(problem(*sphere, box, 0), "the size of cells is 0"));
  EXPECT_TRUE(contains(problem(*sphere, box, std::nan("")), "the size of cells is nan"));
  EXPECT_TRUE(contains(problem(*sphere, box, 1e-5), "GB of memory"));
  EXPECT_TRUE(contains(problem(*sphere, box, 1e-9), "cells across"));
  // Its surface would fit, but not a million bricks of finest cells.
  EXPECT_THROW((void)stuff(*sphere, box, {.size = 0.002, .uniform = true}), InputError);
  EXPECT_TRUE(contains(problem(*sphere, {Vec3::Zero(), Vec3::Ones()}, 0.05), "leaves the box"));
  EXPECT_TRUE(
      contains(problem(*make_halfspace({0, 0, 0}, Vec3::UnitZ()), box, 0.05), "leaves the box"));
  EXPECT_TRUE(
      contains(problem(*sphere, {Vec3::Constant(3), Vec3::Constant(4)}, 0.1), "nothing is inside"));
  EXPECT_TRUE(contains(problem(*make_sphere({0, 0, 0}, 0.001), box, 0.3), "nothing is inside"));
  EXPECT_TRUE(contains(problem(*sphere, Box3(), 0.1), "empty or infinite"));
  class NotANumber final : public ScalarField {
   public:
    void evaluate(std::span<const Vec3> points, std::span<double> values) const override {
      for (std::size_t i = 0; i < points.size(); ++i) {
        values[i] = points[i].x() > 0 ? std::nan("") : 0.1;
      }
    }
  };
  EXPECT_TRUE(contains(problem(NotANumber(), box, 0.1), "not a finite number"));
}

TEST(Stuffing, SaysWhichMeshesCannotBeFilled) {
  const auto problem = [](const TriangleMesh& mesh, double size) {
    try {
      (void)stuff(mesh, {.size = size});
    } catch (const InputError& error) {
      EXPECT_FALSE(error.advice().empty());
      return error.problem();
    }
    return std::string("none");
  };
  const auto expect_problem = [&](const TriangleMesh& mesh, double size, const char* part) {
    const std::string text = problem(mesh, size);
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect_problem({}, 0.1, "no triangles");
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    TriangleMesh mesh = test::cube();
    mesh.vertices[3].x() = bad;
    expect_problem(mesh, 0.1, "not finite");
  }
  expect_problem(test::cube(), 1e-4, "GB of memory");
  // A needle would fit into the memory.
  expect_problem(test::cube({0, 0, 0}, {1000, 1e-3, 1e-3}), 1e-3, "cells across");
  expect_problem(test::cube({0, 0, 0}, {1, 1, 1e-3}), 0.1, "nothing is inside");
}

// Also where squares of lengths are zero or infinite.
TEST(Stuffing, SizesOfMeshesAreOnlyRelative) {
  const TriangleMesh sphere = test::sphere(3);
  const TetMesh mesh = stuff(sphere, {.size = 0.25});
  for (const int exponent : {-800, 800}) {
    TriangleMesh scaled = sphere;
    for (Vec3& v : scaled.vertices) v *= std::exp2(exponent);
    EXPECT_EQ(stuff(scaled, {.size = 0.25 * std::exp2(exponent)}).tets, mesh.tets);
  }
}

}  // namespace
}  // namespace spindrift
