// Arrays of numbers made small, without loss.
//
// Numbers that are alike have the same first bytes and different last ones. So the bytes of the
// same place in all values are put beside each other, and zstd packs what then repeats.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "spindrift/core/buffer.hpp"

namespace spindrift {

struct Packed {
  std::vector<std::string_view> parts;  // belong one behind the other
  Buffer<char> memory;                  // that they lie in

  Packed() = default;
  Packed(Packed&&) = default;
  Packed& operator=(Packed&&) = default;

  [[nodiscard]] std::size_t size() const {
    std::size_t bytes = 0;
    for (const std::string_view part : parts) bytes += part.size();
    return bytes;
  }
};

// `bytes`: whole values of `value_bytes` each. In parallel, and the same for any number of threads.
[[nodiscard]] Packed pack(std::string_view bytes, std::size_t value_bytes);

// Into `to`, which has room for `size` bytes. False if `packed` is not what pack() makes of so
// many, its parts joined.
[[nodiscard]] bool unpack(std::string_view packed, std::size_t value_bytes, std::size_t size,
                          char* to);

}  // namespace spindrift
