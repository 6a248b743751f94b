// The boundary of a liquid's mesh, and which surfaces its vertices lie on: the liquid's own towards
// air, an obstacle's, or both.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spindrift/geometry/fields.hpp"
#include "spindrift/mesh/tet_faces.hpp"
#include "spindrift/mesh/tet_neighbors.hpp"

namespace spindrift {

// As bits.
enum SurfaceBits : std::uint8_t { kNoSurface = 0, kAir = 1, kSolid = 2, kContact = 3 };

struct LiquidBoundary {
  std::vector<std::int32_t> sides;     // its faces as 4 tet + side, ascending
  std::vector<std::int32_t> vertices;  // of these, ascending
  std::vector<double> obstacle;        // m, the obstacle's distance from each, before snapping
  std::vector<std::uint8_t> bits;      // of every vertex of the mesh; inside, none

  // The surfaces that all corners of a face lie on. None: the face is mixed.
  [[nodiscard]] std::uint8_t common(const TetMesh& mesh, std::int32_t side) const {
    std::uint8_t all = kContact;
    for (const std::int32_t v : face_corners(mesh, side)) all &= bits[static_cast<std::size_t>(v)];
    return all;
  }
};

// Of a mesh that was stuffed into the liquid without the obstacle. A vertex that is not on the
// obstacle, within kOnSurface, is on the liquid's surface, since it is on the boundary.
[[nodiscard]] LiquidBoundary find_liquid_boundary(const TetMesh& mesh,
                                                  const TetNeighbors& neighbors,
                                                  const ScalarField& liquid,
                                                  const ScalarField& obstacle);

// The field at these vertices.
[[nodiscard]] std::vector<double> evaluate_at(const ScalarField& field, const TetMesh& mesh,
                                              std::span<const std::int32_t> vertices);

}  // namespace spindrift
