#include "spindrift/levelset/surface_samples.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "spindrift/core/parallel.hpp"
#include "spindrift/levelset/contour.hpp"
#include "spindrift/levelset/fixed_surface.hpp"
#include "spindrift/levelset/triangle_bins.hpp"

namespace spindrift {
namespace {

// A block with a rim around it: one node before it and two after it, since the boxes of its
// triangles may end on the first node after it. For each layer rows along x, five in a word.
constexpr int kRimmed = kBlockSide + 3;
constexpr unsigned kRowsAWord = 5;
struct RimmedMask {
  static constexpr std::size_t kWords = (kRimmed + kRowsAWord - 1) / kRowsAWord;
  std::array<std::uint64_t, kRimmed * kWords> words{};

  // Adds the nodes of a box, given from the first of the rim; both ends are in it.
  void add(const std::array<int, 3>& low, const std::array<int, 3>& high) {
    std::array<unsigned, 3> first{};
    std::array<unsigned, 3> last{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (high[axis] < 0 || low[axis] >= kRimmed) return;
      first[axis] = static_cast<unsigned>(std::max(low[axis], 0));
      last[axis] = static_cast<unsigned>(std::min(high[axis], kRimmed - 1));
    }
    const std::uint64_t row = (std::uint64_t{2} << last[0]) - (std::uint64_t{1} << first[0]);
    std::array<std::uint64_t, kWords> layer{};
    for (unsigned y = first[1]; y <= last[1]; ++y) {
      layer[y / kRowsAWord] |= row << (kRimmed * (y % kRowsAWord));
    }
    for (std::size_t z = first[2]; z <= last[2]; ++z) {
      for (std::size_t k = 0; k < kWords; ++k) words[kWords * z + k] |= layer[k];
    }
  }

  [[nodiscard]] std::uint64_t row(int y, int z) const {
    const auto at = static_cast<unsigned>(y);
    return words[kWords * static_cast<std::size_t>(z) + at / kRowsAWord] >>
               (kRimmed * (at % kRowsAWord)) &
           ((std::uint64_t{1} << kRimmed) - 1);
  }
};

// The nodes in the boxes of a bin's triangles, and those next to them, as far as the rim goes: what
// is farther is in other bins, too.
RimmedMask nodes_of_bin(const TriangleBins& bins, std::int64_t bin) {
  RimmedMask mask;
  const auto b = static_cast<std::size_t>(bin);
  for (auto i = static_cast<std::size_t>(bins.starts[b]);
       i < static_cast<std::size_t>(bins.starts[b + 1]); ++i) {
    // One node more on either side, and counted from the rim.
    mask.add({bins.low[0][i], bins.low[1][i], bins.low[2][i]},
             {bins.high[0][i] + 2, bins.high[1][i] + 2, bins.high[2][i] + 2});
  }
  return mask;
}

// What the bins around a block and its own have in it.
BlockMask nodes_of_block(const BlockSet& bins, std::span<const RimmedMask> masks,
                         const Vec3i& block) {
  BlockMask mask{};
  const BlockSet::Neighborhood around = bins.neighborhood(block);
  for (int k = 0; k < std::ssize(around); ++k) {
    const std::int32_t bin = around[static_cast<std::size_t>(k)];
    if (bin < 0) continue;
    const RimmedMask& from = masks[static_cast<std::size_t>(bin)];
    const Vec3i offset(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
    // From our nodes to places in the rim of the bin, and those of our nodes that are in it.
    const Vec3i shift = Vec3i::Ones() - kBlockSide * offset;
    const auto first = [](int along) { return along > 0 ? kBlockSide - 1 : 0; };
    const auto last = [](int along) { return along < 0 ? 1 : kBlockSide - 1; };
    for (int z = first(offset.z()); z <= last(offset.z()); ++z) {
      for (int y = first(offset.y()); y <= last(offset.y()); ++y) {
        const std::uint64_t row = from.row(y + shift.y(), z + shift.z());
        const std::uint64_t own =
            (shift.x() >= 0 ? row >> shift.x() : row << -shift.x()) & std::uint64_t{0xff};
        mask[static_cast<std::size_t>(z)] |= own << (8 * y);
      }
    }
  }
  return mask;
}

// Evaluates f at the nodes of each block that `wanted` names.
void evaluate_nodes(SampledField& field, std::span<const BlockMask> wanted, const NodeFunction& f) {
  constexpr std::int64_t kBlocksAtOnce = 8;
  parallel_for_chunks(
      field.blocks.size(), kBlocksAtOnce, [&](std::int64_t begin, std::int64_t end) {
        std::vector<Vec3> points;
        std::vector<std::int64_t> places;
        std::vector<float> values;
        for (std::int64_t block = begin; block < end; ++block) {
          const Vec3i first = field.blocks.first_node(block);
          for (int z = 0; z < kBlockSide; ++z) {
            std::uint64_t bits =
                wanted[static_cast<std::size_t>(block)][static_cast<std::size_t>(z)];
            for (; bits != 0; bits &= bits - 1) {
              const int node = 64 * z + std::countr_zero(bits);
              points.push_back(field.lattice.position(Vec3i(first + node_offset(node))));
              places.push_back(block * kBlockNodes + node);
            }
          }
        }
        values.resize(points.size());
        f(points, values);
        for (std::size_t i = 0; i < places.size(); ++i) {
          field.values[static_cast<std::size_t>(places[i])] = values[i];
        }
      });
}

// The same samples in more blocks, with the nodes added to `wanted`.
SampledField with_nodes(SampledField field, std::span<const Vec3i> nodes,
                        std::vector<BlockMask>& wanted) {
  std::vector<std::uint64_t> keys(field.blocks.keys().begin(), field.blocks.keys().end());
  for (const Vec3i& node : nodes) keys.push_back(block_key(block_of_node(node)));
  SampledField grown = unknown_field(field.lattice, BlockSet(std::move(keys)));
  parallel_for_each(
      field.blocks.size(),
      [&](std::int64_t block) {
        const std::int64_t to = grown.blocks.find(field.blocks.coordinate(block));
        std::copy_n(field.block_values(block), kBlockNodes, grown.block_values(to));
        grown.known[static_cast<std::size_t>(to)] = field.known[static_cast<std::size_t>(block)];
      },
      64);
  wanted.assign(static_cast<std::size_t>(grown.blocks.size()), {});
  for (const Vec3i& node : nodes) {
    const auto block = static_cast<std::size_t>(grown.blocks.find(block_of_node(node)));
    const auto number = static_cast<std::size_t>(node_in_block(node));
    wanted[block][number >> 6] |= std::uint64_t{1} << (number & 63);
    grown.known[block][number >> 6] |= std::uint64_t{1} << (number & 63);
  }
  return grown;
}

}  // namespace

SampledField nodes_near(const TriangleMesh& mesh, const Lattice& lattice) {
  const TriangleBins bins = bin_triangles(fixed_surface(mesh, {}, lattice));
  SampledField places = unknown_field(lattice, blocks_within(bins, 1));
  constexpr std::int64_t kBlocksAtOnce = 16;
  Buffer<RimmedMask> masks(static_cast<std::size_t>(bins.blocks.size()));
  parallel_for_each(
      bins.blocks.size(),
      [&](std::int64_t bin) { masks[static_cast<std::size_t>(bin)] = nodes_of_bin(bins, bin); },
      kBlocksAtOnce);
  parallel_for_each(
      places.blocks.size(),
      [&](std::int64_t block) {
        places.known[static_cast<std::size_t>(block)] =
            nodes_of_block(bins.blocks, masks, places.blocks.coordinate(block));
      },
      kBlocksAtOnce);
  return places;
}

SampledField nodes_near_zero(const ScalarField& signed_distance, const Box3& box,
                             const Lattice& lattice) {
  // Cubes of blocks, each split in eight while the surface may come near it.
  constexpr int kFirstLevel = 5;
  const auto cube_of = [](double coordinate, int level) {
    return static_cast<int>(std::floor(std::ldexp(coordinate, -3 - level)));
  };
  constexpr double kRoom = 2;  // nodes around the box that a contour in it reads
  const Vec3 low = lattice.to_lattice(box.min());
  const Vec3 high = lattice.to_lattice(box.max());
  std::vector<Vec3i> cubes;
  for (int z = cube_of(low.z(), kFirstLevel); z <= cube_of(high.z(), kFirstLevel); ++z) {
    for (int y = cube_of(low.y(), kFirstLevel); y <= cube_of(high.y(), kFirstLevel); ++y) {
      for (int x = cube_of(low.x(), kFirstLevel); x <= cube_of(high.x(), kFirstLevel); ++x) {
        cubes.emplace_back(x, y, z);
      }
    }
  }
  for (int level = kFirstLevel;; --level) {
    const double side = kBlockSide * std::ldexp(1.0, level);
    // To the farthest corner, and to the nodes that a contour in the next cell reads.
    const double reach = lattice.spacing * (std::sqrt(3.0) / 2 * side + 2);
    std::vector<Vec3> centers;
    for (const Vec3i& cube : cubes) {
      centers.push_back(lattice.position(Vec3((cube.cast<double>().array() + 0.5) * side)));
    }
    std::vector<double> values(centers.size());
    evaluate_parallel(signed_distance, centers, values);
    std::vector<Vec3i> kept;
    for (std::size_t i = 0; i < cubes.size(); ++i) {
      if (std::abs(values[i]) > reach) continue;
      const Vec3 begin = cubes[i].cast<double>() * side;
      const bool is_outside =
          ((begin.array() > high.array() + kRoom) || (begin.array() + side < low.array() - kRoom))
              .any();
      if (is_outside) continue;
      if (level == 0) {
        kept.push_back(cubes[i]);
        continue;
      }
      for (int child = 0; child < 8; ++child) {
        kept.emplace_back(2 * cubes[i] + Vec3i(child & 1, child >> 1 & 1, child >> 2));
      }
    }
    cubes = std::move(kept);
    if (level == 0) break;
  }
  std::vector<std::uint64_t> keys;
  keys.reserve(cubes.size());
  for (const Vec3i& block : cubes) keys.push_back(block_key(block));
  SampledField places = unknown_field(lattice, BlockSet(std::move(keys)));
  for (BlockMask& known : places.known) known.fill(~std::uint64_t{0});
  return places;
}

SampledField united_nodes(const SampledField& one, const SampledField& other) {
  std::vector<std::uint64_t> keys(one.blocks.keys().begin(), one.blocks.keys().end());
  keys.insert(keys.end(), other.blocks.keys().begin(), other.blocks.keys().end());
  SampledField both = unknown_field(one.lattice, BlockSet(std::move(keys)));
  for (std::int64_t block = 0; block < both.blocks.size(); ++block) {
    const Vec3i at = both.blocks.coordinate(block);
    for (const SampledField* part : {&one, &other}) {
      const std::int32_t found = part->blocks.find(at);
      if (found < 0) continue;
      for (std::size_t z = 0; z < kBlockSide; ++z) {
        both.known[static_cast<std::size_t>(block)][z] |=
            part->known[static_cast<std::size_t>(found)][z];
      }
    }
  }
  return both;
}

SampledField sample_surface(SampledField places, const NodeFunction& f) {
  std::vector<BlockMask> wanted = places.known;
  while (true) {
    evaluate_nodes(places, wanted, f);
    const std::vector<Vec3i> missing = missing_nodes(places);
    if (missing.empty()) return places;
    places = with_nodes(std::move(places), missing, wanted);
  }
}

}  // namespace spindrift
