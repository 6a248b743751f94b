// The velocity in a point of a known tetrahedron, in three ways.
//
// vertex_linear: linear between velocities at the vertices. With these corrected for residuals it
// keeps most energy, and is fastest.
//
// sub_tet: linear in the tetrahedron of the barycentre, where the velocity is u_t, and the face
// that the point is closest to in barycentric coordinates. Continuous, and exact in barycentres.
//
// dual_cell: the paper's. The barycentres around a vertex v make a cell; in it, generalised
// barycentric coordinates [Warren et al. 2004; Klingner 2006, equation 4], of the vertex v closest
// to x:
//
//   u(x) = sum w_t u_t / sum w_t,   w_t = V_t / product over the edges e of t at v of e . (b_t - x)
//
// Where the cell is open (v on the boundary), or a factor is negative (barycentres are no
// circumcentres away from the uniform lattice), sub_tet takes its place.
#pragma once

#include "spindrift/core/simd.hpp"
#include "spindrift/flow/vertex_velocity.hpp"

namespace spindrift {

enum class Interpolant { vertex_linear, sub_tet, dual_cell };

// Keeps references to all it is made from.
class MeshInterpolant {
 public:
  MeshInterpolant(const TetFlow& flow, const VertexRings& rings, const VertexVelocity& at_vertices,
                  Interpolant kind)
      : flow_(flow), rings_(rings), at_vertices_(at_vertices), kind_(kind) {}

  struct Value {
    Vec3 velocity;
    // The sum of the barycentric coordinates of boundary vertices: 1 on the boundary, 0 in
    // tetrahedra that do not touch it, continuous.
    double boundary_share;
  };
  [[nodiscard]] Value at(const Vec3& point, std::int32_t tet) const;

  // Whether the dual cell around the point is of use.
  [[nodiscard]] bool has_dual_cell(const Vec3& point, std::int32_t tet) const;

 private:
  // The vertex of the tetrahedron that is closest to the point.
  [[nodiscard]] std::int32_t closest_vertex(const Vec3& point, std::int32_t tet) const;
  [[nodiscard]] Vec3 linear(const Double4& weights, std::int32_t tet) const;
  [[nodiscard]] Vec3 in_sub_tet(const Double4& weights, std::int32_t tet) const;
  // False, and no velocity, where the cell is of no use.
  [[nodiscard]] bool in_dual_cell(const Vec3& point, std::int32_t vertex, Vec3& velocity) const;

  const TetFlow& flow_;
  const VertexRings& rings_;
  const VertexVelocity& at_vertices_;
  Interpolant kind_;
};

}  // namespace spindrift
