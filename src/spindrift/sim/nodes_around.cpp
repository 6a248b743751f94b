#include "spindrift/sim/nodes_around.hpp"

#include <algorithm>
#include <utility>

#include "spindrift/core/parallel.hpp"
#include "spindrift/levelset/block_numbers.hpp"

namespace spindrift {

namespace {

// Bits low to high of a byte.
constexpr std::uint64_t bits_between(int low, int high) {
  return (std::uint64_t{2} << high) - (std::uint64_t{1} << low);
}

// Of one part of the mesh.
class BoxMarker {
 public:
  void mark(const Vec3i& low, const Vec3i& high) {
    const Vec3i first = block_of_node(low);
    const Vec3i last = block_of_node(high);
    for (int z = first.z(); z <= last.z(); ++z) {
      for (int y = first.y(); y <= last.y(); ++y) {
        for (int x = first.x(); x <= last.x(); ++x) mark_in({x, y, z}, low, high);
      }
    }
  }

  [[nodiscard]] const std::vector<std::uint64_t>& keys() const { return numbers_.keys; }
  [[nodiscard]] const std::vector<BlockMask>& masks() const { return masks_; }

 private:
  void mark_in(const Vec3i& block, const Vec3i& low, const Vec3i& high) {
    const Vec3i origin = kBlockSide * block;
    const Vec3i from = (low - origin).cwiseMax(0);
    const Vec3i to = (high - origin).cwiseMin(kBlockSide - 1);
    std::uint64_t layer = 0;
    for (int y = from.y(); y <= to.y(); ++y) {
      layer |= bits_between(from.x(), to.x()) << (kBlockSide * y);
    }
    const auto number = static_cast<std::size_t>(numbers_.number(block_key(block)));
    if (number == masks_.size()) masks_.push_back({});
    for (int z = from.z(); z <= to.z(); ++z) masks_[number][static_cast<std::size_t>(z)] |= layer;
  }

  BlockNumbers numbers_;
  std::vector<BlockMask> masks_;
};

}  // namespace

MarkedNodes nodes_around(const TetMesh& mesh, const Lattice& lattice) {
  constexpr std::int64_t kChunk = 1 << 14;
  std::vector<BoxMarker> parts(static_cast<std::size_t>(chunk_count(mesh.tet_count(), kChunk)));
  parallel_for_chunks(mesh.tet_count(), kChunk, [&](std::int64_t begin, std::int64_t end) {
    BoxMarker marker;
    for (std::int64_t tet = begin; tet < end; ++tet) {
      Box3 box;
      for (int k = 0; k < 4; ++k) box.extend(lattice.to_lattice(mesh.corner(tet, k)));
      marker.mark(Vec3i(box.min().array().floor().cast<int>()),
                  Vec3i(box.max().array().ceil().cast<int>()));
    }
    parts[static_cast<std::size_t>(begin / kChunk)] = std::move(marker);
  });
  std::vector<std::uint64_t> keys;
  for (const BoxMarker& part : parts) {
    keys.insert(keys.end(), part.keys().begin(), part.keys().end());
  }
  MarkedNodes nodes;
  nodes.blocks = BlockSet(std::move(keys));
  nodes.marks.assign(static_cast<std::size_t>(nodes.blocks.size()), BlockMask{});
  for (const BoxMarker& part : parts) {
    for (std::size_t i = 0; i < part.keys().size(); ++i) {
      const std::int32_t block = nodes.blocks.find(block_of_key(part.keys()[i]));
      BlockMask& marks = nodes.marks[static_cast<std::size_t>(block)];
      for (std::size_t z = 0; z < marks.size(); ++z) marks[z] |= part.masks()[i][z];
    }
  }
  return nodes;
}

}  // namespace spindrift
