#include "spindrift/io/obj.hpp"

#include "spindrift/core/file.hpp"

#include "io/io_testing.hpp"
#include "support/random.hpp"

namespace spindrift {
namespace {

using Triangles = std::vector<Triangle>;
using Notes = std::vector<std::string>;

const std::string kSquare = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

TEST(Obj, ReadsAllSpellingsOfACorner) {
  const MeshFile file = parse_obj(kSquare +
                                      "f 1 2 3\n"
                                      "f 1/1 2/2 3/3\n"
                                      "f 1//1 2//2 3//3\n"
                                      "f 1/1/1 2/2/2 3/3/3\n"
                                      "f 1/ 2/ 3//\n"
                                      "f -4 -3/-1 -2//-7\n"
                                      "fo +1 2 3",
                                  "a.obj");
  EXPECT_EQ(file.mesh.triangles, Triangles(7, {0, 1, 2}));
  EXPECT_EQ(file.mesh.vertices[2], Vec3(1, 1, 0));
  EXPECT_TRUE(file.notes.empty());
  EXPECT_TRUE(file.velocities.empty());
}

TEST(Obj, TakesCommentsContinuationsAndOtherLineEnds) {
  const MeshFile file = parse_obj(
      "# a path \\\r\nmtllib a b.mtl\r\n\r\no x\r\nv 0 \\\r\n 0 0 # here\r\nv 1 0 0 1.0\r\n"
      "\tv  0 +1e0 0 0.5 0.5 0.5\r\nvn 0 0 1\r\nvt 0 0\r\nvp 1\r\ng\r\ns off\r\nusemtl m\r\n"
      "f 1 \\\r\n2\\\r\n 3\r\n",
      "a.obj");
  EXPECT_EQ(file.mesh.vertices, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
  EXPECT_EQ(file.mesh.triangles, (Triangles{{0, 1, 2}}));
  EXPECT_TRUE(file.notes.empty());
}

TEST(Obj, NegativeNumbersCountFromTheLineTheyStandIn) {
  const MeshFile file = parse_obj(kSquare + "f -4 -3 -2\nv 5 5 5\nf -2 -1 -5", "a.obj");
  EXPECT_EQ(file.mesh.triangles, (Triangles{{0, 1, 2}, {3, 4, 0}}));
}

TEST(Obj, FacesMayComeBeforeTheirVertices) {
  const MeshFile file = parse_obj("f 1 2 3 4\n" + kSquare, "a.obj");
  EXPECT_EQ(file.mesh.triangles, (Triangles{{0, 1, 2}, {0, 2, 3}}));
}

TEST(Obj, PolygonsKeepTheirPlaceAmongTheFaces) {
  const MeshFile file =
      parse_obj(kSquare +
                    "f 1 2 3\nf 1 2 3 4\nf 2 3 4\nf 1 1 2 2 3 3 1\nf 1 2\nf 1 2 1\n"
                    "f 3 3 3 3\nf\n",
                "a.obj");
  EXPECT_EQ(file.mesh.triangles,
            (Triangles{{0, 1, 2}, {0, 1, 2}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2}}));
  EXPECT_EQ(file.notes, (Notes{"1 polygon with more than 3 corners cut into triangles",
                               "4 faces with fewer than 3 different corners left out"}));
}

TEST(Obj, NotesWhatItIgnores) {
  const MeshFile file =
      parse_obj(kSquare +
                    "l 1 2 3\nl 1 2\np 1\ncstype bspline\ncurv 0 1 1 2 \\\n3 4\nend\n"
                    "f 1 3 2 4\nf 1 2 3\n",
                "a.obj");
  EXPECT_EQ(
      file.notes,
      (Notes{"2 line elements ignored", "1 point element ignored",
             "3 statements of free-form curves and surfaces ignored",
             "1 polygon with more than 3 corners cut into triangles",
             "1 polygon without area, crossing itself or too intricate cut as well as possible"}));
}

TEST(Obj, SaysWhatIsWrongAndWhere) {
  test::expect_errors(
      parse_obj, "a.obj",
      {
          {"", "a.obj: has 0 points and no faces; give a surface: a mesh of triangles or polygons"},
          {kSquare,
           "a.obj: has 4 points and no faces; give a surface: a mesh of triangles or polygons"},
          {kSquare + "f 1 1 2\n", "a.obj: none of its 1 face has three different corners"},
          {"v 0 0\nv", "a.obj:1:6: the line ends before the z coordinate"},
          {"v 0 0 zero",
           "a.obj:1:7: the z coordinate is 'zero', not a number; write it like 0.25 or "
           "-1.5e3"},
          {"v 0 nan 0", "a.obj:1:5: the y coordinate is nan, not a finite number"},
          {"v -inf 0 0", "a.obj:1:3: the x coordinate is -inf, not a finite number"},
          {"v 0 0 -1e101", "a.obj:1:7: the z coordinate is -1e+101, which is beyond 1e15"},
          {kSquare + "f 1 2 5\n",
           "a.obj:5:7: vertex 5 does not exist; the file has 4 vertices, "
           "numbered 1 to 4"},
          {kSquare + "f 1 2 99999999999999999999999\n",
           "a.obj:5:7: vertex 100000000000000000 does not exist; the file has 4 vertices, numbered "
           "1 "
           "to 4"},
          {"f 1 2 3\n", "a.obj:1:7: vertex 3 does not exist; the file has no vertices"},
          {kSquare + "f 0 1 2\n",
           "a.obj:5:3: vertex 0 does not exist; OBJ numbers vertices from 1, or "
           "backwards from -1"},
          {"v 0 0 0\nf -1 -2 -1\n",
           "a.obj:2:6: vertex -2 does not exist; only 1 vertex comes before this line"},
          {kSquare + "f 1 2 x\n", "a.obj:5:7: the corner of the face is 'x', not a whole number"},
          {kSquare + "f 1 2 3/x\n",
           "a.obj:5:9: the reference behind the slash is 'x', not a whole number"},
          {kSquare + "f 1 2 3/4/5/6\n",
           "a.obj:5:12: a third slash in the corner of a face; write vertex/texture/normal"},
          {"\nusemlt a\n", "a.obj:2:1: unknown OBJ statement 'usemlt'; did you mean 'usemtl'?"},
          {"{}",
           "a.obj:1:1: unknown OBJ statement '{}'; OBJ lines begin with v, vt, vn, f, o, g, s, "
           "usemtl, mtllib or #"},
      });
}

TEST(Obj, WritesWhatItReads) {
  test::Random random(5);
  TriangleMesh mesh;
  for (int i = 0; i < 10'000; ++i) {
    mesh.vertices.emplace_back(random.direction() * std::pow(10.0, random.between(-300, 15)));
  }
  mesh.vertices[1] = {-0.0, 0.1, 1e15};
  while (mesh.triangles.size() < 20'000) {
    const auto pick = [&] { return static_cast<std::int32_t>(random.below(10'000)); };
    const Triangle t = {pick(), pick(), pick()};
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) mesh.triangles.push_back(t);
  }
  const test::TemporaryFolder folder;
  write_obj(folder / "a.obj", mesh);
  const MeshFile file = read_mesh(folder / "a.obj");
  test::expect_same_bits(file.mesh.vertices, mesh.vertices);
  EXPECT_EQ(file.mesh.triangles, mesh.triangles);

  write_obj(folder / "b.obj", {{{0, 0.5, -2e-7}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}});
  EXPECT_EQ(read_file(folder / "b.obj").view(),
            "# made by Spindrift\nv 0 0.5 -2e-07\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
}

TEST(Obj, VelocitiesAreComments) {
  const test::TemporaryFolder folder;
  const TriangleMesh mesh = {{{0, 0.5, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}};
  write_obj(folder / "a.obj", mesh, std::vector<Vec3>{{1, 0, -0.25}, {2, 0, 0}, {3, 0, 0}});
  const std::string text(read_file(folder / "a.obj").view());
  EXPECT_EQ(
      text,
      "# made by Spindrift\nv 0 0.5 0\n#vel 1 0 -0.25\nv 1 0 0\n#vel 2 0 0\nv 0 1 0\n#vel 3 0 "
      "0\nf 1 2 3\n");
  EXPECT_EQ(parse_obj(text, "a.obj").mesh.vertices, mesh.vertices);
}

}  // namespace
}  // namespace spindrift
