// Tetrahedra that fill a volume, and share whole faces.
#pragma once

#include <array>
#include <cstdint>

#include "spindrift/core/buffer.hpp"
#include "spindrift/core/vec.hpp"
#include "spindrift/mesh/lattice_shapes.hpp"

namespace spindrift {

// Vertices a, b, c, d with (b - a) x (c - a) . (d - a) > 0. Face k lies opposite vertex k.
using Tet = std::array<std::int32_t, 4>;

// The corners of face k, counterclockwise seen from outside.
inline constexpr std::array<std::array<int, 3>, 4> kTetFaces = {
    {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};

// The two corners of edge k. Edge k and edge 5 - k lie opposite each other.
inline constexpr std::array<std::array<int, 2>, 6> kTetEdges = {
    {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};

struct TetMesh {
  Buffer<Vec3> vertices;  // m
  Buffer<Tet> tets;
  // Which tetrahedra have the shapes of a lattice; empty: none. Those of level 0 are of leaves of
  // side `lattice_size`.
  Buffer<ShapeCode> shapes;
  double lattice_size = 0;  // m

  [[nodiscard]] std::int64_t tet_count() const { return std::ssize(tets); }
  [[nodiscard]] std::int64_t vertex_count() const { return std::ssize(vertices); }
  [[nodiscard]] const Vec3& corner(std::int64_t tet, int k) const {
    return vertices[static_cast<std::size_t>(
        tets[static_cast<std::size_t>(tet)][static_cast<std::size_t>(k)])];
  }
  // m^3
  [[nodiscard]] double volume(std::int64_t tet) const {
    const Vec3& a = corner(tet, 0);
    return (corner(tet, 1) - a).cross(corner(tet, 2) - a).dot(corner(tet, 3) - a) / 6;
  }
};

}  // namespace spindrift
