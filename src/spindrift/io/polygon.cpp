#include "spindrift/io/polygon.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "spindrift/core/error.hpp"

namespace spindrift {

namespace {

// Twice the area that counts as none, of a polygon in the unit box: a few roundings of its
// coordinates.
constexpr double kFlat = 1e-14;

// Looks at cells and corners, per corner of the polygon, before the search for ears gives up: time
// stays proportional to the size of the input. A jagged outline of 100,000 corners needs 460.
constexpr std::int64_t kLooksPerCorner = 1000;

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
  blocks_.resize(flat_.size());
  ears_.clear();
  looks_left_ = kLooksPerCorner * count;
  for (std::int32_t i = 0; i < count; ++i) {
    before_[i] = i > 0 ? i - 1 : count - 1;
    after_[i] = i + 1 < count ? i + 1 : 0;
    blocks_[i] = is_convex(i) ? 0 : 1;
  }
  build_grid();
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
    blocks_[ear] = 0;
    for (const std::int32_t corner : {a, b}) {
      ++version_[corner];
      blocks_[corner] = is_convex(corner) ? 0 : 1;
    }
    for (const std::int32_t corner : {a, b}) examine(corner);
    current = b;
  }
  return clean;
}

bool PolygonCutter::is_convex(std::int32_t corner) const {
  return doubled_area(flat_[before_[corner]], flat_[corner], flat_[after_[corner]]) > kFlat;
}

void PolygonCutter::examine(std::int32_t corner) {
  if (blocks_[corner] != 0 || is_blocked(corner)) return;
  const double quality =
      shape_quality(unit_[before_[corner]], unit_[corner], unit_[after_[corner]]);
  ears_.push_back({quality, corner, version_[corner]});
  std::push_heap(ears_.begin(), ears_.end());
}

// About four corners a cell.
void PolygonCutter::build_grid() {
  const Eigen::AlignedBox2d box = [&] {
    Eigen::AlignedBox2d all;
    for (const Vec2& p : flat_) all.extend(p);
    return all;
  }();
  grid_side_ = std::max(1, static_cast<int>(std::sqrt(static_cast<double>(flat_.size()) / 4)));
  grid_origin_ = box.min();
  grid_scale_ = grid_side_ * box.sizes().cwiseMax(kFlat).cwiseInverse();
  const auto cell_number = [&](const Vec2& p) {
    const auto [column, row] = cell_of(p);
    return row * grid_side_ + column;
  };
  cell_begin_.assign(
      static_cast<std::size_t>(grid_side_) * static_cast<std::size_t>(grid_side_) + 1, 0);
  for (const Vec2& p : flat_) ++cell_begin_[cell_number(p)];
  std::partial_sum(cell_begin_.begin(), cell_begin_.end(), cell_begin_.begin());
  cell_items_.resize(flat_.size());
  for (std::size_t i = flat_.size(); i-- > 0;) {
    cell_items_[--cell_begin_[cell_number(flat_[i])]] = static_cast<std::int32_t>(i);
  }
}

std::array<int, 2> PolygonCutter::cell_of(const Vec2& point) const {
  const Vec2 place = (point - grid_origin_).cwiseProduct(grid_scale_);
  const auto clamp = [&](double x) { return std::clamp(static_cast<int>(x), 0, grid_side_ - 1); };
  return {clamp(place.x()), clamp(place.y())};
}

// True if a corner that is not convex lies in the triangle that would be cut off, or on its sides.
// Corners at the very place of one of the triangle's own do not count: they occur where a polygon
// touches itself, as at the bridge to a hole.
bool PolygonCutter::is_blocked(std::int32_t corner) {
  const Vec2 &a = flat_[before_[corner]], &b = flat_[corner], &c = flat_[after_[corner]];
  // Wider than the tolerance of the test below.
  const Vec2 margin = Vec2::Constant(1e-9);
  const auto low = cell_of(a.cwiseMin(b).cwiseMin(c) - margin);
  const auto high = cell_of(a.cwiseMax(b).cwiseMax(c) + margin);
  for (int row = low[1]; row <= high[1]; ++row) {
    const std::int32_t begin = cell_begin_[row * grid_side_ + low[0]];
    const std::int32_t end = cell_begin_[row * grid_side_ + high[0] + 1];
    --looks_left_;
    for (std::int32_t item = begin; item < end; ++item) {
      if (--looks_left_ < 0) return true;
      const std::int32_t other = cell_items_[item];
      if (blocks_[other] == 0) continue;
      const Vec2& p = flat_[other];
      if (doubled_area(a, b, p) >= -kFlat && doubled_area(b, c, p) >= -kFlat &&
          doubled_area(c, a, p) >= -kFlat && p != a && p != b && p != c) {
        return true;
      }
    }
  }
  return false;
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
