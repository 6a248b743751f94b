// Divergence, gradient and what connects velocities on faces with velocities in cells.
//
// A velocity is kept as its normal component z on every face, along the face's area vector, and as
// a vector in every cell [Klingner 2006; Chentanez 2007, section 3.1]. With A the area of a face, s
// = 1 or -1 for out of a cell or into it, and d the distance between the barycentres of its cells
// along its normal, to its own barycentre on the boundary:
//
//   divergence of a cell   (D z)_c = sum over faces of s A z           m^3/s
//   gradient on a face     (G p)_f = (p_second - p_first) / d          p/m
//
// They are adjoint: sum p D z = -sum A d z G p if p is zero on the boundary faces, or z is.
#pragma once

#include <span>

#include "spindrift/mesh/cell_mesh.hpp"

namespace spindrift {

// Does pressure act on this boundary face? Otherwise the normal velocity is given.
[[nodiscard]] inline bool has_pressure(FaceTag tag) {
  return tag == FaceTag::air || tag == FaceTag::open;
}

// d of every face, m.
[[nodiscard]] Buffer<double> dual_lengths(const CellMesh& mesh);

// m^3/s, of all cells or of one.
void divergence(const CellMesh& mesh, std::span<const double> normal_velocity,
                std::span<double> result);
[[nodiscard]] double divergence(const CellMesh& mesh, std::span<const double> normal_velocity,
                                std::int64_t cell);

// `on_boundary`: p on the faces of the boundary where pressure acts, at the faces' numbers; the
// gradient is zero on solid faces.
void gradient(const CellMesh& mesh, std::span<const double> pressure,
              std::span<const double> on_boundary, std::span<double> result);

// The velocity in the barycentre of every cell, from fluxes through its faces: (1/V) sum s A z (x_f
// - b). Exact for uniform velocities; in tetrahedra the value of the lowest-order Raviart-Thomas
// field.
void cell_velocities(const CellMesh& mesh, std::span<const double> normal_velocity,
                     std::span<Vec3> result);

// Normal components on faces from vectors in cells: their means weighted by volume; on the boundary
// the cell's.
void face_velocities(const CellMesh& mesh, std::span<const Vec3> cell_velocity,
                     std::span<double> result);

// The length of the longest, m/s.
[[nodiscard]] double greatest_speed(std::span<const Vec3> velocities);

}  // namespace spindrift
