// What must hold of every mesh that isosurface stuffing makes.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "spindrift/geometry/fields.hpp"
#include "spindrift/mesh/boundary.hpp"
#include "spindrift/mesh/mesh_check.hpp"
#include "spindrift/mesh/quality.hpp"

namespace spindrift::test {

// The bounds of [Labelle & Shewchuk 2007].
inline constexpr double kLeastDihedral = 10.7, kGreatestDihedral = 164.8;

inline void expect_good(const TetMesh& mesh) {
  const TetMeshReport report = check_tets(mesh);
  EXPECT_TRUE(report.is_conforming())
      << report.crowded_faces.count << " crowded, " << report.one_sided_faces.count
      << " one-sided faces, " << report.open_edges.count << " open edges";
  EXPECT_EQ(report.unused_vertices, 0);
  const TetQuality quality = measure_quality(mesh);
  EXPECT_EQ(quality.not_positive, 0);
  EXPECT_GE(quality.min_dihedral.value, kLeastDihedral);
  EXPECT_LE(quality.max_dihedral.value, kGreatestDihedral);
}

// Of all boundary vertices; in units of `size`.
inline double farthest_from_surface(const TetMesh& mesh, const ScalarField& distance, double size) {
  const TetBoundary boundary = boundary_of(mesh);
  std::vector<double> values(boundary.surface.vertices.size());
  evaluate_parallel(distance, boundary.surface.vertices, values);
  double farthest = 0;
  for (const double value : values) farthest = std::max(farthest, std::abs(value) / size);
  return farthest;
}

}  // namespace spindrift::test
