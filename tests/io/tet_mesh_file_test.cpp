#include "spindrift/io/tet_mesh_file.hpp"

#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "spindrift/core/file.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/io/byte_order.hpp"
#include "spindrift/io/vtu.hpp"
#include "spindrift/mesh/boundary.hpp"

#include "io/io_testing.hpp"
#include "support/random.hpp"
#include "support/tet_meshes.hpp"

namespace spindrift {
namespace {

TetMesh wobbly_grid(const Vec3i& cells) {
  TetMesh mesh = test::kuhn_grid(cells);
  test::Random random(4);
  for (Vec3& v : mesh.vertices) v += 0.1 * random.direction();
  return mesh;
}

void expect_same_mesh(const TetMesh& a, const TetMesh& b) {
  EXPECT_EQ(a.vertices, b.vertices);
  EXPECT_EQ(a.tets, b.tets);
}

// Reads numbers one after the other.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T take() {
    if (bytes_.size() < sizeof(T)) throw std::runtime_error("the file is too short");
    const T value = load<T>(bytes_.data(), ByteOrder::little);
    bytes_.remove_prefix(sizeof(T));
    return value;
  }
  void expect(std::string_view text) {
    ASSERT_EQ(bytes_.substr(0, text.size()), text);
    bytes_.remove_prefix(text.size());
  }
  [[nodiscard]] bool is_empty() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

TEST(TetMeshFile, MeditReadsBackBitForBit) {
  const test::TemporaryFolder folder;
  const TetMesh mesh = wobbly_grid({3, 4, 5});
  write_tet_mesh(folder / "a.mesh", mesh);
  const FileBytes bytes = read_file(folder / "a.mesh");
  std::istringstream text{std::string(bytes.view())};
  std::string line;
  const auto expect_line = [&](const char* expected) {
    std::getline(text, line);
    EXPECT_EQ(line, expected);
  };
  // One section: its count, then lines of numbers.
  const auto each_line = [&](const char* name, const auto& take) {
    expect_line(name);
    std::getline(text, line);
    const int count = std::stoi(line);
    for (int i = 0; i < count; ++i) {
      std::getline(text, line);
      std::istringstream words(line);
      take(words);
      std::string region, more;
      words >> region;
      EXPECT_EQ(region, "1");
      EXPECT_FALSE(words >> more) << line;
    }
  };
  const auto number = [](std::istringstream& words) {
    std::string word;
    words >> word;
    return std::stod(word);
  };
  const auto index = [&](std::istringstream& words) {
    return static_cast<std::int32_t>(number(words)) - 1;
  };
  TetMesh back;
  std::vector<Triangle> triangles;
  expect_line("MeshVersionFormatted 2");
  expect_line("# made by Spindrift");
  expect_line("Dimension 3");
  each_line("Vertices", [&](std::istringstream& words) {
    Vec3 v;
    for (int axis = 0; axis < 3; ++axis) v[axis] = number(words);
    back.vertices.push_back(v);
  });
  each_line("Triangles", [&](std::istringstream& words) {
    Triangle triangle;
    for (std::int32_t& v : triangle) v = index(words);
    triangles.push_back(triangle);
  });
  each_line("Tetrahedra", [&](std::istringstream& words) {
    Tet tet;
    for (std::int32_t& v : tet) v = index(words);
    back.tets.push_back(tet);
  });
  expect_line("End");
  EXPECT_FALSE(std::getline(text, line));
  expect_same_mesh(back, mesh);
  const TetBoundary boundary = boundary_of(mesh);
  std::vector<Triangle> expected = boundary.surface.triangles;
  for (Triangle& t : expected) {
    for (std::int32_t& v : t) v = boundary.mesh_vertex[v];
  }
  EXPECT_EQ(triangles, expected);
}

TEST(TetMeshFile, MshReadsBackBitForBit) {
  const test::TemporaryFolder folder;
  const TetMesh mesh = wobbly_grid({3, 4, 5});
  write_tet_mesh(folder / "A.MSH", mesh);
  const FileBytes bytes = read_file(folder / "A.MSH");
  ByteReader reader(bytes.view());
  const auto expect_sizes = [&](std::initializer_list<std::int64_t> sizes) {
    for (const std::int64_t size : sizes) EXPECT_EQ(reader.take<std::int64_t>(), size);
  };
  const auto expect_ints = [&](std::initializer_list<std::int32_t> values) {
    for (const std::int32_t value : values) EXPECT_EQ(reader.take<std::int32_t>(), value);
  };
  Box3 box;
  for (const Vec3& v : mesh.vertices) box.extend(v);
  reader.expect("$MeshFormat\n4.1 1 8\n");
  expect_ints({1});
  reader.expect("\n$EndMeshFormat\n$Entities\n");
  expect_sizes({0, 0, 0, 1});
  expect_ints({1});
  for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(reader.take<double>(), box.min()[axis]);
  for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(reader.take<double>(), box.max()[axis]);
  expect_sizes({0, 0});
  reader.expect("\n$EndEntities\n$Nodes\n");
  expect_sizes({1, mesh.vertex_count(), 1, mesh.vertex_count()});
  expect_ints({3, 1, 0});
  expect_sizes({mesh.vertex_count()});
  for (std::int64_t v = 0; v < mesh.vertex_count(); ++v) expect_sizes({v + 1});
  TetMesh back;
  for (std::int64_t v = 0; v < mesh.vertex_count(); ++v) {
    Vec3 x;
    for (int axis = 0; axis < 3; ++axis) x[axis] = reader.take<double>();
    back.vertices.push_back(x);
  }
  reader.expect("\n$EndNodes\n$Elements\n");
  expect_sizes({1, mesh.tet_count(), 1, mesh.tet_count()});
  expect_ints({3, 1, 4});
  expect_sizes({mesh.tet_count()});
  for (std::int64_t t = 0; t < mesh.tet_count(); ++t) {
    expect_sizes({t + 1});
    Tet tet;
    for (std::int32_t& v : tet) v = static_cast<std::int32_t>(reader.take<std::int64_t>()) - 1;
    back.tets.push_back(tet);
  }
  reader.expect("\n$EndElements\n");
  EXPECT_TRUE(reader.is_empty());
  expect_same_mesh(back, mesh);
}

// A tetrahedron whose four faces have tags in turns.
TetMesh one_tet() {
  TetMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.tets = {{0, 1, 2, 3}};
  return mesh;
}
const std::vector<TaggedFace> kTags = {
    {0, FaceTag::solid}, {1, FaceTag::air}, {2, FaceTag::solid}, {3, FaceTag::air}};

TEST(TetMeshFile, TagsOfFacesAreMeditReferences) {
  const test::TemporaryFolder folder;
  write_tet_mesh(folder / "a.mesh", one_tet(), kTags);
  EXPECT_EQ(read_file(folder / "a.mesh").view(),
            "MeshVersionFormatted 2\n# made by Spindrift\nDimension 3\n"
            "Vertices\n4\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\n"
            "Triangles\n4\n2 3 4 2\n1 4 3 1\n1 2 4 2\n1 3 2 1\n"
            "Tetrahedra\n1\n1 2 3 4 1\nEnd\n");
}

TEST(TetMeshFile, TagsOfFacesAreMshGroups) {
  const test::TemporaryFolder folder;
  write_tet_mesh(folder / "a.msh", one_tet(), kTags);
  const FileBytes bytes = read_file(folder / "a.msh");
  const std::string_view file = bytes.view();
  EXPECT_NE(file.find("$EndMeshFormat\n$PhysicalNames\n3\n2 1 \"air\"\n2 2 \"solid\"\n"
                      "3 1 \"liquid\"\n$EndPhysicalNames\n$Entities\n"),
            std::string_view::npos);
  constexpr std::string_view kStart = "$Elements\n";
  ByteReader reader(file.substr(file.find(kStart) + kStart.size()));
  const auto expect_sizes = [&](std::initializer_list<std::int64_t> sizes) {
    for (const std::int64_t size : sizes) EXPECT_EQ(reader.take<std::int64_t>(), size);
  };
  const auto expect_block = [&](std::initializer_list<std::int32_t> values) {
    for (const std::int32_t value : values) EXPECT_EQ(reader.take<std::int32_t>(), value);
  };
  expect_sizes({3, 5, 1, 5});
  expect_block({3, 1, 4});
  expect_sizes({1, 1, 1, 2, 3, 4});
  expect_block({2, 1, 2});
  expect_sizes({2, 2, 1, 4, 3, 3, 1, 3, 2});
  expect_block({2, 2, 2});
  expect_sizes({2, 4, 2, 3, 4, 5, 1, 2, 4});
  reader.expect("\n$EndElements\n");
  EXPECT_TRUE(reader.is_empty());
}

// The numbers of the array called `name`, found by its offset in the header.
template <class T>
std::vector<T> vtu_array(std::string_view file, const std::string& name) {
  const std::size_t at = file.find("Name=\"" + name + "\"");
  if (at == std::string_view::npos) throw std::runtime_error("no array " + name);
  constexpr std::string_view kOffset = "offset=\"";
  const std::size_t offset =
      std::stoull(std::string(file.substr(file.find(kOffset, at) + kOffset.size(), 20)));
  constexpr std::string_view kStart = "<AppendedData encoding=\"raw\">\n_";
  ByteReader reader(file.substr(file.find(kStart) + kStart.size() + offset));
  std::vector<T> values(reader.take<std::uint64_t>() / sizeof(T));
  for (T& value : values) value = reader.take<T>();
  return values;
}

TEST(TetMeshFile, TagsOfFacesAreAVtuArray) {
  const test::TemporaryFolder folder;
  const std::vector<double> direction = {7, 8, 9};
  const std::vector<CellData> data = {
      {.name = "direction", .values = std::span<const double>(direction), .components = 3}};
  write_vtu(folder / "a.vtu", one_tet(), data, kTags);
  const FileBytes bytes = read_file(folder / "a.vtu");
  const std::string_view file = bytes.view();
  using Bytes = std::vector<std::uint8_t>;
  EXPECT_EQ(vtu_array<std::int32_t>(file, "connectivity"),
            (std::vector<std::int32_t>{0, 1, 2, 3, 1, 2, 3, 0, 3, 2, 0, 1, 3, 0, 2, 1}));
  EXPECT_EQ(vtu_array<std::int64_t>(file, "offsets"),
            (std::vector<std::int64_t>{4, 7, 10, 13, 16}));
  EXPECT_EQ(vtu_array<std::uint8_t>(file, "types"), (Bytes{10, 5, 5, 5, 5}));
  EXPECT_EQ(vtu_array<std::uint8_t>(file, "boundary"), (Bytes{0, 2, 1, 2, 1}));
  std::vector<double> padded(15, 0);
  std::copy(direction.begin(), direction.end(), padded.begin());
  EXPECT_EQ(vtu_array<double>(file, "direction"), padded);
}

TEST(TetMeshFile, VtuReadsBackBitForBit) {
  const test::TemporaryFolder folder;
  const TetMesh mesh = wobbly_grid({3, 4, 5});
  std::vector<double> directions(3 * mesh.tets.size());
  std::vector<std::int32_t> numbers(mesh.tets.size());
  for (std::size_t i = 0; i < directions.size(); ++i) directions[i] = 0.1 * static_cast<double>(i);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = -7 * static_cast<int>(i);
  const std::vector<CellData> data = {
      {.name = "direction", .values = std::span<const double>(directions), .components = 3},
      {.name = "a < \"b\" & c", .values = std::span<const std::int32_t>(numbers)}};
  write_vtu(folder / "a.vtu", mesh, data);
  const FileBytes bytes = read_file(folder / "a.vtu");
  const std::string_view file = bytes.view();
  const auto points = vtu_array<double>(file, "Points");
  const auto corners = vtu_array<std::int32_t>(file, "connectivity");
  ASSERT_EQ(points.size(), 3 * mesh.vertices.size());
  ASSERT_EQ(corners.size(), 4 * mesh.tets.size());
  TetMesh back;
  for (std::size_t i = 0; i < points.size(); i += 3) back.vertices.emplace_back(&points[i]);
  for (std::size_t i = 0; i < corners.size(); i += 4) {
    back.tets.push_back({corners[i], corners[i + 1], corners[i + 2], corners[i + 3]});
  }
  expect_same_mesh(back, mesh);
  const auto offsets = vtu_array<std::int64_t>(file, "offsets");
  ASSERT_EQ(offsets.size(), mesh.tets.size());
  EXPECT_EQ(offsets.front(), 4);
  EXPECT_EQ(offsets.back(), 4 * mesh.tet_count());
  EXPECT_EQ(vtu_array<std::uint8_t>(file, "types"),
            std::vector<std::uint8_t>(mesh.tets.size(), 10));
  EXPECT_EQ(vtu_array<double>(file, "direction"), directions);
  EXPECT_EQ(vtu_array<std::int32_t>(file, "a &lt; &quot;b&quot; &amp; c"), numbers);
  EXPECT_TRUE(file.ends_with("\n</AppendedData>\n</VTKFile>\n"));
}

TEST(TetMeshFile, TheSameBytesForAnyNumberOfThreads) {
  const test::TemporaryFolder folder;
  const TetMesh mesh = wobbly_grid({20, 20, 20});
  for (const std::string name : {"a.vtu", "a.msh", "a.mesh"}) {
    write_tet_mesh(folder / name, mesh);
    const ThreadLimit limit(1);
    write_tet_mesh(folder / ("one_" + name), mesh);
    EXPECT_EQ(read_file(folder / name).view(), read_file(folder / ("one_" + name)).view()) << name;
  }
}

TEST(TetMeshFile, RefusesWhatItCannotWrite) {
  const test::TemporaryFolder folder;
  const std::string prefix = folder.path().string() + "/";
  TetMesh mesh = test::kuhn_grid({1, 1, 1});
  for (const std::string name : {"a.obj", "a.vtk"}) {
    const std::string expected = prefix + name + ": cannot be written: '" + name.substr(1) +
                                 "' is not a format of tetrahedral meshes we know; use .vtu, .msh "
                                 "or .mesh";
    EXPECT_EQ(test::input_error([&] { return write_tet_mesh(folder / name, mesh), 0; }), expected);
    EXPECT_EQ(test::input_error([&] { return require_tet_mesh_path(folder / name), 0; }), expected);
  }
  EXPECT_EQ(test::input_error([&] { return write_tet_mesh(folder / "mesh", mesh), 0; }),
            prefix + "mesh: cannot be written: its name has no extension; use .vtu, .msh or .mesh");
  require_tet_mesh_path("a.VTU");
  mesh.vertices[3].y() = std::numeric_limits<double>::infinity();
  for (const std::string name : {"a.vtu", "a.msh", "a.mesh"}) {
    EXPECT_EQ(test::input_error([&] { return write_tet_mesh(folder / name, mesh), 0; }),
              prefix + name + ": the position of vertex 3 is (1, inf, 0), which is no place");
    EXPECT_FALSE(std::filesystem::exists(folder / name));
  }
}

}  // namespace
}  // namespace spindrift
