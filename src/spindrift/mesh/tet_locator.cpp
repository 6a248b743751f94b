#include "spindrift/mesh/tet_locator.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <unordered_set>
#include <utility>
#include <vector>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/predicates.hpp"
#include "spindrift/mesh/tet_walk.hpp"

namespace spindrift {
namespace {

// From a seed, walks are a few steps long; more only where cells are large for their tetrahedra.
constexpr int kMaxSteps = 200;
// Points are in order if this many, on average, come one after the other in the same brick.
constexpr std::int64_t kOrderedRun = 32;
// From a hint; one that is farther away is of no use.
constexpr int kMaxStepsFromHint = 40;

TetWalk walk_from(const TetMesh& mesh, const TetNeighbors& neighbors, const Vec3& point,
                  std::int32_t start, int max_steps) {
  TetWalk walk = {.tet = start, .steps_left = max_steps};
  while (walk.state == TetWalk::State::kGoing) step(mesh, neighbors, point, walk);
  return walk;
}

// Where a segment crosses a triangle.
enum class Crossing { kNone, kInside, kTouching };

// Exactly. Touching: through an edge, along the plane, or with an end on the triangle; perhaps also
// past the triangle if an end lies in its plane.
Crossing crossing(const Vec3& from, const Vec3& to, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 low = a.cwiseMin(b).cwiseMin(c);
  const Vec3 high = a.cwiseMax(b).cwiseMax(c);
  if ((low.array() > from.cwiseMax(to).array()).any() ||
      (high.array() < from.cwiseMin(to).array()).any()) {
    return Crossing::kNone;
  }
  const int side_from = orientation(a, b, c, from);
  const int side_to = orientation(a, b, c, to);
  if (side_from * side_to > 0) return Crossing::kNone;
  const int ab = orientation(a, b, from, to);
  const int bc = orientation(b, c, from, to);
  if (ab * bc < 0) return Crossing::kNone;
  const int ca = orientation(c, a, from, to);
  if (ab * ca < 0 || bc * ca < 0) return Crossing::kNone;
  const bool is_clear = side_from * side_to < 0 && ab != 0 && bc != 0 && ca != 0;
  return is_clear ? Crossing::kInside : Crossing::kTouching;
}

// How far along the segment it meets the plane: 0 to 1, about.
double crossing_time(const Vec3& from, const Vec3& to, const Vec3& a, const Vec3& b,
                     const Vec3& c) {
  const Vec3 normal = (b - a).cross(c - a);
  const double before = normal.dot(from - a);
  const double after = normal.dot(to - a);
  return before / (before - after);
}

}  // namespace

// How the segment from the centre of a cell to a point in it meets the boundary.
struct TetLocator::Crossings {
  int count = 0;
  bool is_clear = true;        // no crossing through an edge or a vertex
  std::int32_t last_tet = -1;  // of the boundary face that is crossed last
};

TetLocator::Crossings TetLocator::count_crossings(const Vec3& point, const Place& place) const {
  Crossings result;
  const Vec3 center = bricks_.center(place);
  double last_time = -1;
  for (const std::int32_t face : bricks_.boundary_faces(place)) {
    const std::int32_t tet = face >> 2;
    const auto& corners = kTetFaces[static_cast<std::size_t>(face & 3)];
    const Vec3& a = mesh_->corner(tet, corners[0]);
    const Vec3& b = mesh_->corner(tet, corners[1]);
    const Vec3& c = mesh_->corner(tet, corners[2]);
    const Crossing kind = crossing(center, point, a, b, c);
    if (kind == Crossing::kNone) continue;
    if (kind == Crossing::kTouching) {
      result.is_clear = false;
      return result;
    }
    ++result.count;
    const double time = crossing_time(center, point, a, b, c);
    if (time > last_time) {
      last_time = time;
      result.last_tet = tet;
    }
  }
  return result;
}

std::int32_t TetLocator::search(const Vec3& point, const Place& place) const {
  std::unordered_set<std::int32_t> seen;
  std::vector<std::int32_t> queue;
  std::int32_t found = -1;
  const auto visit = [&](std::int32_t tet) {
    if (!seen.insert(tet).second) return;
    const Vec3& a = mesh_->corner(tet, 0);
    const Vec3& b = mesh_->corner(tet, 1);
    const Vec3& c = mesh_->corner(tet, 2);
    const Vec3& d = mesh_->corner(tet, 3);
    const Vec3 min = a.cwiseMin(b).cwiseMin(c.cwiseMin(d));
    const Vec3 max = a.cwiseMax(b).cwiseMax(c.cwiseMax(d));
    if (!bricks_.touches(min, max, place)) return;
    queue.push_back(tet);
    const bool is_near =
        (point.array() >= min.array()).all() && (point.array() <= max.array()).all();
    if (is_near && (found < 0 || tet < found) && contains(*mesh_, tet, point)) found = tet;
  };
  if (bricks_.seed(place) >= 0) visit(bricks_.seed(place));
  for (const std::int32_t face : bricks_.boundary_faces(place)) visit(face >> 2);
  while (!queue.empty()) {
    const std::int32_t tet = queue.back();
    queue.pop_back();
    for (const std::int32_t neighbor : (*neighbors_)[static_cast<std::size_t>(tet)]) {
      if (neighbor >= 0) visit(neighbor >> 2);
    }
  }
  return found;
}

std::int32_t TetLocator::lowest_around(const Vec3& point, std::int32_t tet,
                                       const Place& place) const {
  constexpr std::size_t kMany = 256;
  std::vector<std::int32_t> reached = {tet};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const FaceVolumes volumes = face_volumes(*mesh_, reached[i], point);
    int faces = 0;
    for (int k = 0; k < 4; ++k) {
      if (volumes.values[k] > volumes.error) continue;
      if (side_of_face(*mesh_, reached[i], k, point) != 0) continue;
      ++faces;
      const std::int32_t neighbor =
          (*neighbors_)[static_cast<std::size_t>(reached[i])][static_cast<std::size_t>(k)];
      // Others may touch the point from the outside.
      if (neighbor < 0) return search(point, place);
      const bool is_new = std::find(reached.begin(), reached.end(), neighbor >> 2) == reached.end();
      if (is_new) reached.push_back(neighbor >> 2);
    }
    const bool is_flat = faces == 4;
    if (is_flat || reached.size() > kMany) return search(point, place);
  }
  return *std::min_element(reached.begin(), reached.end());
}

std::int32_t TetLocator::find_after(const TetWalk& walk, const Vec3& point,
                                    const Place& place) const {
  if (walk.state == TetWalk::State::kInside) return walk.tet;
  if (walk.state == TetWalk::State::kOnFace) return lowest_around(point, walk.tet, place);
  return find_without_seed(point, place);
}

std::int32_t TetLocator::find_without_seed(const Vec3& point, const Place& place) const {
  if (bricks_.boundary_faces(place).empty()) return search(point, place);
  const Crossings crossings = count_crossings(point, place);
  if (!crossings.is_clear) return search(point, place);
  const bool is_centre_inside = bricks_.seed(place) >= 0;
  const bool is_inside = is_centre_inside == (crossings.count % 2 == 0);
  if (!is_inside) return -1;
  if (crossings.last_tet >= 0) {
    const TetWalk walk = walk_from(*mesh_, *neighbors_, point, crossings.last_tet, kMaxSteps);
    if (walk.state == TetWalk::State::kInside) return walk.tet;
  }
  return search(point, place);
}

std::int32_t TetLocator::find_at(const Vec3& point, const Place& place) const {
  const std::int32_t seed = bricks_.seed(place);
  if (seed >= 0) {
    return find_after(walk_from(*mesh_, *neighbors_, point, seed, kMaxSteps), point, place);
  }
  return bricks_.boundary_faces(place).empty() ? -1 : find_without_seed(point, place);
}

std::int32_t TetLocator::find(const Vec3& point) const {
  const Place place = bricks_.place_of(point);
  return place.brick < 0 ? -1 : find_at(point, place);
}

std::int32_t TetLocator::find(const Vec3& point, std::int32_t hint) const {
  const Place place = bricks_.place_of(point);
  if (place.brick < 0) return -1;
  if (hint >= 0) {
    const TetWalk walk = walk_from(*mesh_, *neighbors_, point, hint, kMaxStepsFromHint);
    if (walk.state == TetWalk::State::kInside) return walk.tet;
  }
  return find_at(point, place);
}

namespace {

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
        lane = {{.tet = seed, .steps_left = kMaxSteps}, i};
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
  SPINDRIFT_ASSERT(points.size() == tets.size());
  Buffer<Place> places(points.size());
  const std::int64_t jumps = parallel_reduce_chunks(
      std::ssize(points), 4096, std::int64_t{0},
      [&](std::int64_t begin, std::int64_t end) {
        std::int64_t changes = 0;
        std::int32_t last = -1;
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          places[i] = bricks_.place_of(points[i]);
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
