// The common layouts of binary PLY, read in bulk and in parallel.
//
// Each function reads rows from the beginning of an element for as long as they are of the simple
// kind and correct, and returns how many; the reader that goes value by value does the rest, errors
// included.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "spindrift/geometry/triangle_mesh.hpp"
#include "spindrift/io/ply_header.hpp"
#include "spindrift/io/ply_rows.hpp"

namespace spindrift {

// Fills `vectors` from three properties, given by their positions in an element without lists, and
// returns the length of the part that holds valid coordinates.
[[nodiscard]] std::int64_t read_vectors_in_bulk(const PlyElement& element,
                                                const std::array<int, 3>& properties,
                                                const PlyBinaryRows& rows, std::span<Vec3> vectors);

// Appends the leading faces that are triangles, if the property at position `list` is the element's
// only list, with lengths of one byte and items of four; `rows` stays at the beginning.
[[nodiscard]] std::int64_t read_triangles_in_bulk(const PlyElement& element, int list,
                                                  std::int64_t vertex_count,
                                                  const PlyBinaryRows& rows,
                                                  std::vector<Triangle>& triangles);

}  // namespace spindrift
