#include "spindrift/cache/byte_planes.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#ifdef __AVX2__
#include <immintrin.h>
#endif

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

#ifdef __AVX2__
// Values at a time: a register for each byte of them.
constexpr std::size_t kWide = 32;

struct Wide {
  __m256i bytes;
};

// The words of a group of values side by side: in each half of a register those of consecutive
// values, in the lower halves of all the first 16, in the upper ones the others.
template <std::size_t kWord>
Wide load_words(const char* from, std::size_t value_bytes) {
  using Word = std::conditional_t<kWord == 8, std::int64_t, std::int32_t>;
  const auto word = [&](std::size_t k) {
    return load<Word>(from + k * value_bytes, ByteOrder::little);
  };
  if constexpr (kWord == 8) {
    return {_mm256_setr_epi64x(word(0), word(1), word(16), word(17))};
  } else {
    return {_mm256_setr_epi32(word(0), word(1), word(2), word(3), word(16), word(17), word(18),
                              word(19))};
  }
}

void store_wide(char* to, __m256i bytes) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bytes);
}

// The same byte of all words in a half beside each other.
template <std::size_t kWord>
Wide sorted_bytes(Wide words) {
  const __m128i order = kWord == 8
                            ? _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15)
                            : _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return {_mm256_shuffle_epi8(words.bytes, _mm256_broadcastsi128_si256(order))};
}

// From registers with four values' bytes of a kind in every 4 bytes: 32 bytes of each kind.
void store_kinds(const std::array<Wide, 4>& rows, std::size_t values, char* to) {
  const __m256i a = _mm256_unpacklo_epi32(rows[0].bytes, rows[1].bytes);
  const __m256i b = _mm256_unpackhi_epi32(rows[0].bytes, rows[1].bytes);
  const __m256i c = _mm256_unpacklo_epi32(rows[2].bytes, rows[3].bytes);
  const __m256i d = _mm256_unpackhi_epi32(rows[2].bytes, rows[3].bytes);
  store_wide(to, _mm256_unpacklo_epi64(a, c));
  store_wide(to + values, _mm256_unpackhi_epi64(a, c));
  store_wide(to + 2 * values, _mm256_unpacklo_epi64(b, d));
  store_wide(to + 3 * values, _mm256_unpackhi_epi64(b, d));
}

// As split_squares(), many values at a time.
template <std::size_t kWord>
std::size_t split_wide(const char* from, std::size_t values, std::size_t value_bytes, char* to) {
  const std::size_t whole = values / kWide * kWide;
  for (std::size_t i = 0; i < whole; i += kWide) {
    std::array<Wide, kWord> rows;
    for (std::size_t k = 0; k < kWord; ++k) {
      rows[k] = sorted_bytes<kWord>(
          load_words<kWord>(from + (i + 16 / kWord * k) * value_bytes, value_bytes));
    }
    if constexpr (kWord == 4) {
      store_kinds(rows, values, to + i);
    } else {
      std::array<Wide, 4> low, high;
      for (std::size_t k = 0; k < 4; ++k) {
        low[k] = {_mm256_unpacklo_epi16(rows[2 * k].bytes, rows[2 * k + 1].bytes)};
        high[k] = {_mm256_unpackhi_epi16(rows[2 * k].bytes, rows[2 * k + 1].bytes)};
      }
      store_kinds(low, values, to + i);
      store_kinds(high, values, to + 4 * values + i);
    }
  }
  return whole;
}
#else
template <std::size_t kWord>
std::size_t split_wide(const char*, std::size_t, std::size_t, char*) {
  return 0;
}
#endif

// kWord bytes of every value. Returns how many values there were whole squares of.
template <std::size_t kWord>
std::size_t split_squares(const char* from, std::size_t values, std::size_t value_bytes, char* to) {
  const std::size_t whole = values / kSquare * kSquare;
  for (std::size_t i = split_wide<kWord>(from, values, value_bytes, to); i < whole; i += kSquare) {
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
