// VTU: VTK's XML unstructured grid, which ParaView and VTK read.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <variant>

#include "spindrift/core/file.hpp"
#include "spindrift/mesh/face_tags.hpp"
#include "spindrift/mesh/labelled_cells.hpp"
#include "spindrift/mesh/tet_mesh.hpp"

namespace spindrift {

// A number or a vector for every tetrahedron.
struct CellData {
  std::string name;
  std::variant<std::span<const double>, std::span<const std::int32_t>> values;
  int components = 1;  // 1 or 3; the components of one tetrahedron lie beside each other
};

// Writes binary little endian ("appended raw"), positions in double precision. Tagged faces become
// triangles after the tetrahedra, and a cell array "boundary" has the numbers of their tags, 0 for
// tetrahedra; other arrays have zeros for triangles. Throws InputError if a position is not finite.
FileStamp write_vtu(const std::filesystem::path& path, const TetMesh& mesh,
                    std::span<const CellData> cell_data = {},
                    std::span<const TaggedFace> boundary = {});

// The labels become a cell array of their name.
FileStamp write_vtu(const std::filesystem::path& path, const LabelledCells& cells);

}  // namespace spindrift
