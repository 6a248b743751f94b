// Many points at once.
#include <array>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/mesh/tet_locator.hpp"
#include "spindrift/mesh/tet_walk.hpp"

namespace spindrift {
namespace {

// Points are in order if this many, on average, come one after the other in the same brick.
constexpr std::int64_t kOrderedRun = 32;

// Points in the order in which to find them: those of one brick beside each other.
Buffer<std::int32_t> sorted_by_brick(std::span<const LocationBricks::Place> places,
                                     std::int64_t bricks) {
  constexpr std::int64_t kRanges = 16;
  // Few points: several bricks together, or the counts would cost more than the points.
  int shift = 0;
  while (bricks >> shift > std::ssize(places) / kRanges) ++shift;
  const auto bucket_of = [&](std::int64_t i) {
    return static_cast<std::size_t>(places[static_cast<std::size_t>(i)].brick >> shift);
  };
  const auto buckets = static_cast<std::size_t>((bricks >> shift) + 1);
  const std::int64_t length = chunk_count(std::ssize(places), kRanges);
  std::vector<std::vector<std::int32_t>> next(
      static_cast<std::size_t>(chunk_count(std::ssize(places), length)));
  parallel_for_chunks(std::ssize(places), length, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int32_t>& counts = next[static_cast<std::size_t>(begin / length)];
    counts.assign(buckets, 0);
    for (std::int64_t i = begin; i < end; ++i) {
      if (places[static_cast<std::size_t>(i)].brick >= 0) ++counts[bucket_of(i)];
    }
  });
  std::int32_t total = 0;
  for (std::size_t b = 0; b < buckets; ++b) {
    for (std::vector<std::int32_t>& counts : next) total += std::exchange(counts[b], total);
  }
  Buffer<std::int32_t> order(static_cast<std::size_t>(total));
  parallel_for_chunks(std::ssize(places), length, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int32_t>& places_left = next[static_cast<std::size_t>(begin / length)];
    for (std::int64_t i = begin; i < end; ++i) {
      if (places[static_cast<std::size_t>(i)].brick < 0) continue;
      order[static_cast<std::size_t>(places_left[bucket_of(i)]++)] = static_cast<std::int32_t>(i);
    }
  });
  return order;
}

}  // namespace

void TetLocator::find_together(std::span<const Vec3> points, std::span<const Place> places,
                               std::span<const std::int32_t> order,
                               std::span<std::int32_t> tets) const {
  constexpr std::size_t kLanes = 8;
  constexpr std::ptrdiff_t kAhead = 16;
  struct Lane {
    TetWalk walk;
    std::size_t point;
  };
  std::array<Lane, kLanes> lanes;
  std::size_t active = 0;
  auto next = order.begin();
  const auto prefetch = [&](std::int32_t tet) {
    __builtin_prefetch(&mesh_->tets[static_cast<std::size_t>(tet)]);
    __builtin_prefetch(&(*neighbors_)[static_cast<std::size_t>(tet)]);
  };
  const auto refill = [&](Lane& lane) {
    for (; next != order.end(); ++next) {
      if (order.end() - next > kAhead) {
        const auto later = static_cast<std::size_t>(next[kAhead]);
        __builtin_prefetch(&points[later]);
        __builtin_prefetch(&places[later]);
      }
      const auto i = static_cast<std::size_t>(*next);
      if (places[i].brick < 0) continue;
      const std::int32_t seed = bricks_.seed(places[i]);
      if (seed >= 0) {
        lane = {{.tet = seed}, i};
        prefetch(seed);
        ++next;
        return true;
      }
      tets[i] = find_at(points[i], places[i]);
    }
    return false;
  };
  while (active < kLanes && refill(lanes[active])) ++active;
  while (active > 0) {
    for (std::size_t k = 0; k < active; ++k) {
      for (int j = 0; j < 4; ++j) __builtin_prefetch(&mesh_->corner(lanes[k].walk.tet, j));
    }
    for (std::size_t k = 0; k < active; ++k) {
      Lane& lane = lanes[k];
      const Vec3& point = points[lane.point];
      step(*mesh_, *neighbors_, point, lane.walk);
      if (lane.walk.state == TetWalk::State::kGoing) {
        prefetch(lane.walk.tet);
        continue;
      }
      tets[lane.point] = find_after(lane.walk, point, places[lane.point]);
      if (!refill(lane)) {
        --active;
        lane = lanes[active];
        --k;
      }
    }
  }
}

void TetLocator::find(std::span<const Vec3> points, std::span<std::int32_t> tets) const {
  SPINDRIFT_ASSERT(points.size() == tets.size() && std::in_range<std::int32_t>(points.size()));
  Buffer<Place> places(points.size());
  const std::int64_t jumps = parallel_reduce_chunks(
      std::ssize(points), 4096, std::int64_t{0},
      [&](std::int64_t begin, std::int64_t end) {
        std::int64_t changes = 0;
        std::int32_t last = -1;
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          places[i] = bricks_.place_of(points[i], last);
          tets[i] = -1;
          if (places[i].brick < 0) continue;
          changes += places[i].brick != last;
          last = places[i].brick;
        }
        return changes;
      },
      std::plus<>());
  Buffer<std::int32_t> order;
  if (jumps * kOrderedRun > std::ssize(points)) {
    order = sorted_by_brick(places, bricks_.brick_count());
  } else {
    order.resize(points.size());
    std::iota(order.begin(), order.end(), 0);
  }
  parallel_for_chunks(std::ssize(order), 2048, [&](std::int64_t begin, std::int64_t end) {
    find_together(points, places,
                  std::span(order).subspan(static_cast<std::size_t>(begin),
                                           static_cast<std::size_t>(end - begin)),
                  tets);
  });
}

}  // namespace spindrift
