// Thin lines over a picture, such as the edges of the domain, hidden by what is in front of them.
#pragma once

#include <vector>

#include "spindrift/render/integrator.hpp"

namespace spindrift::render_detail {

// Adds the edges of the box (local frame) to the pixels' light, faintly where they are hidden.
void draw_box(const Box3& box, const View& view, const Vec3f& color, std::vector<Pixel>& pixels);

}  // namespace spindrift::render_detail
