#include "spindrift/mesh/tet_neighbors.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <utility>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"

namespace spindrift {
namespace {

// A number for a vertex such that the sum of three of them stands for a face.
std::uint64_t vertex_key(std::int32_t vertex) {
  const std::uint64_t product = static_cast<std::uint64_t>(vertex) * 0x9e3779b97f4a7c15ULL;
  return (product ^ product >> 32) * 0xd6e8feb86659fd93ULL;
}

// Brings the two sides of faces together: a hash table with open addressing.
class SideTable {
 public:
  void reset(std::size_t sides) {
    const std::size_t slots = std::bit_ceil(sides + sides / 4 + 2);
    shift_ = 64 - std::countr_zero(slots);
    slots_.assign(slots, {0, kEmpty});
  }

  // The side of the same face that came before; -1: none did. `is_same(side)` looks closer where
  // keys agree.
  template <class IsSame>
  std::int32_t match(std::uint64_t key, std::int32_t side, const IsSame& is_same) {
    const auto tag = static_cast<std::uint32_t>(key);
    for (std::size_t slot = key >> shift_;; slot = (slot + 1) & (slots_.size() - 1)) {
      Slot& found = slots_[slot];
      if (found.side == kEmpty) {
        found = {tag, side};
        return -1;
      }
      if (found.tag == tag && found.side >= 0 && is_same(found.side)) {
        return std::exchange(found.side, kMatched);
      }
    }
  }

  template <class Visit>
  void for_each_unmatched(const Visit& visit) const {
    for (const Slot& slot : slots_) {
      if (slot.side >= 0) visit(slot.side);
    }
  }

 private:
  static constexpr std::int32_t kEmpty = -1, kMatched = -2;
  struct Slot {
    std::uint32_t tag;
    std::int32_t side;
  };
  std::vector<Slot> slots_;
  int shift_ = 0;
};

using FaceVertices = std::array<std::int32_t, 3>;

bool have_same_vertices(const FaceVertices& a, const FaceVertices& b) {
  const auto in_b = [&](std::int32_t v) {
    return int{v == b[0]} | int{v == b[1]} | int{v == b[2]};  // without branches
  };
  return (in_b(a[0]) & in_b(a[1]) & in_b(a[2])) != 0;
}

FaceVertices face_vertices(const Tet& tet, std::size_t side) {
  return {tet[side == 0 ? 1 : 0], tet[side <= 1 ? 2 : 1], tet[side <= 2 ? 3 : 2]};
}

// A side whose other one is far away.
struct FarSide {
  FaceVertices vertices;
  std::int32_t code;  // 4 tet + side
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
  void link(std::int32_t a, std::int32_t b) {
    entry(a) = b;
    entry(b) = a;
  }
  [[nodiscard]] const Tet& tet(std::int64_t t) const {
    return mesh_.tets[static_cast<std::size_t>(t)];
  }

  // Tetrahedra about an edge follow each other in lattices: (a, b, c, d), (a, b, d, e) and so on.
  // Links them, and marks the faces that are done in `done`, a bit for each side.
  void match_fans(std::int64_t first, std::int64_t end, std::span<std::uint8_t> done) {
    constexpr std::uint8_t kTowardsNext = 1U << 2;
    constexpr std::uint8_t kTowardsLast = 1U << 3;
    const auto link_fan = [&](std::int64_t last, std::int64_t next) {
      link(static_cast<std::int32_t>(4 * last + 2), static_cast<std::int32_t>(4 * next + 3));
      done[static_cast<std::size_t>(last - first)] |= kTowardsNext;
      done[static_cast<std::size_t>(next - first)] |= kTowardsLast;
    };
    std::fill(done.begin(), done.end(), std::uint8_t{0});
    std::int64_t start = first;
    for (std::int64_t t = first; t < end; ++t) {
      const Tet& here = tet(t);
      const bool goes_on = t + 1 < end && tet(t + 1)[0] == here[0] && tet(t + 1)[1] == here[1] &&
                           tet(t + 1)[2] == here[3];
      if (goes_on) {
        link_fan(t, t + 1);
        continue;
      }
      if (t >= start + 2 && here[3] == tet(start)[2]) link_fan(t, start);
      start = t + 1;
    }
  }

  void match_close_ones() {
    const std::int64_t count = mesh_.tet_count();
    const std::int64_t length =
        kTetsAtOnce *
        std::max<std::int64_t>(1, chunk_count(chunk_count(count, kTetsAtOnce), kRanges));
    left_.resize(static_cast<std::size_t>(chunk_count(count, length)));
    parallel_for_chunks(count, length, [&](std::int64_t begin, std::int64_t end) {
      std::vector<FarSide>& left = left_[static_cast<std::size_t>(begin / length)];
      SideTable table;
      for (std::int64_t first = begin; first < end; first += kTetsAtOnce) {
        match_close_ones(first, std::min(end, first + kTetsAtOnce), table);
        table.for_each_unmatched([&](std::int32_t code) {
          entry(code) = -1;
          left.push_back({face_vertices(tet(code >> 2), static_cast<std::size_t>(code & 3)), code});
        });
      }
    });
  }

  void match_close_ones(std::int64_t first, std::int64_t end, SideTable& table) {
    std::array<std::uint8_t, kTetsAtOnce> done;
    match_fans(first, end, std::span(done).first(static_cast<std::size_t>(end - first)));
    std::size_t sides = 0;
    for (std::int64_t t = first; t < end; ++t) {
      sides +=
          static_cast<std::size_t>(4 - std::popcount(done[static_cast<std::size_t>(t - first)]));
    }
    table.reset(sides);
    for (std::int64_t t = first; t < end; ++t) {
      const Tet& here = tet(t);
      std::array<std::uint64_t, 4> keys;
      for (std::size_t k = 0; k < 4; ++k) keys[k] = vertex_key(here[k]);
      const std::uint64_t sum = keys[0] + keys[1] + keys[2] + keys[3];
      for (std::size_t side = 0; side < 4; ++side) {
        if ((done[static_cast<std::size_t>(t - first)] >> side & 1) != 0) continue;
        const auto code = static_cast<std::int32_t>(4 * t + static_cast<std::int64_t>(side));
        const std::int32_t other = table.match(sum - keys[side], code, [&](std::int32_t before) {
          return have_same_vertices(
              face_vertices(here, side),
              face_vertices(tet(before >> 2), static_cast<std::size_t>(before & 3)));
        });
        if (other >= 0) link(other, code);
      }
    }
  }

  // Sorts what is left into buckets by the lowest vertex, and matches these.
  void match_the_others() {
    std::size_t total = 0;
    for (const std::vector<FarSide>& part : left_) total += part.size();
    constexpr std::size_t kSidesInBucket = 4096;
    const std::size_t buckets = total / kSidesInBucket + 1;
    const auto bucket_of = [&](const FarSide& side) {
      const std::int32_t low = *std::min_element(side.vertices.begin(), side.vertices.end());
      return static_cast<std::size_t>(low) * buckets / mesh_.vertices.size();
    };
    std::vector<std::vector<std::size_t>> next(left_.size());
    parallel_for_each(
        std::ssize(left_),
        [&](std::int64_t r) {
          std::vector<std::size_t>& counts = next[static_cast<std::size_t>(r)];
          counts.assign(buckets, 0);
          for (const FarSide& side : left_[static_cast<std::size_t>(r)]) ++counts[bucket_of(side)];
        },
        1);
    std::vector<std::size_t> starts(buckets + 1, 0);
    std::size_t place = 0;
    for (std::size_t b = 0; b < buckets; ++b) {
      starts[b] = place;
      for (std::vector<std::size_t>& counts : next) place += std::exchange(counts[b], place);
    }
    starts[buckets] = place;
    Buffer<FarSide> sides(total);
    parallel_for_each(
        std::ssize(left_),
        [&](std::int64_t r) {
          for (const FarSide& side : left_[static_cast<std::size_t>(r)]) {
            sides[next[static_cast<std::size_t>(r)][bucket_of(side)]++] = side;
          }
        },
        1);
    parallel_for_chunks(
        static_cast<std::int64_t>(buckets), 1, [&](std::int64_t begin, std::int64_t) {
          const auto b = static_cast<std::size_t>(begin);
          match_bucket(std::span(sides).subspan(starts[b], starts[b + 1] - starts[b]));
        });
  }

  void match_bucket(std::span<const FarSide> sides) {
    SideTable table;
    table.reset(sides.size());
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const FaceVertices& vertices = sides[i].vertices;
      const std::uint64_t key =
          vertex_key(vertices[0]) + vertex_key(vertices[1]) + vertex_key(vertices[2]);
      const std::int32_t other =
          table.match(key, static_cast<std::int32_t>(i), [&](std::int32_t before) {
            return have_same_vertices(vertices, sides[static_cast<std::size_t>(before)].vertices);
          });
      if (other >= 0) link(sides[static_cast<std::size_t>(other)].code, sides[i].code);
    }
  }

  const TetMesh& mesh_;
  TetNeighbors neighbors_;
  std::vector<std::vector<FarSide>> left_;  // of each range of tetrahedra, in order
};

}  // namespace

TetNeighbors find_neighbors(const TetMesh& mesh) {
  SPINDRIFT_ASSERT(mesh.tet_count() <= std::numeric_limits<std::int32_t>::max() / 4);
  if (mesh.tets.empty()) return {};
  return NeighborSearch(mesh).run();
}

}  // namespace spindrift
