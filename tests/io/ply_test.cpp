#include "spindrift/io/ply.hpp"

#include <cmath>
#include <limits>
#include <sstream>

#include "spindrift/core/file.hpp"
#include "spindrift/io/byte_order.hpp"
#include "spindrift/io/ply_header.hpp"
#include "spindrift/io/ply_rows.hpp"

#include "io/io_testing.hpp"
#include "support/random.hpp"

namespace spindrift {
namespace {

using Triangles = std::vector<Triangle>;
using Notes = std::vector<std::string>;

const std::string kText = "ply\nformat ascii 1.0\n";
const std::string kXyz = "property float x\nproperty float y\nproperty float z\n";
const std::string kFace = "property list uchar int vertex_indices\n";
const std::string kPoints = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";

std::string square(const std::string& face_lines, int faces) {
  return kText + "element vertex 4\n" + kXyz + "element face " + std::to_string(faces) + "\n" +
         kFace + "end_header\n" + kPoints + face_lines;
}

// Builds the body of a PLY file in any format.
class Body {
 public:
  explicit Body(PlyFormat format) : format_(format) {}
  void put(PlyType type, double value) {
    if (format_ == PlyFormat::text) {
      std::ostringstream text;
      text.precision(17);
      text << value << ' ';
      bytes_ += text.str();
      return;
    }
    with_type(type, [&](auto zero) {
      std::array<char, sizeof(zero)> bytes;
      store(bytes.data(), static_cast<decltype(zero)>(value),
            format_ == PlyFormat::big_endian ? ByteOrder::big : ByteOrder::little);
      bytes_.append(bytes.data(), bytes.size());
    });
  }
  void end_row() {
    if (format_ == PlyFormat::text) bytes_ += '\n';
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  PlyFormat format_;
  std::string bytes_;
};

std::string format_line(PlyFormat format) {
  const char* const name = format == PlyFormat::text            ? "ascii"
                           : format == PlyFormat::little_endian ? "binary_little_endian"
                                                                : "binary_big_endian";
  return std::string("ply\nformat ") + name + " 1.0\n";
}

constexpr std::array kTypes = {PlyType::int8,  PlyType::uint8,  PlyType::int16,   PlyType::uint16,
                               PlyType::int32, PlyType::uint32, PlyType::float32, PlyType::float64};
constexpr std::array kTypeNames = {"char", "uint8",  "short", "uint16",
                                   "int",  "uint32", "float", "float64"};

TEST(Ply, ReadsText) {
  const MeshFile file = parse_ply(
      "ply\r\ncomment made by hand\r\nformat ascii 1.0\r\nobj_info x\r\nelement vertex 3\r\n"
      "property uchar red\r\nproperty double x\r\nproperty list int short tags\r\nproperty int "
      "y\r\n"
      "property float z\r\nelement camera 1\r\nproperty list uchar float a\r\nproperty int b\r\n"
      "element nothing 1000000000000\r\nelement face 1\r\nproperty list uchar float uv\r\n"
      "property list ushort uint vertex_index\r\nproperty uchar flags\r\nend_header\r\n"
      "255 0.5 0 1 +2\r\n255 1 2 9 9 0 0\r\n\r\n0 0 1 7 1 0\r\n2 nan x 5\r\n6 0 0 1 0 1 1 3 0 1 2 "
      "8",
      "a.ply");
  EXPECT_EQ(file.mesh.vertices, (std::vector<Vec3>{{0.5, 1, 2}, {1, 0, 0}, {0, 1, 0}}));
  EXPECT_EQ(file.mesh.triangles, (Triangles{{0, 1, 2}}));
  EXPECT_EQ(file.notes, (Notes{"1 'camera' element ignored"}));
}

TEST(Ply, ReadsPolygonsAndStrips) {
  const MeshFile polygons = parse_ply(square("4 0 1 2 3\n3 0 1 2\n2 0 1\n0\n", 4), "a.ply");
  EXPECT_EQ(polygons.mesh.triangles, (Triangles{{0, 1, 2}, {0, 2, 3}, {0, 1, 2}}));
  EXPECT_EQ(polygons.notes, (Notes{"1 polygon with more than 3 corners cut into triangles",
                                   "2 faces with fewer than 3 different corners left out"}));
  const MeshFile strips =
      parse_ply(kText + "element vertex 4\n" + kXyz + "element tristrips 1\n" + kFace +
                    "end_header\n" + kPoints + "12 0 1 3 2 -1 3 2 1 -1 0 0 1\n",
                "a.ply");
  EXPECT_EQ(strips.mesh.triangles, (Triangles{{0, 1, 3}, {3, 1, 2}, {3, 2, 1}}));
  EXPECT_TRUE(strips.notes.empty());
}

TEST(Ply, FacesMayComeBeforeVertices) {
  const MeshFile file = parse_ply(kText + "element face 1\n" + kFace + "element vertex 4\n" + kXyz +
                                      "end_header\n4 0 1 2 3\n" + kPoints,
                                  "a.ply");
  EXPECT_EQ(file.mesh.triangle_count(), 2);
}

TEST(Ply, BareReturnsDoNotEatData) {
  // The first data byte is a line feed: the float 10 * 2^-149.
  std::string text = format_line(PlyFormat::little_endian) + "element vertex 3\n" + kXyz +
                     "element face 1\n" + kFace + "end_header\n";
  std::replace(text.begin(), text.end(), '\n', '\r');
  Body body(PlyFormat::little_endian);
  for (int i = 0; i < 9; ++i) body.put(PlyType::float32, i == 0 ? 10 * 0x1p-149 : i);
  body.put(PlyType::uint8, 3);
  for (int i = 0; i < 3; ++i) body.put(PlyType::int32, i);
  const MeshFile file = parse_ply(text + body.bytes(), "a.ply");
  EXPECT_EQ(file.mesh.vertices[0], Vec3(10 * 0x1p-149, 1, 2));
}

// One mesh in a random layout: properties of random types in random order among others, with or
// without lists that force the reader to go value by value.
struct Layout {
  std::vector<PlyProperty> vertex, face;
};

PlyProperty random_property(test::Random& random, const std::string& name, bool is_list) {
  PlyProperty property;
  property.name = name;
  property.type = kTypes[random.below(8)];
  property.is_list = is_list;
  property.count_type = kTypes[random.below(6)];
  return property;
}

Layout random_layout(test::Random& random, bool lists, bool velocities) {
  Layout layout;
  const auto insert = [&](std::vector<PlyProperty>& row, const PlyProperty& property) {
    row.insert(row.begin() + random.below(std::ssize(row) + 1), property);
  };
  std::vector<std::string> names = {"x", "y", "z"};
  if (velocities) names.insert(names.end(), {"vx", "vy", "vz"});
  for (const std::string& name : names) {
    insert(layout.vertex, random_property(random, name, false));
  }
  PlyProperty corners = random_property(random, "vertex_indices", true);
  if (random.below(2) == 0) {  // the kind that is read in bulk
    corners.count_type = PlyType::uint8;
    corners.type = PlyType::int32;
  }
  insert(layout.face, corners);
  for (std::int64_t i = random.below(4); i > 0; --i) {
    const std::string name = "extra" + std::to_string(i);
    insert(layout.vertex, random_property(random, name, lists && random.below(2) == 0));
    insert(layout.face, random_property(random, name, lists && random.below(2) == 0));
  }
  return layout;
}

std::string property_lines(const std::vector<PlyProperty>& properties) {
  std::string text;
  for (const PlyProperty& p : properties) {
    const std::string type = kTypeNames[static_cast<std::size_t>(p.type)];
    const std::string count = kTypeNames[static_cast<std::size_t>(p.count_type)];
    text += "property ";
    if (p.is_list) text.append("list ").append(count).append(" ");
    text.append(type).append(" ").append(p.name).append("\n");
  }
  return text;
}

TEST(Ply, RandomLayoutsGiveTheSameMeshInAllFormats) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const bool velocities = random.below(2) == 0;
    const Layout layout = random_layout(random, random.below(2) == 0, velocities);
    // All numbers are small and whole, so that every type holds them.
    std::vector<Vec3> points(3 + static_cast<std::size_t>(random.below(100))), speeds;
    const auto whole = [&] { return static_cast<double>(random.below(100)); };
    for (Vec3& p : points) p = {whole(), whole(), whole()};
    if (velocities) {
      for (std::size_t i = 0; i < points.size(); ++i)
        speeds.emplace_back(whole(), whole(), whole());
    }
    Triangles triangles(1 + static_cast<std::size_t>(random.below(200)));
    for (Triangle& t : triangles) {
      const auto first = random.below(std::ssize(points) - 2);
      t = {static_cast<int>(first), static_cast<int>(first + 1), static_cast<int>(first + 2)};
    }
    for (const PlyFormat format :
         {PlyFormat::text, PlyFormat::little_endian, PlyFormat::big_endian}) {
      Body body(format);
      const auto put_extra = [&](const PlyProperty& p) {
        const auto count = p.is_list ? random.below(5) : 1;
        if (p.is_list) body.put(p.count_type, static_cast<double>(count));
        for (std::int64_t i = 0; i < count; ++i) body.put(p.type, whole());
      };
      for (std::size_t i = 0; i < points.size(); ++i) {
        for (const PlyProperty& p : layout.vertex) {
          const std::size_t axis = std::string("xyz").find(p.name.back());
          if (p.name.size() == 1) {
            body.put(p.type, points[i][static_cast<int>(axis)]);
          } else if (p.name[0] == 'v') {
            body.put(p.type, speeds[i][static_cast<int>(axis)]);
          } else {
            put_extra(p);
          }
        }
        body.end_row();
      }
      for (const Triangle& t : triangles) {
        for (const PlyProperty& p : layout.face) {
          if (p.name != "vertex_indices") {
            put_extra(p);
            continue;
          }
          body.put(p.count_type, 3);
          for (const int corner : t) body.put(p.type, corner);
        }
        body.end_row();
      }
      const MeshFile file = parse_ply(
          format_line(format) + "element vertex " + std::to_string(points.size()) + "\n" +
              property_lines(layout.vertex) + "element face " + std::to_string(triangles.size()) +
              "\n" + property_lines(layout.face) + "end_header\n" + body.bytes(),
          "a.ply");
      ASSERT_EQ(file.mesh.vertices, points);
      ASSERT_EQ(file.mesh.triangles, triangles);
      ASSERT_EQ(file.velocities, speeds);
      ASSERT_EQ(file.notes, Notes());
    }
  }
}

// A binary square, its faces written as lists of bytes, for tests of single bytes.
std::string binary_square(PlyFormat format, const std::vector<std::vector<int>>& faces) {
  Body body(format);
  for (const double value : {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}) body.put(PlyType::float32, value);
  for (const std::vector<int>& face : faces) {
    body.put(PlyType::uint8, static_cast<double>(face.size()));
    for (const int corner : face) body.put(PlyType::int32, corner);
  }
  return format_line(format) + "element vertex 4\n" + kXyz + "element face " +
         std::to_string(faces.size()) + "\n" + kFace + "end_header\n" + body.bytes();
}

TEST(Ply, BulkReadingStopsAtTheFirstPolygon) {
  for (const PlyFormat format : {PlyFormat::little_endian, PlyFormat::big_endian}) {
    const MeshFile file = parse_ply(
        binary_square(format, {{0, 1, 2}, {1, 2, 3}, {0, 1, 2, 3}, {2, 3, 0}, {1, 1, 2}}), "a.ply");
    EXPECT_EQ(file.mesh.triangles,
              (Triangles{{0, 1, 2}, {1, 2, 3}, {0, 1, 2}, {0, 2, 3}, {2, 3, 0}}));
    EXPECT_EQ(file.notes, (Notes{"1 polygon with more than 3 corners cut into triangles",
                                 "1 face with fewer than 3 different corners left out"}));
  }
}

TEST(Ply, SaysWhatIsWrongInTheHeader) {
  const std::string vertex = kText + "element vertex 4\n" + kXyz;
  test::expect_errors(
      parse_ply, "a.ply",
      {
          {"plyx\n", "a.ply:1:1: the file does not begin with the line 'ply'; give a PLY file"},
          {"ply\n",
           "a.ply:2:1: the file ends inside the header; a PLY header ends with the line "
           "'end_header'"},
          {"ply\nend_header\n",
           "a.ply:2:11: the header has no 'format' line; write 'format ascii 1.0' "
           "after the first line"},
          {"ply\nformat binary 1.0\n",
           "a.ply:2:1: unknown PLY format 'binary'; use ascii, "
           "binary_little_endian or binary_big_endian"},
          {"ply\nformat ascii 2.0\n", "a.ply:2:1: unknown PLY version '2.0'; use 1.0"},
          {kText + "format ascii 1.0\n", "a.ply:3:1: a second 'format' line"},
          {kText + "elemnt vertex 4\n",
           "a.ply:3:1: unknown word 'elemnt' in the PLY header; did you mean 'element'?"},
          {kText + "property float x\n",
           "a.ply:3:1: a property before the first element; write an 'element' line first"},
          {kText + "element vertex many\n",
           "a.ply:3:16: the number of elements is 'many', not a whole number"},
          {kText + "element vertex -1\n", "a.ply:3:16: the number of elements is -1"},
          {kText + "element\n", "a.ply:3:8: an element without a name"},
          {kText + "element vertex 4 5\n", "a.ply:3:18: unexpected '5' at the end of the line"},
          {vertex + "element vertex 4\n", "a.ply:7:9: a second element 'vertex'"},
          {vertex + "property float x\n", "a.ply:7:16: a second property 'x' of element 'vertex'"},
          {kText + "element vertex 4\nproperty real x\n",
           "a.ply:4:10: unknown type 'real' of a property; use char, uchar, short, ushort, int, "
           "uint, "
           "float or double"},
          {kText + "element face 4\nproperty list float int a\n",
           "a.ply:4:15: the length of a list cannot be a float; use uchar or int"},
          {kText + "element face 4\nproperty list uchar a\n",
           "a.ply:4:21: unknown type 'a' of a property; use char, uchar, short, ushort, int, uint, "
           "float or double"},
          {kText + "element face 4\nproperty int\n", "a.ply:4:13: a property without a name"},
          {kText + "element vertex 1\nproperty float x\nproperty float y\nend_header\n1 2\n",
           "a.ply: element 'vertex' has no property 'z'"},
          {kText +
               "element vertex 1\nproperty list uchar float x\nproperty float y\nproperty float z\n"
               "end_header\n1 2 3 4\n",
           "a.ply: element 'vertex' has no scalar property 'x'"},
          {kText + "element vertex 0\n" + kXyz +
               "element face 1\nproperty list uchar int vertices\n"
               "end_header\n0\n",
           "a.ply: element 'face' has no list property 'vertex_indices' or 'vertex_index'"},
          {kText + "element vertex 2147483648\n" + kXyz + "end_header\n" + std::string(100, ' '),
           "a.ply:8:101: the header promises 2,147,483,648 'vertex' elements, but the data ends "
           "after at "
           "most 16; the file is cut off, or its header is wrong"},
      });
}

TEST(Ply, SaysWhatIsWrongInText) {
  test::expect_errors(
      parse_ply, "a.ply",
      {
          {square("", 0),
           "a.ply: has 4 points and no faces; give a surface: a mesh of triangles or polygons"},
          {kText + "end_header\n",
           "a.ply: has 0 points and no faces; give a surface: a mesh of triangles or polygons"},
          {square("3 0 1 2\n", 3),
           "a.ply:15:1: the header promises 3 'face' elements, but the data ends "
           "after 1; the file is cut off"},
          {square("3 0 1 4\n", 1),
           "a.ply:14:7: vertex 4 does not exist; the file has 4 vertices, numbered 0 to 3"},
          {square("3 0 -1 2\n", 1),
           "a.ply:14:5: vertex -1 does not exist; the file has 4 vertices, numbered 0 to 3"},
          {square("3 0 1\n", 1), "a.ply:14:6: the line ends before the item of the list"},
          {square("-3 0 1\n", 1), "a.ply:14:1: the length of the list is -3"},
          {square("3 0 1 2 9\n", 1), "a.ply:14:9: more values than element 'face' has properties"},
          {square("3 0 1 1.5\n", 1),
           "a.ply:14:7: the item of the list is '1.5', not a whole number"},
          {kText + "element vertex 1\n" + kXyz + "end_header\n0 0\n0 0 0",
           "a.ply:8:4: the line ends before z"},
          {kText + "element vertex 1\n" + kXyz + "end_header\n0 nan 0\n",
           "a.ply:8:3: y is nan, not a finite number"},
      });
}

TEST(Ply, SaysWhatIsWrongInBinary) {
  const PlyFormat format = PlyFormat::little_endian;
  const std::string good = binary_square(format, {{0, 1, 2}, {0, 2, 3}});
  const auto body = static_cast<std::int64_t>(good.find("end_header\n")) + 11;
  const auto at = [&](std::int64_t offset) {
    return "a.ply: byte " + std::to_string(body + offset);
  };
  std::string with_nan = good, promising = good;
  store(with_nan.data() + body + 28, std::numeric_limits<float>::quiet_NaN(), ByteOrder::little);
  promising.replace(promising.find("vertex 4"), 8, "vertex 4000000000000");
  test::expect_errors(
      parse_ply, "a.ply",
      {
          {with_nan, at(28) + ": y of element 'vertex' 2 is nan, not a finite number"},
          {good.substr(0, static_cast<std::size_t>(body + 40)),
           at(40) +
               ": the header promises 4 'vertex' elements, but the data ends after 3; the file is "
               "cut off, or its header is wrong"},
          {good.substr(0, good.size() - 3), at(71) +
                                                ": the header promises 2 'face' elements, but the "
                                                "data ends after 1; the file is cut off"},
          {promising, at(74 + 12) +
                          ": the header promises 4,000,000,000,000 'vertex' elements, but the "
                          "data ends after 6; the file is cut off, or its header is wrong"},
          {binary_square(format, {{0, 1, 2}, {0, 2, 4}}),
           at(48 + 13 + 9) + ": vertex 4 does not exist; the file has 4 vertices, numbered 0 to 3"},
          {binary_square(format, {{0, 1, 2}, {0, -1, 3}}),
           at(48 + 13 + 5) +
               ": vertex -1 does not exist; the file has 4 vertices, numbered 0 to 3"},
      });
  const MeshFile longer = parse_ply(good + "tail", "a.ply");
  EXPECT_EQ(longer.notes, (Notes{"4 bytes after the last element ignored"}));
}

TEST(Ply, PartialVelocitiesAreNoted) {
  const MeshFile file =
      parse_ply(kText + "element vertex 3\n" + kXyz + "property float vx\n" + "element face 1\n" +
                    kFace + "end_header\n0 0 0 1\n1 0 0 1\n0 1 0 1\n3 0 1 2\n",
                "a.ply");
  EXPECT_TRUE(file.velocities.empty());
  EXPECT_EQ(file.notes, (Notes{"velocities ignored: vx, vy and vz are not all there"}));
}

TEST(Ply, WritesWhatItReads) {
  test::Random random(9);
  TriangleMesh mesh;
  std::vector<Vec3> velocities;
  const auto vector = [&] {
    return Vec3((random.direction() * std::pow(10.0, random.between(-44, 15)))
                    .cast<float>()
                    .cast<double>());
  };
  // More than one block of rows.
  for (int i = 0; i < 300'000; ++i) {
    mesh.vertices.push_back(vector());
    velocities.push_back(vector());
  }
  mesh.vertices[7] = {-0.0, 0x1p-149, 0x1p49};
  for (int i = 0; i + 2 < 300'000; ++i) mesh.triangles.push_back({i, i + 2, i + 1});
  const test::TemporaryFolder folder;
  write_ply(folder / "a.ply", mesh, velocities);
  const MeshFile file = read_mesh(folder / "a.ply");
  test::expect_same_bits(file.mesh.vertices, mesh.vertices);
  test::expect_same_bits(file.velocities, velocities);
  EXPECT_EQ(file.mesh.triangles, mesh.triangles);
  EXPECT_TRUE(file.notes.empty());

  write_ply(folder / "b.ply", {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}});
  EXPECT_EQ(read_file(folder / "b.ply").view().substr(0, 62),
            "ply\nformat binary_little_endian 1.0\ncomment made by Spindrift\n");
}

TEST(Ply, RefusesToWriteWhatNoFloatHolds) {
  const test::TemporaryFolder folder;
  const auto error_of = [&](double value) {
    const TriangleMesh mesh{{{0, 0, 0}, {1, value, 0}, {0, 1, 0}}, {{0, 1, 2}}};
    return test::input_error([&] {
      write_ply(folder / "a.ply", mesh);
      return 0;
    });
  };
  const std::string file = (folder / "a.ply").string();
  EXPECT_EQ(error_of(1e39),
            file + ": the position of vertex 1 is (1, 1e+39, 0), which no float can hold");
  EXPECT_EQ(error_of(std::nan("")),
            file + ": the position of vertex 1 is (1, nan, 0), which no float can hold");
  EXPECT_FALSE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace spindrift
