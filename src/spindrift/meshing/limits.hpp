// What cannot be meshed: too much for the memory, more than the box holds, or an open surface.
#pragma once

namespace spindrift {

// Throws InputError if bricks of cells of `size` m, with all that is made of them, would take more
// memory than is free. A guess.
void expect_to_fit(double surface_bricks, double inside_bricks, double size, bool uniform);

[[noreturn]] void fail_to_stay_in_box();

[[noreturn]] void fail_as_open();

}  // namespace spindrift
