// Well-spread sample points that depend only on the pixel, the sample and the purpose.
//
// Sobol' points in two dimensions, shuffled and scrambled in base 2 for each pixel and purpose by
// hashing [Burley 2020, Practical Hash-based Owen Scrambling, JCGT 9(4)]. A pixel's samples are
// stratified in every purpose, and purposes are independent of each other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "spindrift/core/vec.hpp"

namespace spindrift::render_detail {

using Vec2f = Eigen::Vector2f;

// Mixes all bits (finaliser of MurmurHash3).
[[nodiscard]] inline std::uint32_t hash(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  return x ^ (x >> 16);
}

[[nodiscard]] inline std::uint32_t hash(std::uint32_t a, std::uint32_t b) {
  return hash(a ^ (hash(b) + 0x9e3779b9u));
}

// In [0, 1).
[[nodiscard]] inline float unit_float(std::uint32_t x) {
  return static_cast<float>(x >> 8) * 0x1p-24f;
}

[[nodiscard]] inline std::uint32_t reverse_bits(std::uint32_t x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}

// Flips every bit depending on the bits above it: Burley 2020, section 4.
[[nodiscard]] inline std::uint32_t owen_scramble(std::uint32_t x, std::uint32_t seed) {
  x = reverse_bits(x) + seed;
  x ^= x * 0x6c50b47cu;
  x ^= x * 0xb82f1e52u;
  x ^= x * 0xc7afe638u;
  x ^= x * 0x8d22f6e6u;
  return reverse_bits(x);
}

class PixelSamples {
 public:
  // `count` a pixel, a power of two.
  PixelSamples(int x, int y, int count)
      : seed_(hash(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y))),
        mask_(static_cast<std::uint32_t>(count) - 1) {}

  // Of the unit square.
  [[nodiscard]] Vec2f point(int sample, std::uint32_t purpose) const {
    const std::uint32_t seed = hash(seed_, purpose);
    const std::uint32_t index = owen_scramble(static_cast<std::uint32_t>(sample), seed) & mask_;
    std::uint32_t second = 0, direction = 1u << 31;
    for (std::uint32_t bits = index; bits != 0; bits >>= 1, direction ^= direction >> 1) {
      if ((bits & 1u) != 0) second ^= direction;
    }
    return {unit_float(owen_scramble(reverse_bits(index), hash(seed, 1))),
            unit_float(owen_scramble(second, hash(seed, 2)))};
  }

 private:
  std::uint32_t seed_, mask_;
};

// Uniform on the unit disk.
[[nodiscard]] inline Vec2f disk_point(const Vec2f& u) {
  const float radius = std::sqrt(u.x()), angle = 2 * std::numbers::pi_v<float> * u.y();
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

// Two directions that make an orthonormal frame with the unit vector n.
struct Tangents {
  Vec3f first, second;
};
[[nodiscard]] inline Tangents tangents(const Vec3f& n) {
  const Vec3f helper = std::abs(n.x()) > 0.7f ? Vec3f(0, 1, 0) : Vec3f(1, 0, 0);
  const Vec3f first = n.cross(helper).normalized();
  return {first, n.cross(first)};
}

// Around n with density cos / pi.
[[nodiscard]] inline Vec3f cosine_direction(const Vec3f& n, const Vec2f& u) {
  const Vec2f d = disk_point(u);
  const Tangents t = tangents(n);
  return d.x() * t.first + d.y() * t.second + std::sqrt(std::max(0.0f, 1 - d.squaredNorm())) * n;
}

}  // namespace spindrift::render_detail
