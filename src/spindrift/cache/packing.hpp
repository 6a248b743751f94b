// Arrays of numbers made small, without loss.
//
// Numbers that are alike have the same first bytes and different last ones. So the bytes of the
// same place in all values are put beside each other, and zstd packs what then repeats.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace spindrift {

// `bytes`: whole values of `value_bytes` each. In parallel, and the same for any number of threads.
[[nodiscard]] std::string pack(std::string_view bytes, std::size_t value_bytes);

// Into `to`, which has room for `size` bytes. False if `packed` is not what pack() makes of so
// many.
[[nodiscard]] bool unpack(std::string_view packed, std::size_t value_bytes, std::size_t size,
                          char* to);

}  // namespace spindrift
