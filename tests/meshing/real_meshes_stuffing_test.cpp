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
  double farthest = 0;  // boundary vertex from the mesh, cells
  const int closed =
      test::for_each_closed_mesh([&](const TriangleMesh& mesh, const std::string& name) {
        const ShapePtr shape = make_mesh_shape(mesh);
        const auto expect_good_tets = [&](const auto& fill) {
          try {
            const TetMesh tets = fill();
            test::expect_good(tets);
            const TetQuality quality = measure_quality(tets);
            least = std::min(least, quality.min_dihedral.value);
            greatest = std::max(greatest, quality.max_dihedral.value);
          } catch (const InputError& error) {
            // Things thinner than a cell.
            ASSERT_NE(error.problem().find("nothing is inside"), std::string::npos) << error.what();
          }
        };
        for (const double cells : {7.3, 13.9, 26.1}) {
          SCOPED_TRACE(testing::Message() << name << ", " << cells << " cells across");
          const StuffingParams params = {.size = shape->bounds().sizes().maxCoeff() / cells};
          expect_good_tets([&] { return stuff(*shape, shape->bounds(), params); });
          expect_good_tets([&] {
            TetMesh tets = stuff(mesh, params);
            farthest = std::max(farthest, test::farthest_from_surface(tets, *shape, params.size));
            return tets;
          });
        }
      });
  std::printf("dihedral angles from %.3f to %.3f degrees, vertices up to %.2g cells off\n", least,
              greatest, farthest);
  EXPECT_LT(farthest, 2e-6);
  EXPECT_GT(closed, 70);
}

}  // namespace
}  // namespace spindrift
