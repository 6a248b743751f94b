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

// Values made small, one array after the other: the memory of one serves the next.
class Packer {
 public:
  // The parts belong one behind the other, and are good until the next call. `bytes`: whole values
  // of `value_bytes` each. In parallel, and the same for any number of threads.
  [[nodiscard]] const std::vector<std::string_view>& pack(std::string_view bytes,
                                                          std::size_t value_bytes);

 private:
  std::vector<std::string_view> parts_;
  Buffer<char> memory_;
};

// Into `to`, which has room for `size` bytes. False if `packed` is not what pack() makes of so
// many, its parts joined.
[[nodiscard]] bool unpack(std::string_view packed, std::size_t value_bytes, std::size_t size,
                          char* to);

}  // namespace spindrift
