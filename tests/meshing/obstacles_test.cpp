#include "spindrift/meshing/obstacles.hpp"

#include <cmath>
#include <cstdio>
#include <map>

#include <gtest/gtest.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/mesh_shape.hpp"
#include "spindrift/geometry/shape.hpp"
#include "spindrift/levelset/cubic_sampler.hpp"
#include "spindrift/mesh/boundary.hpp"
#include "spindrift/meshing/boundary_tags.hpp"
#include "spindrift/meshing/stuffing.hpp"

#include "support/meshes.hpp"
#include "support/random.hpp"
#include "support/real_meshes.hpp"
#include "support/stuffed_meshes.hpp"

namespace spindrift {
namespace {

const Box3 kBox(Vec3::Constant(-1.1), Vec3::Constant(1.1));

// A liquid's mesh in its obstacles.
struct Fit {
  TetMesh mesh;
  SnapReport snap;
  BoundaryTags tags;
};

Fit fit(const ScalarField& liquid, const ScalarField& obstacle, const Box3& box, double size,
        const SnapParams& params = {}) {
  Fit result;
  result.mesh = stuff(WithoutObstacles(liquid, obstacle), box, {.size = size});
  LiquidBoundary boundary =
      find_liquid_boundary(result.mesh, find_neighbors(result.mesh), liquid, obstacle);
  result.snap = snap_to_obstacles(result.mesh, boundary, liquid, obstacle, params);
  result.tags = tag_boundary(result.mesh, boundary, liquid, obstacle);
  return result;
}

// All but a hollow.
ShapePtr around(const ShapePtr& hollow) {
  return make_difference({make_box(Vec3::Constant(-9), Vec3::Constant(9)), hollow});
}

ShapePtr level_liquid(double level) { return make_box({-3, -3, -3}, {3, 3, level}); }

ShapePtr rotated(const ShapePtr& shape, double angle, const Vec3& axis) {
  Placement placement;
  placement.rotation = Quat(Eigen::AngleAxisd(angle, axis.normalized()));
  return make_placed(shape, placement);
}

// The farthest that a corner of a face that is_asked(face) is from the zeros of a field, in metres.
template <class IsAsked>
double farthest_corner(const Fit& fit, const ScalarField& field, const IsAsked& is_asked) {
  std::vector<Vec3> corners;
  for (std::size_t i = 0; i < fit.tags.faces.size(); ++i) {
    if (!is_asked(i)) continue;
    for (const std::int32_t v : face_corners(fit.mesh, fit.tags.faces[i].side)) {
      corners.push_back(fit.mesh.vertices[v]);
    }
  }
  std::vector<double> values(corners.size());
  field.evaluate(corners, values);
  double farthest = 0;
  for (const double value : values) farthest = std::max(farthest, std::abs(value));
  return farthest;
}

// What must hold of every one.
void expect_fits(const Fit& fit, const ScalarField& liquid, const ScalarField& obstacle) {
  test::expect_good(fit.mesh);
  const double size = fit.mesh.lattice_size;
  std::vector<bool> is_mixed(fit.tags.faces.size(), false);
  for (const std::int32_t i : fit.tags.mixed) is_mixed[i] = true;
  const auto has_tag = [&](FaceTag tag) {
    return [&fit, &is_mixed, tag](std::size_t i) {
      return fit.tags.faces[i].tag == tag && !is_mixed[i];
    };
  };
  EXPECT_LT(farthest_corner(fit, liquid, has_tag(FaceTag::air)), 1e-6 * size);
  EXPECT_LT(farthest_corner(fit, obstacle, has_tag(FaceTag::solid)), 1e-6 * size);
  std::int64_t air = 0;
  for (std::size_t i = 0; i < fit.tags.faces.size(); ++i) {
    const TaggedFace& face = fit.tags.faces[i];
    EXPECT_TRUE(face.tag == FaceTag::air || face.tag == FaceTag::solid);
    EXPECT_FALSE(is_mixed[i] && face.tag == FaceTag::air);
    air += face.tag == FaceTag::air;
  }
  EXPECT_EQ(fit.tags.air_faces, air);
  EXPECT_EQ(fit.tags.air_faces + fit.tags.solid_faces, std::ssize(fit.tags.faces));
  EXPECT_LE(fit.tags.mixed_area, fit.tags.solid_area);
  if (fit.snap.touched_tets == 0) return;
  EXPECT_GE(fit.snap.min_dihedral, test::kLeastDihedral);
  EXPECT_LE(fit.snap.max_dihedral, test::kGreatestDihedral);
}

struct Pool {
  const char* name;
  ShapePtr obstacle;
  double free_area;     // m^2
  double contact_line;  // m, its length
};

constexpr double kLevel = 0.0571;

std::vector<Pool> pools() {
  const ShapePtr tank = make_box({-0.513, -0.487, -0.502}, {0.521, 0.497, 0.6});
  const double area = 1.034 * 0.984, around_it = 2 * (1.034 + 0.984);
  const double radius = 0.23, height = -0.1 + radius;
  const double ring = std::sqrt(radius * radius - std::pow(kLevel - height, 2));
  const ShapePtr uneven_floor =
      make_union({make_sphere({-0.4, -0.3, -0.9}, 0.61), make_sphere({0.3, -0.2, -1.1}, 0.77),
                  make_cylinder({-0.6, 0.3, -0.52}, {0.6, 0.31, -0.45}, 0.11)});
  const double tilt = 0.2;
  return {
      {"tank", around(tank), area, around_it},
      {"sphere on an uneven floor",
       make_union({around(tank), uneven_floor, make_sphere({0.1, 0.05, height}, radius)}),
       area - M_PI * ring * ring, around_it + 2 * M_PI * ring},
      // About y: two walls lean, the level is 1.034 / cos(tilt) long.
      {"leaning walls", around(rotated(tank, tilt, Vec3::UnitY())), area / std::cos(tilt),
       2 * (1.034 / std::cos(tilt) + 0.984)},
      {"cone", around(make_cone({0.01, 0.02, 0.8}, {0.01, 0.02, -0.8}, 0.7)),
       M_PI * std::pow(0.7 * (kLevel + 0.8) / 1.6, 2), 2 * M_PI * 0.7 * (kLevel + 0.8) / 1.6},
      {"turned tank", around(rotated(tank, 0.4, Vec3::UnitZ())), area, around_it},
  };
}

// The pressure of a pool at rest under gravity as a potential, p - rho g . x, is the same at all
// faces towards air; so nothing moves, whatever the other faces are.
TEST(Obstacles, APoolStaysAtRest) {
  const ShapePtr liquid = level_liquid(kLevel);
  for (const Pool& pool : pools()) {
    for (const double size : {0.09, 0.05, 0.031}) {
      SCOPED_TRACE(testing::Message() << pool.name << ", " << size);
      const Fit pool_fit = fit(*liquid, *pool.obstacle, kBox, size);
      expect_fits(pool_fit, *liquid, *pool.obstacle);
      ASSERT_GT(pool_fit.tags.air_faces, 0);
      double lowest = 1e9, highest = -1e9;
      for (const TaggedFace& face : pool_fit.tags.faces) {
        if (face.tag != FaceTag::air) continue;
        Vec3 middle = Vec3::Zero();
        for (const std::int32_t v : face_corners(pool_fit.mesh, face.side)) {
          // Stuffing puts vertices within 1e-8 of a cell.
          EXPECT_NEAR(pool_fit.mesh.vertices[v].z(), kLevel, 2e-8 * size);
          middle += pool_fit.mesh.vertices[v] / 3;
        }
        const double pressure = 1000 * 9.81 * middle.z();  // Pa
        lowest = std::min(lowest, pressure);
        highest = std::max(highest, pressure);
      }
      EXPECT_LT(highest - lowest, 4e-8 * 1000 * 9.81 * size);
    }
  }
}

TEST(Obstacles, SlowFreeAreaAndVolumeConverge) {
  const ShapePtr liquid = level_liquid(kLevel);
  for (const Pool& pool : pools()) {
    for (const double size : {0.09, 0.05, 0.031, 0.017}) {
      SCOPED_TRACE(testing::Message() << pool.name << ", " << size);
      const Fit sharp = fit(*liquid, *pool.obstacle, kBox, size);
      const Fit eighth = fit(*liquid, *pool.obstacle, kBox, size, {.contact_reach = 0});
      // As widths of strips along the contact line, in cells.
      const double strip = pool.contact_line * size;
      const double missing = (pool.free_area - sharp.tags.air_area) / strip;
      const double missing_eighth = (pool.free_area - eighth.tags.air_area) / strip;
      EXPECT_LT(std::abs(missing), 0.15);
      EXPECT_LT(missing_eighth, 1);
      EXPECT_LT(sharp.tags.mixed_area, 0.4 * strip);
      EXPECT_LT(sharp.tags.mixed_area, 0.6 * eighth.tags.mixed_area);
    }
  }
  // Of the tank, all of whose edges under water are chamfered, as in any stuffed box.
  const double exact = 1.034 * 0.984 * (kLevel + 0.502);
  const double edges = 2 * (1.034 + 0.984) + 4 * (kLevel + 0.502);
  for (const double size : {0.09, 0.05, 0.031, 0.017}) {
    const Fit tank = fit(*liquid, *pools().front().obstacle, kBox, size);
    EXPECT_NEAR(measure_quality(tank.mesh).volume, exact, 0.25 * edges * size * size);
  }
}

TEST(Obstacles, SnapsWithinAnEighthAndNoFarther) {
  const double size = 0.05;
  // A wall parallel to the liquid's surface.
  const auto wall_at = [&](double gap) {
    const ShapePtr liquid = make_sphere({0.01, 0.02, 0.03}, 0.7);
    const ShapePtr wall = around(make_sphere({0.01, 0.02, 0.03}, 0.7 + gap * size));
    const Fit result = fit(*liquid, *wall, kBox, size);
    expect_fits(result, *liquid, *wall);
    return result;
  };
  for (const double gap : {0.05, 0.12}) {
    const Fit closed = wall_at(gap);
    EXPECT_EQ(closed.tags.air_faces, 0) << gap;
    EXPECT_EQ(closed.tags.mixed.size(), 0U);
    EXPECT_EQ(closed.snap.contact + closed.snap.undone, 0);
    EXPECT_EQ(closed.snap.projected, std::ssize(boundary_of(closed.mesh).mesh_vertex));
  }
  const Fit open = wall_at(0.13);
  EXPECT_EQ(open.tags.solid_faces, 0);
  EXPECT_EQ(open.snap.projected, 0);
  // Cut by the wall.
  const Fit cut = wall_at(-0.05);
  EXPECT_EQ(cut.tags.air_faces, 0);
  EXPECT_EQ(cut.snap.projected, 0);
}

TEST(Obstacles, OnlyAirFarFromWallsOnlySolidsInABottle) {
  const ShapePtr ball = make_sphere({0.01, 0.02, 0.03}, 0.7);
  const ShapePtr far = make_halfspace({0, 0, -0.9}, Vec3::UnitZ());
  const TetMesh plain = stuff(*ball, kBox, {.size = 0.05});
  const Fit splash = fit(*ball, *far, kBox, 0.05);
  EXPECT_EQ(splash.tags.solid_faces, 0);
  EXPECT_EQ(splash.tags.air_faces, std::ssize(splash.tags.faces));
  EXPECT_EQ(splash.mesh.vertices, plain.vertices);
  EXPECT_EQ(splash.snap.touched_tets, 0);

  const Fit enclosed =
      fit(*make_box(Vec3::Constant(-2), Vec3::Constant(2)), *around(ball), kBox, 0.05);
  EXPECT_EQ(enclosed.tags.air_faces, 0);
  EXPECT_EQ(enclosed.tags.mixed.size(), 0U);
  EXPECT_EQ(enclosed.mesh.vertices, plain.vertices);

  // The liquid's surface is the bottle's.
  const Fit filled = fit(*ball, *around(ball), kBox, 0.05);
  EXPECT_EQ(filled.tags.air_faces, 0);
  EXPECT_NEAR(filled.tags.solid_area, 4 * M_PI * 0.49, 0.01 * 4 * M_PI * 0.49);
}

TEST(Obstacles, ASheetOnTheFloorKeepsItsSides) {
  const ShapePtr sheet = make_cylinder({0, 0, -1}, {0, 0, 0.083}, 0.8);
  const ShapePtr floor = make_halfspace({0, 0, 0.003}, Vec3::UnitZ());
  const Fit result = fit(*sheet, *floor, kBox, 0.04);
  expect_fits(result, *sheet, *floor);
  double top = 0, bottom = 0;
  for (const TaggedFace& face : result.tags.faces) {
    const Triangle corners = face_corners(result.mesh, face.side);
    const Vec3& a = result.mesh.vertices[corners[0]];
    const Vec3 area =
        (result.mesh.vertices[corners[1]] - a).cross(result.mesh.vertices[corners[2]] - a) / 2;
    if (area.normalized().z() > 0.99 && face.tag == FaceTag::air) top += area.norm();
    if (area.normalized().z() < -0.99 && face.tag == FaceTag::solid) bottom += area.norm();
  }
  // Less a strip at the rim, which stuffing chamfers.
  const double strip = 2 * M_PI * 0.8 * 0.04;
  EXPECT_NEAR(top, M_PI * 0.64, 0.6 * strip);
  EXPECT_NEAR(bottom, M_PI * 0.64, 0.15 * strip);
}

// Else nothing would press on them, and nothing would let them move.
TEST(Obstacles, DropsOnWallsHaveAirFaces) {
  int drops = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    test::Random random(seed);
    const Vec3 center = random.in_box({Vec3::Constant(3), Vec3::Constant(6)});
    const double radius = random.between(0.6, 2);
    const Vec3 normal = random.direction();
    const ShapePtr drop = make_sphere(center, radius);
    const ShapePtr wall =
        make_halfspace(center + random.between(-0.9, 0.5) * radius * normal, normal);
    try {
      const Fit result = fit(*drop, *wall, {Vec3::Zero(), Vec3::Constant(9)}, 1);
      EXPECT_GT(result.tags.air_faces, 0);
      ++drops;
    } catch (const InputError& error) {
      EXPECT_NE(error.problem().find("nothing is inside"), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(drops, 300);
}

TEST(Obstacles, MovesThatSpoilTetrahedraAreUndone) {
  const ShapePtr liquid = level_liquid(kLevel);
  const ShapePtr obstacle = pools()[1].obstacle;
  const auto undone = [&](double least, double greatest) {
    const Fit result =
        fit(*liquid, *obstacle, kBox, 0.05, {.min_dihedral = least, .max_dihedral = greatest});
    const SnapReport& snap = result.snap;
    if (snap.touched_tets > 0) {
      EXPECT_GE(snap.min_dihedral, least);
      EXPECT_LE(snap.max_dihedral, greatest);
    }
    return std::pair(snap.undone, snap.projected + snap.contact);
  };
  const auto [few, most] = undone(5, 172);
  const auto [some, others] = undone(25, 140);
  const auto [all, none] = undone(90, 90);
  EXPECT_LT(10 * few, most);
  EXPECT_GT(some, few);
  EXPECT_GT(others, 0);
  EXPECT_GT(all, some);
  EXPECT_EQ(none, 0);
}

TEST(Obstacles, OnlyTetrahedraOfLatticeShapesSaySo) {
  // The level is one of the lattice's planes, where tetrahedra at the surface have its shapes.
  const double size = 1.0 / 16;
  const ShapePtr liquid = level_liquid(4 * size);
  const ShapePtr tank = around(make_cylinder({0.01, 0.02, -0.7}, {0.01, 0.02, 0.7}, 0.61));
  const Fit result = fit(*liquid, *tank, Box3(Vec3::Constant(-1), Vec3::Constant(1)), size);
  EXPECT_GT(result.snap.contact, 20);
  std::int64_t standard = 0;
  for (std::int64_t t = 0; t < result.mesh.tet_count(); ++t) {
    const ShapeCode code = result.mesh.shapes[t];
    if (!code.is_standard()) continue;
    ++standard;
    const LatticeShape& shape = LatticeShapes::instance().shape(code.shape());
    const double side = std::ldexp(size, code.level());
    for (int k = 1; k < 4; ++k) {
      const Vec3 edge = result.mesh.corner(t, k) - result.mesh.corner(t, 0);
      const Vec3 expected = 0.5 * side * (shape.corners[k] - shape.corners[0]).cast<double>();
      EXPECT_LT((edge - expected).norm(), 1e-12);
    }
  }
  EXPECT_GT(standard, result.mesh.tet_count() / 2);
}

// As a tracker has them: in single precision, on a lattice twice as fine.
TEST(Obstacles, SampledDistancesGiveTheSameBoundary) {
  const double size = 0.05;
  const Vec3 center(0.01, 0.02, 0.03);
  const TriangleMesh surface = test::sphere(5, 0.7, center);
  std::vector<Vec3f> normals;
  for (const Vec3& v : surface.vertices) {
    normals.emplace_back((v - center).normalized().cast<float>());
  }
  const BandDistance distance = mesh_distance(surface, normals, {.spacing = size / 2}, {});
  const CubicSampler sampled(distance);
  const ShapePtr exact = make_sphere(center, 0.7);
  for (const double level : {-0.31, 0.0, 0.2}) {
    SCOPED_TRACE(level);
    const ShapePtr floor = make_halfspace({0, 0, level}, Vec3(0.1, 0.2, 1).normalized());
    const Fit one = fit(sampled, *floor, kBox, size);
    const Fit other = fit(*exact, *floor, kBox, size);
    expect_fits(one, sampled, *floor);
    EXPECT_GT(one.snap.contact, 80);
    EXPECT_EQ(one.snap.contact, other.snap.contact);
    EXPECT_EQ(one.tags.faces, other.tags.faces);
  }
}

TEST(Obstacles, ThreadsDoNotMatter) {
  const ShapePtr liquid = level_liquid(kLevel);
  const ShapePtr obstacle = pools()[1].obstacle;
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    return fit(*liquid, *obstacle, kBox, 0.023);
  };
  const Fit one = run(1);
  const Fit two = run(2);
  EXPECT_GT(one.snap.contact, 100);
  EXPECT_EQ(one.mesh.vertices, two.mesh.vertices);
  EXPECT_EQ(one.tags.faces, two.tags.faces);
  EXPECT_EQ(one.tags.mixed, two.tags.mixed);
  EXPECT_EQ(one.tags.air_area, two.tags.air_area);
}

// One of many, in cells of size 1.
struct RandomFit {
  const char* family;
  ShapePtr liquid, obstacle;
};

constexpr int kCells = 9;  // in each direction
const Box3 kRandomBox(Vec3::Zero(), Vec3::Constant(kCells));

ShapePtr random_obstacle(test::Random& random, const Box3& middle) {
  switch (random.below(4)) {
    case 0:
      return make_halfspace(random.in_box(middle), random.direction());
    case 1:
      return make_sphere(random.in_box(middle), random.between(0.7, 3));
    case 2: {
      Placement placement;
      placement.rotation = Quat(Eigen::AngleAxisd(random.between(0, 3), random.direction()));
      placement.translation = random.in_box(middle);
      const Vec3 half = random.in_box({Vec3::Constant(0.6), Vec3::Constant(3)});
      return make_placed(make_box(-half, half), placement);
    }
    default: {
      const Vec3 low = random.in_box({Vec3::Constant(1), Vec3::Constant(3)});
      const Vec3 high = random.in_box({Vec3::Constant(6), Vec3::Constant(8)});
      return make_difference(
          {make_box(Vec3::Constant(-50), Vec3::Constant(50)), make_box(low, high)});
    }
  }
}

RandomFit random_fit(std::uint64_t seed) {
  test::Random random(seed);
  const Box3 middle(Vec3::Constant(3), Vec3::Constant(6));
  const ShapePtr box = make_box(Vec3::Constant(0.6), Vec3::Constant(kCells - 0.6));
  const Vec3 point = random.in_box(middle);
  switch (seed % 5) {
    case 0:
      return {"level", make_intersection({make_halfspace(point, Vec3::UnitZ()), box}),
              random_obstacle(random, middle)};
    case 1:
      return {"tilted", make_intersection({make_halfspace(point, random.direction()), box}),
              random_obstacle(random, middle)};
    case 2:
      return {"ball", make_sphere(point, random.between(1, 4)), random_obstacle(random, middle)};
    case 3: {  // nearly parallel planes that face each other, nearby
      const Vec3 normal = random.direction();
      const Vec3 other = (normal + random.between(0, 0.1) * random.direction()).normalized();
      return {"gap", make_intersection({make_halfspace(point, normal), box}),
              make_halfspace(point + random.between(-0.05, 0.2) * normal, -other)};
    }
    default: {
      const double radius = random.between(1.5, 4);
      const Vec3 center = point + random.between(0, 0.3) * random.direction();
      const ShapePtr hollow = make_sphere(center, radius + random.between(-0.05, 0.15));
      return {"round gap", make_sphere(point, radius),
              make_difference({make_box(Vec3::Constant(-50), Vec3::Constant(50)), hollow})};
    }
  }
}

TEST(Obstacles, SlowKeepsTheBoundsInThousandsOfRandomPlaces) {
  struct Worst {
    double least = 180, greatest = 0;
    std::uint64_t least_seed = 0, greatest_seed = 0;
    std::int64_t meshes = 0, moved = 0, undone = 0;
    double area = 0, mixed_area = 0;
  };
  std::map<std::string, Worst> families;
  std::int64_t meshes = 0, eighth_moved = 0, eighth_undone = 0;
  for (std::uint64_t seed = 0; meshes < 3000; ++seed) {
    ASSERT_LT(seed, 5000U);
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const RandomFit place = random_fit(seed);
    Fit result;
    try {
      result = fit(*place.liquid, *place.obstacle, kRandomBox, 1);
    } catch (const InputError& error) {
      ASSERT_NE(error.problem().find("nothing is inside"), std::string::npos) << error.what();
      continue;
    }
    expect_fits(result, *place.liquid, *place.obstacle);
    if (testing::Test::HasFailure()) return;
    if (meshes++ % 4 == 0) {
      const SnapReport eighth =
          fit(*place.liquid, *place.obstacle, kRandomBox, 1, {.contact_reach = 0}).snap;
      eighth_moved += eighth.projected + eighth.contact;
      eighth_undone += eighth.undone;
    }
    Worst& worst = families[place.family];
    ++worst.meshes;
    worst.moved += result.snap.projected + result.snap.contact;
    worst.undone += result.snap.undone;
    worst.area += result.tags.air_area + result.tags.solid_area;
    worst.mixed_area += result.tags.mixed_area;
    if (result.snap.min_dihedral < worst.least) {
      worst.least = result.snap.min_dihedral;
      worst.least_seed = seed;
    }
    if (result.snap.max_dihedral > worst.greatest) {
      worst.greatest = result.snap.max_dihedral;
      worst.greatest_seed = seed;
    }
  }
  for (const auto& [name, worst] : families) {
    std::printf(
        "%-10s %5lld meshes, %.3f (seed %llu) to %.3f (seed %llu) degrees, %lld moves, %.1f %% "
        "undone, mixed %.1f %% of the boundary\n",
        name.c_str(), static_cast<long long>(worst.meshes), worst.least,
        static_cast<unsigned long long>(worst.least_seed), worst.greatest,
        static_cast<unsigned long long>(worst.greatest_seed), static_cast<long long>(worst.moved),
        100.0 * static_cast<double>(worst.undone) / static_cast<double>(worst.moved + worst.undone),
        100 * worst.mixed_area / worst.area);
    EXPECT_LT(4 * worst.undone, worst.moved + worst.undone);
  }
  std::printf("within an eighth: %lld moves, %lld undone\n", static_cast<long long>(eighth_moved),
              static_cast<long long>(eighth_undone));
  EXPECT_LT(50 * eighth_undone, eighth_moved);
}

// A level pool around each of them.
TEST(RealMeshes, SlowStandInPools) {
  double least = 180, greatest = 0;
  double mixed_area = 0, area = 0;
  std::int64_t moved = 0, undone = 0;
  int pools_made = 0;
  const int closed =
      test::for_each_closed_mesh([&](const TriangleMesh& mesh, const std::string& name) {
        SCOPED_TRACE(name);
        const Box3 inner = bounds(mesh);
        const double size = inner.sizes().maxCoeff() / 12.7;
        const Vec3 margin = Vec3::Constant(3.3 * size);
        const Box3 tank(inner.min() - margin, inner.max() + margin);
        const Vec3 wide = 20 * tank.sizes();
        const ShapePtr obstacle = make_union(
            {make_mesh_shape(mesh), make_difference({make_box(tank.min() - wide, tank.max() + wide),
                                                     make_box(tank.min(), tank.max())})});
        const double level = inner.center().z() + 0.013 * size;
        Vec3 top = tank.max() + margin;
        top.z() = level;
        const ShapePtr liquid = make_box(tank.min() - margin, top);
        const Fit pool =
            fit(*liquid, *obstacle, Box3(tank.min() - margin, tank.max() + margin), size);
        expect_fits(pool, *liquid, *obstacle);
        EXPECT_GT(pool.tags.air_faces, 0);
        ++pools_made;
        least = std::min(least, pool.snap.min_dihedral);
        greatest = std::max(greatest, pool.snap.max_dihedral);
        moved += pool.snap.projected + pool.snap.contact;
        undone += pool.snap.undone;
        mixed_area += pool.tags.mixed_area;
        area += pool.tags.air_area + pool.tags.solid_area;
      });
  std::printf("%d pools: %.3f to %.3f degrees, %lld moves, %lld undone, mixed %.2f %%\n",
              pools_made, least, greatest, static_cast<long long>(moved),
              static_cast<long long>(undone), 100 * mixed_area / area);
  EXPECT_GT(closed, 70);
}

}  // namespace
}  // namespace spindrift
