// The bytes of numbers, sorted by their place in the number: the first ones of all, then the second
// ones, and so on. Numbers that are alike have the same first or last bytes, which then lie beside
// each other.
#pragma once

#include <cstddef>

namespace spindrift {

// From `values` of `value_bytes` each to as many bytes at `to`, which lie elsewhere.
void split_bytes(const char* from, std::size_t values, std::size_t value_bytes, char* to);

// And back.
void join_bytes(const char* from, std::size_t values, std::size_t value_bytes, char* to);

}  // namespace spindrift
