#include "spindrift/io/stl.hpp"

#include <limits>
#include <map>

#include "spindrift/io/byte_order.hpp"
#include "spindrift/io/vertex_welder.hpp"

#include "io/io_testing.hpp"
#include "support/random.hpp"

namespace spindrift {
namespace {

using Triangles = std::vector<Triangle>;
using Notes = std::vector<std::string>;

const std::string kFacet =
    "  facet normal 0 0 nan\n    outer loop\n      vertex 0 0 0\n      vertex 1 0 0\n"
    "      vertex 0 1e0 0\n    endloop\n  endfacet\n";

// Corners of a tetrahedron's four sides.
const std::vector<std::array<Vec3f, 3>> kTetrahedron = {
    {Vec3f(0, 0, 0), Vec3f(0, 1, 0), Vec3f(1, 0, 0)},
    {Vec3f(0, 0, 0), Vec3f(1, 0, 0), Vec3f(0, 0, 1)},
    {Vec3f(0, 0, 0), Vec3f(0, 0, 1), Vec3f(0, 1, 0)},
    {Vec3f(1, 0, 0), Vec3f(0, 1, 0), Vec3f(0, 0, 1)}};

std::string binary_stl(const std::vector<std::array<Vec3f, 3>>& triangles,
                       const std::string& header) {
  std::string bytes = header;
  bytes.resize(84 + 50 * triangles.size(), '\0');
  store(bytes.data() + 80, static_cast<std::uint32_t>(triangles.size()), ByteOrder::little);
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    for (std::size_t k = 0; k < 9; ++k) {
      store(bytes.data() + 84 + 50 * i + 12 + 4 * k, triangles[i][k / 3][k % 3], ByteOrder::little);
    }
  }
  return bytes;
}

TEST(Stl, ReadsText) {
  const MeshFile file = parse_stl("solid a b c\n" + kFacet + kFacet +
                                      "endsolid a b c\n\nSOLID\nFACET NORMAL 0 0 1 OUTER LOOP\r\n"
                                      "VERTEX 1 0 0 VERTEX 0 2 0\rVERTEX 0 1 -0 ENDLOOP ENDFACET\n"
                                      "EndSolid",
                                  "a.stl");
  EXPECT_EQ(file.mesh.vertices, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 2, 0}}));
  EXPECT_EQ(file.mesh.triangles, (Triangles{{0, 1, 2}, {0, 1, 2}, {1, 3, 2}}));
  EXPECT_TRUE(file.notes.empty());
}

TEST(Stl, ReadsBinaryWhateverItsHeaderSays) {
  for (const char* header : {"", "solid but binary", "solid\nfacet normal 0 0 0\n", "ply\n"}) {
    const MeshFile file = parse_stl(binary_stl(kTetrahedron, header), "a.stl");
    EXPECT_EQ(file.mesh.vertices, (std::vector<Vec3>{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}}));
    EXPECT_EQ(file.mesh.triangles, (Triangles{{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {2, 1, 3}}));
    EXPECT_TRUE(file.notes.empty());
  }
}

TEST(Stl, NotesWhatIsOddButClear) {
  const MeshFile longer = parse_stl(binary_stl(kTetrahedron, "solid") + "more", "a.stl");
  EXPECT_EQ(longer.mesh.triangle_count(), 4);
  EXPECT_EQ(longer.notes, (Notes{"4 bytes after the last triangle ignored"}));

  EXPECT_EQ(parse_stl("solid\n" + kFacet, "a.stl").notes,
            (Notes{"no 'endsolid' at the end: the file may be cut off"}));

  auto sliver = kTetrahedron;
  sliver.push_back({Vec3f(1, 0, 0), Vec3f(1, -0.0f, 0), Vec3f(0, 1, 0)});
  const MeshFile welded = parse_stl(binary_stl(sliver, ""), "a.stl");
  EXPECT_EQ(welded.mesh.triangle_count(), 4);
  EXPECT_EQ(welded.notes, (Notes{"1 face with fewer than 3 different corners left out"}));
}

TEST(Stl, SaysWhatIsWrongAndWhere) {
  const std::string binary = binary_stl(kTetrahedron, "");
  auto with_nan = kTetrahedron;
  with_nan[2][1].y() = std::numeric_limits<float>::quiet_NaN();
  std::string huge = binary;
  store(huge.data() + 80, std::uint32_t{0xffffffff}, ByteOrder::little);
  const std::string none = "; give a surface: a mesh of triangles or polygons";
  test::expect_errors(
      parse_stl, "a.stl",
      {
          {"", "a.stl: the file is empty"},
          {"hello",
           "a.stl: byte 5: the file ends inside the header of 84 bytes; text STL begins with "
           "'solid'"},
          {binary.substr(0, 100),
           "a.stl: byte 100: the header promises 4 triangles, but the file ends "
           "after 0; the file is cut off, or it is no STL file"},
          {huge,
           "a.stl: byte 284: the header promises 4,294,967,295 triangles, but the file ends after "
           "4; the file is cut off, or it is no STL file"},
          {binary_stl(with_nan, ""),
           "a.stl: byte 212: a coordinate of triangle 2 is nan, not a finite number"},
          {binary_stl({}, "solid"), "a.stl: has 0 points and no faces" + none},
          {"solid a\nendsolid a\n", "a.stl: has 0 points and no faces" + none},
          {"solid a\n" + kFacet + "facet normal 0 0\n",
           "a.stl:10:1: the file ends inside facet 2, before "
           "the normal; the file is cut off"},
          {"solid a\n" + kFacet + "facet\n",
           "a.stl:10:1: the file ends inside facet 2, before normal; the file is cut off"},
          {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertx 1 1 1\n",
           "a.stl:5:1: expected vertex or endloop, found 'vertx'"},
          {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 \n",
           "a.stl:4:12: the line ends before the z coordinate"},
          {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 inf\n",
           "a.stl:4:12: the z coordinate is inf, not a finite number"},
          {"solid a\nfacets\n", "a.stl:2:1: expected facet or endsolid, found 'facets'"},
          {"solid a\nendsolid\nfacet", "a.stl:3:1: expected solid, found 'facet'"},
      });
}

TEST(VertexWelder, AgreesWithAMap) {
  test::Random random(3);
  std::vector<Vec3> vertices, expected;
  VertexWelder welder(vertices);
  std::map<std::array<double, 3>, std::int32_t> numbers;
  for (int i = 0; i < 50'000; ++i) {
    const auto pick = [&] { return static_cast<double>(random.below(30) - 15) * 0.1; };
    const Vec3 p(pick(), pick() * -0.0 + pick(), pick());
    const auto [found, is_new] =
        numbers.try_emplace({p.x(), p.y(), p.z()}, static_cast<std::int32_t>(expected.size()));
    if (is_new) expected.push_back(p);
    ASSERT_EQ(welder.number_of(p), found->second);
  }
  test::expect_same_bits(vertices, expected);
}

}  // namespace
}  // namespace spindrift
