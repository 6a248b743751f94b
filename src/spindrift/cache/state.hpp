// The whole state of a simulation as named arrays, for checkpoints.
//
//   StateWriter state;                       const StateReader state(bytes);
//   state.put("time", time);                 time = state.get<double>("time");
//   state.put("surface.vertices", vertices); vertices = state.array<Vec3>("surface.vertices");
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spindrift/core/file.hpp"

namespace spindrift {

}  // namespace spindrift
