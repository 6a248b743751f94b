// Which surfaces the vertices of a liquid's boundary lie on: its own towards air, an obstacle's, or
// both.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spindrift/geometry/fields.hpp"
#include "spindrift/mesh/tet_faces.hpp"

namespace spindrift {

// As bits.
enum SurfaceBits : std::uint8_t { kNoSurface = 0, kAir = 1, kSolid = 2, kContact = 3 };

struct VertexSurfaces {
  std::vector<std::int32_t> vertices;  // of the boundary, ascending
  std::vector<double> obstacle;        // the obstacle's distance from each
  std::vector<std::uint8_t> bits;      // of every vertex of the mesh; inside, none

  // The surfaces that all corners of a face lie on.
  [[nodiscard]] std::uint8_t common(const TetMesh& mesh, std::int32_t side) const {
    std::uint8_t all = kContact;
    for (const std::int32_t v : face_corners(mesh, side)) all &= bits[static_cast<std::size_t>(v)];
    return all;
  }
};

// Within `tolerance` metres. A vertex that is not on the obstacle is on the liquid's surface, since
// it is on the boundary.
[[nodiscard]] VertexSurfaces find_vertex_surfaces(const TetMesh& mesh,
                                                  std::span<const std::int32_t> boundary,
                                                  const ScalarField& liquid,
                                                  const ScalarField& obstacle, double tolerance);

// The field at these vertices.
[[nodiscard]] std::vector<double> evaluate_at(const ScalarField& field, const TetMesh& mesh,
                                              std::span<const std::int32_t> vertices);

}  // namespace spindrift
