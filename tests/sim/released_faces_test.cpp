#include "spindrift/sim/released_faces.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "spindrift/geometry/shape.hpp"

#include "support/flow_meshes.hpp"

namespace spindrift {
namespace {

constexpr double kCeiling = 0.6;

// A box of liquid under a ceiling.
CellMesh block(double size, const Vec3& at = Vec3::Zero()) {
  CellMesh mesh =
      test::blob(*make_box(at + Vec3(-0.5, -0.4, 0), at + Vec3(0.5, 0.4, kCeiling)), size);
  for (std::size_t f = 0; f < mesh.tags.size(); ++f) {
    if (mesh.face_cells[f][1] >= 0) continue;
    if (std::abs(mesh.face_centers[f].z() - at.z() - kCeiling) < 1e-9) {
      mesh.tags[f] = FaceTag::solid;
    }
  }
  return mesh;
}

double x_of(const CellMesh& mesh, std::int32_t face) {
  return mesh.face_centers[static_cast<std::size_t>(face)].x();
}

std::vector<std::int32_t> solid_faces(const CellMesh& mesh) {
  std::vector<std::int32_t> faces;
  for (std::size_t f = 0; f < mesh.tags.size(); ++f) {
    if (mesh.tags[f] == FaceTag::solid) faces.push_back(static_cast<std::int32_t>(f));
  }
  return faces;
}

// Lets go of the ceiling left of a place.
std::vector<std::int32_t> release_left_of(double x, CellMesh& mesh) {
  std::vector<std::int32_t> released = solid_faces(mesh);
  std::erase_if(released, [&](std::int32_t f) { return x_of(mesh, f) >= x; });
  for (const std::int32_t f : released) mesh.tags[static_cast<std::size_t>(f)] = FaceTag::air;
  return released;
}

TEST(ReleasedFaces, AnotherMeshIsLetGoWhereThisOneWas) {
  for (const Vec3& at : {Vec3(0, 0, 0), Vec3(3e4, -2e4, 1e3)}) {
    CellMesh before = block(0.11, at);
    const std::vector<std::int32_t> released = release_left_of(at.x(), before);
    ASSERT_GT(released.size(), 10U);
    const CellMesh now = block(0.083, at);
    const std::vector<std::int32_t> likely = likely_released(before, released, now, 0.11);
    EXPECT_GT(likely.size(), 10U);
    EXPECT_TRUE(std::is_sorted(likely.begin(), likely.end()));
    for (const std::int32_t f : solid_faces(now)) {
      const double x = x_of(now, f) - at.x();
      if (std::abs(x) < 0.11) continue;  // as close to either
      EXPECT_EQ(std::binary_search(likely.begin(), likely.end(), f), x < 0) << x;
    }
  }
}

TEST(ReleasedFaces, TheSameMeshIsLetGoWhereItWas) {
  CellMesh before = block(0.11);
  const std::vector<std::int32_t> released = release_left_of(0.2, before);
  EXPECT_EQ(likely_released(before, released, block(0.11), 0.11), released);
}

TEST(ReleasedFaces, FarFromThoseLetGoNoneIs) {
  CellMesh before = block(0.11);
  EXPECT_TRUE(likely_released(before, {}, block(0.11), 0.11).empty());
  const std::vector<std::int32_t> released = release_left_of(1, before);  // all
  EXPECT_TRUE(likely_released(before, released, block(0.11, Vec3(0, 0, 0.2)), 0.11).empty());
}

}  // namespace
}  // namespace spindrift
