// Eight numbers from places near each other.
//
// Processors have an instruction for this. On some it is slower than loads one by one (products of
// matrices by two thirds on AMD's Zen 3; or where it was slowed down to keep secrets: Gather Data
// Sampling, 2023), on others faster (the multigrid's iterations by a tenth on an Intel Xeon). So it
// is measured. The numbers are the same.
#pragma once

#include <array>
#include <cstdint>

#include "spindrift/core/simd.hpp"

namespace spindrift {

// Whether gather_at_once() was faster when the program began.
extern const bool kHasFastGathers;

// From[places[k]] for all k, one by one. Four places are fetched as one word, which leaves the
// processor's loads to the numbers.
inline Float8 gather_by_loads(const float* from, const std::int16_t* places) {
  std::array<std::int64_t, 2> words;
  __builtin_memcpy(words.data(), places, sizeof words);
  const auto [a, b] = words;
  const auto at = [from](std::int64_t place) { return from[static_cast<std::int16_t>(place)]; };
  return Float8{at(a), at(a >> 16), at(a >> 32), at(a >> 48),
                at(b), at(b >> 16), at(b >> 32), at(b >> 48)};
}

// The same by one instruction, where there is one.
inline Float8 gather_at_once(const float* from, const std::int16_t* places) {
#ifdef __AVX2__
  const __m128i narrow = _mm_loadu_si128(reinterpret_cast<const __m128i*>(places));
  return reinterpret_cast<Float8>(_mm256_i32gather_ps(from, _mm256_cvtepi16_epi32(narrow), 4));
#else
  return gather_by_loads(from, places);
#endif
}

// From[places[k]] for all k, whichever way is faster.
inline Float8 gather(const float* from, const std::int16_t* places) {
  return kHasFastGathers ? gather_at_once(from, places) : gather_by_loads(from, places);
}
inline Float8 gather(const float* from, const std::int32_t* places) {
#ifdef __AVX2__
  if (kHasFastGathers) {
    return reinterpret_cast<Float8>(
        _mm256_i32gather_ps(from, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(places)), 4));
  }
#endif
  return Float8{from[places[0]], from[places[1]], from[places[2]], from[places[3]],
                from[places[4]], from[places[5]], from[places[6]], from[places[7]]};
}

}  // namespace spindrift
