// Numbers in half precision: 11 bits, from 6e-8 to 65504.
//
// The nearest one; of two that are as near, the even one. Infinite from 65520 on.
#pragma once

#include <cstdint>

#include "spindrift/core/simd.hpp"

namespace spindrift {

// As machines do it.
inline std::uint16_t half_bits(float x) {
  std::uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  const std::uint32_t sign = bits >> 16 & 0x8000;
  bits &= 0x7fffffff;
  std::uint32_t half = 0;
  if (bits > 0x7f800000) {
    half = 0x7e00 | (bits >> 13 & 0x3ff);  // not a number
  } else if (bits >= 0x477ff000) {
    half = 0x7c00;
  } else if (bits >= 0x38800000) {
    half = (bits - 0x38000000 + 0xfff + (bits >> 13 & 1)) >> 13;
  } else {
    // A multiple of 2^-24: that is the last bit of numbers from 0.5 to 1.
    float small;
    __builtin_memcpy(&small, &bits, sizeof small);
    small += 0.5F;
    __builtin_memcpy(&bits, &small, sizeof bits);
    half = bits - 0x3f000000;
  }
  return static_cast<std::uint16_t>(sign | half);
}

inline void store_halves(std::uint16_t* to, Float8 v) {
#ifdef __F16C__
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                   _mm256_cvtps_ph(reinterpret_cast<__m256>(v), _MM_FROUND_TO_NEAREST_INT));
#else
  for (int k = 0; k < 8; ++k) to[k] = half_bits(v[k]);
#endif
}

}  // namespace spindrift
