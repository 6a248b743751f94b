// The faces of stuffed meshes: looked up or kept, they are what the vertices say.
#include "spindrift/mesh/mesh_faces.hpp"

#include <gtest/gtest.h>

#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/shape.hpp"
#include "spindrift/meshing/stuffing.hpp"

namespace spindrift {
namespace {

constexpr double kSize = 0.045;

TetMesh stuffed_torus() {
  const ShapePtr torus = make_torus({0, 0, 0}, Vec3(0.2, 0.3, 1).normalized(), 1.1, 0.7);
  return stuff(*torus, torus->bounds(), {.size = kSize});
}

Vec3 barycentre_of(const TetMesh& mesh, std::int64_t tet) {
  return (mesh.corner(tet, 0) + mesh.corner(tet, 1) + mesh.corner(tet, 2) + mesh.corner(tet, 3)) /
         4;
}

TEST(MeshFaces, HaveTheGeometryOfTheirVertices) {
  const TetMesh mesh = stuffed_torus();
  const MeshFaces faces(mesh, find_neighbors(mesh));
  std::array<int, 4> levels{};
  for (std::int64_t f = 0; f < faces.count(); ++f) {
    const std::int32_t side = faces.first_side(f);
    const auto& corners = kTetFaces[static_cast<std::size_t>(side & 3)];
    const Vec3 a = mesh.corner(side >> 2, corners[0]);
    const Vec3 b = mesh.corner(side >> 2, corners[1]);
    const Vec3 c = mesh.corner(side >> 2, corners[2]);
    const FaceGeometry geometry = faces.geometry(f);
    const Vec3 area = (b - a).cross(c - a) / 2;
    ASSERT_LT((geometry.area * geometry.normal - area).norm(), 1e-12);
    ASSERT_LT((faces.barycentre(f) - (a + b + c) / 3).norm(), 1e-13);
    const std::int32_t other = faces.second_side(f);
    const Vec3 end = other < 0 ? faces.barycentre(f) : barycentre_of(mesh, other >> 2);
    ASSERT_NEAR(geometry.dual_length, (barycentre_of(mesh, side >> 2) - end).norm(), 1e-12);
    const ShapeCode code = mesh.shapes[static_cast<std::size_t>(side >> 2)];
    if (code.is_standard()) ++levels[static_cast<std::size_t>(code.level())];
  }
  for (const int faces_of_level : levels) EXPECT_GT(faces_of_level, 0);
}

TEST(MeshFaces, CloseEveryTetrahedron) {
  const TetMesh mesh = stuffed_torus();
  const MeshFaces faces(mesh, find_neighbors(mesh));
  EXPECT_EQ(2 * faces.count(), 4 * mesh.tet_count() + faces.boundary_count());
  for (std::int64_t t = 0; t < mesh.tet_count(); ++t) {
    Vec3 sum = Vec3::Zero();
    for (const std::int32_t face : faces.of_tet(t)) {
      const FaceGeometry geometry = faces.geometry(face);
      const bool is_first = faces.first_side(face) >> 2 == t;
      ASSERT_TRUE(is_first || faces.second_side(face) >> 2 == t);
      sum += (is_first ? 1 : -1) * geometry.area * geometry.normal;
    }
    ASSERT_LT(sum.norm(), 1e-12);
  }
}

TEST(MeshFaces, MostAreLookedUp) {
  const TetMesh mesh = stuffed_torus();
  const MeshFaces faces(mesh, find_neighbors(mesh));
  EXPECT_LT(2 * faces.stored_count(), faces.count());
}

TEST(MeshFaces, ThreadsDoNotMatter) {
  const TetMesh mesh = stuffed_torus();
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    return MeshFaces(mesh, find_neighbors(mesh));
  };
  const MeshFaces one = run(1);
  const MeshFaces two = run(2);
  ASSERT_EQ(one.count(), two.count());
  for (std::int64_t f = 0; f < one.count(); ++f) {
    ASSERT_EQ(one.first_side(f), two.first_side(f));
    ASSERT_EQ(one.geometry(f).normal, two.geometry(f).normal);
  }
}

}  // namespace
}  // namespace spindrift
