// MESH: the text format of Medit, which Mmg, FreeFem, Gmsh and TetGen read.
#pragma once

#include <filesystem>
#include <span>

#include "spindrift/mesh/face_tags.hpp"
#include "spindrift/mesh/tet_mesh.hpp"

namespace spindrift {

// Writes vertices, the boundary as triangles that face outwards, and tetrahedra; coordinates read
// back bit for bit. All have reference 1, but tagged faces the numbers of their tags; if there are
// any, they are all of the boundary. Throws InputError if a position is not finite.
void write_medit(const std::filesystem::path& path, const TetMesh& mesh,
                 std::span<const TaggedFace> boundary = {});

}  // namespace spindrift
