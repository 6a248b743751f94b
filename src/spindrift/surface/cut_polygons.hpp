// The polygons of the cut surface that may hold a sharp edge: one cell's part of a contour each.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "spindrift/surface/cut_vertices.hpp"

namespace spindrift {

struct CutPolygon {
  static constexpr int kMostVertices = 12;  // as many as a cell has edges

  std::array<std::int32_t, kMostVertices> loop{};  // vertices, counter-clockwise from outside
  int count = 0;
  bool is_mixed = false;  // vertices of both kinds: a contact line runs through
  bool is_bent = false;   // an edge of a solid may run through
  float bend = 0;         // how far the solid's function is from linear over the cell
  Vec3i cell = Vec3i::Zero();
  std::int32_t first_triangle = 0;  // of the cell
  std::uint16_t triangles = 0;      // bits, from the cell's first one on

  [[nodiscard]] std::span<const std::int32_t> vertices() const {
    return {loop.data(), static_cast<std::size_t>(count)};
  }
};

// Those that are mixed, and those on solids only that are bent; in the order of their triangles.
// The mesh is a contour of the samples.
[[nodiscard]] std::vector<CutPolygon> find_cut_polygons(const TriangleMesh& mesh,
                                                        const CutSamples& samples,
                                                        const CutVertices& vertices);

}  // namespace spindrift
