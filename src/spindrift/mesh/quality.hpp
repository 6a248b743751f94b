// How well the tetrahedra of a mesh are shaped: dihedral angles and volumes.
//
// Angles far from those of the regular tetrahedron, 70.5 degrees, spoil gradients (near 180) and
// the conditioning of matrices (near 0) [Shewchuk 2002, What is a good linear finite element?].
#pragma once

#include <array>
#include <cstdint>

#include "spindrift/mesh/tet_mesh.hpp"

namespace spindrift {

// Between the two faces that meet in each edge, in degrees, from 0 to 180; a tetrahedron inside out
// has those of its mirror image. Where a face has no area there is no angle: 0.
[[nodiscard]] std::array<double, 6> dihedral_angles(const Vec3& a, const Vec3& b, const Vec3& c,
                                                    const Vec3& d);

inline constexpr int kDihedralBins = 36;
inline constexpr double kDihedralBinDegrees = 5;

// A value and the first tetrahedron that has it.
struct ExtremeTet {
  double value = 0;
  std::int64_t tet = -1;           // -1: the mesh is empty
  Vec3 barycentre = Vec3::Zero();  // m
};

struct TetQuality {
  std::int64_t tets = 0, vertices = 0;
  ExtremeTet min_dihedral, max_dihedral;  // degrees
  // Of all dihedral angles, six a tetrahedron: bin k holds those from 5 k to below 5 (k + 1)
  // degrees, the last one 180 too.
  std::array<std::int64_t, kDihedralBins> dihedrals{};
  double volume = 0;              // m^3, of all
  ExtremeTet min_volume;          // m^3
  std::int64_t not_positive = 0;  // tetrahedra that are flat, inside out, or not finite
};

// In parallel; the same bits for any number of threads.
[[nodiscard]] TetQuality measure_quality(const TetMesh& mesh);

}  // namespace spindrift
