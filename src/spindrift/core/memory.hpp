// How the process deals with memory.
#pragma once

#include <cstdint>

namespace spindrift {

// Keeps memory that is freed for the next step instead of giving it back to the system: large
// arrays come and go with every step, and the system clears every page that it hands out again.
// For programs, at their start; where the allocator cannot be told, nothing happens.
void keep_freed_memory();

// Bytes that the process could still get without swapping.
[[nodiscard]] std::uint64_t available_memory();

}  // namespace spindrift
