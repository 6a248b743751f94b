// A tracked surface in checkpoints.
#pragma once

#include "spindrift/cache/state.hpp"
#include "spindrift/surface/contouring_tracker.hpp"

namespace spindrift {

void save_tracker(const ContouringTracker& tracker, StateWriter& state);

// Throws InputError if the parts do not fit together.
void restore_tracker(const StateReader& state, ContouringTracker& tracker);

}  // namespace spindrift
