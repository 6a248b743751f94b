#include "spindrift/flow/velocity_grid.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/shape.hpp"

#include "support/flows.hpp"
#include "support/meshed_flow.hpp"
#include "support/tet_meshes.hpp"

namespace spindrift {
namespace {

using test::MeshedFlow;
using test::MeshedFlowPtr;

VelocityGrid make(const MeshedFlow& flow, double reach, GridKind kind = GridKind::sharp,
                  const SolidMotion& solids = {}) {
  const VertexRings rings = vertex_rings(flow.mesh());
  const VertexVelocity at_vertices = vertex_velocities(flow.flow(), rings);
  const GridPlaces places(
      flow.mesh(), at_vertices.boundary,
      locate_nodes(flow.flow(), rings, lattice_around(flow.mesh(), flow.cells()), {reach}));
  const VelocityGridParams how = {kind, {}};
  return velocity_grids(flow.mesh(), at_vertices, places, {&how, 1}, solids).front();
}

std::vector<Vec3> evaluate(const VelocityField& field, const std::vector<Vec3>& points) {
  std::vector<Vec3> velocities(points.size());
  field.evaluate(points, velocities);
  return velocities;
}

MeshedFlowPtr torus(double size) {
  return test::blob_flow(*make_torus({5, -7, 1e3}, Vec3(0.2, 0.3, 1).normalized(), 0.8, 0.3),
                         {.size = size});
}

// Nodes at vertices are not looked for among tetrahedra that have kept the shape of the lattice.
TEST(LocatedNodes, AreThoseOfAllTetrahedra) {
  const MeshedFlowPtr flow = torus(0.07);
  const VertexRings rings = vertex_rings(flow->mesh());
  TetMesh shapeless = flow->mesh();
  shapeless.shapes.clear();
  const TetFlow any = {shapeless, flow->flow().faces, flow->cells(), flow->u, flow->z};
  const Lattice lattice = lattice_around(flow->mesh(), flow->cells());
  const LocatedNodes nodes = locate_nodes(flow->flow(), rings, lattice, {0.2});
  const LocatedNodes all = locate_nodes(any, rings, lattice, {0.2});
  EXPECT_EQ(nodes.tets, all.tets);
  EXPECT_GT(std::count_if(all.tets.begin(), all.tets.end(), [](auto t) { return t != kNoTet; }),
            1000);
}

// As far as the liquid at each face moves, and no farther than the block that this ends in.
TEST(LocatedNodes, ReachAsFarAsTheLiquidThereMoves) {
  const double size = 0.07;
  const MeshedFlowPtr flow = torus(size);
  const VertexRings rings = vertex_rings(flow->mesh());
  const Lattice lattice = lattice_around(flow->mesh(), flow->cells());
  std::vector<Vec3> velocities;
  for (const Vec3& x : flow->mesh().vertices) velocities.emplace_back(0, x.x() > 5.6 ? -7 : 1, 0);
  const double margin = 2 * size;
  const GridReach fast = {.margin = margin, .velocities = velocities, .dt = 0.1};
  const GridReach slow = {.margin = margin, .velocities = velocities, .dt = -0.1, .most = 0.3};
  for (const GridReach& reach : {fast, slow}) {
    const LocatedNodes nodes = locate_nodes(flow->flow(), rings, lattice, reach);
    const double greatest = std::min(0.7 + margin, reach.most);
    EXPECT_NEAR(reach.greatest(), greatest, 1e-12);
    EXPECT_EQ(nodes.layers, std::ceil(greatest / size));
    std::vector<char> is_needed(static_cast<std::size_t>(nodes.blocks.size()), 0);
    const auto& faces = flow->flow().faces;
    for (std::int64_t face = 0; face < faces.count(); ++face) {
      if (!faces.is_boundary(face)) continue;
      const std::int32_t side = faces.first_side(face);
      double speed = 1;
      Box3 box;
      for (const auto corner : kTetFaces[static_cast<std::size_t>(side & 3)]) {
        box.extend(flow->mesh().corner(side >> 2, corner));
        if (flow->mesh().corner(side >> 2, corner).x() > 5.6) speed = 7;
      }
      const double way = std::min(0.1 * speed + margin, reach.most);
      const Vec3 low = lattice.to_lattice(box.min() - Vec3::Constant(way));
      const Vec3 high = lattice.to_lattice(box.max() + Vec3::Constant(way));
      // All blocks with a node of a cell that a point in reach is in, and the ones next to these.
      for (int corner = 0; corner < 8; ++corner) {
        Vec3i node;
        for (int axis = 0; axis < 3; ++axis) {
          node[axis] = (corner >> axis & 1) != 0 ? static_cast<int>(std::ceil(high[axis]))
                                                 : static_cast<int>(std::floor(low[axis]));
        }
        ASSERT_GE(nodes.blocks.find(block_of_node(node)), 0);
      }
      const Vec3i first = block_of_node((low.array().floor() - 2).cast<int>().matrix());
      const Vec3i last = block_of_node((high.array().ceil() + 2).cast<int>().matrix());
      for (int z = first.z(); z <= last.z(); ++z) {
        for (int y = first.y(); y <= last.y(); ++y) {
          for (int x = first.x(); x <= last.x(); ++x) {
            const std::int32_t block = nodes.blocks.find({x, y, z});
            if (block >= 0) is_needed[static_cast<std::size_t>(block)] = 1;
          }
        }
      }
    }
    EXPECT_EQ(std::count(is_needed.begin(), is_needed.end(), 0), 0);
    // Where the liquid is slow 3.4 cells instead of 12; with the limit, instead of 4.3.
    const LocatedNodes all = locate_nodes(flow->flow(), rings, lattice, {greatest});
    EXPECT_LT(100 * nodes.blocks.size(), (reach.most < 1 ? 98 : 90) * all.blocks.size());
  }
}

TEST(VelocityGrid, UniformIsExactWithinReach) {
  const double size = 0.07;
  const double reach = 4.5 * size;
  const ShapePtr shape = make_torus({5, -7, 1e3}, Vec3(0.2, 0.3, 1).normalized(), 0.8, 0.3);
  const MeshedFlowPtr flow = torus(size);
  const Vec3 velocity(1.3, -0.4, 2.2);
  flow->set([&](const Vec3&) { return velocity; });
  const VelocityGrid grid = make(*flow, reach);
  test::Random random(1);
  std::vector<Vec3> points;
  while (points.size() < 20000) {
    const Vec3 x = random.in_box(Box3(Vec3(3, -9, 999), Vec3(7, -5, 1001)));
    if (std::abs(shape->distance(x)) < reach - 0.05 * size) points.push_back(x);
  }
  double worst = 0;
  for (const Vec3& u : evaluate(grid, points)) worst = std::max(worst, (u - velocity).norm());
  EXPECT_LT(worst, 1e-13);
}

TEST(VelocityGrid, NotANumberBeyond) {
  const MeshedFlowPtr flow = torus(0.1);
  const VelocityGrid grid = make(*flow, 0.2);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Vec3& u : evaluate(grid, {{50, 0, 0}, {1e300, 0, 0}, {nan, 5, 5}, {5, infinity, 0}})) {
    EXPECT_TRUE(std::isnan(u.x()));
  }
}

TEST(VelocityGrid, LinearIsContinuedBeyondAFlatSurface) {
  const double size = 0.05;
  const ShapePtr box = make_box({-1.013, -1.017, -1.021}, {1.019, 1.011, 0.0137});
  const MeshedFlowPtr flow = test::blob_flow(*box, {.size = size});
  // Linear in the depth: means lag behind at the surface.
  const auto velocity = [](const Vec3& x) { return Vec3(1 + x.z(), 0.3, 2 * x.z()); };
  flow->set(velocity);
  test::Random random(1);
  std::vector<Vec3> points;
  for (int i = 0; i < 5000; ++i) {
    points.emplace_back(random.between(-0.6, 0.6), random.between(-0.6, 0.6), 0.0137);
  }
  const auto lag = [&](GridKind kind) {
    double sum = 0;
    for (const Vec3& u : evaluate(make(*flow, 0.2, kind), points)) sum += 1 + 0.0137 - u.x();
    return sum / size / static_cast<double>(points.size());
  };
  const double bounded = lag(GridKind::bounded);
  const double sharp = lag(GridKind::sharp);
  std::printf("velocities at the surface are those %.3f cells below it if bounded, %.3f if sharp\n",
              bounded, sharp);
  EXPECT_LT(std::abs(sharp), 0.12);
  EXPECT_LT(sharp, bounded);
}

// Drops smaller than the grid's cells have no node inside.
TEST(VelocityGrid, SmallestDropsAreThere) {
  TetMesh mesh;
  for (int drop = 0; drop < 3; ++drop) {
    const Vec3 at(4.37 * drop, 0.41, 0.43);
    const auto first = static_cast<std::int32_t>(mesh.vertices.size());
    for (const Vec3& x : {Vec3(0, 0, 0), Vec3(0.1, 0, 0), Vec3(0, 0.1, 0), Vec3(0, 0, 0.1)}) {
      mesh.vertices.emplace_back(at + x);
    }
    mesh.tets.push_back({first, first + 1, first + 2, first + 3});
  }
  mesh.lattice_size = 0.5;
  MeshedFlow flow(std::move(mesh));
  for (std::size_t t = 0; t < 3; ++t) flow.u[t] = Vec3(static_cast<double>(t), 1, 0);
  const VelocityGrid grid = make(flow, 1);
  for (std::size_t t = 0; t < 3; ++t) {
    const std::vector<Vec3> points = {flow.cells().centers[t],
                                      flow.cells().centers[t] + Vec3(0.5, 0.4, -0.6)};
    for (const Vec3& u : evaluate(grid, points)) EXPECT_LT((u - flow.u[t]).norm(), 1e-13);
  }
}

TEST(VelocityGrid, NothingIsCarriedIntoSolids) {
  const double size = 0.06;
  // Drops from a block of liquid towards a moving ball.
  const MeshedFlowPtr flow =
      test::blob_flow(*make_box({-1, -1, 0.01}, {1, 1, 0.53}), {.size = size});
  flow->set([](const Vec3&) { return Vec3(0.5, 0, -2); });
  const ShapePtr ball = make_sphere({0, 0, -0.5}, 0.49);
  const auto motion = test::uniform_flow({0, 0, 0.7});
  const VelocityGrid grid = make(*flow, 6 * size, GridKind::sharp, {ball.get(), &motion});
  std::vector<Vec3> inside, outside;
  test::Random random(3);
  for (int i = 0; i < 3000; ++i) {
    const Vec3 x = random.in_box(Box3(Vec3(-0.4, -0.4, -0.25), Vec3(0.4, 0.4, 0)));
    const Vec3i node = grid.lattice().to_lattice(x).array().round().cast<int>();
    const Vec3 place = grid.lattice().position(node);
    (ball->distance(place) < 0 ? inside : outside).push_back(place);
  }
  ASSERT_GT(inside.size(), 100U);
  const std::vector<Vec3> found = evaluate(grid, inside);
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const Vec3 normal = outward_normal(*ball, inside[i], 0.25 * size);
    EXPECT_GE((found[i] - Vec3(0, 0, 0.7)).dot(normal), -1e-9);
    // What slides along it stays.
    const Vec3 along = normal.cross(Vec3::UnitY()).normalized();
    EXPECT_NEAR(found[i].dot(along), Vec3(0.5, 0, -2).dot(along), 1e-9);
  }
  for (const Vec3& u : evaluate(grid, outside)) EXPECT_LT((u - Vec3(0.5, 0, -2)).norm(), 1e-12);
}

TEST(VelocityGrid, SameBitsForAnyNumberOfThreads) {
  const MeshedFlowPtr flow = torus(0.05);
  test::Random random(11);
  for (Vec3& u : flow->u) u = random.direction();
  std::vector<Vec3> points;
  for (int i = 0; i < 30000; ++i) {
    points.push_back(random.in_box(Box3(Vec3(3.5, -8.5, 999), Vec3(6.5, -5.5, 1001))));
  }
  std::vector<Vec3> first;
  for (const int threads : {1, 2, 3}) {
    const ThreadLimit limit(threads);
    const std::vector<Vec3> found = evaluate(make(*flow, 0.3), points);
    if (threads == 1) first = found;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const bool is_same =
          found[i] == first[i] || (std::isnan(found[i].x()) && std::isnan(first[i].x()));
      ASSERT_TRUE(is_same) << "point " << i << ", " << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace spindrift
