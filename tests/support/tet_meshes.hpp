// Tetrahedral meshes with known answers for tests.
#pragma once

#include <algorithm>
#include <array>

#include "spindrift/mesh/tet_mesh.hpp"

namespace spindrift::test {

namespace detail {

// The vertices of a grid of cubes, x fastest, and the number of one of them.
inline TetMesh grid_vertices(const Vec3i& cells, double size) {
  TetMesh mesh;
  for (int z = 0; z <= cells.z(); ++z) {
    for (int y = 0; y <= cells.y(); ++y) {
      for (int x = 0; x <= cells.x(); ++x) mesh.vertices.emplace_back(size * Vec3(x, y, z));
    }
  }
  return mesh;
}

inline std::int32_t grid_vertex(const Vec3i& cells, const Vec3i& at) {
  return (at.z() * (cells.y() + 1) + at.y()) * (cells.x() + 1) + at.x();
}

template <class Visit>
void for_each_cell(const Vec3i& cells, const Visit& visit) {
  for (int z = 0; z < cells.z(); ++z) {
    for (int y = 0; y < cells.y(); ++y) {
      for (int x = 0; x < cells.x(); ++x) visit(Vec3i(x, y, z));
    }
  }
}

}  // namespace detail

// Cubes of side `size` from the origin on, each cut into six along a diagonal [Kuhn 1960]: every
// tetrahedron has dihedral angles of 45, 45, 60, 90, 90 and 90 degrees.
inline TetMesh kuhn_grid(const Vec3i& cells, double size = 1) {
  TetMesh mesh = detail::grid_vertices(cells, size);
  detail::for_each_cell(cells, [&](const Vec3i& cell) {
    std::array<int, 3> axes = {0, 1, 2};
    do {
      Vec3i at = cell;
      Tet tet = {detail::grid_vertex(cells, at)};
      for (int k = 0; k < 3; ++k) {
        ++at[axes[k]];
        tet[k + 1] = detail::grid_vertex(cells, at);
      }
      const bool is_even = (axes[1] - axes[0] + 3) % 3 == 1;
      if (!is_even) std::swap(tet[2], tet[3]);
      mesh.tets.push_back(tet);
    } while (std::next_permutation(axes.begin(), axes.end()));
  });
  return mesh;
}

// Cubes cut into five, neighbours mirrored: a regular tetrahedron (70.53 degrees), and four corners
// (90, 90, 90, 54.74, 54.74, 54.74).
inline TetMesh five_grid(const Vec3i& cells, double size = 1) {
  TetMesh mesh = detail::grid_vertices(cells, size);
  detail::for_each_cell(cells, [&](const Vec3i& cell) {
    const int mirror = cell.sum() % 2;
    const auto corner = [&](int bits) {
      const Vec3i offset((bits & 1) ^ mirror, bits >> 1 & 1, bits >> 2 & 1);
      return detail::grid_vertex(cells, cell + offset);
    };
    constexpr std::array<std::array<int, 4>, 5> kParts = {
        {{0, 3, 5, 6}, {1, 0, 3, 5}, {2, 0, 6, 3}, {4, 0, 5, 6}, {7, 3, 6, 5}}};
    for (const auto& part : kParts) {
      Tet tet;
      for (int k = 0; k < 4; ++k) tet[k] = corner(part[k]);
      mesh.tets.push_back(tet);
      if (mesh.volume(mesh.tet_count() - 1) < 0)
        std::swap(mesh.tets.back()[2], mesh.tets.back()[3]);
    }
  });
  return mesh;
}

}  // namespace spindrift::test
