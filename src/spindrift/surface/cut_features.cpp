#include "spindrift/surface/cut_features.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <Eigen/Eigenvalues>

#include "spindrift/core/parallel.hpp"
#include "spindrift/surface/contact_points.hpp"

namespace spindrift {
namespace {

// Lattice units, for differences: of a distance with kinks, and of samples in float.
constexpr double kSolidStep = 1e-4;
constexpr double kLiquidStep = 0.05;
// Normals with a smaller product are those of two faces: 26 degrees [Kobbelt et al. 2001].
constexpr double kSharp = 0.9;
// A third face's normal is as far out of the plane of the other two.
constexpr double kCorner = 0.5;
// How far outside of its cell a point may lie, and how close to the polygon's edges it is of no
// use. Lattice units.
constexpr double kBeyondCell = 0.1;
constexpr double kTooClose = 1e-3;
// To a surface that it should be on, or beyond it.
constexpr double kNearEnough = 0.1;

struct Plane {
  Vec3 normal, point;
};

// The point closest to planes that span `rank` directions, and to `start` in the others.
Vec3 meeting_point(std::span<const Plane> planes, const Vec3& start, int rank) {
  Mat3 matrix = Mat3::Zero();
  Vec3 right = Vec3::Zero();
  for (const Plane& plane : planes) {
    matrix += plane.normal * plane.normal.transpose();
    right += plane.normal * plane.normal.dot(plane.point - start);
  }
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(matrix);
  Vec3 x = start;
  for (int k = 3 - rank; k < 3; ++k) {
    const double value = solver.eigenvalues()[k];
    if (value < 1e-3 * solver.eigenvalues()[2]) continue;
    const Vec3 direction = solver.eigenvectors().col(k);
    x += direction.dot(right) / value * direction;
  }
  return x;
}

// The features of some polygons. Lattice coordinates inside.
class FeatureFinder {
 public:
  FeatureFinder(std::span<const Vec3> positions, std::span<const SurfaceKind> kinds,
                const CutNormals& normals, const CutBounds& bounds)
      : positions_(positions), kinds_(kinds), normals_(normals), bounds_(bounds) {}

  void run(std::span<const CutPolygon> polygons, std::span<CutFeature> features) {
    std::vector<Vec3> contacts;
    std::vector<std::size_t> of_contact;
    for (std::size_t i = 0; i < polygons.size(); ++i) {
      const std::optional<Vec3> point =
          polygons[i].is_bent ? point_on_edge(polygons[i]) : std::nullopt;
      if (point) {
        features[i] = {bounds_.lattice().position(*point), true};
      } else if (polygons[i].is_mixed) {
        contacts.push_back(contact_start(polygons[i]));
        of_contact.push_back(i);
      }
    }
    project_to_contact(bounds_, contacts);
    for (std::size_t k = 0; k < contacts.size(); ++k) features[of_contact[k]] = {contacts[k], true};
  }

 private:
  [[nodiscard]] SurfaceKind kind(std::int32_t v) const {
    return kinds_[static_cast<std::size_t>(v)];
  }
  [[nodiscard]] const Vec3& position(std::int32_t v) const {
    return positions_[static_cast<std::size_t>(v)];
  }

  // The middle of the edges from air to solid, m, and a little towards the polygon's own: two
  // polygons may share all of these edges.
  [[nodiscard]] Vec3 contact_start(const CutPolygon& polygon) const {
    constexpr double kTowardsMiddle = 0.1;
    Vec3 sum = Vec3::Zero();
    Vec3 middle = Vec3::Zero();
    int count = 0;
    for (int k = 0; k < polygon.count; ++k) {
      const std::int32_t v = polygon.loop[static_cast<std::size_t>(k)];
      const std::int32_t w = polygon.loop[static_cast<std::size_t>((k + 1) % polygon.count)];
      middle += position(v) / polygon.count;
      if (kind(v) == kind(w)) continue;
      sum += position(v) + position(w);
      count += 2;
    }
    return (1 - kTowardsMiddle) * sum / count + kTowardsMiddle * middle;
  }

  // On an edge or in a corner of the solid, if one runs through the polygon; on the liquid's
  // surface too if the polygon is mixed.
  [[nodiscard]] std::optional<Vec3> point_on_edge(const CutPolygon& polygon) {
    planes_.clear();
    Vec3 middle = Vec3::Zero();
    for (const std::int32_t v : polygon.vertices()) {
      const auto place = normals_.place[static_cast<std::size_t>(v)];
      const Vec3& normal = normals_.normals[static_cast<std::size_t>(place)];
      const Vec3 at = bounds_.lattice().to_lattice(position(v));
      middle += at / polygon.count;
      if (!normal.isZero()) planes_.push_back({normal, at});
    }
    const std::optional<Vec3> along = edge_direction(polygon);
    if (!along) return std::nullopt;
    double farthest = 0;
    for (const Plane& plane : planes_) {
      farthest = std::max(farthest, std::abs(plane.normal.dot(*along)));
    }
    Vec3 x = meeting_point(planes_, middle, farthest > kCorner ? 3 : 2);
    if (polygon.is_mixed && !slide_to_liquid(*along, x)) return std::nullopt;
    return is_useful(polygon, middle, x) ? std::optional<Vec3>(x) : std::nullopt;
  }

  // Along the solid's edge through the polygon: across the two normals that differ most.
  [[nodiscard]] std::optional<Vec3> edge_direction(const CutPolygon& polygon) const {
    double least = kSharp;
    Vec3 across = Vec3::Zero();
    for (int k = 0; k < polygon.count; ++k) {
      for (int l = 0; l < k; ++l) {
        const std::int32_t v = polygon.loop[static_cast<std::size_t>(k)];
        const std::int32_t w = polygon.loop[static_cast<std::size_t>(l)];
        if (kind(v) == SurfaceKind::air || kind(w) == SurfaceKind::air) continue;
        const Vec3& n = normal_of(v);
        const Vec3& m = normal_of(w);
        if (n.isZero() || m.isZero() || n.dot(m) >= least) continue;
        least = n.dot(m);
        across = n.cross(m);
      }
    }
    const double length = across.norm();
    if (!(length > 0.1)) return std::nullopt;  // no edge, or faces of a narrow gap
    return across / length;
  }
  [[nodiscard]] const Vec3& normal_of(std::int32_t v) const {
    const auto place = normals_.place[static_cast<std::size_t>(v)];
    return normals_.normals[static_cast<std::size_t>(place)];
  }

  // Moves a point along a solid's edge to where the liquid ends. False if that is nowhere near.
  [[nodiscard]] bool slide_to_liquid(const Vec3& along, Vec3& x) const {
    constexpr int kSteps = 6;
    constexpr double kClose = 1e-6;
    constexpr double kLeastSlope = 0.2;
    const Vec3 start = x;
    for (int step = 0; step < kSteps; ++step) {
      std::array<Vec3, 3> points{};
      for (int k = 0; k < 3; ++k) {
        points[static_cast<std::size_t>(k)] =
            bounds_.lattice().position(Vec3(x + (k - 1) * kLiquidStep * along));
      }
      std::array<float, 3> values{};
      bounds_.liquid(points, values);
      const double value = values[1];
      if (std::abs(value) < kClose) return true;
      const double slope = (double{values[2]} - values[0]) / (2 * kLiquidStep);
      if (std::abs(slope) < kLeastSlope) return false;
      x -= value / slope * along;
      if ((x - start).norm() > 1) return false;
    }
    return true;
  }

  // In the cell, away from the polygon's edges, in the liquid, and closer to the solid than the
  // polygon's middle is: where a solid is round but small, planes meet outside of it.
  [[nodiscard]] bool is_useful(const CutPolygon& polygon, const Vec3& middle, const Vec3& x) const {
    const Vec3 in_cell = x - polygon.cell.cast<double>();
    if ((in_cell.array() < -kBeyondCell).any() || (in_cell.array() > 1 + kBeyondCell).any()) {
      return false;
    }
    for (int k = 0; k < polygon.count; ++k) {
      const std::int32_t v = polygon.loop[static_cast<std::size_t>(k)];
      const std::int32_t w = polygon.loop[static_cast<std::size_t>((k + 1) % polygon.count)];
      const Vec3 a = bounds_.lattice().to_lattice(position(v));
      const Vec3 side = bounds_.lattice().to_lattice(position(w)) - a;
      const double along = std::clamp(side.dot(x - a) / side.squaredNorm(), 0.0, 1.0);
      if ((a + along * side - x).norm() < kTooClose) return false;
      const Vec3 normal = side.cross(x - a);
      const bool is_one_face = kind(v) == kind(w) && !normals_.are_across_edge(v, w);
      if (is_one_face && std::min(normal.dot(normal_of(v)), normal.dot(normal_of(w))) < 0) {
        return false;
      }
    }
    const std::array<Vec3, 2> points = {bounds_.lattice().position(x),
                                        bounds_.lattice().position(middle)};
    std::array<double, 2> values{};
    bounds_.solid(points, values);
    if (!(std::abs(values[0]) < (polygon.is_mixed ? kNearEnough : 0.5 * std::abs(values[1])))) {
      return false;
    }
    float liquid = 0;
    bounds_.liquid(std::span(points).first(1), std::span(&liquid, 1));
    return liquid < kNearEnough;
  }

  std::span<const Vec3> positions_;
  std::span<const SurfaceKind> kinds_;
  const CutNormals& normals_;
  const CutBounds& bounds_;
  std::vector<Plane> planes_;
};

// Gradients of the functions that some vertices lie on, as unit vectors.
void find_normals(std::span<const Vec3> positions, std::span<const SurfaceKind> kinds,
                  std::span<const std::int32_t> vertices, const CutBounds& bounds,
                  std::span<Vec3> normals) {
  std::vector<Vec3> solid;
  std::vector<Vec3> liquid;
  for (const std::int32_t v : vertices) {
    const Vec3& at = positions[static_cast<std::size_t>(v)];
    const bool is_solid = kinds[static_cast<std::size_t>(v)] == SurfaceKind::solid;
    const double step = bounds.lattice().spacing * (is_solid ? kSolidStep : kLiquidStep);
    for (int axis = 0; axis < 3; ++axis) {
      for (const double sign : {1.0, -1.0}) {
        (is_solid ? solid : liquid).emplace_back(at + sign * step * Vec3::Unit(axis));
      }
    }
  }
  std::vector<double> of_solid(solid.size());
  bounds.solid(solid, of_solid);
  std::vector<float> of_liquid(liquid.size());
  bounds.liquid(liquid, of_liquid);
  const auto unit_gradient = [](const auto* at) {
    const Vec3 gradient(double{at[0]} - at[1], double{at[2]} - at[3], double{at[4]} - at[5]);
    const double length = gradient.norm();
    return length > 0 ? Vec3(gradient / length) : Vec3(Vec3::Zero());
  };
  const double* next_solid = of_solid.data();
  const float* next_liquid = of_liquid.data();
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (kinds[static_cast<std::size_t>(vertices[i])] == SurfaceKind::solid) {
      normals[i] = unit_gradient(next_solid);
      next_solid += 6;
    } else {
      normals[i] = unit_gradient(next_liquid);
      next_liquid += 6;
    }
  }
}

// A corner of a solid between cells is found by more than one of them. The first one has it, the
// others stay a little on the side of their polygon.
void separate(std::span<const Vec3> positions, std::span<const CutPolygon> polygons,
              const Lattice& lattice, std::span<CutFeature> features) {
  constexpr double kSame = 1e-4;  // lattice units
  constexpr double kAside = 0.02;
  using Key = std::array<std::int64_t, 3>;
  std::vector<std::pair<Key, std::size_t>> order;
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (!features[i].exists || !polygons[i].is_bent) continue;
    const Vec3 rounded = (lattice.to_lattice(features[i].point) / kSame).array().round();
    order.push_back(
        {{std::int64_t(rounded.x()), std::int64_t(rounded.y()), std::int64_t(rounded.z())}, i});
  }
  std::sort(order.begin(), order.end());
  for (std::size_t k = 1; k < order.size(); ++k) {
    if (order[k].first != order[k - 1].first) continue;
    const CutPolygon& polygon = polygons[order[k].second];
    Vec3 middle = Vec3::Zero();
    for (const std::int32_t v : polygon.vertices()) {
      middle += positions[static_cast<std::size_t>(v)] / polygon.count;
    }
    Vec3& point = features[order[k].second].point;
    point += kAside * (middle - point);
  }
}

}  // namespace

bool CutNormals::are_across_edge(std::int32_t v, std::int32_t w) const {
  const std::int32_t n = place[static_cast<std::size_t>(v)];
  const std::int32_t m = place[static_cast<std::size_t>(w)];
  if (n < 0 || m < 0) return false;
  const Vec3& a = normals[static_cast<std::size_t>(n)];
  const Vec3& b = normals[static_cast<std::size_t>(m)];
  return !a.isZero() && !b.isZero() && a.dot(b) < kSharp;
}

CutNormals find_cut_normals(std::span<const Vec3> positions, std::span<const SurfaceKind> kinds,
                            std::span<const CutPolygon> polygons, const CutBounds& bounds) {
  CutNormals result;
  result.place.assign(positions.size(), -1);
  std::vector<std::int32_t> vertices;
  for (const CutPolygon& polygon : polygons) {
    if (!polygon.is_bent) continue;
    for (const std::int32_t v : polygon.vertices()) {
      std::int32_t& place = result.place[static_cast<std::size_t>(v)];
      if (place >= 0) continue;
      place = static_cast<std::int32_t>(vertices.size());
      vertices.push_back(v);
    }
  }
  result.normals.resize(vertices.size());
  constexpr std::int64_t kVerticesAtOnce = 256;
  parallel_for_chunks(std::ssize(vertices), kVerticesAtOnce,
                      [&](std::int64_t begin, std::int64_t end) {
                        const auto first = static_cast<std::size_t>(begin);
                        const auto count = static_cast<std::size_t>(end - begin);
                        find_normals(positions, kinds, std::span(vertices).subspan(first, count),
                                     bounds, std::span(result.normals).subspan(first, count));
                      });
  return result;
}

std::vector<CutFeature> find_cut_features(std::span<const Vec3> positions,
                                          std::span<const SurfaceKind> kinds,
                                          std::span<const CutPolygon> polygons,
                                          const CutNormals& normals, const CutBounds& bounds) {
  std::vector<CutFeature> features(polygons.size());
  constexpr std::int64_t kPolygonsAtOnce = 64;
  parallel_for_chunks(
      std::ssize(polygons), kPolygonsAtOnce, [&](std::int64_t begin, std::int64_t end) {
        const auto first = static_cast<std::size_t>(begin);
        const auto count = static_cast<std::size_t>(end - begin);
        FeatureFinder(positions, kinds, normals, bounds)
            .run(polygons.subspan(first, count), std::span(features).subspan(first, count));
      });
  separate(positions, polygons, bounds.lattice(), features);
  return features;
}

}  // namespace spindrift
