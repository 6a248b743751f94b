// Tetrahedral meshes to files, by extension: VTU, MSH and MESH.
#pragma once

#include <filesystem>
#include <span>

#include "spindrift/mesh/face_tags.hpp"
#include "spindrift/mesh/tet_mesh.hpp"

namespace spindrift {

// Throws InputError unless write_tet_mesh() knows the extension: for before a mesh is made.
void require_tet_mesh_path(const std::filesystem::path& path);

// Writes .vtu, .msh or .mesh, by extension in any case. Tagged faces, if any, are written as
// triangles: see the formats' own headers for how their tags are.
void write_tet_mesh(const std::filesystem::path& path, const TetMesh& mesh,
                    std::span<const TaggedFace> boundary = {});

}  // namespace spindrift
