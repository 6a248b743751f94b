// Geomview OFF, with the prefixes ST, C and N (texture coordinates, colours and normals, which are
// passed over). One vertex and one face a line.
#pragma once

#include <string_view>

#include "spindrift/io/mesh_file.hpp"

namespace spindrift {

// Reads an OFF text; `name` stands for the file in errors.
[[nodiscard]] MeshFile parse_off(std::string_view bytes, const std::string& name);

}  // namespace spindrift
