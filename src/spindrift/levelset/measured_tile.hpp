// What triangles that are measured one after the other say about the nodes of a tile: how far the
// closest one is, and, where the surface is curved, which one that is.
//
// Where two are as close, the first one measured counts, or the one that rounding prefers.
#pragma once

#include <array>
#include <bit>
#include <cmath>

#include "spindrift/levelset/block_tile.hpp"
#include "spindrift/levelset/curved_patch.hpp"
#include "spindrift/levelset/fixed_surface.hpp"

namespace spindrift {

struct FlatTile {
  static constexpr int kBrickBlocks = 8;
  Float8 squared;  // distances, at most band^2

  void measure(Float8 measured, std::int32_t /*triangle*/) {
    squared = lane_min(measured, squared);
  }
};
struct CurvedTile {
  static constexpr int kBrickBlocks = 4;
  Float8 squared;
  Int8 closest;  // the triangles at these distances; anything where they are band^2

  void measure(Float8 measured, std::int32_t triangle) {
    const Int8 is_closer = measured < squared;
    squared = lane_min(measured, squared);
    closest = is_closer ? Int8{} + triangle : closest;
  }
};

// The distances of a tile's nodes to the patches of triangles, one for each node. `low`: the first
// node in its block. `flat`: those to the triangles.
inline Float8 curved_distances(const FixedSurface& surface, const Vec3i& block, const Vec3i& low,
                               Int8 triangles, Float8 flat) {
  std::array<std::int32_t, 8> numbers;
  store8(numbers.data(), triangles);
  const Vec3i first = kBlockSide * block - surface.base;
  const Float8 unit = splat8(std::ldexp(1.0F, -surface.bits));
  const auto local = [&](Int8 coordinate, int zero) {
    return __builtin_convertvector(coordinate - (zero << surface.bits), Float8) * unit;
  };
  PatchLanes patch;
  for (std::size_t corner = 0; corner < 3; ++corner) {
    std::array<const void*, 8> points, normals;
    for (std::size_t k = 0; k < 8; ++k) {
      const Triangle& t = surface.triangles[static_cast<std::size_t>(numbers[k])];
      points[k] = &surface.points[static_cast<std::size_t>(t[corner])];
      normals[k] = surface.normals[static_cast<std::size_t>(t[corner])].data();
    }
    const Lanes3<Int8> fixed = load_points(points);
    patch.corners[corner] = {local(fixed.x, first.x()), local(fixed.y, first.y()),
                             local(fixed.z, first.z())};
    const Lanes3<Int8> bits = load_points(normals);
    patch.normals[corner] = {std::bit_cast<Float8>(bits.x), std::bit_cast<Float8>(bits.y),
                             std::bit_cast<Float8>(bits.z)};
  }
  const Vec3f node = low.cast<float>();
  return curved_distance(
      patch, {splat8(node.x()) + kLaneX, splat8(node.y()) + kLaneY, splat8(node.z()) + kLaneZ},
      flat);
}

}  // namespace spindrift
