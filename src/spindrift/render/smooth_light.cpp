#include "spindrift/render/smooth_light.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"

namespace spindrift::render_detail {

namespace {

// Half the kernel: 5 taps in each direction.
constexpr std::array<float, 3> kSpline = {3.0f / 8, 1.0f / 4, 1.0f / 16};
// Differences of sun_visible that still count as noise, in standard deviations of the mean of
// yes-no samples.
constexpr float kNoise = 3;
// Squared slope between two pixels that still counts as the same surface.
constexpr float kSlope2 = 0.06f;

// One array a number, so that the loop over a row runs in vector registers.
struct Planes {
  std::array<std::vector<float>, 3> normal, point, sky;
  std::vector<float> sun;
  std::vector<int> item;

  explicit Planes(std::size_t size) : sun(size), item(size) {
    for (auto* planes : {&normal, &point, &sky}) {
      for (std::vector<float>& plane : *planes) plane.resize(size);
    }
  }
};

// Weighted sums over the taps of one row.
struct RowSums {
  std::array<std::vector<float>, 3> sky;
  std::vector<float> sun, weight;
};

// Adds one tap to a stretch of a row: pixel center + i looks at pixel other + i.
void add_tap(const Planes& p, std::int64_t center, std::int64_t other, std::int64_t first,
             std::int64_t count, float spline, float inverse_noise2, RowSums& sums) {
  const auto at = [](const std::vector<float>& plane, std::int64_t i) { return plane.data() + i; };
  const float *ax = at(p.normal[0], center), *ay = at(p.normal[1], center),
              *az = at(p.normal[2], center), *bx = at(p.normal[0], other),
              *by = at(p.normal[1], other), *bz = at(p.normal[2], other);
  const float *apx = at(p.point[0], center), *apy = at(p.point[1], center),
              *apz = at(p.point[2], center), *bpx = at(p.point[0], other),
              *bpy = at(p.point[1], other), *bpz = at(p.point[2], other);
  const float *sun_a = at(p.sun, center), *sun_b = at(p.sun, other);
  const float *red = at(p.sky[0], other), *green = at(p.sky[1], other), *blue = at(p.sky[2], other);
  const int *item_a = p.item.data() + center, *item_b = p.item.data() + other;
  float *sum_red = sums.sky[0].data() + first, *sum_green = sums.sky[1].data() + first,
        *sum_blue = sums.sky[2].data() + first, *sum_sun = sums.sun.data() + first,
        *sum_weight = sums.weight.data() + first;
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) {
    const float cosine = ax[i] * bx[i] + ay[i] * by[i] + az[i] * bz[i];
    const float ox = bpx[i] - apx[i], oy = bpy[i] - apy[i], oz = bpz[i] - apz[i];
    const float off_plane = ax[i] * ox + ay[i] * oy + az[i] * oz;
    const float slope2 = off_plane * off_plane / (ox * ox + oy * oy + oz * oz + 1e-12f);
    const float change = sun_a[i] - sun_b[i];
    const float c2 = cosine > 0 ? cosine * cosine : 0.0f, c4 = c2 * c2;
    const float unlike = 1 + slope2 / kSlope2 + change * change * inverse_noise2;
    const float alike = spline * c4 * c4 / (unlike * unlike);
    const float w = item_a[i] == item_b[i] ? alike : 0.0f;
    sum_red[i] += w * red[i];
    sum_green[i] += w * green[i];
    sum_blue[i] += w * blue[i];
    sum_sun[i] += w * sun_b[i];
    sum_weight[i] += w;
  }
}

void smooth_row(const Planes& from, Planes& to, int width, int height, std::int64_t y, int step,
                float inverse_noise2) {
  const std::int64_t row = y * width;
  const auto start = [&](const std::vector<float>& plane) {
    std::vector<float> sums(plane.begin() + row, plane.begin() + row + width);
    for (float& sum : sums) sum *= kSpline[0] * kSpline[0];
    return sums;
  };
  RowSums sums{{start(from.sky[0]), start(from.sky[1]), start(from.sky[2])},
               start(from.sun),
               std::vector<float>(static_cast<std::size_t>(width), kSpline[0] * kSpline[0])};
  for (int dy = -2; dy <= 2; ++dy) {
    const std::int64_t other_y = y + dy * step;
    if (other_y < 0 || other_y >= height) continue;
    for (int dx = -2; dx <= 2; ++dx) {
      if (dx == 0 && dy == 0) continue;
      const std::int64_t shift = dx * step;
      const std::int64_t begin = std::max<std::int64_t>(0, -shift);
      const std::int64_t end = std::min<std::int64_t>(width, width - shift);
      if (begin >= end) continue;
      add_tap(from, row + begin, other_y * width + begin + shift, begin, end - begin,
              kSpline[std::abs(dx)] * kSpline[std::abs(dy)], inverse_noise2, sums);
    }
  }
  for (int x = 0; x < width; ++x) {
    for (int k = 0; k < 3; ++k) to.sky[k][row + x] = sums.sky[k][x] / sums.weight[x];
    to.sun[row + x] = sums.sun[x] / sums.weight[x];
  }
}

}  // namespace

void smooth_light(std::vector<Pixel>& pixels, int width, int height, int samples, int passes) {
  SPINDRIFT_ASSERT(pixels.size() == static_cast<std::size_t>(width) * height);
  Planes from(pixels.size());
  parallel_for_each(std::ssize(pixels), [&](std::int64_t i) {
    const Pixel& pixel = pixels[i];
    for (int k = 0; k < 3; ++k) {
      from.normal[k][i] = pixel.normal[k];
      from.point[k][i] = pixel.point[k];
      from.sky[k][i] = pixel.sky_visible[k];
    }
    from.sun[i] = pixel.sun_visible;
    from.item[i] = pixel.item;
  });
  Planes to = from;
  float inverse_noise2 = 4 * static_cast<float>(samples) / (kNoise * kNoise);
  for (int pass = 0; pass < passes; ++pass) {
    parallel_for_each(
        height,
        [&](std::int64_t y) { smooth_row(from, to, width, height, y, 1 << pass, inverse_noise2); },
        8);
    std::swap(from.sky, to.sky);
    std::swap(from.sun, to.sun);
    inverse_noise2 *= 4;  // each pass leaves less noise to the next
  }
  parallel_for_each(std::ssize(pixels), [&](std::int64_t i) {
    pixels[i].sky_visible = Vec3f(from.sky[0][i], from.sky[1][i], from.sky[2][i]);
    pixels[i].sun_visible = from.sun[i];
  });
}

}  // namespace spindrift::render_detail
