#include "spindrift/io/vdb.hpp"

#include <gtest/gtest.h>

#include "spindrift/core/error.hpp"

#include "support/meshes.hpp"
#include "support/temporary_folder.hpp"

namespace spindrift {
namespace {

const Lattice kLattice{Vec3(-1, 2, 3), 0.05};

BandDistance sphere_distance() {
  return mesh_distance(test::sphere(4, 0.4, Vec3(0, 2.5, 3.5)), {}, kLattice, {.band = 3});
}

VelocitySamples one_velocity() {
  VelocitySamples samples;
  samples.lattice = {kLattice.origin, 0.1};
  samples.blocks = BlockSet({block_key({0, 0, 0}), block_key({1, 0, 2})});
  samples.known.assign(2, BlockMask{});
  samples.known[0][0] = 0b101;
  samples.values.assign(2 * kBlockNodes, Vec3f(1, -2, 0.5f));
  return samples;
}

TEST(Vdb, HoldsWhatWasWritten) {
  if (!has_vdb()) GTEST_SKIP() << "built without OpenVDB";
  const test::TemporaryFolder folder;
  const BandDistance distance = sphere_distance();
  const FileStamp stamp = write_vdb(folder / "a.vdb", distance, one_velocity());
  EXPECT_EQ(stamp.bytes, static_cast<std::int64_t>(std::filesystem::file_size(folder / "a.vdb")));
  const VdbReport report = examine_vdb(folder / "a.vdb");
  std::int64_t known = 0;
  for (const BlockMask& mask : distance.field.known) {
    for (const std::uint64_t word : mask) known += std::popcount(word);
  }
  EXPECT_EQ(report.surface_voxels, known);
  EXPECT_EQ(report.velocity_voxels, 2);
  EXPECT_DOUBLE_EQ(report.voxel, 0.05);
}

TEST(Vdb, TheSameValuesMakeTheSameBytes) {
  if (!has_vdb()) GTEST_SKIP() << "built without OpenVDB";
  const test::TemporaryFolder folder;
  write_vdb(folder / "a.vdb", sphere_distance(), one_velocity());
  write_vdb(folder / "b.vdb", sphere_distance(), one_velocity());
  EXPECT_EQ(read_file(folder / "a.vdb").view(), read_file(folder / "b.vdb").view());
}

TEST(Vdb, NothingIsAFileToo) {
  if (!has_vdb()) GTEST_SKIP() << "built without OpenVDB";
  const test::TemporaryFolder folder;
  BandDistance nothing;
  nothing.band = 3;
  write_vdb(folder / "a.vdb", nothing, {});
  EXPECT_EQ(examine_vdb(folder / "a.vdb").surface_voxels, 0);
}

TEST(Vdb, DamageIsSaid) {
  if (!has_vdb()) GTEST_SKIP() << "built without OpenVDB";
  const test::TemporaryFolder folder;
  write_vdb(folder / "a.vdb", sphere_distance(), one_velocity());
  const std::string bytes(read_file(folder / "a.vdb").view());
  write_file(folder / "cut.vdb", bytes.substr(0, 100));
  EXPECT_THROW((void)examine_vdb(folder / "cut.vdb"), InputError);
  EXPECT_THROW((void)examine_vdb(folder.write("text.vdb", "text")), InputError);
}

}  // namespace
}  // namespace spindrift
