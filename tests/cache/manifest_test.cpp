#include "spindrift/cache/manifest.hpp"

#include <gtest/gtest.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/file.hpp"

#include "support/temporary_folder.hpp"

namespace spindrift {
namespace {

Manifest two_frames() {
  Manifest manifest;
  manifest.version = "0.1.0";
  manifest.scene = "dam";
  manifest.fps = 23.976;
  manifest.frames_asked = 121;
  manifest.frames.resize(2);
  manifest.scene_checksum = 0xfedcba9876543210;
  manifest.branch_of = "old.cache:12";
  manifest.frames[0].files.push_back({"surface.ply", 1234, 0x123, 5, 6});
  manifest.frames[0].files.push_back({"mesh.vtu", 4321, 0x456, 7, 0, 8});
  manifest.frames[0].lines.push_back({"probes/a.csv", 17, 0x789});
  manifest.frames[1].time = 1 / 23.976;
  return manifest;
}

std::string problem_of(const std::string& text) {
  try {
    (void)parse_manifest(text, "m");
    return "none";
  } catch (const InputError& error) {
    return error.what();
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Manifest, ComesBackTheSame) {
  const std::string text = write_manifest(two_frames());
  const Manifest read = parse_manifest(text, "m");
  EXPECT_EQ(read.version, "0.1.0");
  EXPECT_EQ(read.scene, "dam");
  EXPECT_EQ(read.fps, 23.976);
  EXPECT_EQ(read.frames_asked, 121);
  ASSERT_EQ(read.frames.size(), 2u);
  const FrameFile* file = read.frames[0].find("surface.ply");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->bytes, 1234);
  EXPECT_EQ(file->vertices, 5);
  EXPECT_EQ(file->triangles, 6);
  EXPECT_EQ(file->checksum, 0x123u);
  EXPECT_EQ(read.frames[0].find("mesh.vtu")->tets, 8);
  ASSERT_EQ(read.frames[0].lines.size(), 1u);
  EXPECT_EQ(read.frames[0].lines[0].name, "probes/a.csv");
  EXPECT_EQ(read.frames[0].lines[0].bytes, 17);
  EXPECT_EQ(read.frames[0].lines[0].checksum, 0x789u);
  EXPECT_EQ(read.scene_checksum, 0xfedcba9876543210);
  EXPECT_EQ(read.branch_of, "old.cache:12");
  EXPECT_EQ(read.frames[1].time, 1 / 23.976);
  EXPECT_EQ(read.frames[1].find("surface.ply"), nullptr);
  EXPECT_EQ(write_manifest(read), text);
}

TEST(Manifest, WithoutFramesToo) {
  Manifest manifest = two_frames();
  manifest.frames.clear();
  EXPECT_TRUE(parse_manifest(write_manifest(manifest), "m").frames.empty());
}

TEST(Manifest, WhatIsWrongIsSaid) {
  const std::string good = write_manifest(two_frames());
  EXPECT_EQ(problem_of(good), "none");
  const std::string newer = problem_of(replaced(good, "\"format\": 1", "\"format\": 2"));
  EXPECT_EQ(newer,
            "m: has format 2; this Spindrift reads up to 1; use the Spindrift that made it, or a "
            "newer one");
  EXPECT_NE(problem_of(replaced(good, "\"frame\":1", "\"frame\":2")).find("frame 1 is missing"),
            std::string::npos);
  EXPECT_NE(problem_of(replaced(good, "\"frames_done\": 2", "\"frames_done\": 3")).find("listed"),
            std::string::npos);
  EXPECT_NE(problem_of(replaced(good, "surface.ply", "../../x")).find("not a file name"),
            std::string::npos);
  EXPECT_NE(problem_of(replaced(good, "\"fps\"", "\"fsp\"")).find("fps"), std::string::npos);
  EXPECT_NE(problem_of(replaced(good, "\"fps\": 23.976", "\"fps\": -0.0")).find("must be positive"),
            std::string::npos);
  EXPECT_NE(problem_of("[]").find("damaged"), std::string::npos);
}

TEST(Manifest, EveryFlippedBitIsNoticedOrDoesNotMatter) {
  const std::string good = write_manifest(two_frames());
  // The name of the checksum is not in it; without one nothing else is wrong.
  const std::size_t key = good.rfind("\"checksum\"");
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      const std::string problem = problem_of(bad);
      EXPECT_TRUE(problem != "none" || i >= key) << "byte " << i << ", bit " << bit;
    }
  }
}

TEST(Manifest, OfAnEarlyCacheHasNoChecksums) {
  const std::string early =
      R"({"format": 1, "spindrift": "0.1.0", "scene": "dam", "fps": 24.0, "frames_asked": 2,
      "frames_done": 1, "frames": [{"frame":0,"time":0.0,"files":{"surface.ply":
      {"bytes":10,"vertices":2,"triangles":3}}}]})";
  const Manifest read = parse_manifest(early, "m");
  EXPECT_FALSE(read.frames[0].find("surface.ply")->checksum);
  EXPECT_TRUE(read.frames[0].lines.empty());
}

TEST(Manifest, EveryTruncationIsNoticed) {
  std::string good = write_manifest(two_frames());
  good.pop_back();  // the last line end
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_NE(problem_of(good.substr(0, length)), "none") << length;
  }
}

TEST(Manifest, OtherFoldersAreNotCaches) {
  const test::TemporaryFolder folder;
  const auto problem = [](const std::filesystem::path& path) -> std::string {
    try {
      (void)read_manifest(path);
      return "none";
    } catch (const InputError& error) {
      return error.problem();
    }
  };
  EXPECT_EQ(problem(folder.path()), "is not a cache: it has no manifest.json");
  EXPECT_EQ(problem(folder / "nowhere"), "there is no such folder");
  folder.write("file", "x");
  EXPECT_EQ(problem(folder / "file"), "is not a folder");
}

}  // namespace
}  // namespace spindrift
