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

// A hint that pages of 2 MB would be good for these bytes; nothing where the system has none.
void ask_for_huge_pages(void* begin, std::size_t bytes);

}  // namespace spindrift
