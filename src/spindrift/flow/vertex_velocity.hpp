// Velocities at the vertices of a mesh, from those in its tetrahedra.
//
// At a vertex v, with u_t in the tetrahedra around it, V_t their volumes and e their three edges
// that meet in v:
//
//   U_v = sum w_t u_t / sum w_t,   w_t = V_t / (|e1|^2 |e2|^2 |e3|^2)
//
// the generalised barycentric weights of v in its dual cell of circumcentres, which are positive
// for tetrahedra of any shape [Klingner 2006, equation 4; Chentanez 2007, section 3.1]. Linear
// interpolation of U between vertices takes energy out of the flow. What it misses in the
// barycentres is therefore put back once, inside the mesh:
//
//   r_t = u_t - mean of U at the vertices of t,   U_v += correction * sum w_t r_t / sum w_t,
//
// but no farther than to the least and the greatest u_t around v, per coordinate. Without this
// bound, and with more than half of the residual, some waves grow slowly when they are carried to
// and fro; with it nothing ever exceeds what was there (tests/flow/damping_test.cpp).
//
// Uniform velocities are exact everywhere; linear ones at vertices whose tetrahedra and their
// neighbours' are of the uniform lattice.
#pragma once

#include <span>

#include "spindrift/flow/corner_weights.hpp"
#include "spindrift/flow/vertex_rings.hpp"
#include "spindrift/mesh/cell_mesh.hpp"

namespace spindrift {

// A velocity on a mesh: that of a CellMesh made from the tetrahedra.
struct TetFlow {
  const TetMesh& mesh;
  const MeshFaces& faces;
  const CellMesh& cells;
  std::span<const Vec3> cell_velocity;      // m/s in the barycentres
  std::span<const double> normal_velocity;  // m/s on the faces; empty: solids are at rest
};

// How velocities at the boundary follow from those around it, which are all on one side.
enum class BoundaryFit {
  mean,  // as inside: that of a place a third of a cell inside the liquid
  // Continued to the boundary by a linear fit, within the range of the velocities around: without
  // that bound a velocity that is carried along itself grows without end.
  linear,
};

struct VertexVelocityParams {
  // The share of the residual that is put back; 0 to 1. 0: the paper's smooth field.
  double correction = 0.93;
  BoundaryFit boundary = BoundaryFit::linear;
};

// What is known of the velocity at a boundary vertex and beyond.
struct BoundaryVertex {
  std::int32_t vertex = -1;
  bool touches_solid = false;                      // it is on a solid face
  Vec3 fitted = Vec3::Zero();                      // m/s; may leave the range by as much again
  Mat3 slope = Mat3::Zero();                       // grad u, 1/s; zero for BoundaryFit::mean
  Vec3 least = Vec3::Zero(), most = Vec3::Zero();  // of the velocities around it, m/s
};

struct VertexVelocity {
  Buffer<Vec3> values;               // m/s
  Buffer<BoundaryVertex> boundary;   // in the order of their vertices
  Buffer<std::uint8_t> is_boundary;  // of every vertex
};

// Solid faces: free slip, with the normal component of the solid (free_slip.hpp). The same bits for
// any number of threads. Throws Error of kind `numerical` if a velocity is not finite.
[[nodiscard]] VertexVelocity vertex_velocities(const TetFlow& flow, const VertexRings& rings,
                                               const VertexVelocityParams& params = {});
// The same with weights that are known, of the same mesh.
[[nodiscard]] VertexVelocity vertex_velocities(const TetFlow& flow, const VertexRings& rings,
                                               const CornerWeights& weights,
                                               const VertexVelocityParams& params);

// Velocities at some vertices, as they are asked for, without correction: what vertex_velocities()
// makes of them. Those of the boundary are there from the start.
class SomeVertexVelocities {
 public:
  // All must outlive this. `other`: in the same mesh, with the same tags.
  SomeVertexVelocities(const TetFlow& flow, const VertexRings& rings, const CornerWeights& weights,
                       const VertexVelocity& other);

  // A byte for each vertex: 1 for those that are wanted too. Throws Error of kind `numerical` if a
  // velocity is not finite.
  void add(std::span<const std::uint8_t> wanted);

  // Vertices that nobody wanted hold anything.
  [[nodiscard]] const VertexVelocity& velocities() const { return velocities_; }

 private:
  TetFlow flow_;
  const VertexRings& rings_;
  const CornerWeights& weights_;
  VertexVelocity velocities_;
  Buffer<std::uint8_t> is_made_;  // of every vertex
};

}  // namespace spindrift
