// Asks for memory that a loop will need soon.
//
// Loops over cells, faces or rows of a matrix look at neighbours, whose numbers are near their own
// but in no order. The processor fetches ahead what is read in order; here the first look at each
// piece of memory is a jump, and waits for it. Asked for in the loop's own order, far enough ahead,
// it is there: products of matrices of 2.5 million rows take half of the time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace spindrift {

// Neighbours are mostly nearer, and it still fits into the second level of cache.
inline constexpr std::ptrdiff_t kBytesAhead = std::ptrdiff_t{160} << 10;

// For a loop that is at `here` of an array. The address may be behind the array's end: nothing is
// read.
template <class T>
inline void fetch_ahead(const T* here) {
  __builtin_prefetch(
      reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(here) + kBytesAhead), 0, 2);
}

}  // namespace spindrift
