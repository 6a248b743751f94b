#include "spindrift/render/dielectric.hpp"

#include <algorithm>
#include <cmath>

namespace spindrift::render_detail {

float fresnel_dielectric(float cosine, float eta) {
  cosine = std::clamp(cosine, 0.0f, 1.0f);
  const float sine2 = eta * eta * (1 - cosine * cosine);
  if (sine2 >= 1) return 1;
  const float other = std::sqrt(1 - sine2);
  const float across = (eta * cosine - other) / (eta * cosine + other);
  const float along = (cosine - eta * other) / (cosine + eta * other);
  return (across * across + along * along) / 2;
}

std::optional<Vec3f> refract(const Vec3f& direction, const Vec3f& normal, float eta) {
  const float cosine = -direction.dot(normal);
  const float sine2 = eta * eta * (1 - cosine * cosine);
  if (sine2 >= 1) return std::nullopt;
  return Vec3f(eta * direction + (eta * cosine - std::sqrt(1 - sine2)) * normal).normalized();
}

}  // namespace spindrift::render_detail
