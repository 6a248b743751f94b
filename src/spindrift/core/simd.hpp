// Short vectors that the compiler maps to SIMD registers (GCC and clang vector extensions).
//
// Arithmetic, comparisons and the ternary operator work lane by lane; on machines without the wide
// registers the compiler splits them, with the same results.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#ifdef __AVX__
#include <immintrin.h>
#endif

namespace spindrift {

using Float4 = float __attribute__((vector_size(16)));
using Float8 = float __attribute__((vector_size(32)));
using Int8 = std::int32_t __attribute__((vector_size(32)));
using Double4 = double __attribute__((vector_size(32)));
using Long4 = std::int64_t __attribute__((vector_size(32)));

inline Float8 splat8(float x) { return Float8{x, x, x, x, x, x, x, x}; }
inline Double4 splat4(double x) { return Double4{x, x, x, x}; }

inline Float8 load8(const float* from) {
  Float8 v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
inline void store8(float* to, Float8 v) { __builtin_memcpy(to, &v, sizeof v); }

// Eight small whole numbers.
inline Float8 load8(const std::int16_t* from) {
#ifdef __AVX2__
  const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  return reinterpret_cast<Float8>(_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(v)));
#else
  Float8 v;
  for (int k = 0; k < 8; ++k) v[k] = from[k];
  return v;
#endif
}

inline Float8 load8(const std::int8_t* from) {
#ifdef __AVX2__
  const __m128i v = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
  return reinterpret_cast<Float8>(_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(v)));
#else
  Float8 v;
  for (int k = 0; k < 8; ++k) v[k] = from[k];
  return v;
#endif
}

inline void store8(std::int32_t* to, Int8 v) { __builtin_memcpy(to, &v, sizeof v); }
// Whole numbers that fit into 16 or 8 bits.
inline void store8(std::int16_t* to, Int8 v) {
  using Short8 = std::int16_t __attribute__((vector_size(16)));
  const Short8 narrow = __builtin_convertvector(v, Short8);
  __builtin_memcpy(to, &narrow, sizeof narrow);
}
inline void store8(std::int8_t* to, Int8 v) {
#ifdef __AVX2__
  const auto wide = reinterpret_cast<__m256i>(v);
  const __m128i pairs =
      _mm_packs_epi32(_mm256_castsi256_si128(wide), _mm256_extracti128_si256(wide, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packs_epi16(pairs, pairs));
#else
  for (int k = 0; k < 8; ++k) to[k] = static_cast<std::int8_t>(v[k]);
#endif
}

// The nearest whole numbers; of two that are as near, the even one.
inline Int8 nearest(Float8 a) {
#ifdef __AVX__
  return reinterpret_cast<Int8>(_mm256_cvtps_epi32(reinterpret_cast<__m256>(a)));
#else
  Int8 v;
  for (int k = 0; k < 8; ++k) v[k] = static_cast<std::int32_t>(__builtin_rintf(a[k]));
  return v;
#endif
}

// The greatest whole numbers that are not greater.
inline Int8 rounded_down(Float8 a) {
#ifdef __AVX__
  return reinterpret_cast<Int8>(_mm256_cvttps_epi32(
      _mm256_round_ps(reinterpret_cast<__m256>(a), _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)));
#else
  Int8 v;
  for (int k = 0; k < 8; ++k) v[k] = static_cast<std::int32_t>(__builtin_floorf(a[k]));
  return v;
#endif
}

inline Int8 load8(const std::int32_t* from) {
  Int8 v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

template <class V>
inline V lane_min(V a, V b) {
  return a < b ? a : b;
}
template <class V>
inline V lane_max(V a, V b) {
  return a > b ? a : b;
}

inline Float8 root(Float8 a) {
#ifdef __AVX__
  return reinterpret_cast<Float8>(_mm256_sqrt_ps(reinterpret_cast<__m256>(a)));
#else
  for (int k = 0; k < 8; ++k) a[k] = __builtin_sqrtf(a[k]);
  return a;
#endif
}

// a b + c, rounded once.
inline Float8 fused(Float8 a, Float8 b, Float8 c) {
#ifdef __FMA__
  return reinterpret_cast<Float8>(_mm256_fmadd_ps(
      reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b), reinterpret_cast<__m256>(c)));
#else
  for (int k = 0; k < 8; ++k) a[k] = __builtin_fmaf(a[k], b[k], c[k]);
  return a;
#endif
}

// Lane k is lane places[k] of a.
inline Float8 permuted(Float8 a, Int8 places) {
#ifdef __AVX2__
  return reinterpret_cast<Float8>(
      _mm256_permutevar8x32_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256i>(places)));
#else
  Float8 result;
  for (int k = 0; k < 8; ++k) result[k] = a[places[k] & 7];
  return result;
#endif
}

namespace detail {

// For every byte, the places of its bits, ascending.
inline constexpr std::array<std::array<std::int8_t, 8>, 256> kBitPlaces = [] {
  std::array<std::array<std::int8_t, 8>, 256> places{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    std::size_t count = 0;
    for (unsigned bit = 0; bit < 8; ++bit) {
      if ((byte >> bit & 1) != 0) places[byte][count++] = static_cast<std::int8_t>(bit);
    }
  }
  return places;
}();

}  // namespace detail

// Where the bits of a byte are, ascending, and then zeros: permuted() by these puts the lanes that
// are true first.
inline Int8 bit_places(unsigned byte) {
#ifdef __AVX2__
  return reinterpret_cast<Int8>(_mm256_cvtepi8_epi32(
      _mm_loadl_epi64(reinterpret_cast<const __m128i*>(detail::kBitPlaces[byte].data()))));
#else
  Int8 places;
  for (int k = 0; k < 8; ++k) places[k] = detail::kBitPlaces[byte][static_cast<std::size_t>(k)];
  return places;
#endif
}

// Lane j of row i changes places with lane i of row j: by halves, quarters, then single lanes.
inline void transpose(std::array<Float8, 8>& rows) {
  const auto swap = [&](std::size_t i, std::size_t distance, auto low, auto high) {
    const Float8 a = rows[i];
    const Float8 b = rows[i + distance];
    rows[i] = low(a, b);
    rows[i + distance] = high(a, b);
  };
  for (std::size_t i = 0; i < 4; ++i) {
    swap(
        i, 4,
        [](Float8 a, Float8 b) { return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11); },
        [](Float8 a, Float8 b) {
          return __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
        });
  }
  for (const std::size_t i : {0U, 1U, 4U, 5U}) {
    swap(
        i, 2,
        [](Float8 a, Float8 b) { return __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13); },
        [](Float8 a, Float8 b) {
          return __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
        });
  }
  for (const std::size_t i : {0U, 2U, 4U, 6U}) {
    swap(
        i, 1,
        [](Float8 a, Float8 b) { return __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14); },
        [](Float8 a, Float8 b) {
          return __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
        });
  }
}

// The greatest lane.
inline float greatest(Float8 a) {
#ifdef __AVX__
  const __m256 v = reinterpret_cast<__m256>(a);
  __m128 m = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  m = _mm_max_ps(m, _mm_movehl_ps(m, m));
  return _mm_cvtss_f32(_mm_max_ss(m, _mm_movehdup_ps(m)));
#else
  float result = a[0];
  for (int k = 1; k < 8; ++k) result = a[k] > result ? a[k] : result;
  return result;
#endif
}

inline float least(Float8 a) { return -greatest(-a); }

// Bit k of the result: lane k of the comparison result is true.
inline unsigned true_lanes(Int8 mask) {
#ifdef __AVX__
  return static_cast<unsigned>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask)));
#else
  unsigned bits = 0;
  for (int k = 0; k < 8; ++k) bits |= static_cast<unsigned>(mask[k] & 1) << k;
  return bits;
#endif
}

inline unsigned true_lanes4(Long4 mask) {
#ifdef __AVX__
  return static_cast<unsigned>(_mm256_movemask_pd(reinterpret_cast<__m256d>(mask)));
#else
  unsigned bits = 0;
  for (int k = 0; k < 4; ++k) bits |= static_cast<unsigned>(mask[k] & 1) << k;
  return bits;
#endif
}

// Three coordinates, several points.
template <class V>
struct Lanes3 {
  V x, y, z;
};
template <class V>
inline Lanes3<V> operator-(const Lanes3<V>& a, const Lanes3<V>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class V>
inline V dot(const Lanes3<V>& a, const Lanes3<V>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class V>
inline Lanes3<V> cross(const Lanes3<V>& a, const Lanes3<V>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Eight points from anywhere in memory, three numbers of four bytes each. Transposed in registers:
// lanes that are stored one by one and loaded together would wait for the memory.
inline Lanes3<Int8> load_points(const std::array<const void*, 8>& from) {
  using Int4 = std::int32_t __attribute__((vector_size(16)));
  const auto load = [&](std::size_t k) {
    std::array<std::int32_t, 3> c;
    __builtin_memcpy(&c, from[k], sizeof c);
    return Int4{c[0], c[1], c[2], 0};
  };
  const auto pair = [&](std::size_t k) {  // points k and k + 4
    return __builtin_shufflevector(load(k), load(k + 4), 0, 1, 2, 3, 4, 5, 6, 7);
  };
  const Int8 p0 = pair(0);
  const Int8 p1 = pair(1);
  const Int8 p2 = pair(2);
  const Int8 p3 = pair(3);
  const Int8 xy01 = __builtin_shufflevector(p0, p1, 0, 8, 1, 9, 4, 12, 5, 13);
  const Int8 xy23 = __builtin_shufflevector(p2, p3, 0, 8, 1, 9, 4, 12, 5, 13);
  const Int8 z01 = __builtin_shufflevector(p0, p1, 2, 10, 3, 11, 6, 14, 7, 15);
  const Int8 z23 = __builtin_shufflevector(p2, p3, 2, 10, 3, 11, 6, 14, 7, 15);
  return {__builtin_shufflevector(xy01, xy23, 0, 1, 8, 9, 4, 5, 12, 13),
          __builtin_shufflevector(xy01, xy23, 2, 3, 10, 11, 6, 7, 14, 15),
          __builtin_shufflevector(z01, z23, 0, 1, 8, 9, 4, 5, 12, 13)};
}

}  // namespace spindrift
