#include "spindrift/render/outline.hpp"

#include "spindrift/core/parallel.hpp"

namespace spindrift {

namespace {

// The centre of the inscribed circle: moving the corners towards it moves all sides alike.
Vec3 incentre(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double opposite_a = (c - b).norm(), opposite_b = (a - c).norm(),
               opposite_c = (b - a).norm();
  const double perimeter = opposite_a + opposite_b + opposite_c;
  if (!(perimeter > 0)) return a;
  return (opposite_a * a + opposite_b * b + opposite_c * c) / perimeter;
}

}  // namespace

OutlinedTriangles outline_triangles(const TriangleMesh& mesh, double share) {
  const std::size_t count = mesh.triangles.size();
  OutlinedTriangles result;
  // Three corners, then the three of the inner part.
  std::vector<Vec3>& vertices = result.rim.vertices;
  vertices.resize(6 * count);
  result.rim.triangles.resize(6 * count);
  result.inner.triangles.resize(count);
  parallel_for_each(mesh.triangle_count(), [&](std::int64_t t) {
    const Vec3 middle = incentre(mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2));
    const auto first = static_cast<std::int32_t>(6 * t);
    for (int k = 0; k < 3; ++k) {
      const Vec3& corner = mesh.corner(t, k);
      vertices[first + k] = corner;
      vertices[first + 3 + k] = corner + share * (middle - corner);
      const std::int32_t from = first + k, to = first + (k + 1) % 3;
      result.rim.triangles[first + 2 * k] = {from, to, to + 3};
      result.rim.triangles[first + 2 * k + 1] = {from, to + 3, from + 3};
    }
    result.inner.triangles[t] = {first + 3, first + 4, first + 5};
  });
  result.inner.vertices = vertices;
  return result;
}

}  // namespace spindrift
