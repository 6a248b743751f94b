#include "spindrift/geometry/thickness.hpp"

#include <algorithm>
#include <cmath>

#include "spindrift/core/parallel.hpp"

namespace spindrift {

namespace {

// Radical inverse: Halton's sequence fills a box evenly with any number of points.
double radical_inverse(int index, int base) {
  double result = 0, digit_value = 1.0 / base;
  for (; index > 0; index /= base, digit_value /= base) result += digit_value * (index % base);
  return result;
}

struct Sample {
  bool on_surface = false;
  double thickness = 0;  // at most the limit
  Vec3 place = Vec3::Zero();
};

// Pulls a point onto the surface and shoots a ray inwards from there.
Sample probe(const Shape& shape, const Box3& region, Vec3 x, double limit) {
  const double step = 1e-3 * limit;
  for (int iteration = 0; iteration < 12; ++iteration) {
    const double distance = shape.distance(x);
    if (std::abs(distance) < step) break;
    x -= distance * outward_normal(shape, x, step);
  }
  Sample sample;
  if (!(std::abs(shape.distance(x)) < 2 * step) || !region.contains(x)) return sample;
  sample.place = x;
  // Where distances are lower bounds the surface may still be some way off: first go in, then out.
  const Vec3 inwards = -outward_normal(shape, x, step);
  const auto advance = [&](double depth, bool while_inside) {
    while (depth < 2 * limit) {
      const double distance = shape.distance(x + depth * inwards);
      if ((distance < 0) != while_inside) break;
      depth += std::max(step, std::abs(distance));
    }
    return depth;
  };
  const double entry = advance(-2 * step, false);
  sample.on_surface = entry < limit;
  sample.thickness = std::min(advance(entry, true) - entry, limit);
  return sample;
}

}  // namespace

ThicknessReport measure_thickness(const Shape& shape, const Box3& region,
                                  const ThicknessParams& params) {
  const Box3 box = shape.bounds().intersection(region);
  ThicknessReport report;
  if (box.isEmpty()) return report;
  // Starting a little outside reaches the surfaces that lie on the box.
  const Vec3 margin = Vec3::Constant(params.limit);
  const Vec3 low = box.min() - margin, size = box.sizes() + 2 * margin;
  std::vector<Sample> samples(params.samples);
  parallel_for_each(
      params.samples,
      [&](std::int64_t i) {
        const int index = static_cast<int>(i) + 1;
        const Vec3 t(radical_inverse(index, 2), radical_inverse(index, 3),
                     radical_inverse(index, 5));
        samples[i] = probe(shape, box, low + t.cwiseProduct(size), params.limit);
      },
      64);
  report.thinnest = params.limit;
  for (const Sample& sample : samples) {
    if (!sample.on_surface) continue;
    ++report.samples;
    if (sample.thickness >= params.limit) continue;
    ++report.thin_samples;
    if (sample.thickness < report.thinnest) {
      report.thinnest = sample.thickness;
      report.place = sample.place;
    }
  }
  return report;
}

}  // namespace spindrift
