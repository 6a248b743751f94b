// Rays against signed distance: steps as long as the distance allows.
#pragma once

#include <optional>

#include "spindrift/geometry/shape.hpp"

namespace spindrift::render_detail {

// Distance at which a ray counts as having arrived, as a part of the local unit.
inline constexpr double kArrival = 1e-5;

// A part of a ray.
struct Span {
  double begin, end;
};

struct Arrival {
  double t;
  bool from_inside;  // the ray began inside the shape: this is where it leaves
};

// The first place in `span` at which the ray comes within kArrival * unit of the surface, or
// nothing. `direction` has length 1; `unit` is the size of the scene in m.
[[nodiscard]] std::optional<Arrival> sphere_trace(const Shape& shape, const Vec3& origin,
                                                  const Vec3& direction, const Span& span,
                                                  double unit);

// The part of the ray inside the box, from t = 0 on.
[[nodiscard]] std::optional<Span> clip_ray(const Box3& box, const Vec3& origin,
                                           const Vec3& direction);

}  // namespace spindrift::render_detail
