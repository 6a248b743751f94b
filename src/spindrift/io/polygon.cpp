#include "spindrift/io/polygon.hpp"

#include <algorithm>
#include <cmath>

#include "spindrift/core/error.hpp"

namespace spindrift {

namespace {

// Twice the area that counts as none, of a polygon in the unit box: a few roundings of its
// coordinates.
constexpr double kFlat = 1e-14;

// Point-in-ear tests per corner, so that time stays proportional to the size of the input. Enough
// for every test of a polygon with that many concave corners.
constexpr std::int64_t kTestsPerCorner = 4096;

double doubled_area(const Vec2& a, const Vec2& b, const Vec2& c) {
  return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
}

// Area over the sum of squared sides: greatest for equilateral triangles, 0 for flat ones.
double shape_quality(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double sides = (b - a).squaredNorm() + (c - b).squaredNorm() + (a - c).squaredNorm();
  return sides > 0 ? (b - a).cross(c - a).norm() / sides : 0;
}

// Newell's normal: twice the polygon's area vector.
Vec3 area_vector(std::span<const Vec3> corners) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    sum += (corners[i] - corners[0]).cross(corners[i + 1] - corners[0]);
  }
  return sum;
}

}  // namespace

bool PolygonCutter::cut(std::span<const Vec3> corners, std::span<Triangle> triangles) {
  SPINDRIFT_ASSERT(corners.size() >= 3 && triangles.size() == corners.size() - 2);
  normalise(corners);
  if (corners.size() == 3) {
    triangles[0] = {0, 1, 2};
    return area_vector(unit_).norm() > kFlat;
  }
  if (corners.size() == 4) return cut_quad(triangles);
  const Vec3 normal = area_vector(unit_);
  if (!(normal.norm() > kFlat)) {
    for (std::size_t i = 0; i < triangles.size(); ++i) {
      const auto k = static_cast<std::int32_t>(i);
      triangles[i] = {0, k + 1, k + 2};
    }
    return false;
  }
  project(normal);
  return clip_ears(triangles);
}

void PolygonCutter::normalise(std::span<const Vec3> corners) {
  Box3 box;
  for (const Vec3& corner : corners) box.extend(corner);
  const double extent = box.sizes().maxCoeff();
  unit_.resize(corners.size());
  for (std::size_t i = 0; i < corners.size(); ++i) {
    unit_[i] = extent > 0 ? Vec3((corners[i] - box.min()) / extent) : Vec3(Vec3::Zero());
  }
}

bool PolygonCutter::cut_quad(std::span<Triangle> triangles) const {
  const Vec3 normal = area_vector(unit_);
  // Whether both triangles face the way of the quad, and the worse one's shape.
  const auto rate = [&](const Triangle& s, const Triangle& t) {
    double worst = 1;
    bool faces_right = true;
    for (const Triangle& triangle : {s, t}) {
      const Vec3 &a = unit_[triangle[0]], &b = unit_[triangle[1]], &c = unit_[triangle[2]];
      worst = std::min(worst, shape_quality(a, b, c));
      faces_right = faces_right && (b - a).cross(c - a).dot(normal) > kFlat * normal.norm();
    }
    return std::pair(faces_right, worst);
  };
  const std::array<Triangle, 2> first = {Triangle{0, 1, 2}, Triangle{0, 2, 3}};
  const std::array<Triangle, 2> second = {Triangle{0, 1, 3}, Triangle{1, 2, 3}};
  const auto rated_first = rate(first[0], first[1]), rated_second = rate(second[0], second[1]);
  // The diagonals of a rectangle are equally good but for rounding: take the first.
  const bool better = rated_second.second > rated_first.second * (1 + 1e-9);
  const bool take_second = rated_first.first == rated_second.first ? better : rated_second.first;
  const auto& taken = take_second ? second : first;
  std::copy(taken.begin(), taken.end(), triangles.begin());
  return rated_first.first || rated_second.first;
}

void PolygonCutter::project(const Vec3& normal) {
  // The axis nearest to the normal gives way, so that polygons in a coordinate plane keep their
  // coordinates exactly.
  const Vec3 n = normal.normalized();
  int axis = 0;
  n.cwiseAbs().maxCoeff(&axis);
  const Vec3 e = Vec3::Unit((axis + 1) % 3);
  const Vec3 u = (e - n.dot(e) * n).normalized();
  const Vec3 v = n.cross(u);
  flat_.resize(unit_.size());
  for (std::size_t i = 0; i < unit_.size(); ++i) flat_[i] = {u.dot(unit_[i]), v.dot(unit_[i])};
}

bool PolygonCutter::clip_ears(std::span<Triangle> triangles) {
  const auto count = static_cast<std::int32_t>(flat_.size());
  before_.resize(flat_.size());
  after_.resize(flat_.size());
  version_.assign(flat_.size(), 0);
  blockers_.clear();
  blocker_at_.assign(flat_.size(), -1);
  ears_.clear();
  tests_left_ = kTestsPerCorner * count;
  for (std::int32_t i = 0; i < count; ++i) {
    before_[i] = i > 0 ? i - 1 : count - 1;
    after_[i] = i + 1 < count ? i + 1 : 0;
    set_blocker(i, doubled_area(flat_[before_[i]], flat_[i], flat_[after_[i]]) <= kFlat);
  }
  for (std::int32_t i = 0; i < count; ++i) examine(i);

  bool clean = true;
  std::int32_t current = 0;  // a corner that is still there
  for (Triangle& triangle : triangles) {
    std::int32_t ear = next_ear();
    if (ear < 0) {
      clean = false;
      ear = current;
    }
    const std::int32_t a = before_[ear], b = after_[ear];
    triangle = {a, ear, b};
    after_[a] = b;
    before_[b] = a;
    version_[ear] = -1;
    set_blocker(ear, false);
    for (const std::int32_t corner : {a, b}) {
      ++version_[corner];
      set_blocker(corner, doubled_area(flat_[before_[corner]], flat_[corner],
                                       flat_[after_[corner]]) <= kFlat);
    }
    for (const std::int32_t corner : {a, b}) examine(corner);
    current = b;
  }
  return clean;
}

void PolygonCutter::examine(std::int32_t corner) {
  if (blocker_at_[corner] >= 0 || is_blocked(corner)) return;
  const double quality =
      shape_quality(unit_[before_[corner]], unit_[corner], unit_[after_[corner]]);
  ears_.push_back({quality, corner, version_[corner]});
  std::push_heap(ears_.begin(), ears_.end());
}

// True if a concave corner lies in the triangle that would be cut off, or on its sides. Corners at
// the very place of one of the triangle's own do not count: they occur where a polygon touches
// itself, as at the bridge to a hole.
bool PolygonCutter::is_blocked(std::int32_t corner) {
  const Vec2 &a = flat_[before_[corner]], &b = flat_[corner], &c = flat_[after_[corner]];
  tests_left_ -= std::ssize(blockers_);
  if (tests_left_ < 0) return true;
  return std::any_of(blockers_.begin(), blockers_.end(), [&](std::int32_t other) {
    const Vec2& p = flat_[other];
    return doubled_area(a, b, p) >= -kFlat && doubled_area(b, c, p) >= -kFlat &&
           doubled_area(c, a, p) >= -kFlat && p != a && p != b && p != c;
  });
}

void PolygonCutter::set_blocker(std::int32_t corner, bool blocks) {
  const std::int32_t at = blocker_at_[corner];
  if (blocks == (at >= 0)) return;
  if (blocks) {
    blocker_at_[corner] = static_cast<std::int32_t>(blockers_.size());
    blockers_.push_back(corner);
    return;
  }
  blockers_[at] = blockers_.back();
  blocker_at_[blockers_[at]] = at;
  blockers_.pop_back();
  blocker_at_[corner] = -1;
}

// The best ear, taken off the heap; -1 if there is none.
std::int32_t PolygonCutter::next_ear() {
  while (!ears_.empty()) {
    const Ear ear = ears_.front();
    std::pop_heap(ears_.begin(), ears_.end());
    ears_.pop_back();
    if (ear.version == version_[ear.corner]) return ear.corner;
  }
  return -1;
}

}  // namespace spindrift
