// MSH: Gmsh's own format, version 4.1, binary.
#pragma once

#include <filesystem>
#include <span>

#include "spindrift/mesh/face_tags.hpp"
#include "spindrift/mesh/tet_mesh.hpp"

namespace spindrift {

// Writes one volume, number 1, with all vertices and tetrahedra, which are numbered from 1. Tagged
// faces become triangles in surfaces with the numbers of the tags, numbered after the tetrahedra;
// the physical groups "air", "solid" and "liquid" then name surfaces and volume. Throws InputError
// if a position is not finite.
void write_msh(const std::filesystem::path& path, const TetMesh& mesh,
               std::span<const TaggedFace> boundary = {});

}  // namespace spindrift
