// What cannot be meshed: too much for the memory, or more than the box holds.
#pragma once

namespace spindrift {

// Throws InputError if bricks of cells of `size` m, with all that is made of them, would take more
// memory than is free. A guess, on the safe side.
void expect_to_fit(double surface_bricks, double inside_bricks, double size, bool uniform);

[[noreturn]] void fail_to_stay_in_box();

}  // namespace spindrift
