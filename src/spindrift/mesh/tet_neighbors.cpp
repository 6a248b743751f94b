#include "spindrift/mesh/tet_neighbors.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"

namespace spindrift {
namespace {

// One side of a face.
struct FaceSide {
  std::int32_t low, middle, high;  // its vertices, ascending
  std::int32_t code;               // 4 tet + side
};

FaceSide face_side(const Tet& tet, std::int64_t number, std::size_t side) {
  std::int32_t a = tet[side == 0 ? 1 : 0];
  std::int32_t b = tet[side <= 1 ? 2 : 1];
  std::int32_t c = tet[side <= 2 ? 3 : 2];
  const auto order = [](std::int32_t& p, std::int32_t& q) {
    const std::int32_t least = std::min(p, q);
    q = std::max(p, q);
    p = least;
  };
  order(a, b);
  order(b, c);
  order(a, b);
  return {a, b, c, static_cast<std::int32_t>(4 * number + static_cast<std::int64_t>(side))};
}

// Brings the two sides of faces together: a hash table with open addressing.
class FaceMatcher {
 public:
  void reset(std::size_t sides) {
    const std::size_t slots = std::bit_ceil(2 * sides);
    shift_ = 64 - std::countr_zero(slots);
    slots_.assign(slots, {0, 0, 0, kEmpty});
  }

  // The other side's code, or -1 if it has not come yet.
  std::int32_t match(const FaceSide& side) {
    const std::uint64_t key =
        (static_cast<std::uint64_t>(side.low) << 32 | static_cast<std::uint64_t>(side.middle)) *
            0x9e3779b97f4a7c15ULL +
        static_cast<std::uint64_t>(side.high) * 0xd6e8feb86659fd93ULL;
    for (std::size_t slot = key >> shift_;; slot = (slot + 1) & (slots_.size() - 1)) {
      FaceSide& found = slots_[slot];
      if (found.code == kEmpty) {
        found = side;
        return -1;
      }
      if (found.low == side.low && found.middle == side.middle && found.high == side.high) {
        SPINDRIFT_DEBUG_ASSERT(found.code != kMatched);
        return std::exchange(found.code, kMatched);
      }
    }
  }

  template <class Visit>
  void for_each_unmatched(const Visit& visit) const {
    for (const FaceSide& side : slots_) {
      if (side.code >= 0) visit(side);
    }
  }

 private:
  static constexpr std::int32_t kEmpty = -1, kMatched = -2;
  std::vector<FaceSide> slots_;
  int shift_ = 0;
};

class NeighborSearch {
 public:
  explicit NeighborSearch(const TetMesh& mesh) : mesh_(mesh) {
    neighbors_.resize(mesh.tets.size());
  }

  TetNeighbors run() {
    match_close_ones();
    match_the_others();
    return std::move(neighbors_);
  }

 private:
  static constexpr std::int64_t kTetsAtOnce = 2048;  // their faces fit the cache
  static constexpr std::int64_t kRanges = 16;

  std::int32_t& entry(std::int32_t code) {
    return neighbors_[static_cast<std::size_t>(code >> 2)][static_cast<std::size_t>(code & 3)];
  }
  void match(FaceMatcher& matcher, const FaceSide& side) {
    const std::int32_t other = matcher.match(side);
    entry(side.code) = other;
    if (other >= 0) entry(other) = side.code;
  }

  void match_close_ones() {
    const std::int64_t count = mesh_.tet_count();
    const std::int64_t length =
        kTetsAtOnce *
        std::max<std::int64_t>(1, chunk_count(chunk_count(count, kTetsAtOnce), kRanges));
    left_.resize(static_cast<std::size_t>(chunk_count(count, length)));
    parallel_for_chunks(count, length, [&](std::int64_t begin, std::int64_t end) {
      std::vector<FaceSide>& left = left_[static_cast<std::size_t>(begin / length)];
      FaceMatcher matcher;
      for (std::int64_t first = begin; first < end; first += kTetsAtOnce) {
        matcher.reset(3 * kTetsAtOnce);
        for (std::int64_t t = first; t < std::min(end, first + kTetsAtOnce); ++t) {
          const Tet& tet = mesh_.tets[static_cast<std::size_t>(t)];
          for (std::size_t side = 0; side < 4; ++side) match(matcher, face_side(tet, t, side));
        }
        matcher.for_each_unmatched([&](const FaceSide& side) { left.push_back(side); });
      }
    });
  }

  // Sorts what is left into buckets by the lowest vertex, and matches these.
  void match_the_others() {
    std::size_t total = 0;
    for (const std::vector<FaceSide>& part : left_) total += part.size();
    constexpr std::size_t kSidesInBucket = 4096;
    const std::size_t buckets = total / kSidesInBucket + 1;
    const auto bucket_of = [&](const FaceSide& side) {
      return static_cast<std::size_t>(side.low) * buckets / mesh_.vertices.size();
    };
    std::vector<std::vector<std::size_t>> next(left_.size());
    parallel_for_each(
        std::ssize(left_),
        [&](std::int64_t r) {
          std::vector<std::size_t>& counts = next[static_cast<std::size_t>(r)];
          counts.assign(buckets, 0);
          for (const FaceSide& side : left_[static_cast<std::size_t>(r)]) ++counts[bucket_of(side)];
        },
        1);
    std::vector<std::size_t> starts(buckets + 1, 0);
    std::size_t place = 0;
    for (std::size_t b = 0; b < buckets; ++b) {
      starts[b] = place;
      for (std::vector<std::size_t>& counts : next) place += std::exchange(counts[b], place);
    }
    starts[buckets] = place;
    Buffer<FaceSide> sides(total);
    parallel_for_each(
        std::ssize(left_),
        [&](std::int64_t r) {
          for (const FaceSide& side : left_[static_cast<std::size_t>(r)]) {
            sides[next[static_cast<std::size_t>(r)][bucket_of(side)]++] = side;
          }
        },
        1);
    parallel_for_chunks(static_cast<std::int64_t>(buckets), 1,
                        [&](std::int64_t begin, std::int64_t) {
                          const auto b = static_cast<std::size_t>(begin);
                          FaceMatcher matcher;
                          matcher.reset(starts[b + 1] - starts[b] + 1);
                          for (std::size_t i = starts[b]; i < starts[b + 1]; ++i) {
                            match(matcher, sides[i]);
                          }
                        });
  }

  const TetMesh& mesh_;
  TetNeighbors neighbors_;
  std::vector<std::vector<FaceSide>> left_;  // of each range of tetrahedra, in order
};

}  // namespace

TetNeighbors find_neighbors(const TetMesh& mesh) {
  SPINDRIFT_ASSERT(mesh.tet_count() <= std::numeric_limits<std::int32_t>::max() / 4);
  if (mesh.tets.empty()) return {};
  return NeighborSearch(mesh).run();
}

}  // namespace spindrift
