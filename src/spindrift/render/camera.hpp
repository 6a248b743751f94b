// Where a picture is taken from: cameras that frame a box, and cameras given as text.
//
//   Camera camera = complete_camera(parse_camera("eye=3,-3,2:fov=30"), bounds(picture), 16.0 / 9);
#pragma once

#include <optional>
#include <string_view>

#include "spindrift/core/vec.hpp"

namespace spindrift {

// The picture's up is z, or y when looking straight up or down.
struct Camera {
  Vec3 eye = {1, -2, 1};      // m
  Vec3 target = {0, 0, 0};    // m, in the middle of the picture
  double fov_degrees = 30.0;  // vertical, between 1 and 170
};

// What the user fixed of a camera; the rest is chosen.
struct CameraWish {
  std::optional<Vec3> eye, target;
  std::optional<double> fov_degrees;
};

// Reads `eye=x,y,z:target=x,y,z:fov=degrees`, each part optional, in any order. Throws InputError
// at `--camera` with the column.
[[nodiscard]] CameraWish parse_camera(std::string_view text);

// Chooses what is left open: the field of view is that of Camera, the target the middle of `bounds`
// and the eye in front (-y), to the right and above, as near as shows all of `bounds` in a picture
// `aspect` times as wide as high. If neither eye nor target is wished, the box is centred too.
[[nodiscard]] Camera complete_camera(const CameraWish& wish, const Box3& bounds, double aspect);

// A three-quarter view of everything.
[[nodiscard]] Camera frame_camera(const Box3& bounds, double aspect);

// Orthonormal: right, up and forward (from the eye to the target). Throws InputError if the camera
// does not define a view: eye at the target, numbers that are not finite, fov out of range.
struct CameraAxes {
  Vec3 right, up, forward;
};
[[nodiscard]] CameraAxes camera_axes(const Camera& camera);

}  // namespace spindrift
