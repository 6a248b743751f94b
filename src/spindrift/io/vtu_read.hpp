// Reads tetrahedra from VTU files of the kind that write_vtu() makes: one piece, appended raw data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spindrift/mesh/tet_mesh.hpp"

namespace spindrift {

// Numbers of every tetrahedron; those of one tetrahedron lie beside each other.
struct TetArray {
  std::string name;
  int components = 1;
  std::vector<double> values;
};

struct TetFile {
  TetMesh mesh;  // all corners in range; cells of other kinds are left out
  std::vector<TetArray> arrays;

  // Null if there is none of that name and number of components.
  [[nodiscard]] const TetArray* find(std::string_view name, int components) const;
};

// `name` stands for the file in errors. Throws InputError with the byte for what is damaged, and
// for VTU of another kind (text, base64, compressed, big endian).
[[nodiscard]] TetFile parse_vtu(std::string_view bytes, const std::string& name);

}  // namespace spindrift
