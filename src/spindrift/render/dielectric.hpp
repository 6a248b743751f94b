// Light at the border of water and air: Fresnel's and Snell's laws, and Beer-Lambert's inside.
#pragma once

#include <optional>

#include "spindrift/core/vec.hpp"

namespace spindrift::render_detail {

// Part of unpolarised light that a smooth border mirrors, by Fresnel's equations. `cosine` is that
// of the angle of incidence, `eta` the index of refraction of the side that the light comes from
// over that of the other. 1 beyond the critical angle.
[[nodiscard]] float fresnel_dielectric(float cosine, float eta);

// The unit direction behind the border, or nothing beyond the critical angle. `normal` looks
// towards the side that the unit vector `direction` comes from.
[[nodiscard]] std::optional<Vec3f> refract(const Vec3f& direction, const Vec3f& normal, float eta);

[[nodiscard]] inline Vec3f reflect(const Vec3f& direction, const Vec3f& normal) {
  return direction - 2 * direction.dot(normal) * normal;
}

// Part of the light that is left after a way: exp(-absorption * distance), channel by channel.
[[nodiscard]] inline Vec3f transmitted(const Vec3f& absorption, float distance) {
  return (-distance * absorption).array().exp();
}

}  // namespace spindrift::render_detail
