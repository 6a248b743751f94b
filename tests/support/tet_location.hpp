// Point location against looking at all tetrahedra.
#pragma once

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/predicates.hpp"
#include "spindrift/mesh/tet_locator.hpp"

#include "support/random.hpp"

namespace spindrift::test {

// Looking at all tetrahedra is slow under sanitizers.
#ifdef SPINDRIFT_SANITIZED
inline constexpr int kLocationShare = 5;
#else
inline constexpr int kLocationShare = 1;
#endif

inline bool contains_exactly(const TetMesh& mesh, std::int64_t tet, const Vec3& point) {
  bool is_flat = true;
  for (const auto& [i, j, k] : kTetFaces) {
    const int side =
        orientation(mesh.corner(tet, i), mesh.corner(tet, j), mesh.corner(tet, k), point);
    if (side < 0) return false;
    if (side > 0) is_flat = false;
  }
  return !is_flat;
}

inline Box3 box_of(const TetMesh& mesh, std::int64_t tet) {
  Box3 box;
  for (int k = 0; k < 4; ++k) box.extend(mesh.corner(tet, k));
  return box;
}

inline Box3 box_of(const TetMesh& mesh) {
  Box3 box;
  for (const Vec3& v : mesh.vertices) box.extend(v);
  return box;
}

// The lowest of the tetrahedra that contain each point, by the definition.
inline std::vector<std::int32_t> find_in_all(const TetMesh& mesh, std::span<const Vec3> points) {
  std::vector<Box3> boxes;
  for (std::int64_t t = 0; t < mesh.tet_count(); ++t) boxes.push_back(box_of(mesh, t));
  std::vector<std::int32_t> tets(points.size(), -1);
  parallel_for_each(
      std::ssize(points),
      [&](std::int64_t p) {
        const auto i = static_cast<std::size_t>(p);
        for (std::int32_t t = 0; t < mesh.tet_count() && tets[i] < 0; ++t) {
          if (boxes[static_cast<std::size_t>(t)].contains(points[i]) &&
              contains_exactly(mesh, t, points[i])) {
            tets[i] = t;
          }
        }
      },
      64);
  return tets;
}

// Anywhere in the mesh and around it; and where it is hardest to say: at vertices, edges, faces and
// within a few roundings of them, and to both sides of the boundary.
inline std::vector<Vec3> awkward_points(const TetMesh& mesh, const TetNeighbors& neighbors,
                                        int count, std::uint64_t seed) {
  Random random(seed);
  Box3 box = box_of(mesh);
  const Vec3 margin = 0.1 * box.sizes();
  box = Box3(box.min() - margin, box.max() + margin);
  std::vector<std::int32_t> boundary;
  for (std::int32_t t = 0; t < mesh.tet_count(); ++t) {
    for (int k = 0; k < 4; ++k) {
      if (neighbors[t][k] < 0) boundary.push_back(4 * t + k);
    }
  }
  const auto corner = [&](std::int64_t t, int k) { return mesh.corner(t, k & 3); };
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    const std::int64_t t = random.below(mesh.tet_count());
    const int k = static_cast<int>(random.below(4));
    const double size = box_of(mesh, t).sizes().maxCoeff();
    const Vec3 vertex = corner(t, k);
    const Vec3 edge = (vertex + corner(t, k + 1)) / 2;
    const Vec3 face = (vertex + corner(t, k + 1) + corner(t, k + 2)) / 3;
    const Vec3 middle = (corner(t, 0) + corner(t, 1) + corner(t, 2) + corner(t, 3)) / 4;
    for (const Vec3& place : {vertex, edge, face, middle}) {
      points.push_back(place);
      const double reach = size * std::pow(10, -16 * random.unit());
      points.push_back(place + reach * random.direction());
    }
    points.push_back(random.in_box(box));
    const std::int32_t side =
        boundary[static_cast<std::size_t>(random.below(std::ssize(boundary)))];
    const auto& [a, b, c] = kTetFaces[side & 3];
    const Vec3& p = mesh.corner(side >> 2, a);
    const Vec3& q = mesh.corner(side >> 2, b);
    const Vec3& r = mesh.corner(side >> 2, c);
    Vec3 weights(random.unit(), random.unit(), random.unit());
    weights /= weights.sum();
    const Vec3 on_face = weights.x() * p + weights.y() * q + weights.z() * r;
    const Vec3 normal = (q - p).cross(r - p).normalized();
    const double hair = size * std::pow(10, 1 - 17 * random.unit());
    points.push_back(on_face);
    points.push_back(on_face + hair * normal);
    points.push_back(on_face - hair * normal);
  }
  return points;
}

// One by one, with hints from anywhere, and all at once: always the lowest tetrahedron around the
// point. Returns which share of the points is inside.
inline double expect_located(const TetMesh& mesh, int count, std::uint64_t seed) {
  SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << mesh.tet_count() << " tetrahedra");
  const TetNeighbors neighbors = find_neighbors(mesh);
  const TetLocator locator(mesh, neighbors);
  const std::vector<Vec3> points = awkward_points(mesh, neighbors, count / kLocationShare, seed);
  const std::vector<std::int32_t> wanted = find_in_all(mesh, points);
  std::vector<std::int32_t> found(points.size(), -2);
  locator.find(points, found);
  Random random(seed + 1);
  int failures = 0;
  for (std::size_t i = 0; i < points.size() && failures < 5; ++i) {
    const auto hint = static_cast<std::int32_t>(random.below(mesh.tet_count() + 1)) - 1;
    const std::int32_t alone = locator.find(points[i]);
    const std::int32_t from_hint = locator.find(points[i], hint);
    if (found[i] == wanted[i] && alone == wanted[i] && from_hint == wanted[i]) continue;
    ++failures;
    ADD_FAILURE() << "point " << i << " at " << points[i].transpose() << " is in " << wanted[i]
                  << ", found " << found[i] << " among others, " << alone << " alone, " << from_hint
                  << " from " << hint;
  }
  const auto inside =
      std::count_if(wanted.begin(), wanted.end(), [](std::int32_t t) { return t >= 0; });
  return static_cast<double>(inside) / static_cast<double>(points.size());
}

}  // namespace spindrift::test
