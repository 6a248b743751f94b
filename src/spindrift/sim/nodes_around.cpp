#include "spindrift/sim/nodes_around.hpp"

#include <algorithm>
#include <utility>

#include "spindrift/core/buffer.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/levelset/block_numbers.hpp"

namespace spindrift {

namespace {

// The nodes before and behind a vertex along each axis; the last lane is spare.
struct Ends {
  using Int4 = std::int32_t __attribute__((vector_size(16)));
  Int4 low, high;

  static Ends of(const Vec3& place) {
    const Vec3i low(place.array().floor().cast<int>());
    const Vec3i high(place.array().ceil().cast<int>());
    return {Int4{low.x(), low.y(), low.z(), 0}, Int4{high.x(), high.y(), high.z(), 0}};
  }
  void extend(const Ends& other) {
    low = low < other.low ? low : other.low;
    high = high > other.high ? high : other.high;
  }
};

Vec3i vector_of(const Ends::Int4& lanes) { return {lanes[0], lanes[1], lanes[2]}; }

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
    constexpr std::uint64_t kRows = 0x0101010101010101;  // a bit for each y
    const std::uint64_t rows = kRows >> (kBlockSide * (7 - to.y() + from.y()))
                                            << (kBlockSide * from.y());
    const std::uint64_t layer = bits_between(from.x(), to.x()) * rows;
    const auto number = static_cast<std::size_t>(numbers_.number(block_key(block)));
    if (number == masks_.size()) masks_.push_back({});
    for (int z = from.z(); z <= to.z(); ++z) masks_[number][static_cast<std::size_t>(z)] |= layer;
  }

  BlockNumbers numbers_;
  std::vector<BlockMask> masks_;
};

}  // namespace

MarkedNodes nodes_around(const TetMesh& mesh, const Lattice& lattice) {
  // Vertices have five tetrahedra and more.
  Buffer<Ends> ends(mesh.vertices.size());
  parallel_for_each(mesh.vertex_count(), [&](std::int64_t v) {
    const auto k = static_cast<std::size_t>(v);
    ends[k] = Ends::of(lattice.to_lattice(mesh.vertices[k]));
  });
  constexpr std::int64_t kChunk = 1 << 14;
  std::vector<BoxMarker> parts(static_cast<std::size_t>(chunk_count(mesh.tet_count(), kChunk)));
  parallel_for_chunks(mesh.tet_count(), kChunk, [&](std::int64_t begin, std::int64_t end) {
    BoxMarker marker;
    for (std::int64_t tet = begin; tet < end; ++tet) {
      const auto& corners = mesh.tets[static_cast<std::size_t>(tet)];
      Ends box = ends[static_cast<std::size_t>(corners[0])];
      for (std::size_t k = 1; k < 4; ++k) box.extend(ends[static_cast<std::size_t>(corners[k])]);
      marker.mark(vector_of(box.low), vector_of(box.high));
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
