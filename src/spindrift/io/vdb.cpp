#include "spindrift/io/vdb.hpp"

#include "spindrift/core/error.hpp"

#ifdef SPINDRIFT_OPENVDB
#include <sstream>

#include <fmt/format.h>
#include <openvdb/io/Archive.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/Prune.h>
#include <openvdb/tools/SignedFloodFill.h>

#include "spindrift/core/parallel.hpp"
#endif

namespace spindrift {

#ifdef SPINDRIFT_OPENVDB

namespace {

openvdb::math::Transform::Ptr transform_of(const Lattice& lattice) {
  auto transform = openvdb::math::Transform::createLinearTransform(lattice.spacing);
  transform->postTranslate({lattice.origin.x(), lattice.origin.y(), lattice.origin.z()});
  return transform;
}

// Our blocks are OpenVDB's leaves, but for the order of the nodes in them: z is the first to count
// there, and each of its words has an x.
openvdb::Index leaf_place(int node) {
  const Vec3i offset = node_offset(node);
  return static_cast<openvdb::Index>(offset.x() << 6 | offset.y() << 3 | offset.z());
}

template <class Grid, class Value>
void fill_leaves(Grid& grid, const BlockSet& blocks, const std::vector<BlockMask>& known,
                 const Value& value) {
  using Leaf = typename Grid::TreeType::LeafNodeType;
  std::vector<Leaf*> leaves;
  for (std::int64_t b = 0; b < blocks.size(); ++b) {
    const Vec3i first = blocks.first_node(b);
    leaves.push_back(grid.tree().touchLeaf({first.x(), first.y(), first.z()}));
  }
  parallel_for_each(
      blocks.size(),
      [&](std::int64_t b) {
        const BlockMask& mask = known[static_cast<std::size_t>(b)];
        Leaf& leaf = *leaves[static_cast<std::size_t>(b)];
        auto* const values = leaf.buffer().data();
        for (int node = 0; node < kBlockNodes; ++node) {
          const openvdb::Index at = leaf_place(node);
          values[at] = value(b * kBlockNodes + node);
          leaf.setActiveState(at, has_node(mask, node));
        }
      },
      64);
}

openvdb::FloatGrid::Ptr surface_grid(const BandDistance& distance) {
  const SampledField& field = distance.field;
  const auto spacing = static_cast<float>(field.lattice.spacing);
  const float outside = distance.band * spacing;
  auto grid = openvdb::FloatGrid::create(outside);
  grid->setTransform(transform_of(field.lattice));
  grid->setName(kVdbSurface);
  grid->setGridClass(openvdb::GRID_LEVEL_SET);
  fill_leaves(*grid, field.blocks, field.known, [&](std::int64_t i) {
    return std::clamp(spacing * field.values[static_cast<std::size_t>(i)], -outside, outside);
  });
  openvdb::tools::signedFloodFill(grid->tree());
  openvdb::tools::prune(grid->tree());
  return grid;
}

openvdb::Vec3SGrid::Ptr velocity_grid(const VelocitySamples& samples) {
  auto grid = openvdb::Vec3SGrid::create();
  grid->setTransform(transform_of(samples.lattice));
  grid->setName(kVdbVelocity);
  grid->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
  grid->setSaveFloatAsHalf(true);
  fill_leaves(*grid, samples.blocks, samples.known, [&](std::int64_t i) {
    const Vec3f& v = samples.values[static_cast<std::size_t>(i)];
    return openvdb::Vec3s(v.x(), v.y(), v.z());
  });
  return grid;
}

// Writes to memory, as openvdb::io::File does to a file.
class MemoryArchive final : public openvdb::io::Archive {
 public:
  std::string bytes_of(const openvdb::GridCPtrVec& grids) {
    setCompression(openvdb::io::COMPRESS_BLOSC | openvdb::io::COMPRESS_ACTIVE_MASK);
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
