// MSH: Gmsh's own format, version 4.1, binary.
#pragma once

#include <filesystem>

#include "spindrift/mesh/tet_mesh.hpp"

namespace spindrift {

// Writes one volume, number 1, with all vertices and tetrahedra, which are numbered from 1. Throws
// InputError if a position is not finite.
void write_msh(const std::filesystem::path& path, const TetMesh& mesh);

}  // namespace spindrift
