#include "spindrift/render/studio.hpp"

#include <algorithm>

#include "spindrift/core/error.hpp"
#include "spindrift/render/sampling.hpp"

namespace spindrift::render_detail {

namespace {

// Tuned by eye on the armadillo, a liquid-blue elephant and CSG shapes.
const Vec3f kSun(1.78f, 1.68f, 1.52f);
const Vec3f kZenith(0.52f, 0.59f, 0.70f);
const Vec3f kNadir(0.24f, 0.235f, 0.23f);
const Vec3f kMirroredHorizon(1.05f, 1.10f, 1.15f);
const Vec3f kMirroredZenith(0.30f, 0.46f, 0.74f);
constexpr float kSunGlow = 0.35f, kSunGlowPower = 12;
constexpr double kSunTurn = 0.95;    // rad to the left of the camera
constexpr double kSunHeight = 0.85;  // rad above the horizon
constexpr float kExposure = 0.62f;

}  // namespace

Studio::Studio(const Picture& picture, const CameraAxes& axes) {
  Vec3 to_sun;
  if (picture.sun) {
    to_sun = *picture.sun;
    if (!to_sun.allFinite() || !(to_sun.norm() > 0)) {
      throw InputError({.file = "picture"}, "the direction to the sun has no length",
                       "write a vector that points to it");
    }
  } else {
    // Towards the viewer along the ground; a camera that looks straight down has its up there.
    Vec3 back = -axes.forward;
    if (back.head<2>().norm() < 1e-3) back = -axes.up;
    const double azimuth = std::atan2(back.y(), back.x()) - kSunTurn;
    to_sun = Vec3(std::cos(azimuth) * std::cos(kSunHeight),
                  std::sin(azimuth) * std::cos(kSunHeight), std::sin(kSunHeight));
  }
  sun_direction_ = to_sun.normalized().cast<float>();
  const Tangents t = tangents(sun_direction_);
  sun_tangent_ = t.first;
  sun_bitangent_ = t.second;
  sun_ = kSun;
  for (int k = 0; k < 3; ++k) {
    const double display = picture.background[k];
    if (!(display >= 0 && display <= 1)) {
      throw InputError({.file = "picture"}, "the background colour is out of range",
                       "write three numbers from 0 to 1");
    }
    backdrop_[k] = light_for_tone(static_cast<float>(std::min(display, 0.98)));
  }
  if (picture.uniform_light) {
    uniform_ = Vec3f::Constant(static_cast<float>(*picture.uniform_light));
    backdrop_ = *uniform_;
    sun_.setZero();
  }
  const Vec3f from_sun = sun_ * std::max(0.0f, sun_direction_.z());
  const Vec3f from_sky = sky_on(Vec3f::UnitZ());
  sun_share_ = from_sun.cwiseQuotient(from_sun + from_sky);
  sky_share_ = Vec3f::Ones() - sun_share_;
}

Vec3f Studio::sun_sample(const Eigen::Vector2f& u) const {
  const Vec2f d = kSunRadius * disk_point(u);
  return (sun_direction_ + d.x() * sun_tangent_ + d.y() * sun_bitangent_).normalized();
}

Vec3f Studio::sky(const Vec3f& direction) const {
  if (uniform_) return *uniform_;
  return 0.5f * ((kZenith + kNadir) + direction.z() * (kZenith - kNadir));
}

Vec3f Studio::sky_on(const Vec3f& normal) const {
  if (uniform_) return *uniform_;
  return 0.5f * ((kZenith + kNadir) + 2.0f / 3.0f * normal.z() * (kZenith - kNadir));
}

Vec3f Studio::mirrored_sky(const Vec3f& direction) const {
  if (uniform_) return *uniform_;
  const float height = direction.z();
  if (height < 0) {
    return kMirroredHorizon + std::min(1.0f, -4 * height) * (kNadir - kMirroredHorizon);
  }
  const float near_sun = std::max(0.0f, direction.dot(sun_direction_));
  const float glow = kSunGlow * std::pow(near_sun, kSunGlowPower);
  return kMirroredHorizon + std::sqrt(height) * (kMirroredZenith - kMirroredHorizon) + glow * kSun;
}

float tone(float light) {
  const float x = kExposure * std::max(0.0f, light);
  return std::min(1.0f, x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f));
}

float light_for_tone(float display) {
  // (2.51 - 2.43 y) x^2 + (0.03 - 0.59 y) x - 0.14 y = 0
  const float a = 2.51f - 2.43f * display, b = 0.03f - 0.59f * display, c = -0.14f * display;
  return (-b + std::sqrt(b * b - 4 * a * c)) / (2 * a) / kExposure;
}

float srgb_encode(float linear) {
  if (linear <= 0.0031308f) return 12.92f * linear;
  return 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f;
}

}  // namespace spindrift::render_detail
