#include "spindrift/io/vdb.hpp"

#include "spindrift/core/error.hpp"

#ifdef SPINDRIFT_OPENVDB
#include <algorithm>
#include <bit>
#include <memory>
#include <sstream>

#include <fmt/format.h>
#include <openvdb/io/Archive.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/SignedFloodFill.h>

#include "spindrift/core/parallel.hpp"
#include "spindrift/core/simd.hpp"
#endif

namespace spindrift {

#ifdef SPINDRIFT_OPENVDB

namespace {

openvdb::math::Transform::Ptr transform_of(const Lattice& lattice) {
  auto transform = openvdb::math::Transform::createLinearTransform(lattice.spacing);
  transform->postTranslate({lattice.origin.x(), lattice.origin.y(), lattice.origin.z()});
  return transform;
}

// Our blocks are OpenVDB's leaves, but for the order of the nodes in them: x and z change places.
openvdb::Index leaf_place(int node) {
  const Vec3i offset = node_offset(node);
  return static_cast<openvdb::Index>(offset.x() << 6 | offset.y() << 3 | offset.z());
}

// Bit j of byte i changes places with bit i of byte j: by halves, quarters, then single bits
// [Warren, Hacker's Delight, section 7-3].
std::uint64_t transposed_bits(std::uint64_t bits) {
  const auto swap = [&](int distance, std::uint64_t mask) {
    const std::uint64_t other = (bits ^ bits >> distance) & mask;
    bits ^= other ^ other << distance;
  };
  swap(28, 0x00000000f0f0f0f0);
  swap(14, 0x0000cccc0000cccc);
  swap(7, 0x00aa00aa00aa00aa);
  return bits;
}

// A word of ours has a z, and bytes for y; one of OpenVDB's an x.
openvdb::util::NodeMask<3> leaf_mask(const BlockMask& mask) {
  std::array<std::uint64_t, 8> words{};
  for (int y = 0; y < kBlockSide; ++y) {
    std::uint64_t layer = 0;  // a byte for each z
    for (int z = 0; z < kBlockSide; ++z) {
      layer |= (mask[static_cast<std::size_t>(z)] >> (8 * y) & 0xff) << (8 * z);
    }
    layer = transposed_bits(layer);
    for (int x = 0; x < kBlockSide; ++x) {
      words[static_cast<std::size_t>(x)] |= (layer >> (8 * x) & 0xff) << (8 * y);
    }
  }
  openvdb::util::NodeMask<3> result;
  for (openvdb::Index x = 0; x < words.size(); ++x) {
    result.getWord<openvdb::util::NodeMask<3>::Word>(x) = words[x];
  }
  return result;
}

bool is_empty(const BlockMask& mask) {
  return std::all_of(mask.begin(), mask.end(), [](std::uint64_t word) { return word == 0; });
}

// The known nodes of a block, from its first.
openvdb::CoordBBox known_box(const BlockMask& mask) {
  openvdb::CoordBBox box;
  std::uint64_t all = 0;
  for (int z = 0; z < kBlockSide; ++z) {
    const std::uint64_t word = mask[static_cast<std::size_t>(z)];
    if (word == 0) continue;
    box.expand(openvdb::Coord(0, 0, z));
    all |= word;
  }
  std::uint64_t row = 0;
  for (int y = 0; y < kBlockSide; ++y) row |= all >> (8 * y) & 0xff;
  box.min().setX(std::countr_zero(row));
  box.max().setX(63 - std::countl_zero(row));
  box.min().setY(std::countr_zero(all) / 8);
  box.max().setY((63 - std::countl_zero(all)) / 8);
  return box;
}

constexpr std::uint32_t kCompression =
    openvdb::io::COMPRESS_BLOSC | openvdb::io::COMPRESS_ACTIVE_MASK;

// What OpenVDB would find out by going through the tree again.
void add_stats(openvdb::GridBase& grid, const BlockSet& blocks,
               const std::vector<BlockMask>& known) {
  openvdb::CoordBBox box;
  std::int64_t voxels = 0;
  for (std::int64_t b = 0; b < blocks.size(); ++b) {
    const BlockMask& mask = known[static_cast<std::size_t>(b)];
    if (is_empty(mask)) continue;
    for (const std::uint64_t word : mask) voxels += std::popcount(word);
    const Vec3i first = blocks.first_node(b);
    openvdb::CoordBBox own = known_box(mask);
    own.translate({first.x(), first.y(), first.z()});
    box.expand(own);
  }
  using openvdb::GridBase;
  grid.insertMeta(GridBase::META_FILE_BBOX_MIN, openvdb::Vec3IMetadata(box.min().asVec3i()));
  grid.insertMeta(GridBase::META_FILE_BBOX_MAX, openvdb::Vec3IMetadata(box.max().asVec3i()));
  grid.insertMeta(GridBase::META_FILE_MEM_BYTES,
                  openvdb::Int64Metadata(static_cast<std::int64_t>(grid.memUsage())));
  grid.insertMeta(GridBase::META_FILE_COMPRESSION,
                  openvdb::StringMetadata(openvdb::io::compressionToString(kCompression)));
  grid.insertMeta(GridBase::META_FILE_VOXEL_COUNT, openvdb::Int64Metadata(voxels));
}

// Leaves for the blocks that have known nodes; fill(block, values) writes into one of them.
template <class Grid, class Fill>
void fill_leaves(Grid& grid, const BlockSet& blocks, const std::vector<BlockMask>& known,
                 const Fill& fill) {
  using Leaf = typename Grid::TreeType::LeafNodeType;
  std::vector<std::unique_ptr<Leaf>> leaves(known.size());
  parallel_for_each(
      blocks.size(),
      [&](std::int64_t b) {
        const BlockMask& mask = known[static_cast<std::size_t>(b)];
        if (is_empty(mask)) return;
        const Vec3i first = blocks.first_node(b);
        // Its values are not written twice.
        auto leaf = std::make_unique<Leaf>(openvdb::PartialCreate(),
                                           openvdb::Coord(first.x(), first.y(), first.z()));
        leaf->allocate();
        fill(b, leaf->buffer().data());
        leaf->setValueMask(leaf_mask(mask));
        leaves[static_cast<std::size_t>(b)] = std::move(leaf);
      },
      64);
  for (std::unique_ptr<Leaf>& leaf : leaves) {
    if (leaf) grid.tree().addLeaf(leaf.release());
  }
  add_stats(grid, blocks, known);
}

openvdb::FloatGrid::Ptr surface_grid(const BandDistance& distance) {
  const SampledField& field = distance.field;
  const auto spacing = static_cast<float>(field.lattice.spacing);
  const float outside = distance.band * spacing;
  auto grid = openvdb::FloatGrid::create(outside);
  grid->setTransform(transform_of(field.lattice));
  grid->setName(kVdbSurface);
  grid->setGridClass(openvdb::GRID_LEVEL_SET);
  fill_leaves(*grid, field.blocks, field.known, [&](std::int64_t block, float* leaf) {
    const Float8 factor = splat8(spacing);
    const Float8 greatest = splat8(outside);
    const float* const values = field.block_values(block);
    for (int y = 0; y < kBlockSide; ++y) {
      std::array<Float8, 8> rows;
      for (int z = 0; z < kBlockSide; ++z) {
        const Float8 row = factor * load8(values + 64 * z + 8 * y);
        rows[static_cast<std::size_t>(z)] = lane_max(-greatest, lane_min(row, greatest));
      }
      transpose(rows);
      for (int x = 0; x < kBlockSide; ++x) {
        store8(leaf + 64 * x + 8 * y, rows[static_cast<std::size_t>(x)]);
      }
    }
  });
  // Signs between the leaves; in them they are there already.
  constexpr openvdb::Index kAboveLeaves = 1;
  openvdb::tools::signedFloodFill(grid->tree(), /*threaded=*/true, /*grainSize=*/1, kAboveLeaves);
  return grid;
}

openvdb::Vec3SGrid::Ptr velocity_grid(const VelocitySamples& samples) {
  auto grid = openvdb::Vec3SGrid::create();
  grid->setTransform(transform_of(samples.lattice));
  grid->setName(kVdbVelocity);
  grid->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
  grid->setSaveFloatAsHalf(true);
  fill_leaves(*grid, samples.blocks, samples.known, [&](std::int64_t block, openvdb::Vec3s* leaf) {
    for (int node = 0; node < kBlockNodes; ++node) {
      const Vec3f& v = samples.values[static_cast<std::size_t>(block * kBlockNodes + node)];
      leaf[leaf_place(node)] = openvdb::Vec3s(v.x(), v.y(), v.z());
    }
  });
  return grid;
}

// Writes to memory, as openvdb::io::File does to a file.
class MemoryArchive final : public openvdb::io::Archive {
 public:
  std::string bytes_of(const openvdb::GridCPtrVec& grids) {
    setCompression(kCompression);
    setGridStatsMetadataEnabled(false);  // add_stats() did it
    std::ostringstream stream(std::ios::binary);
    write(stream, grids, /*seekable=*/true);
    return std::move(stream).str();
  }
};

// The random name of the file: after the magic number, three numbers of versions and a flag.
constexpr std::size_t kNameAt = 8 + 4 + 4 + 4 + 1;
constexpr std::size_t kNameBytes = 36;

void name_by_contents(std::string& bytes) {
  SPINDRIFT_ASSERT(bytes.size() > kNameAt + kNameBytes && bytes[kNameAt + 8] == '-');
  const std::uint64_t sum = checksum_of(std::string_view(bytes).substr(kNameAt + kNameBytes));
  const std::uint64_t more = add_word(sum, sum);
  // Marked as made from contents (version 8 of RFC 9562).
  const std::string name =
      fmt::format("{:08x}-{:04x}-8{:03x}-a{:03x}-{:012x}", sum >> 32, sum >> 16 & 0xffff,
                  sum & 0xfff, more >> 52, more & 0xffffffffffff);
  bytes.replace(kNameAt, kNameBytes, name);
}

}  // namespace

bool has_vdb() { return true; }

FileStamp write_vdb(const std::filesystem::path& path, const BandDistance& distance,
                    const VelocitySamples& velocity) {
  openvdb::initialize();
  std::string bytes = MemoryArchive().bytes_of({surface_grid(distance), velocity_grid(velocity)});
  name_by_contents(bytes);
  return write_file(path, bytes);
}

VdbReport examine_vdb(const std::filesystem::path& path) {
  openvdb::initialize();
  try {
    openvdb::io::File file(path.string());
    file.open(/*delayed=*/false);
    const auto surface = openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid(kVdbSurface));
    const auto velocity = openvdb::gridPtrCast<openvdb::Vec3SGrid>(file.readGrid(kVdbVelocity));
    if (surface && velocity) {
      return {static_cast<std::int64_t>(surface->activeVoxelCount()),
              static_cast<std::int64_t>(velocity->activeVoxelCount()), surface->voxelSize().x()};
    }
  } catch (const openvdb::Exception& error) {
    throw InputError({.file = path.string()}, std::string("is damaged: ") + error.what());
  }
  throw InputError({.file = path.string()}, "has no level set and velocity of a liquid");
}

#else

namespace {

[[noreturn]] void fail_without_openvdb(const std::filesystem::path& path) {
  throw InputError({.file = path.string()}, "this Spindrift was built without OpenVDB",
                   "build it with SPINDRIFT_OPENVDB=ON");
}

}  // namespace

bool has_vdb() { return false; }
FileStamp write_vdb(const std::filesystem::path& path, const BandDistance&,
                    const VelocitySamples&) {
  fail_without_openvdb(path);
}
VdbReport examine_vdb(const std::filesystem::path& path) { fail_without_openvdb(path); }

#endif

}  // namespace spindrift
