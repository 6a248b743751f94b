#include "spindrift/app/view_obstacles.hpp"

#include <cmath>
#include <numbers>

#include "spindrift/levelset/contour.hpp"
#include "spindrift/levelset/surface_samples.hpp"

namespace spindrift::app {

namespace {

// Around an axis, and from pole to pole: round at the size of a screen.
constexpr int kSegments = 64;
constexpr int kRows = 32;
// Of the longest side, where a shape is contoured.
constexpr int kContourCells = 96;

constexpr double kPi = std::numbers::pi;

struct ProfilePoint {
  double radius, height;
};

// The solid that a profile sweeps around an axis, from low to high, outside to its right.
TriangleMesh lathe(const std::vector<ProfilePoint>& profile, const Vec3& origin, const Vec3& axis) {
  const Vec3 up = axis.normalized();
  const Vec3 side = up.unitOrthogonal();
  const Vec3 front = up.cross(side);
  TriangleMesh mesh;
  for (const ProfilePoint& point : profile) {
    for (int k = 0; k < kSegments; ++k) {
      const double angle = 2 * kPi * k / kSegments;
      mesh.vertices.push_back(origin + point.height * up +
                              point.radius * (std::cos(angle) * side + std::sin(angle) * front));
    }
  }
  for (int row = 0; row + 1 < static_cast<int>(profile.size()); ++row) {
    for (int k = 0; k < kSegments; ++k) {
      const int next = (k + 1) % kSegments;
      const std::int32_t a = row * kSegments + k, b = row * kSegments + next;
      const std::int32_t c = a + kSegments, d = b + kSegments;
      if (profile[row].radius > 0) mesh.triangles.push_back({a, b, d});
      if (profile[row + 1].radius > 0) mesh.triangles.push_back({a, d, c});
    }
  }
  return mesh;
}

// Part of a circle around (radius, height), angles from the horizontal.
void add_arc(std::vector<ProfilePoint>& profile, const ProfilePoint& center, double radius,
             double from, double to, int rows) {
  for (int i = 0; i <= rows; ++i) {
    const double angle = from + (to - from) * i / rows;
    const double away = radius * std::cos(angle);
    // Poles are exactly on the axis.
    const bool is_pole = center.radius == 0 && std::abs(away) < 1e-9 * radius;
    profile.push_back(
        {is_pole ? 0 : center.radius + away, center.height + radius * std::sin(angle)});
  }
}

TriangleMesh box_mesh(const Vec3& low, const Vec3& high) {
  TriangleMesh mesh;
  for (int k = 0; k < 8; ++k) {
    mesh.vertices.emplace_back((k & 1) != 0 ? high.x() : low.x(), (k & 2) != 0 ? high.y() : low.y(),
                               (k & 4) != 0 ? high.z() : low.z());
  }
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

TriangleMesh contoured(const ShapePtr& shape, const Box3& room) {
  const ShapePtr bounded = make_intersection({shape, make_box(room.min(), room.max())});
  const Box3 box = bounded->bounds().intersection(room);
  if (box.isEmpty() || !(box.sizes().maxCoeff() > 0)) return {};
  Lattice lattice;
  lattice.spacing = box.sizes().maxCoeff() / kContourCells;
  // Off the planes of the shape, where the sign would be left to rounding.
  lattice.origin = box.min() - Vec3(0.37, 0.41, 0.43) * lattice.spacing;
  const Vec3 margin = Vec3::Constant(2 * lattice.spacing);
  SampledField places =
      nodes_near_zero(*bounded, Box3(box.min() - margin, box.max() + margin), lattice);
  const SampledField samples =
      sample_surface(std::move(places), [&](std::span<const Vec3> points, std::span<float> values) {
        for (std::size_t i = 0; i < points.size(); ++i) {
          values[i] = static_cast<float>(bounded->distance(points[i]) / lattice.spacing);
        }
      });
  return contour(samples).mesh;
}

// Without the placement of the shape.
class Tessellation {
 public:
  Tessellation(const Box3& room, MeshLibrary& library) : room_(room), library_(library) {}

  TriangleMesh operator()(const BoxSpec& box) const { return box_mesh(box.min, box.max); }
  TriangleMesh operator()(const SphereSpec& sphere) const {
    std::vector<ProfilePoint> profile;
    add_arc(profile, {0, 0}, sphere.radius, -kPi / 2, kPi / 2, kRows);
    return lathe(profile, sphere.center, Vec3::UnitZ());
  }
  TriangleMesh operator()(const CylinderSpec& cylinder) const {
    const double height = (cylinder.to - cylinder.from).norm();
    return lathe({{0, 0}, {cylinder.radius, 0}, {cylinder.radius, height}, {0, height}},
                 cylinder.from, cylinder.to - cylinder.from);
  }
  TriangleMesh operator()(const CapsuleSpec& capsule) const {
    std::vector<ProfilePoint> profile;
    add_arc(profile, {0, 0}, capsule.radius, -kPi / 2, 0, kRows / 2);
    add_arc(profile, {0, (capsule.to - capsule.from).norm()}, capsule.radius, 0, kPi / 2,
            kRows / 2);
    return lathe(profile, capsule.from, capsule.to - capsule.from);
  }
  TriangleMesh operator()(const ConeSpec& cone) const {
    return lathe({{0, 0}, {cone.radius, 0}, {0, (cone.to - cone.from).norm()}}, cone.from,
                 cone.to - cone.from);
  }
  TriangleMesh operator()(const TorusSpec& torus) const {
    std::vector<ProfilePoint> profile;
    add_arc(profile, {torus.radius, 0}, torus.tube, -kPi, kPi, kRows);
    return lathe(profile, torus.center, torus.axis);
  }
  TriangleMesh operator()(const MeshSpec& mesh) const { return library_.load(mesh).mesh; }
  TriangleMesh operator()(const CombinationSpec& combination) const {
    TriangleMesh all;
    for (const ShapeSpec& part : combination.parts) {
      const TriangleMesh mesh = triangles_of(part, room_, library_);
      const auto first = static_cast<std::int32_t>(all.vertices.size());
      all.vertices.insert(all.vertices.end(), mesh.vertices.begin(), mesh.vertices.end());
      for (const Triangle& t : mesh.triangles) {
        all.triangles.push_back({first + t[0], first + t[1], first + t[2]});
      }
    }
    return all;
  }
  TriangleMesh operator()(const HalfspaceSpec&) const { return {}; }

 private:
  const Box3& room_;
  MeshLibrary& library_;
};

// Has no triangles of its own?
bool needs_contour(const ShapeSpec& spec) {
  const auto* combination = std::get_if<CombinationSpec>(&spec.kind);
  if (combination != nullptr) {
    if (combination->combination != Combination::unite) return true;
    // Its parts are bounded by the room as they stand, not as the union is placed.
    return !to_placement(spec.placement).is_identity();
  }
  return std::holds_alternative<HalfspaceSpec>(spec.kind);
}

}  // namespace

TriangleMesh triangles_of(const ShapeSpec& spec, const Box3& room, MeshLibrary& library) {
  if (needs_contour(spec)) return contoured(build_shape(spec, library.loader()), room);
  TriangleMesh mesh = std::visit(Tessellation(room, library), spec.kind);
  const Placement placement = to_placement(spec.placement);
  for (Vec3& vertex : mesh.vertices) vertex = placement.apply(vertex);
  return mesh;
}

}  // namespace spindrift::app
