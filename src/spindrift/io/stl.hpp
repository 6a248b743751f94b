// STL, text and binary. Its triangles come as bare corners: equal ones are welded to one vertex.
#pragma once

#include <string_view>

#include "spindrift/io/mesh_file.hpp"

namespace spindrift {

// True if the size is the one that a binary STL's own triangle count asks for.
[[nodiscard]] bool is_binary_stl(std::string_view bytes);

// Reads an STL file; `name` stands for it in errors. Vertices are numbered in the order of their
// first occurrence; only exactly equal coordinates are welded.
[[nodiscard]] MeshFile parse_stl(std::string_view bytes, const std::string& name);

}  // namespace spindrift
