// The height of a liquid's surface above a place, as a gauge reads it.
#pragma once

#include "spindrift/geometry/fields.hpp"

namespace spindrift {

// z of the highest liquid above or below `at`, m; that of the bottom of the box where there is
// none. `step`: m between looks; thinner liquid may be overlooked.
[[nodiscard]] double surface_height(const ScalarField& liquid, const ScalarField& solids,
                                    const Box3& box, const Vec3& at, double step);

}  // namespace spindrift
