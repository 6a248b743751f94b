// Light and surroundings of all pictures: a warm sun, a cool sky, a backdrop that is also the
// floor.
//
// Colours are linear, in units in which `tone` maps 1 to a light grey. Light is given as what a
// white matt surface would send back.
#pragma once

#include <cmath>
#include <optional>

#include "spindrift/render/camera.hpp"
#include "spindrift/render/picture.hpp"

namespace spindrift::render_detail {

class Studio {
 public:
  // Tangent of half the angle under which the sun is seen: wide, for soft shadows.
  static constexpr float kSunRadius = 0.06f;

  // Throws InputError if the picture's sun or background is not usable.
  Studio(const Picture& picture, const CameraAxes& axes);

  // Light from everywhere alike: Picture::uniform_light.
  [[nodiscard]] bool is_uniform() const { return uniform_.has_value(); }
  [[nodiscard]] const Vec3f& sun_direction() const { return sun_direction_; }
  // Facing the sun.
  [[nodiscard]] const Vec3f& sun() const { return sun_; }
  // A direction to a point of the sun's disk, for u in the unit square.
  [[nodiscard]] Vec3f sun_sample(const Eigen::Vector2f& u) const;

  // Sky towards a unit direction, for scattered light: linear in the height, so that its integral
  // over a hemisphere is known, see sky_on.
  [[nodiscard]] Vec3f sky(const Vec3f& direction) const;
  // From the whole sky onto a surface with this normal.
  [[nodiscard]] Vec3f sky_on(const Vec3f& normal) const;
  // Sky as mirrors and water show it: brighter at the horizon and around the sun, without its disk.
  [[nodiscard]] Vec3f mirrored_sky(const Vec3f& direction) const;

  // The lit floor, and how much of its light is the sun's and the sky's: they sum to 1.
  [[nodiscard]] const Vec3f& backdrop() const { return backdrop_; }
  [[nodiscard]] const Vec3f& floor_sun_share() const { return sun_share_; }
  [[nodiscard]] const Vec3f& floor_sky_share() const { return sky_share_; }

 private:
  Vec3f sun_direction_, sun_tangent_, sun_bitangent_;
  Vec3f sun_;
  Vec3f backdrop_, sun_share_, sky_share_;
  std::optional<Vec3f> uniform_;
};

// A filmic curve from light to display, both linear: 0 to 0, steep, then bending towards 1
// [Narkowicz 2015, ACES Filmic Tone Mapping Curve]. And its inverse on [0, 1).
[[nodiscard]] float tone(float light);
[[nodiscard]] float light_for_tone(float display);

// sRGB's transfer curve, from [0, 1] to [0, 1].
[[nodiscard]] float srgb_encode(float linear);

}  // namespace spindrift::render_detail
