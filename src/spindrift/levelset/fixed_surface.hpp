// A triangle surface in fixed-point lattice coordinates: what its rasterisation works on.
//
// With integer coordinates it is decided exactly which rows of nodes a triangle crosses, so that
// inside and outside are right to the last node. Triangles are small, at most kLongestEdge in
// lattice units: longer edges are halved, the same way on both sides, until they fit.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "spindrift/core/buffer.hpp"
#include "spindrift/geometry/triangle_mesh.hpp"
#include "spindrift/levelset/lattice.hpp"

namespace spindrift {

using FixedPoint = std::array<std::int32_t, 3>;

struct FixedSurface {
  static constexpr double kLongestEdge = 6;
  static constexpr double kGreatestExtent = 1 << 20;  // of the mesh, lattice units

  int bits = 0;                // one lattice unit is 2^bits
  Vec3i base = Vec3i::Zero();  // the node at fixed point 0, the first of a block
  Buffer<FixedPoint> points;   // never negative
  std::span<const Triangle> triangles;
  std::span<const Vec3f> normals;  // unit normals at the points; or empty

  // What the spans show where edges were halved; otherwise they show the mesh itself.
  std::vector<Triangle> halved_triangles;
  std::vector<Vec3f> halved_normals;

  FixedSurface() = default;
  FixedSurface(FixedSurface&&) = default;
  FixedSurface& operator=(FixedSurface&&) = default;

  [[nodiscard]] FixedPoint corner(std::int64_t triangle, int k) const {
    return points[static_cast<std::size_t>(triangles[static_cast<std::size_t>(triangle)][k])];
  }
};

// `normals`: one for each vertex of the mesh, or none. The mesh and they must outlive the result.
// Throws InputError if the mesh is more than a million nodes across or has coordinates that are not
// finite.
[[nodiscard]] FixedSurface fixed_surface(const TriangleMesh& mesh, std::span<const Vec3f> normals,
                                         const Lattice& lattice);

}  // namespace spindrift
