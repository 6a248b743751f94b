// PLY: text, binary little endian, binary big endian, with any elements and properties.
//
// Read are `vertex` x y z and vx vy vz, `face` vertex_indices (or vertex_index) and `tristrips`;
// the rest is stepped over.
#pragma once

#include <string_view>

#include "spindrift/core/file.hpp"
#include "spindrift/io/mesh_file.hpp"

namespace spindrift {

// Reads a PLY file; `name` stands for it in errors.
[[nodiscard]] MeshFile parse_ply(std::string_view bytes, const std::string& name);

// Writes binary little endian with float x y z, and vx vy vz if there are velocities (none or one
// per vertex). Throws InputError if a number does not fit a float.
FileStamp write_ply(const std::filesystem::path& path, const TriangleMesh& mesh,
                    std::span<const Vec3> velocities = {});

}  // namespace spindrift
