#include "spindrift/io/vtu_read.hpp"

#include <gtest/gtest.h>

#include "spindrift/core/file.hpp"
#include "spindrift/io/vtu.hpp"
#include "spindrift/mesh/boundary.hpp"

#include "io/io_testing.hpp"
#include "support/random.hpp"
#include "support/tet_meshes.hpp"

namespace spindrift {
namespace {

struct Sample {
  TetMesh mesh;
  std::vector<double> pressure, velocity;
  std::vector<std::int32_t> number;
  std::string bytes;
};

// As the caches have it: tetrahedra with cell data, and tagged faces after them.
Sample write_sample(const Vec3i& cells, bool has_faces) {
  const test::TemporaryFolder folder;
  test::Random random(7);
  Sample sample;
  sample.mesh = test::kuhn_grid(cells);
  for (Vec3& vertex : sample.mesh.vertices) vertex += 0.1 * random.direction();
  for (std::int32_t tet = 0; tet < sample.mesh.tet_count(); ++tet) {
    sample.pressure.push_back(1.0 / (tet + 1));
    sample.velocity.insert(sample.velocity.end(), {1.0 * tet, 0.5, -1e-300});
    sample.number.push_back(-tet);
  }
  std::vector<TaggedFace> faces;
  if (has_faces) {
    for (const std::int32_t side : boundary_sides(find_neighbors(sample.mesh))) {
      faces.push_back({side, FaceTag::solid});
    }
  }
  const std::vector<CellData> data = {
      {"pressure", std::span<const double>(sample.pressure)},
      {"velocity", std::span<const double>(sample.velocity), 3},
      {"a \"<&> name", std::span<const std::int32_t>(sample.number)}};
  write_vtu(folder / "a.vtu", sample.mesh, data, faces);
  sample.bytes = read_file(folder / "a.vtu").view();
  return sample;
}

TEST(VtuRead, ReadsBackWhatWasWrittenBitForBit) {
  for (const bool has_faces : {false, true}) {
    const Sample sample = write_sample({3, 4, 5}, has_faces);
    const TetFile file = parse_vtu(sample.bytes, "a.vtu");
    EXPECT_EQ(file.mesh.vertices, sample.mesh.vertices);
    EXPECT_EQ(file.mesh.tets, sample.mesh.tets);
    ASSERT_NE(file.find("pressure", 1), nullptr);
    EXPECT_EQ(file.find("pressure", 1)->values, sample.pressure);
    ASSERT_NE(file.find("velocity", 3), nullptr);
    EXPECT_EQ(file.find("velocity", 3)->values, sample.velocity);
    EXPECT_EQ(file.find("pressure", 3), nullptr);
    EXPECT_EQ(file.find("boundary", 1) != nullptr, has_faces);
    ASSERT_NE(file.find("a \"<&> name", 1), nullptr);
    EXPECT_EQ(file.find("a \"<&> name", 1)->values[5], -5) << "of whole numbers";
  }
}

TEST(VtuRead, RefusesFilesThatWereCutOff) {
  const Sample sample = write_sample({1, 1, 1}, true);
  const std::size_t end = sample.bytes.rfind("\n</AppendedData>");
  for (std::size_t length = 0; length < end; ++length) {
    EXPECT_NE(test::input_error([&] { return parse_vtu(sample.bytes.substr(0, length), "a.vtu"); }),
              "")
        << length;
  }
}

TEST(VtuRead, SurvivesAnyDamage) {
  const Sample sample = write_sample({1, 1, 1}, true);
  test::Random random(11);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = sample.bytes;
    for (int k = 0; k < 3; ++k) {
      bytes[static_cast<std::size_t>(random.below(std::ssize(bytes)))] =
          static_cast<char>(random.below(256));
    }
    try {
      const TetFile file = parse_vtu(bytes, "a.vtu");
      for (const Tet& tet : file.mesh.tets) {
        for (const std::int32_t corner : tet) {
          ASSERT_TRUE(corner >= 0 && corner < file.mesh.vertex_count());
        }
      }
    } catch (const InputError&) {
      continue;
    }
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(VtuRead, SaysWhatItDoesNotRead) {
  const std::string bytes = write_sample({1, 1, 1}, false).bytes;
  const auto error = [&](const std::string& from, const std::string& to) {
    return test::input_error([&] { return parse_vtu(replaced(bytes, from, to), "a.vtu"); });
  };
  constexpr const char* kEnd = "; the file is damaged, or not one that spindrift writes";
  EXPECT_EQ(error("LittleEndian", "BigEndian"),
            std::string("a.vtu: byte 22: is not little endian") + kEnd);
  EXPECT_NE(error("encoding=\"raw\"", "encoding=\"base64\"").find("is not raw"), std::string::npos);
  EXPECT_NE(error("NumberOfCells=\"6\"", "NumberOfCells=\"7\"").find("are announced"),
            std::string::npos);
  EXPECT_NE(error("NumberOfPoints=\"8\"", "NumberOfPoints=\"-8\"").find("is no number"),
            std::string::npos);
  EXPECT_NE(error("UnstructuredGrid", "PolyData").find("is no unstructured grid"),
            std::string::npos);
  EXPECT_NE(test::input_error([] { return parse_vtu("hello", "a.vtu"); }), "");
}

}  // namespace
}  // namespace spindrift
