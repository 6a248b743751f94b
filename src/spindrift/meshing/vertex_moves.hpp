// Moves of single vertices that are taken back where they would spoil tetrahedra.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spindrift/mesh/tet_mesh.hpp"

namespace spindrift {

struct VertexMove {
  std::int32_t vertex;
  Vec3 from, to;
  bool is_done = false;
};

struct DihedralBounds {
  double least, greatest;  // degrees
};

// The tetrahedra with one of these vertices, ascending: of all, or of those `among` others.
[[nodiscard]] std::vector<std::int32_t> tets_with(const TetMesh& mesh,
                                                  std::span<const std::int32_t> vertices);
[[nodiscard]] std::vector<std::int32_t> tets_with(const TetMesh& mesh,
                                                  std::span<const std::int32_t> vertices,
                                                  std::span<const std::int32_t> among);

// Makes all moves, then takes back those without which bad tetrahedra are better, one by one, until
// there are none with volumes that are not positive or angles out of bounds, apart from those that
// no move touches. `moves` ascend by vertex; `tets` are those with one of their vertices at least.
void move_vertices(TetMesh& mesh, std::span<VertexMove> moves, std::span<const std::int32_t> tets,
                   const DihedralBounds& bounds);

}  // namespace spindrift
