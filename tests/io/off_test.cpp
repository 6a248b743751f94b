#include "spindrift/io/off.hpp"

#include "io/io_testing.hpp"

namespace spindrift {
namespace {

using Triangles = std::vector<Triangle>;
using Notes = std::vector<std::string>;

const std::string kPoints = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";

TEST(Off, ReadsAllHeaders) {
  const std::string faces = "3 0 1 2\n3 0 2 3\n";
  const std::string normals = "0 0 0 0 0 1\n1 0 0 0 0 1\n1 1 0 0 0 1\n0 1 0 0 0 1\n";
  const std::vector<std::string> texts = {
      "OFF\n4 2 0\n" + kPoints + faces,
      "OFF 4 2 0\n" + kPoints + faces,
      "OFF\n4 2\n" + kPoints + faces,
      "4 2 5\n" + kPoints + faces,
      "# first\nOFF # header\n# counts\n\n4 2 0 # three\n\n" + kPoints + "# faces\n" + faces,
      "OFF\r\n4 2 0\r\n0 0 0\r\n1 0 0\r\n1 1 0\r\n0 1 0\r\n3 0 1 2\r\n3 0 2 3",
      "OFF\n4 2 0\n" + kPoints + "3 0 1 2 255 0 0\n3 0 2 3 1\n",
      "NOFF\n4 2 0\n" + normals + faces,
      "COFF\n4 2 0\n" + normals + faces,
      "OFF\n4 2 0\n" + normals + faces,
      "COFF\n4 2 0\n0 0 0 1 1 1 1\n1 0 0 0.5 0.5 0.5 1\n1 1 0 1 1 1\n0 1 0 7\n" + faces,
      "STOFF\n4 2 0\n0 0 0 0 0\n1 0 0 1 0\n1 1 0 1 1\n0 1 0 0 1\n" + faces,
      "STCNOFF\n4 2 0\n0 0 0 0 0 1 255 0 0 255 0 0\n1 0 0 0 0 1 255 0 0 255 0 0\n"
      "1 1 0 0 0 1 255 0 0 255 0 0\n0 1 0 0 0 1 255 0 0 255 0 0\n" +
          faces,
  };
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    const MeshFile file = parse_off(text, "a.off");
    EXPECT_EQ(file.mesh.vertices, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}));
    EXPECT_EQ(file.mesh.triangles, (Triangles{{0, 1, 2}, {0, 2, 3}}));
    EXPECT_TRUE(file.notes.empty());
  }
}

TEST(Off, CutsPolygonsAndNotesTheRest) {
  const MeshFile file =
      parse_off("OFF\n4 4 0\n" + kPoints + "4 0 1 2 3\n2 0 1\n0\n1 3\n3 1 2 3\n\n", "a.off");
  EXPECT_EQ(file.mesh.triangles, (Triangles{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(file.notes, (Notes{"the text from line 11 on, after the last face, ignored",
                               "1 polygon with more than 3 corners cut into triangles",
                               "3 faces with fewer than 3 different corners left out"}));
}

TEST(Off, SaysWhatIsWrongAndWhere) {
  const std::string cut_off = "; the file is cut off, or its counts are wrong";
  test::expect_errors(
      parse_off, "a.off",
      {
          {"", "a.off:1:1: the file is empty"},
          {"  # nothing\n", "a.off:2:1: the file is empty"},
          {"OOF\n",
           "a.off:1:1: expected OFF, found 'OOF'; begin the file with OFF, COFF, NOFF, STOFF "
           "or a combination such as CNOFF"},
          {"4OFF\n",
           "a.off:1:1: '4OFF' holds points of 4 dimensions; convert the file to plain OFF, "
           "with 3 coordinates per vertex"},
          {"nOFF\n3\n",
           "a.off:1:1: 'nOFF' holds points of n dimensions; convert the file to plain OFF, "
           "with 3 coordinates per vertex"},
          {"OFF BINARY\n",
           "a.off:1:5: binary OFF is not supported; convert the file to text OFF or "
           "binary PLY"},
          {"OFF\n4 2 0 9\n",
           "a.off:2:7: '9' after the counts; write one vertex and one face a line"},
          {"OFF\n", "a.off:2:1: the file ends before the number of vertices"},
          {"OFF\n-1 2 0\n", "a.off:2:1: the number of vertices is -1"},
          {"OFF\n3000000000 1 0\n",
           "a.off:2:11: more than 2,147,483,647 vertices; simplify the mesh or split it into "
           "several "
           "files"},
          {"OFF\n1000000 1 0\n0 0 0\n",
           "a.off:3:1: the header promises 1,000,000 vertices, but only 6 bytes follow" + cut_off},
          {"OFF\n1 1000000 0\n0 0 0\n",
           "a.off:3:1: the header promises 1,000,000 faces, but only 6 bytes follow" + cut_off},
          {"OFF\n4 2 0\n" + kPoints + "3 0 1 2\n",
           "a.off:8:1: the file ends after 1 of 2 faces" + cut_off},
          {"OFF\n4 2 0\n0.00 0.00 0.00\n1.00 0.00 0.00\n",
           "a.off:5:1: the file ends after 2 of 4 vertices" + cut_off},
          {"OFF\n4 1 0\n0 0\n0 0 0 0 0 0 0 0 0 0 0 0 0",
           "a.off:3:4: the line ends before the z coordinate"},
          {"OFF\n4 1 0\n0 0 0 0 0\n0 0 0 0 0 0 0 0 0 0 0 0 0",
           "a.off:3:10: the vertex has 5 values; write 3 a line, one vertex a line"},
          {"NOFF\n2 1 0\n0 0 0\n0 0 0 0 0 0 0 0 0 0 0 0 0",
           "a.off:3:6: the vertex has 3 values; write 6 a line, one vertex a line"},
          {"OFF\n4 1 0\n" + kPoints + "3 0 1 4\n",
           "a.off:7:7: vertex 4 does not exist; the file has 4 vertices, numbered 0 to 3"},
          {"OFF\n4 1 0\n" + kPoints + "3 0 -1 2\n",
           "a.off:7:5: vertex -1 does not exist; the file has 4 vertices, numbered 0 to 3"},
          {"OFF\n4 1 0\n" + kPoints + "3 0 1\n", "a.off:7:6: the line ends before corner 3 of 3"},
          {"OFF\n4 1 0\n" + kPoints + "-3 0 1\n", "a.off:7:1: the number of corners is -3"},
          {"OFF\n4 0 0\n" + kPoints,
           "a.off: has 4 points and no faces; give a surface: a mesh of triangles or polygons"},
          {"OFF\n4 1 0\n0 0 0\n1 0 0\n1 1e200 0\n0 1 0\n3 0 1 2",
           "a.off:5:3: the y coordinate is 1e+200, which is beyond 1e15"},
      });
}

}  // namespace
}  // namespace spindrift
