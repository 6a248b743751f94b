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
using Row = Eigen::ArrayXf;

// One array a number: Eigen then works on whole stretches of a row in vector registers.
struct Planes {
  std::array<Row, 3> normal, point, sky;
  Row sun, item;

  explicit Planes(Eigen::Index size) : sun(size), item(size) {
    for (auto* planes : {&normal, &point, &sky}) {
      for (Row& plane : *planes) plane.resize(size);
    }
  }
};

// Weighted sums over the taps of one row, and room for what a tap computes.
struct RowSums {
  std::array<Row, 3> sky;
  Row sun, weight;
  Row cosine, distance2, off_plane, unlike, tap;
};

// Adds one tap to `count` pixels of a row from `first` on: pixel center + i looks at other + i.
void add_tap(const Planes& p, Eigen::Index center, Eigen::Index other, Eigen::Index first,
             Eigen::Index count, float spline, float inverse_noise2, RowSums& sums) {
  const auto a = [&](const Row& plane) { return plane.segment(center, count); };
  const auto b = [&](const Row& plane) { return plane.segment(other, count); };
  sums.cosine = a(p.normal[0]) * b(p.normal[0]) + a(p.normal[1]) * b(p.normal[1]) +
                a(p.normal[2]) * b(p.normal[2]);
  sums.distance2 = (b(p.point[0]) - a(p.point[0])).square() +
                   (b(p.point[1]) - a(p.point[1])).square() +
                   (b(p.point[2]) - a(p.point[2])).square() + 1e-12f;
  sums.off_plane = a(p.normal[0]) * (b(p.point[0]) - a(p.point[0])) +
                   a(p.normal[1]) * (b(p.point[1]) - a(p.point[1])) +
                   a(p.normal[2]) * (b(p.point[2]) - a(p.point[2]));
  sums.unlike = 1 + sums.off_plane.square() / (kSlope2 * sums.distance2) +
                (a(p.sun) - b(p.sun)).square() * inverse_noise2;
  const auto same_item = 1 - (a(p.item) - b(p.item)).abs().min(1.0f);
  sums.tap =
      spline * same_item * sums.cosine.max(0.0f).square().square().square() / sums.unlike.square();
  for (int k = 0; k < 3; ++k) sums.sky[k].segment(first, count) += sums.tap * b(p.sky[k]);
  sums.sun.segment(first, count) += sums.tap * b(p.sun);
  sums.weight.segment(first, count) += sums.tap;
}

void smooth_row(const Planes& from, Planes& to, int width, int height, Eigen::Index y, int step,
                float inverse_noise2) {
  constexpr float kMiddle = kSpline[0] * kSpline[0];
  const Eigen::Index row = y * width;
  RowSums sums;
  for (int k = 0; k < 3; ++k) sums.sky[k] = kMiddle * from.sky[k].segment(row, width);
  sums.sun = kMiddle * from.sun.segment(row, width);
  sums.weight.setConstant(width, kMiddle);
  for (int dy = -2; dy <= 2; ++dy) {
    const Eigen::Index other_y = y + dy * step;
    if (other_y < 0 || other_y >= height) continue;
    for (int dx = -2; dx <= 2; ++dx) {
      if (dx == 0 && dy == 0) continue;
      const Eigen::Index shift = dx * step;
      const Eigen::Index begin = std::max<Eigen::Index>(0, -shift);
      const Eigen::Index end = std::min<Eigen::Index>(width, width - shift);
      if (begin >= end) continue;
      add_tap(from, row + begin, other_y * width + begin + shift, begin, end - begin,
              kSpline[std::abs(dx)] * kSpline[std::abs(dy)], inverse_noise2, sums);
    }
  }
  for (int k = 0; k < 3; ++k) to.sky[k].segment(row, width) = sums.sky[k] / sums.weight;
  to.sun.segment(row, width) = sums.sun / sums.weight;
}

}  // namespace

void smooth_light(std::vector<Pixel>& pixels, int width, int height, int samples, int passes) {
  SPINDRIFT_ASSERT(pixels.size() == static_cast<std::size_t>(width) * height);
  Planes from(std::ssize(pixels));
  parallel_for_each(std::ssize(pixels), [&](std::int64_t i) {
    const Pixel& pixel = pixels[i];
    for (int k = 0; k < 3; ++k) {
      from.normal[k][i] = pixel.normal[k];
      from.point[k][i] = pixel.point[k];
      from.sky[k][i] = pixel.sky_visible[k];
    }
    from.sun[i] = pixel.sun_visible;
    from.item[i] = static_cast<float>(pixel.item);
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
