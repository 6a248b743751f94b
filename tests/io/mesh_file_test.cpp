#include "spindrift/io/mesh_file.hpp"

#include "spindrift/core/file.hpp"

#include "io/io_testing.hpp"

namespace spindrift {
namespace {

const std::string kObj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

TEST(MeshFile, KnowsExtensionsInAnyCase) {
  for (const char* path : {"a.obj", "b/A.OBJ", "a.Ply", "x.y.off", "a.STL"}) {
    EXPECT_TRUE(is_mesh_path(path)) << path;
  }
  for (const char* path : {"", "obj", ".obj", "a.toml", "a.obj.gz", "a.ob"}) {
    EXPECT_FALSE(is_mesh_path(path)) << path;
  }
}

TEST(MeshFile, RefusesUnknownAndWrongExtensions) {
  const test::TemporaryFolder folder;
  const auto error_of = [&](const char* name, const std::string& content) {
    write_file(folder / name, content);
    return test::input_error([&] { return read_mesh(folder / name); });
  };
  const std::string prefix = (folder / "").string();
  EXPECT_EQ(error_of("a.obj", kObj), "");
  EXPECT_EQ(error_of("A.OBJ", kObj), "");
  EXPECT_EQ(error_of("a.fbx", kObj),
            prefix +
                "a.fbx: cannot be read: '.fbx' is not a mesh format we know; use .obj, .ply, .off "
                "or .stl");
  EXPECT_EQ(error_of("a", kObj), prefix +
                                     "a: cannot be read: its name has no extension; use .obj, "
                                     ".ply, .off or .stl");
  EXPECT_EQ(error_of("b.ply", kObj),
            prefix + "b.ply: is named .ply but holds a .obj mesh; rename it to end in .obj");
  EXPECT_EQ(error_of("b.obj", "ply\nformat ascii 1.0\n"),
            prefix + "b.obj: is named .obj but holds a .ply mesh; rename it to end in .ply");
  EXPECT_EQ(error_of("c.off", "solid a\n"),
            prefix + "c.off: is named .off but holds a .stl mesh; rename it to end in .stl");
  EXPECT_EQ(error_of("c.stl", "# x\nCOFF\n"),
            prefix + "c.stl: is named .stl but holds a .off mesh; rename it to end in .off");
  EXPECT_EQ(error_of("d.ply", "hello\n"),
            prefix + "d.ply:1:1: the file does not begin with the line 'ply'; give a PLY file");
  EXPECT_EQ(error_of("e.ply", ""), prefix + "e.ply: the file is empty");
  EXPECT_EQ(test::input_error([&] { return read_mesh(folder / "none.obj"); }),
            prefix + "none.obj: cannot be opened: No such file or directory; check the path");
}

TEST(MeshFile, WritesByExtension) {
  const test::TemporaryFolder folder;
  const TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}};
  const std::vector<Vec3> velocities = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  for (const char* name : {"a.ply", "a.OBJ"}) {
    write_mesh(folder / name, mesh);
    const MeshFile file = read_mesh(folder / name);
    EXPECT_EQ(file.mesh.vertices, mesh.vertices);
    EXPECT_EQ(file.mesh.triangles, mesh.triangles);
  }
  write_mesh(folder / "b.PLY", mesh, velocities);
  EXPECT_EQ(read_mesh(folder / "b.PLY").velocities, velocities);

  const std::string prefix = (folder / "").string();
  const auto error_of = [&](const char* name) {
    return test::input_error([&] {
      write_mesh(folder / name, mesh, velocities);
      return 0;
    });
  };
  EXPECT_EQ(error_of("c.obj"),
            prefix + "c.obj: OBJ cannot hold velocities; write a .ply file to keep them");
  EXPECT_EQ(
      error_of("c.stl"),
      prefix + "c.stl: cannot be written: '.stl' is not a mesh format we know; use .ply or .obj");
  EXPECT_FALSE(std::filesystem::exists(folder / "c.obj"));
}

}  // namespace
}  // namespace spindrift
