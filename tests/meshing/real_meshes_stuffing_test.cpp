// Tetrahedra in real closed meshes.
#include "spindrift/geometry/mesh_shape.hpp"
#include "spindrift/meshing/stuffing.hpp"

#include "support/real_meshes.hpp"
#include "support/stuffed_meshes.hpp"

namespace spindrift {
namespace {

TEST(RealMeshes, SlowAreFilledWithGoodTetrahedra) {
  ASSERT_GT(test::real_meshes().size(), 100U)
      << "run scripts/setup, which unpacks the example meshes";
  double least = 180;
  double greatest = 0;
  const int closed =
      test::for_each_closed_mesh([&](const TriangleMesh& mesh, const std::string& name) {
        const ShapePtr shape = make_mesh_shape(mesh);
        for (const double cells : {7.3, 13.9, 26.1}) {
          SCOPED_TRACE(testing::Message() << name << ", " << cells << " cells across");
          const double size = shape->bounds().sizes().maxCoeff() / cells;
          TetMesh tets;
          try {
            tets = stuff(*shape, shape->bounds(), {.size = size});
          } catch (const InputError& error) {
            // Things thinner than a cell.
            ASSERT_NE(error.problem().find("nothing is inside"), std::string::npos) << error.what();
            continue;
          }
          test::expect_good(tets);
          const TetQuality quality = measure_quality(tets);
          least = std::min(least, quality.min_dihedral.value);
          greatest = std::max(greatest, quality.max_dihedral.value);
        }
      });
  std::printf("dihedral angles from %.3f to %.3f degrees\n", least, greatest);
  EXPECT_GT(closed, 70);
}

}  // namespace
}  // namespace spindrift
