// A frame's report as the JSON object that `spindrift run --json` prints and stats.jsonl keeps.
#pragma once

#include "spindrift/app/output.hpp"
#include "spindrift/sim/liquid.hpp"

namespace spindrift::app {

// `seconds`: wall clock of the whole frame. What the phases do not explain of it is "other".
[[nodiscard]] Json frame_json(int frame, const FrameReport& report, double seconds);

}  // namespace spindrift::app
