#include "spindrift/geometry/triangle_mesh.hpp"

#include "spindrift/core/parallel.hpp"

namespace spindrift {

namespace {

constexpr std::int64_t kChunk = 4096;

// Integrals of 1, x and x xᵀ over the cone from the origin to each triangle, summed.
struct Moments {
  double volume = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
};

Moments add(Moments a, const Moments& b) {
  a.volume += b.volume;
  a.first += b.first;
  a.second += b.second;
  return a;
}

// Relative to `origin`, so that a small body far away keeps its digits.
Moments moments(const TriangleMesh& mesh, const Vec3& origin) {
  const auto map = [&](std::int64_t begin, std::int64_t end) {
    Moments sum;
    for (std::int64_t t = begin; t < end; ++t) {
      const Vec3 a = mesh.corner(t, 0) - origin;
      const Vec3 b = mesh.corner(t, 1) - origin;
      const Vec3 c = mesh.corner(t, 2) - origin;
      const double six_volumes = a.dot(b.cross(c));
      const Vec3 s = a + b + c;
      sum.volume += six_volumes / 6;
      sum.first += six_volumes / 24 * s;
      sum.second += six_volumes / 120 *
                    (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
    }
    return sum;
  };
  return parallel_reduce_chunks(mesh.triangle_count(), kChunk, Moments{}, map, add);
}

Vec3 middle(const TriangleMesh& mesh) {
  const Box3 box = bounds(mesh);
  return box.isEmpty() ? Vec3(Vec3::Zero()) : Vec3(box.center());
}

}  // namespace

Box3 bounds(const TriangleMesh& mesh) {
  const auto map = [&](std::int64_t begin, std::int64_t end) {
    Box3 box;
    for (std::int64_t t = begin; t < end; ++t) {
      for (int k = 0; k < 3; ++k) box.extend(mesh.corner(t, k));
    }
    return box;
  };
  return parallel_reduce_chunks(mesh.triangle_count(), kChunk, Box3(), map,
                                [](Box3 a, const Box3& b) { return a.extend(b); });
}

MassProperties mass_properties(const TriangleMesh& mesh, double density) {
  const Vec3 origin = middle(mesh);
  const Moments m = moments(mesh, origin);
  MassProperties result;
  result.volume = m.volume;
  result.mass = density * m.volume;
  if (m.volume == 0) return result;
  const Vec3 center = m.first / m.volume;
  result.center = origin + center;
  const Mat3 central = m.second - m.volume * center * center.transpose();
  result.inertia = density * (central.trace() * Mat3::Identity() - central);
  return result;
}

double surface_area(const TriangleMesh& mesh) {
  const auto map = [&](std::int64_t begin, std::int64_t end) {
    double sum = 0;
    for (std::int64_t t = begin; t < end; ++t) {
      const Vec3& a = mesh.corner(t, 0);
      sum += (mesh.corner(t, 1) - a).cross(mesh.corner(t, 2) - a).norm() / 2;
    }
    return sum;
  };
  return parallel_reduce_chunks(mesh.triangle_count(), kChunk, 0.0, map, std::plus<>());
}

double enclosed_volume(const TriangleMesh& mesh) { return moments(mesh, middle(mesh)).volume; }

}  // namespace spindrift
