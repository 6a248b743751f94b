#include "spindrift/io/vdb.hpp"

#include "spindrift/core/error.hpp"

#ifdef SPINDRIFT_OPENVDB
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <openvdb/io/Archive.h>
#include <openvdb/io/GridDescriptor.h>
#include <openvdb/openvdb.h>

#include "spindrift/core/checksum.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/io/vdb_leaves.hpp"
#endif

namespace spindrift {

#ifdef SPINDRIFT_OPENVDB

namespace {

openvdb::math::Transform::Ptr transform_of(const Lattice& lattice) {
  auto transform = openvdb::math::Transform::createLinearTransform(lattice.spacing);
  transform->postTranslate({lattice.origin.x(), lattice.origin.y(), lattice.origin.z()});
  return transform;
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
void add_stats(openvdb::GridBase& grid, const BlockSet& blocks, const std::vector<BlockMask>& known,
               std::int64_t value_bytes) {
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
                  openvdb::Int64Metadata(static_cast<std::int64_t>(grid.memUsage()) + value_bytes));
  grid.insertMeta(GridBase::META_FILE_COMPRESSION,
                  openvdb::StringMetadata(openvdb::io::compressionToString(kCompression)));
  grid.insertMeta(GridBase::META_FILE_VOXEL_COUNT, openvdb::Int64Metadata(voxels));
}

// Blocks that have known nodes, in the order in which OpenVDB goes through a tree: nodes of 512,
// of 32 and of 16 blocks along each axis, and in each of them by x, then y, then z.
std::vector<std::int32_t> leaf_order(const BlockSet& blocks, const std::vector<BlockMask>& known) {
  using Place = std::pair<std::uint64_t, std::int32_t>;
  std::vector<Place> places;
  for (std::int64_t b = 0; b < blocks.size(); ++b) {
    if (is_empty(known[static_cast<std::size_t>(b)])) continue;
    std::uint64_t key = 0;
    const auto add = [&](const Vec3i& part, int bits) {
      for (int axis = 0; axis < 3; ++axis) key = key << bits | static_cast<unsigned>(part[axis]);
    };
    const auto parts = [&](int shift, int mask) {
      const Vec3i block = blocks.coordinate(b);
      return Vec3i(block.x() >> shift & mask, block.y() >> shift & mask, block.z() >> shift & mask);
    };
    static_assert(kBlockLimit == 1 << 20);
    const Vec3i block = blocks.coordinate(b) + Vec3i::Constant(kBlockLimit);
    add({block.x() >> 9, block.y() >> 9, block.z() >> 9}, 12);
    add(parts(4, 31), 5);
    add(parts(0, 15), 4);
    places.emplace_back(key, static_cast<std::int32_t>(b));
  }
  parallel_sort_total(places.begin(), places.end());
  std::vector<std::int32_t> order;
  order.reserve(places.size());
  for (const Place& place : places) order.push_back(place.second);
  return order;
}

openvdb::util::NodeMask<3> node_mask(const BlockMask& mask) {
  using NodeMask = openvdb::util::NodeMask<3>;
  const LeafMask words = leaf_mask(mask);
  NodeMask result;
  for (openvdb::Index x = 0; x < words.size(); ++x) {
    result.getWord<NodeMask::Word>(x) = words[x];
  }
  return result;
}

// A grid without values, and the values as they lie in a file.
struct GridParts {
  openvdb::GridBase::Ptr grid;
  std::vector<std::string> leaves;

  [[nodiscard]] std::int64_t leaf_bytes() const {
    std::int64_t sum = 0;
    for (const std::string& part : leaves) sum += std::ssize(part);
    return sum;
  }
};

// append_leaf(block, bytes) for all leaves.
template <class Append>
std::vector<std::string> leaf_values(const std::vector<std::int32_t>& order, const Append& append) {
  constexpr std::int64_t kLeavesAtOnce = 64;
  std::vector<std::string> parts(
      static_cast<std::size_t>(chunk_count(std::ssize(order), kLeavesAtOnce)));
  parallel_for_chunks(std::ssize(order), kLeavesAtOnce, [&](std::int64_t begin, std::int64_t end) {
    std::string bytes;
    for (std::int64_t i = begin; i < end; ++i) append(order[static_cast<std::size_t>(i)], bytes);
    parts[static_cast<std::size_t>(begin / kLeavesAtOnce)] = std::move(bytes);
  });
  return parts;
}

// Leaves that have no values, but a mask.
template <class Grid>
void add_leaves(Grid& grid, const BlockSet& blocks, const std::vector<BlockMask>& known,
                const std::vector<std::int32_t>& order) {
  using Leaf = typename Grid::TreeType::LeafNodeType;
  for (const std::int32_t block : order) {
    const Vec3i first = blocks.first_node(block);
    auto leaf = std::make_unique<Leaf>(openvdb::PartialCreate(),
                                       openvdb::Coord(first.x(), first.y(), first.z()));
    leaf->setValueMask(node_mask(known[static_cast<std::size_t>(block)]));
    grid.tree().addLeaf(leaf.release());
  }
  add_stats(grid, blocks, known, std::ssize(order) * Leaf::SIZE * sizeof(typename Leaf::ValueType));
}

// Gives tiles the sign of the leaves beside them, as openvdb::tools::signedFloodFill does, which
// would look for signs in the leaves.
class TileSigns {
 public:
  using Tree = openvdb::FloatTree;
  using Leaf = Tree::LeafNodeType;

  TileSigns(const SampledField& field, float outside) : field_(field), outside_(outside) {}

  void fill(Tree& tree) const {
    using Child = Tree::RootNodeType::ChildNodeType;
    Child* before = nullptr;
    std::vector<openvdb::Coord> inside;
    for (auto child = tree.root().beginChildOn(); child; ++child) {
      fill_node(*child);
      // Tiles of the root, between two of its nodes in a row along z.
      if (before != nullptr && ends_inside(*before) && begins_inside(*child)) {
        const openvdb::Coord way = child->origin() - before->origin();
        for (auto z = static_cast<int>(Child::DIM); way[0] == 0 && way[1] == 0 && z < way[2];
             z += static_cast<int>(Child::DIM)) {
          inside.push_back(before->origin().offsetBy(0, 0, z));
        }
      }
      before = &*child;
    }
    for (const openvdb::Coord& place : inside) tree.root().addTile(place, -outside_, false);
  }

 private:
  [[nodiscard]] bool is_inside(const Leaf& leaf, int node) const {
    const openvdb::Coord& first = leaf.origin();
    const std::int32_t block = field_.blocks.find(block_of_node({first.x(), first.y(), first.z()}));
    return std::signbit(field_.block_values(block)[node]);
  }
  [[nodiscard]] bool begins_inside(const Leaf& leaf) const { return is_inside(leaf, 0); }
  [[nodiscard]] bool ends_inside(const Leaf& leaf) const {
    return is_inside(leaf, kBlockNodes - 1);
  }
  template <class Node>
  [[nodiscard]] bool begins_inside(const Node& node) const {
    const auto& first = node.getTable()[0];
    return node.isChildMaskOn(0) ? begins_inside(*first.getChild()) : first.getValue() < 0;
  }
  template <class Node>
  [[nodiscard]] bool ends_inside(const Node& node) const {
    const auto& last = node.getTable()[Node::NUM_VALUES - 1];
    return node.isChildMaskOn(Node::NUM_VALUES - 1) ? ends_inside(*last.getChild())
                                                    : last.getValue() < 0;
  }

  void fill_node(Leaf& /*leaf*/) const {}
  template <class Node>
  void fill_node(Node& node) const {
    for (auto child = node.beginChildOn(); child; ++child) fill_node(*child);
    constexpr openvdb::Index kSide = 1U << Node::LOG2DIM;
    const openvdb::Index first = node.getChildMask().findFirstOn();
    SPINDRIFT_ASSERT(first < Node::NUM_VALUES);
    const auto is_child = [&](openvdb::Index place) { return node.isChildMaskOn(place); };
    const auto after = [&](openvdb::Index place) {
      return ends_inside(*node.getTable()[place].getChild());
    };
    bool in_x = begins_inside(*node.getTable()[first].getChild());
    for (openvdb::Index x = 0; x < kSide; ++x) {
      const openvdb::Index at_x = x << 2 * Node::LOG2DIM;
      if (is_child(at_x)) in_x = after(at_x);
      bool in_y = in_x;
      for (openvdb::Index y = 0; y < kSide; ++y) {
        const openvdb::Index at_y = at_x + (y << Node::LOG2DIM);
        if (is_child(at_y)) in_y = after(at_y);
        bool in_z = in_y;
        for (openvdb::Index z = 0; z < kSide; ++z) {
          const openvdb::Index place = at_y + z;
          if (is_child(place)) {
            in_z = after(place);
          } else if (in_z) {
            node.addTile(place, -outside_, false);
          }
        }
      }
    }
  }

  const SampledField& field_;
  float outside_;
};

// Not less than it says: OpenVDB's tools do not want a band that rounding made narrower.
float band_length(const BandDistance& distance) {
  const double length = double{distance.band} * distance.field.lattice.spacing;
  const auto rounded = static_cast<float>(length);
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  return rounded < length ? std::nextafter(rounded, kInfinite) : rounded;
}

GridParts surface_parts(const BandDistance& distance) {
  const SampledField& field = distance.field;
  const auto spacing = static_cast<float>(field.lattice.spacing);
  const float outside = band_length(distance);
  auto grid = openvdb::FloatGrid::create(outside);
  grid->setTransform(transform_of(field.lattice));
  grid->setName(kVdbSurface);
  grid->setGridClass(openvdb::GRID_LEVEL_SET);
  const std::vector<std::int32_t> order = leaf_order(field.blocks, field.known);
  add_leaves(*grid, field.blocks, field.known, order);
  TileSigns(field, outside).fill(grid->tree());
  return {grid, leaf_values(order, [&](std::int32_t block, std::string& bytes) {
            append_distance_leaf(field.known[static_cast<std::size_t>(block)],
                                 field.block_values(block), spacing, outside, bytes);
          })};
}

GridParts velocity_parts(const VelocitySamples& samples) {
  auto grid = openvdb::Vec3SGrid::create();
  grid->setTransform(transform_of(samples.lattice));
  grid->setName(kVdbVelocity);
  grid->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
  grid->setSaveFloatAsHalf(true);
  const std::vector<std::int32_t> order = leaf_order(samples.blocks, samples.known);
  add_leaves(*grid, samples.blocks, samples.known, order);
  return {grid, leaf_values(order, [&](std::int32_t block, std::string& bytes) {
            append_velocity_leaf(samples.known[static_cast<std::size_t>(block)],
                                 samples.values.data() + std::int64_t{block} * kBlockNodes, bytes);
          })};
}

// Makes what openvdb::io::File writes, but for the values of leaves.
class PartsArchive final : public openvdb::io::Archive {
 public:
  PartsArchive() { setCompression(kCompression); }

  // What comes before all grids.
  [[nodiscard]] std::string begin(std::int32_t grids) const {
    std::ostringstream stream(std::ios::binary);
    writeHeader(stream, /*seekable=*/true);
    openvdb::MetaMap().writeMeta(stream);
    stream.write(reinterpret_cast<const char*>(&grids), sizeof grids);
    return std::move(stream).str();
  }

  // A grid without the values of its leaves, which follow, to be put `at` bytes from the beginning.
  [[nodiscard]] std::string head_of(const GridParts& parts, std::int64_t at) const {
    const openvdb::GridBase& grid = *parts.grid;
    openvdb::io::GridDescriptor descriptor(grid.getName(), grid.type(), grid.saveFloatAsHalf());
    std::ostringstream stream(std::ios::binary);
    descriptor.writeHeader(stream);
    std::ostringstream body(std::ios::binary);
    auto metadata = std::make_shared<openvdb::io::StreamMetadata>();
    openvdb::io::setStreamMetadataPtr(body, metadata);
    setGridCompression(body, grid);
    grid.writeMeta(body);
    grid.writeTransform(body);
    grid.writeTopology(body);
    constexpr std::int64_t kPositionBytes = 3 * 8;
    descriptor.setGridPos(at + stream.tellp() + kPositionBytes);
    descriptor.setBlockPos(descriptor.getGridPos() + body.tellp());
    descriptor.setEndPos(descriptor.getBlockPos() + parts.leaf_bytes());
    descriptor.writeStreamPos(stream);
    return std::move(stream).str() + std::move(body).str();
  }
};

// The random name of the file: after the magic number, three numbers of versions and a flag.
constexpr std::size_t kNameAt = 8 + 4 + 4 + 4 + 1;
constexpr std::size_t kNameBytes = 36;

// The name of a file that has these parts.
std::string name_of(const std::vector<std::string_view>& parts) {
  Checksum contents;
  contents.add(parts.front().substr(kNameAt + kNameBytes));
  for (std::size_t i = 1; i < parts.size(); ++i) contents.add(parts[i]);
  const std::uint64_t sum = contents.value();
  const std::uint64_t more = add_word(sum, sum);
  // Marked as made from contents (version 8 of RFC 9562).
  return fmt::format("{:08x}-{:04x}-8{:03x}-a{:03x}-{:012x}", sum >> 32, sum >> 16 & 0xffff,
                     sum & 0xfff, more >> 52, more & 0xffffffffffff);
}

}  // namespace

bool has_vdb() { return true; }

FileStamp write_vdb(const std::filesystem::path& path, const BandDistance& distance,
                    const VelocitySamples& velocity) {
  openvdb::initialize();
  const PartsArchive archive;
  const std::array<GridParts, 2> grids = {surface_parts(distance), velocity_parts(velocity)};
  std::string begin = archive.begin(static_cast<std::int32_t>(grids.size()));
  SPINDRIFT_ASSERT(begin.size() > kNameAt + kNameBytes && begin[kNameAt + 8] == '-');
  std::int64_t at = std::ssize(begin);
  std::array<std::string, 2> heads;
  std::vector<std::string_view> parts = {begin};
  for (std::size_t i = 0; i < grids.size(); ++i) {
    heads[i] = archive.head_of(grids[i], at);
    at += std::ssize(heads[i]) + grids[i].leaf_bytes();
    parts.emplace_back(heads[i]);
    parts.insert(parts.end(), grids[i].leaves.begin(), grids[i].leaves.end());
  }
  begin.replace(kNameAt, kNameBytes, name_of(parts));
  AtomicFile file(path);
  for (const std::string_view part : parts) file.write(part);
  return file.commit();
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
