// What OpenVDB itself finds in our files.
#include <array>
#include <bit>
#include <cmath>

#include <gtest/gtest.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/Diagnostics.h>
#include <openvdb/tools/SignedFloodFill.h>

#include "spindrift/io/half.hpp"
#include "spindrift/io/vdb.hpp"

#include "support/meshes.hpp"
#include "support/random.hpp"
#include "support/temporary_folder.hpp"

namespace spindrift {
namespace {

template <class Grid>
typename Grid::Ptr read_grid(const std::filesystem::path& path, const char* name) {
  openvdb::initialize();
  openvdb::io::File file(path.string());
  file.open(/*delayed=*/false);
  return openvdb::gridPtrCast<Grid>(file.readGrid(name));
}

// A ball with a hollow in it and a second one beside, so that there are tiles on both sides, on two
// levels of OpenVDB's tree.
BandDistance balls() {
  TriangleMesh all = test::sphere(5, 0.5, Vec3(0.1, -0.2, 0.3));
  const auto add = [&](const TriangleMesh& more, bool is_hollow) {
    const auto first = static_cast<std::int32_t>(all.vertices.size());
    all.vertices.insert(all.vertices.end(), more.vertices.begin(), more.vertices.end());
    for (const Triangle& t : more.triangles) {
      all.triangles.push_back(
          {first + t[0], first + t[is_hollow ? 2 : 1], first + t[is_hollow ? 1 : 2]});
    }
  };
  add(test::sphere(4, 0.1, Vec3(0.1, -0.2, 0.3)), true);
  add(test::sphere(4, 0.2, Vec3(0.9, -0.2, 0.3)), false);
  return mesh_distance(all, {}, {Vec3(-1, 2, 3), 0.003}, {.band = 3});
}

TEST(VdbValues, SlowDistancesAreWhatTheyWere) {
  const test::TemporaryFolder folder;
  const BandDistance distance = balls();
  write_vdb(folder / "a.vdb", distance, {});
  const auto grid = read_grid<openvdb::FloatGrid>(folder / "a.vdb", kVdbSurface);
  const SampledField& field = distance.field;
  const auto spacing = static_cast<float>(field.lattice.spacing);
  const float outside = grid->background();
  EXPECT_FLOAT_EQ(outside, 3 * spacing);
  auto values = grid->getConstAccessor();
  double greatest = 0;
  for (std::int64_t b = 0; b < field.blocks.size(); ++b) {
    for (int node = 0; node < kBlockNodes; ++node) {
      const Vec3i at = field.blocks.first_node(b) + node_offset(node);
      const openvdb::Coord place(at.x(), at.y(), at.z());
      const bool is_known = has_node(field.known[static_cast<std::size_t>(b)], node);
      ASSERT_EQ(values.isValueOn(place), is_known);
      const float value = values.getValue(place);
      const float wanted = spacing * field.block_values(b)[node];
      ASSERT_EQ(std::signbit(value), std::signbit(wanted));
      ASSERT_LE(std::abs(value), outside);
      if (is_known) {
        greatest = std::max(greatest, std::abs(double{value} - wanted) / std::abs(wanted));
      } else {
        ASSERT_EQ(std::abs(value), outside);
      }
    }
  }
  // Half of the last of 16 bits; but at the end of the band, where values are rounded down, all.
  EXPECT_LE(greatest, 0x1p-15);
}

TEST(VdbValues, SlowTilesHaveTheSignsThatOpenVdbWouldGiveThem) {
  const test::TemporaryFolder folder;
  write_vdb(folder / "a.vdb", balls(), {});
  const auto grid = read_grid<openvdb::FloatGrid>(folder / "a.vdb", kVdbSurface);
  const auto filled = grid->deepCopy();
  openvdb::tools::signedFloodFill(filled->tree());
  std::int64_t inside = 0;
  auto values = filled->getConstAccessor();
  for (auto tile = grid->cbeginValueOff(); tile; ++tile) {
    ASSERT_EQ(*tile, values.getValue(tile.getCoord()));
    if (!tile.isVoxelValue() && *tile < 0) ++inside;
  }
  EXPECT_GT(inside, 100);
  // All but the norm of gradients, which is not 1 where triangles meet.
  constexpr std::size_t kAllButGradients = 7;
  EXPECT_EQ(openvdb::tools::checkLevelSet(*grid, kAllButGradients), "");
}

TEST(VdbValues, VelocitiesAreRoundedToHalfPrecision) {
  test::Random random(7);
  VelocitySamples samples;
  samples.lattice = {Vec3::Zero(), 0.5};
  samples.blocks = BlockSet({block_key({-3, 0, 1}), block_key({0, 0, 0}), block_key({40, 7, -2})});
  samples.known.resize(3);
  samples.values.assign(3 * kBlockNodes, Vec3f::Zero());
  for (std::size_t b = 0; b < 3; ++b) {
    for (std::size_t node = 0; node < kBlockNodes; ++node) {
      if (b == 2 && node % 3 != 0) continue;
      samples.known[b][node >> 6] |= std::uint64_t{1} << (node & 63);
      samples.values[b * kBlockNodes + node] =
          (b == 1 ? Vec3(1, 2, 3) : random.in_box({Vec3::Constant(-9), Vec3::Constant(9)}))
              .cast<float>();
    }
  }
  const test::TemporaryFolder folder;
  BandDistance nothing;
  nothing.band = 3;
  write_vdb(folder / "a.vdb", nothing, samples);
  const auto grid = read_grid<openvdb::Vec3SGrid>(folder / "a.vdb", kVdbVelocity);
  EXPECT_EQ(grid->activeVoxelCount(), 512U + 512U + 171U);
  auto values = grid->getConstAccessor();
  for (std::size_t b = 0; b < 3; ++b) {
    for (int node = 0; node < kBlockNodes; ++node) {
      const Vec3i at = samples.blocks.first_node(static_cast<std::int64_t>(b)) + node_offset(node);
      const openvdb::Vec3s value = values.getValue({at.x(), at.y(), at.z()});
      const Vec3f& wanted = samples.values[b * kBlockNodes + static_cast<std::size_t>(node)];
      for (int k = 0; k < 3; ++k) {
        ASSERT_EQ(value[k], static_cast<float>(openvdb::math::half(wanted[k])));
      }
    }
  }
}

TEST(VdbValues, HalvesAreThoseOfOpenVdb) {
  for (std::uint32_t bits = 0; bits < 0x7f800000; bits += 4099) {
    const auto x = std::bit_cast<float>(bits);
    ASSERT_EQ(half_bits(x), openvdb::math::half(x).bits()) << x;
    ASSERT_EQ(half_bits(-x), openvdb::math::half(-x).bits()) << -x;
  }
  // Halfway between two, and the next number on either side.
  for (std::uint32_t half = 0; half < 0x7c00; ++half) {
    openvdb::math::half low;
    low.setBits(static_cast<std::uint16_t>(half));
    openvdb::math::half high;
    high.setBits(static_cast<std::uint16_t>(half + 1));
    const float middle =
        half == 0x7bff ? 65520.0F : 0.5F * (static_cast<float>(low) + static_cast<float>(high));
    for (const float x : {std::nextafter(middle, 0.0F), middle, std::nextafter(middle, 1e9F)}) {
      ASSERT_EQ(half_bits(x), openvdb::math::half(x).bits()) << x;
      std::array<std::uint16_t, 8> eight;
      store_halves(eight.data(), splat8(x));
      ASSERT_EQ(eight[5], half_bits(x)) << x;
    }
  }
}

}  // namespace
}  // namespace spindrift
