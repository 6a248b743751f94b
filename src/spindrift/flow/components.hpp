// The connected bodies of a mesh, and what bounds them.
#pragma once

#include <vector>

#include "spindrift/mesh/cell_mesh.hpp"

namespace spindrift {

struct FlowComponent {
  double volume = 0;          // m^3
  bool has_pressure = false;  // a face where pressure acts; without one it is enclosed
  bool touches_solid = false;
};

struct FlowComponents {
  Buffer<std::int32_t> of_cell;
  std::vector<FlowComponent> components;  // in the order of their first cells
};

[[nodiscard]] FlowComponents find_components(const CellMesh& mesh);

}  // namespace spindrift
