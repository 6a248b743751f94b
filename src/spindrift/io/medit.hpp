// MESH: the text format of Medit, which Mmg, FreeFem, Gmsh and TetGen read.
#pragma once

#include <filesystem>

#include "spindrift/mesh/tet_mesh.hpp"

namespace spindrift {

// Writes vertices, the boundary as triangles that face outwards, and tetrahedra; coordinates read
// back bit for bit. Throws InputError if a position is not finite.
void write_medit(const std::filesystem::path& path, const TetMesh& mesh);

}  // namespace spindrift
