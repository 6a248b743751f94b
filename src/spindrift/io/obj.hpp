// Wavefront OBJ: the polygons of its `v` and `f` statements.
#pragma once

#include <string_view>

#include "spindrift/io/mesh_file.hpp"

namespace spindrift {

// Reads an OBJ text; `name` stands for the file in errors. Weights, colours, texture coordinates,
// normals, groups and materials are passed over; lines, points and free-form surfaces are noted.
[[nodiscard]] MeshFile parse_obj(std::string_view bytes, const std::string& name);

// Writes positions with as many digits as it takes to read the same doubles again. OBJ knows no
// velocities: those of the vertices (none, or one each, m/s) come as comments, which readers skip,
// "#vel VX VY VZ" right behind each vertex.
void write_obj(const std::filesystem::path& path, const TriangleMesh& mesh,
               std::span<const Vec3> velocities = {});

}  // namespace spindrift
