#include "spindrift/flow/present_velocity.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/shape.hpp"

#include "support/flows.hpp"
#include "support/meshed_flow.hpp"
#include "support/random.hpp"

namespace spindrift {
namespace {

using test::MeshedFlow;
using test::MeshedFlowPtr;

// Grids of the same nodes, whatever the velocity.
constexpr double kMargin = 0.35;

MeshedFlowPtr pool() {
  const ShapePtr liquid = make_halfspace({0, 0, 0.31}, {0, 0, 1});
  const ShapePtr obstacle = make_difference(
      {make_box({-9, -9, -9}, {9, 9, 9}), make_box({-0.98, -0.97, -0.52}, {1.01, 0.99, 3})});
  return test::pool_flow(*liquid, *obstacle, Box3(Vec3(-1.3, -1.3, -0.9), Vec3(1.3, 1.3, 0.8)),
                         0.09);
}

// In a layer at the surface, a few cells off it, and anywhere: deep inside and far outside.
std::vector<std::vector<Vec3>> places() {
  const Box3 everywhere(Vec3::Constant(-1.5), Vec3::Constant(1.5));
  const Box3 surface(Vec3(-0.98, -0.97, 0.28), Vec3(1.01, 0.99, 0.34));
  const Box3 spray(Vec3(0.2, 0.1, 0.55), Vec3(0.4, 0.3, 0.6));
  test::Random random(3);
  std::vector<std::vector<Vec3>> result;
  for (const Box3& box : {surface, spray, everywhere}) {
    std::vector<Vec3>& points = result.emplace_back();
    for (int i = 0; i < 20000; ++i) points.push_back(random.in_box(box));
  }
  return result;
}

// Not where the nodes of the lattice are, and moving.
class Wall final : public ScalarField, public VelocityField {
 public:
  void evaluate(std::span<const Vec3> points, std::span<double> values) const override {
    for (std::size_t i = 0; i < points.size(); ++i) values[i] = points[i].z() + 0.48;
  }
  void evaluate(std::span<const Vec3> points, std::span<Vec3> velocities) const override {
    for (std::size_t i = 0; i < points.size(); ++i) velocities[i] = Vec3(0, 0, 0.3);
  }
};

TEST(PresentVelocity, IsThatOfPathsWithoutCorrections) {
  const Wall wall;
  const SolidMotion solids = {&wall, &wall, nullptr};
  const MeshedFlowPtr flow = pool();
  flow->set([](const Vec3& x) { return Vec3(1, -2, x.x()); });
  const MeshVelocity ahead(flow->flow(), 0, {.vertices = {}, .margin = kMargin});
  test::Random random(8);
  Buffer<Vec3> now(flow->u.begin(), flow->u.end());
  for (Vec3& u : now) u = random.direction();
  const TetFlow all = {flow->mesh(), flow->faces(), flow->cells(), now, {}};
  const MeshVelocity reference(all, 0, {.vertices = {.correction = 0}, .margin = kMargin}, solids);
  PresentVelocity present(ahead, now, solids);
  for (const std::vector<Vec3>& points : places()) {
    std::vector<Vec3> expected(points.size()), found(points.size());
    reference.paths().evaluate(points, expected);
    present.evaluate(points, found);
    double worst = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      worst = std::max(worst, (found[i] - expected[i]).norm());
    }
    EXPECT_LT(worst, 1e-13);
  }
}

TEST(PresentVelocity, UniformIsExactEverywhere) {
  const Vec3 velocity(1.3, -0.4, 2.2);
  const MeshedFlowPtr flow = test::blob_flow(
      *make_torus(Vec3::Zero(), Vec3(0.2, 0.3, 1).normalized(), 0.8, 0.3), {.size = 0.09});
  const MeshVelocity ahead(flow->flow(), 0, {.vertices = {}, .margin = kMargin});
  const Buffer<Vec3> now(flow->u.size(), velocity);
  PresentVelocity present(ahead, now, {});
  for (const std::vector<Vec3>& points : places()) {
    std::vector<Vec3> found(points.size());
    present.evaluate(points, found);
    for (const Vec3& u : found) ASSERT_LT((u - velocity).norm(), 1e-13);
  }
}

TEST(PresentVelocity, DoesNotDependOnThreadsNorOnWhatWasAskedBefore) {
  const MeshedFlowPtr flow = pool();
  const MeshVelocity ahead(flow->flow(), 0, {.vertices = {}, .margin = kMargin});
  test::Random random(8);
  Buffer<Vec3> now(flow->u.begin(), flow->u.end());
  for (Vec3& u : now) u = random.direction();
  PresentVelocity asked_before(ahead, now, {});
  for (const std::vector<Vec3>& points : places()) {
    std::vector<Vec3> expected(points.size()), found(points.size());
    asked_before.evaluate(points, expected);
    const ThreadLimit one(1);
    PresentVelocity(ahead, now, {}).evaluate(points, found);
    EXPECT_EQ(found, expected);
  }
}

// Nodes at the lattice's corners, and between them; deep inside, and outside.
TEST(PresentVelocity, NodesAreLikeAnyPoints) {
  const double size = 0.04;
  const MeshedFlowPtr flow = test::blob_flow(*make_sphere(Vec3::Zero(), 0.7), {.size = size});
  const MeshVelocity ahead(flow->flow(), 0, {.vertices = {}, .margin = 2 * size});
  test::Random random(8);
  Buffer<Vec3> now(flow->u.begin(), flow->u.end());
  for (Vec3& u : now) u = random.direction();
  std::vector<std::uint64_t> keys;
  for (int i = 0; i < 512; ++i) keys.push_back(block_key(node_offset(i) - Vec3i::Constant(4)));
  const BlockSet blocks(std::move(keys));
  NodeSet nodes(static_cast<std::size_t>(blocks.size()));
  for (BlockMask& mask : nodes) mask.fill(0x8f00010000002311);
  for (const double shift : {0.0, 0.3}) {
    Lattice lattice = ahead.places().grid->nodes.lattice;
    lattice.origin += Vec3::Constant(shift * size);
    Buffer<Vec3f> values(nodes.size() * kBlockNodes, Vec3f::Constant(7));
    PresentVelocity present(ahead, now, {});
    present.evaluate_at_nodes(lattice, blocks, nodes, values);
    std::vector<Vec3> points;
    std::vector<Vec3f> found;
    for (std::int64_t b = 0; b < blocks.size(); ++b) {
      for (int k = 0; k < kBlockNodes; ++k) {
        const Vec3f& value = values[static_cast<std::size_t>(b * kBlockNodes + k)];
        if (!has_node(nodes[static_cast<std::size_t>(b)], k)) {
          ASSERT_EQ(value, Vec3f::Constant(7));
          continue;
        }
        points.push_back(lattice.position(Vec3i(blocks.first_node(b) + node_offset(k))));
        found.push_back(value);
      }
    }
    std::vector<Vec3> expected(points.size());
    present.evaluate(points, expected);
    float worst = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      worst = std::max(worst, (found[i] - expected[i].cast<float>()).norm());
    }
    EXPECT_LT(worst, 1e-6F);
  }
}

TEST(PresentVelocity, NotANumberIsAnError) {
  const MeshedFlowPtr flow = pool();
  const MeshVelocity ahead(flow->flow(), 0, {.vertices = {}, .margin = kMargin});
  Buffer<Vec3> now(flow->u.size(), Vec3::Zero());
  for (Vec3& u : now) u.y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(PresentVelocity(ahead, now, {}), Error);
}

}  // namespace
}  // namespace spindrift
