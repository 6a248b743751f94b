#include "spindrift/mesh/tet_locator.hpp"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "spindrift/geometry/predicates.hpp"
#include "spindrift/mesh/tet_walk.hpp"

namespace spindrift {
namespace {

// A hint that is farther away is of no use.
constexpr int kMaxStepsFromHint = 40;

TetWalk walk_from(const TetMesh& mesh, const TetNeighbors& neighbors, const Vec3& point,
                  std::int32_t start, int max_steps = TetWalk::kMaxSteps) {
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
    const TetWalk walk = walk_from(*mesh_, *neighbors_, point, crossings.last_tet);
    if (walk.state == TetWalk::State::kInside) return walk.tet;
  }
  return search(point, place);
}

std::int32_t TetLocator::find_at(const Vec3& point, const Place& place) const {
  const std::int32_t seed = bricks_.seed(place);
  if (seed >= 0) {
    return find_after(walk_from(*mesh_, *neighbors_, point, seed), point, place);
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

}  // namespace spindrift
