// Takes the noise of few samples out of a picture without touching edges, facets or colours.
#pragma once

#include <vector>

#include "spindrift/render/integrator.hpp"

namespace spindrift::render_detail {

// Smooths sun_visible and sky_visible over pixels of the same item, similar normal and similar
// plane: a few passes of a 5x5 B-spline whose taps move apart [Dammertz et al. 2010, Edge-Avoiding
// À-Trous Wavelet Transform]. `samples` a pixel tells how much noise to expect: with many, only
// small differences are smoothed.
void smooth_light(std::vector<Pixel>& pixels, int width, int height, int samples, int passes);

}  // namespace spindrift::render_detail
