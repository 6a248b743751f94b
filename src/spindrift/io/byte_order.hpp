// Numbers in the bytes of a file, in either byte order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace spindrift {

enum class ByteOrder { little, big };

inline constexpr ByteOrder kNativeOrder =
    std::endian::native == std::endian::little ? ByteOrder::little : ByteOrder::big;

// The number at `from`, which need not be aligned.
template <class T>
[[nodiscard]] T load(const char* from, ByteOrder order) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), from, sizeof(T));
  if (order != kNativeOrder) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

// Puts `value` at `to`, which need not be aligned.
template <class T>
void store(char* to, T value, ByteOrder order) {
  auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
  if (order != kNativeOrder) std::reverse(bytes.begin(), bytes.end());
  std::memcpy(to, bytes.data(), sizeof(T));
}

}  // namespace spindrift
