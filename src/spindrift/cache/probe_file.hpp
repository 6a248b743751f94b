// The files of probes: CSV, a header and a line for every step.
#pragma once

#include <span>
#include <string>

#include "spindrift/core/vec.hpp"
#include "spindrift/scene/scene.hpp"

namespace spindrift {

struct ProbeRow {
  double time = 0;            // s
  Vec3 value = Vec3::Zero();  // height in m or pressure in Pa in x alone; velocity in m/s
};

// "time,height", "time,pressure" or "time,vx,vy,vz", with the line end.
[[nodiscard]] std::string probe_header(ProbeKind kind);

// Numbers as short as read back the same.
[[nodiscard]] std::string probe_lines(ProbeKind kind, std::span<const ProbeRow> rows);

}  // namespace spindrift
