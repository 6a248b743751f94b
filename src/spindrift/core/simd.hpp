// Short vectors that the compiler maps to SIMD registers (GCC and clang vector extensions).
//
// Arithmetic, comparisons and the ternary operator work lane by lane; on machines without the wide
// registers the compiler splits them, with the same results.
#pragma once

#include <cstdint>
#ifdef __AVX__
#include <immintrin.h>
#endif

namespace spindrift {

using Float8 = float __attribute__((vector_size(32)));
using Int8 = std::int32_t __attribute__((vector_size(32)));
using Double4 = double __attribute__((vector_size(32)));
using Long4 = std::int64_t __attribute__((vector_size(32)));

inline Float8 splat8(float x) { return Float8{x, x, x, x, x, x, x, x}; }
inline Double4 splat4(double x) { return Double4{x, x, x, x}; }

template <class V>
inline V lane_min(V a, V b) {
  return a < b ? a : b;
}
template <class V>
inline V lane_max(V a, V b) {
  return a > b ? a : b;
}

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

}  // namespace spindrift
