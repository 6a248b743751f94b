#include "spindrift/cache/byte_planes.hpp"

#include <array>
#include <cstdint>
#include <cstring>

#include "spindrift/io/byte_order.hpp"

namespace spindrift {

namespace {

constexpr std::size_t kSquare = 8;  // values at a time, and the most bytes of them
using Square = std::array<std::uint64_t, kSquare>;

template <std::size_t kDistance>
void swap_beside(Square& rows, std::uint64_t mask) {
  constexpr std::size_t kBits = 8 * kDistance;
  for (std::size_t i = 0; i < kSquare; ++i) {
    if ((i & kDistance) != 0) continue;
    const std::uint64_t other = (rows[i] >> kBits ^ rows[i + kDistance]) & mask;
    rows[i + kDistance] ^= other;
    rows[i] ^= other << kBits;
  }
}

// Byte j of row i changes places with byte i of row j: by halves, quarters, then single bytes
// [Warren, Hacker's Delight, section 7-3].
void transpose(Square& rows) {
  swap_beside<4>(rows, 0x00000000ffffffff);
  swap_beside<2>(rows, 0x0000ffff0000ffff);
  swap_beside<1>(rows, 0x00ff00ff00ff00ff);
}

template <std::size_t kBytes>
std::uint64_t load_bytes(const char* from) {
  std::array<char, 8> bytes{};
  std::memcpy(bytes.data(), from, kBytes);
  return load<std::uint64_t>(bytes.data(), ByteOrder::little);
}

template <std::size_t kBytes>
void store_bytes(char* to, std::uint64_t value) {
  std::array<char, 8> bytes;
  store(bytes.data(), value, ByteOrder::little);
  std::memcpy(to, bytes.data(), kBytes);
}

// kWord bytes of every value. Returns how many values there were whole squares of.
template <std::size_t kWord>
std::size_t split_squares(const char* from, std::size_t values, std::size_t value_bytes, char* to) {
  const std::size_t whole = values / kSquare * kSquare;
  for (std::size_t i = 0; i < whole; i += kSquare) {
    Square rows;
    for (std::size_t k = 0; k < kSquare; ++k) {
      rows[k] = load_bytes<kWord>(from + (i + k) * value_bytes);
    }
    transpose(rows);
    for (std::size_t k = 0; k < kWord; ++k) store_bytes<8>(to + k * values + i, rows[k]);
  }
  return whole;
}

template <std::size_t kWord>
std::size_t join_squares(const char* from, std::size_t values, std::size_t value_bytes, char* to) {
  const std::size_t whole = values / kSquare * kSquare;
  for (std::size_t i = 0; i < whole; i += kSquare) {
    Square rows{};
    for (std::size_t k = 0; k < kWord; ++k) rows[k] = load_bytes<8>(from + k * values + i);
    transpose(rows);
    for (std::size_t k = 0; k < kSquare; ++k) {
      store_bytes<kWord>(to + (i + k) * value_bytes, rows[k]);
    }
  }
  return whole;
}

}  // namespace

void split_bytes(const char* from, std::size_t values, std::size_t value_bytes, char* to) {
  for (std::size_t byte = 0; byte < value_bytes;) {
    const std::size_t left = value_bytes - byte;
    const std::size_t word = left >= 8 ? 8 : left >= 4 ? 4 : 1;
    char* const planes = to + byte * values;
    std::size_t done = 0;
    if (word == 8) done = split_squares<8>(from + byte, values, value_bytes, planes);
    if (word == 4) done = split_squares<4>(from + byte, values, value_bytes, planes);
    for (std::size_t k = 0; k < word; ++k) {
      for (std::size_t i = done; i < values; ++i) {
        planes[k * values + i] = from[i * value_bytes + byte + k];
      }
    }
    byte += word;
  }
}

void join_bytes(const char* from, std::size_t values, std::size_t value_bytes, char* to) {
  for (std::size_t byte = 0; byte < value_bytes;) {
    const std::size_t left = value_bytes - byte;
    const std::size_t word = left >= 8 ? 8 : left >= 4 ? 4 : 1;
    const char* const planes = from + byte * values;
    std::size_t done = 0;
    if (word == 8) done = join_squares<8>(planes, values, value_bytes, to + byte);
    if (word == 4) done = join_squares<4>(planes, values, value_bytes, to + byte);
    for (std::size_t k = 0; k < word; ++k) {
      for (std::size_t i = done; i < values; ++i) {
        to[i * value_bytes + byte + k] = planes[k * values + i];
      }
    }
    byte += word;
  }
}

}  // namespace spindrift
