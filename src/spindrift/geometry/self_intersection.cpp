#include "spindrift/geometry/self_intersection.hpp"

#include <algorithm>
#include <utility>

#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/predicates.hpp"

namespace spindrift {

namespace {

using Corners = std::array<Vec3, 3>;

bool is_within_box(const Vec2& p, const Vec2& a, const Vec2& b) {
  return (p.array() >= a.array().min(b.array())).all() &&
         (p.array() <= a.array().max(b.array())).all();
}

bool segments_meet(const Vec2& p, const Vec2& q, const Vec2& a, const Vec2& b) {
  const int pa = orientation(p, q, a), pb = orientation(p, q, b);
  const int ap = orientation(a, b, p), aq = orientation(a, b, q);
  if (pa * pb < 0 && ap * aq < 0) return true;
  return (pa == 0 && is_within_box(a, p, q)) || (pb == 0 && is_within_box(b, p, q)) ||
         (ap == 0 && is_within_box(p, a, b)) || (aq == 0 && is_within_box(q, a, b));
}

bool holds_point(const std::array<Vec2, 3>& t, const Vec2& p) {
  const int u = orientation(t[0], t[1], p);
  const int v = orientation(t[1], t[2], p);
  const int w = orientation(t[2], t[0], p);
  return (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
}

bool coplanar_segment_meets(const Corners& triangle, const Vec3& p, const Vec3& q) {
  const int axis = projection_axis(triangle[0], triangle[1], triangle[2]);
  const std::array<Vec2, 3> t = {drop_axis(triangle[0], axis), drop_axis(triangle[1], axis),
                                 drop_axis(triangle[2], axis)};
  const Vec2 a = drop_axis(p, axis), b = drop_axis(q, axis);
  if (holds_point(t, a)) return true;
  for (int k = 0; k < 3; ++k) {
    if (segments_meet(a, b, t[k], t[(k + 1) % 3])) return true;
  }
  return false;
}

// p_side and q_side: orientations of p and q against the triangle's plane.
bool segment_meets(const Corners& t, const Vec3& p, int p_side, const Vec3& q, int q_side) {
  if (p_side * q_side > 0) return false;
  if (p_side == 0 && q_side == 0) return coplanar_segment_meets(t, p, q);
  const int u = orientation(p, q, t[0], t[1]);
  const int v = orientation(p, q, t[1], t[2]);
  const int w = orientation(p, q, t[2], t[0]);
  return (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
}

// Does any side of s, except those that end in a common vertex, meet t? `is_common[k]`: corner k of
// s is also a corner of t.
bool sides_meet(const Corners& s, const std::array<bool, 3>& is_common, const Corners& t) {
  std::array<int, 3> side{};
  for (int k = 0; k < 3; ++k) {
    side[k] = is_common[k] ? 0 : orientation(t[0], t[1], t[2], s[k]);
  }
  if (std::min({side[0], side[1], side[2]}) > 0 || std::max({side[0], side[1], side[2]}) < 0) {
    return false;
  }
  for (int k = 0; k < 3; ++k) {
    const int next = (k + 1) % 3;
    if (is_common[k] || is_common[next]) continue;
    if (segment_meets(t, s[k], side[k], s[next], side[next])) return true;
  }
  return false;
}

// Two triangles on a common edge overlap only if they are folded flat onto the same side.
bool is_folded(const Corners& s, int own_corner, const Corners& t, int other_corner) {
  const Vec3& a = s[(own_corner + 1) % 3];
  const Vec3& b = s[(own_corner + 2) % 3];
  const Vec3& c = s[own_corner];
  const Vec3& d = t[other_corner];
  if (orientation(a, b, c, d) != 0) return false;
  const int axis = projection_axis(s[0], s[1], s[2]);
  const auto side = [&](const Vec3& x) {
    return orientation(drop_axis(a, axis), drop_axis(b, axis), drop_axis(x, axis));
  };
  return side(c) == side(d);
}

Corners corners_of(const TriangleMesh& mesh, std::int32_t t) {
  return {mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2)};
}

Box3 box_of(const Corners& t) { return Box3(t[0]).extend(t[1]).extend(t[2]); }

class PairSearch {
 public:
  struct Found : SelfIntersections {
    std::int64_t candidates = 0;
  };

  PairSearch(const TriangleMesh& mesh, const TriangleBvh& bvh, const SelfIntersectionParams& params)
      : mesh_(mesh),
        bvh_(bvh),
        params_(params),
        max_candidates_(params.max_candidates + 100 * mesh.triangle_count()),
        has_area_(mesh.triangles.size()) {
    parallel_for_each(mesh.triangle_count(), [&](std::int64_t t) {
      has_area_[t] = !are_collinear(mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2));
    });
  }

  // Pairs whose first triangle is in [begin, end), in order, until it is enough.
  [[nodiscard]] Found search(std::int64_t begin, std::int64_t end) const {
    Found found;
    std::vector<std::int32_t> candidates;
    for (std::int64_t t = begin; t < end && !is_enough(found); ++t) {
      if (!has_area_[t]) continue;
      const auto first = static_cast<std::int32_t>(t);
      const Box3 box = box_of(corners_of(mesh_, first));
      candidates.clear();
      bvh_.append_overlaps(box, candidates);
      found.candidates += std::ssize(candidates);
      std::sort(candidates.begin(), candidates.end());
      for (std::int32_t second : candidates) {
        if (second <= first || !has_area_[second]) continue;
        if (!box.intersects(box_of(corners_of(mesh_, second)))) continue;
        if (!triangles_intersect(mesh_, first, second)) continue;
        if (std::ssize(found.examples) < params_.max_examples) {
          found.examples.push_back({first, second});
        }
        if (++found.count >= params_.max_pairs) return found;
      }
    }
    return found;
  }

  [[nodiscard]] Found join(Found a, const Found& b) const {
    if (a.is_capped) return a;
    a.count = std::min(a.count + b.count, params_.max_pairs);
    a.candidates += b.candidates;
    a.is_capped = is_enough(a);
    for (const auto& pair : b.examples) {
      if (std::ssize(a.examples) < params_.max_examples) a.examples.push_back(pair);
    }
    return a;
  }

 private:
  [[nodiscard]] bool is_enough(const Found& found) const {
    return found.count >= params_.max_pairs || found.candidates > max_candidates_;
  }

  const TriangleMesh& mesh_;
  const TriangleBvh& bvh_;
  const SelfIntersectionParams& params_;
  std::int64_t max_candidates_;
  std::vector<char> has_area_;
};

}  // namespace

bool triangles_intersect(const TriangleMesh& mesh, std::int32_t first, std::int32_t second) {
  const Triangle& s = mesh.triangles[first];
  const Triangle& t = mesh.triangles[second];
  std::array<bool, 3> s_common{}, t_common{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (s[i] == t[j]) s_common[i] = t_common[j] = true;
    }
  }
  const Corners sc = corners_of(mesh, first), tc = corners_of(mesh, second);
  switch (std::count(s_common.begin(), s_common.end(), true)) {
    case 3:
      return false;
    case 2: {
      const auto own = std::find(s_common.begin(), s_common.end(), false) - s_common.begin();
      const auto other = std::find(t_common.begin(), t_common.end(), false) - t_common.begin();
      return is_folded(sc, static_cast<int>(own), tc, static_cast<int>(other));
    }
    default:
      // With a common vertex an intersection runs from there until it leaves one of the triangles
      // through the side opposite to that vertex, so only those sides need a look.
      return sides_meet(sc, s_common, tc) || sides_meet(tc, t_common, sc);
  }
}

SelfIntersections find_self_intersections(const TriangleMesh& mesh, const TriangleBvh& bvh,
                                          const SelfIntersectionParams& params) {
  // In waves, whose bounds depend on nothing but the mesh: the first one to pass a cap is the last.
  // They grow, so that little is done in vain where triangles meet many others.
  constexpr std::int64_t kChunk = 64, kLargestWave = 64 * kChunk;
  const PairSearch pairs(mesh, bvh, params);
  PairSearch::Found result;
  std::int64_t begin = 0, wave = kChunk;
  while (begin < mesh.triangle_count() && !result.is_capped) {
    wave = std::min(wave, mesh.triangle_count() - begin);
    result = parallel_reduce_chunks(
        wave, kChunk, std::move(result),
        [&](std::int64_t b, std::int64_t e) { return pairs.search(begin + b, begin + e); },
        [&](PairSearch::Found a, const PairSearch::Found& b) {
          return pairs.join(std::move(a), b);
        });
    begin += wave;
    wave = std::min(2 * wave, kLargestWave);
  }
  return result;
}

}  // namespace spindrift
