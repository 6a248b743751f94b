// Distances and signs at the lattice nodes around real closed meshes, against a search in double
// precision.
#include <cmath>

#include <gtest/gtest.h>

#include "spindrift/geometry/triangle_bvh.hpp"
#include "spindrift/levelset/mesh_distance.hpp"

#include "support/random.hpp"
#include "support/real_meshes.hpp"

namespace spindrift {
namespace {

constexpr std::uint64_t kSeed = 20070803;

// Compares at random nodes of the blocks.
void compare(const TriangleMesh& mesh, const std::string& name) {
  const Box3 box = bounds(mesh);
  const Lattice lattice{.origin = box.min(), .spacing = box.sizes().maxCoeff() / 61.7};
  const BandDistance distance = mesh_distance(mesh, {}, lattice, {.band = 3});
  ASSERT_EQ(distance.open_rows, 0) << name;
  const TriangleBvh bvh(mesh);
  test::Random random(kSeed);
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t block = random.below(distance.field.blocks.size());
    const auto node = static_cast<int>(random.below(kBlockNodes));
    const Vec3 p =
        lattice.position(Vec3i(distance.field.blocks.first_node(block) + node_offset(node)));
    const double expected = std::sqrt(bvh.closest_point(p).distance2) / lattice.spacing;
    const float value = distance.field.block_values(block)[node];
    ASSERT_NEAR(std::abs(value), std::min(expected, 3.0), 5e-6) << name << " query " << i;
    if (expected > 5e-6) {
      ASSERT_EQ(value<0, bvh.winding_number(p)> 0.5) << name << " query " << i;
    }
  }
}

TEST(RealMeshes, SlowDistancesLikeBruteForce) {
  ASSERT_GT(test::real_meshes().size(), 100U)
      << "run scripts/setup, which unpacks the example meshes";
  EXPECT_GT(test::for_each_closed_mesh(compare), 70);
}

}  // namespace
}  // namespace spindrift
