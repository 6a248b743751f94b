#include "spindrift/io/usda.hpp"

#include <gtest/gtest.h>

#include "spindrift/core/file.hpp"
#include "spindrift/io/pvd.hpp"

#include "support/temporary_folder.hpp"

namespace spindrift {
namespace {

MeshFile tetrahedron(double size) {
  MeshFile file;
  file.mesh.vertices = {{0, 0, 0}, {size, 0, 0}, {0, size, 0}, {0, 0, size}};
  file.mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  file.velocities.assign(4, Vec3(0.1, -size, 0));
  return file;
}

TEST(Usda, IsThisText) {
  const test::TemporaryFolder folder;
  UsdaStage stage;
  stage.name = "3 drops";
  stage.fps = 23.976;
  stage.first = 4;
  stage.last = 5;
  stage.surface = [](int frame) { return frame == 4 ? tetrahedron(2) : MeshFile(); };
  write_usda(folder / "a.usda", stage);
  EXPECT_EQ(read_file(folder / "a.usda").view(), R"(#usda 1.0
(
    defaultPrim = "_3_drops"
    doc = "made by Spindrift"
    endTimeCode = 5
    framesPerSecond = 23.976
    metersPerUnit = 1
    startTimeCode = 4
    timeCodesPerSecond = 23.976
    upAxis = "Z"
)

def Xform "_3_drops"
{
    def Mesh "liquid"
    {
        float3[] extent.timeSamples = {
            4: [(0, 0, 0), (2, 2, 2)],
            5: [(0, 0, 0), (0, 0, 0)],
        }
        int[] faceVertexCounts.timeSamples = {
            4: [3, 3, 3, 3],
            5: [],
        }
        int[] faceVertexIndices.timeSamples = {
            4: [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3],
            5: [],
        }
        uniform token orientation = "rightHanded"
        point3f[] points.timeSamples = {
            4: [(0, 0, 0), (2, 0, 0), (0, 2, 0), (0, 0, 2)],
            5: [],
        }
        uniform token subdivisionScheme = "none"
        vector3f[] velocities.timeSamples = {
            4: [(0.1, -2, 0), (0.1, -2, 0), (0.1, -2, 0), (0.1, -2, 0)],
            5: [],
        }
    }
}
)");
}

TEST(Pvd, IsThisText) {
  const test::TemporaryFolder folder;
  write_pvd(folder / "a.pvd", std::vector<PvdStep>{{0, "a.0.vtu"}, {1 / 24.0, "a&b.vtu"}});
  EXPECT_EQ(read_file(folder / "a.pvd").view(), R"(<?xml version="1.0"?>
<VTKFile type="Collection" version="1.0" byte_order="LittleEndian">
<Collection>
<DataSet timestep="0" part="0" file="a.0.vtu"/>
<DataSet timestep="0.041666666666666664" part="0" file="a&amp;b.vtu"/>
</Collection>
</VTKFile>
)");
}

}  // namespace
}  // namespace spindrift
