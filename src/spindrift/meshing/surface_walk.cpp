#include "spindrift/meshing/surface_walk.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/meshing/field_gradients.hpp"

namespace spindrift {

namespace {

constexpr std::int64_t kChunk = 128;  // points: batches of 896 values
constexpr int kMaxSteps = 8;
// Three steps are enough on smooth surfaces, to round-off; then what fields in single precision can
// do is enough.
constexpr int kExactSteps = 4;
constexpr double kExact = 1e-10;    // cells
constexpr double kParallel = 1e-2;  // sine of the angle at which surfaces do not meet

// The shortest step that makes a linear field zero; none where its gradient vanishes.
std::optional<Vec3> shortest_step(const FieldSample& f) {
  const double square = f.gradient.squaredNorm();
  if (!(square > 0) || !std::isfinite(f.value)) return std::nullopt;
  return -f.value / square * f.gradient;
}

// The same for two fields at once; none where they are nearly parallel.
std::optional<Vec3> shortest_step(const FieldSample& f, const FieldSample& g) {
  const double ff = f.gradient.squaredNorm(), gg = g.gradient.squaredNorm();
  const double fg = f.gradient.dot(g.gradient);
  const double determinant = ff * gg - fg * fg;
  if (!(determinant > kParallel * kParallel * ff * gg)) return std::nullopt;
  const double along_f = (gg * f.value - fg * g.value) / determinant;
  const double along_g = (ff * g.value - fg * f.value) / determinant;
  return -along_f * f.gradient - along_g * g.gradient;
}

void walk_chunk(std::span<const ScalarField* const> fields, std::span<Walk> walks, double size,
                double limit) {
  std::vector<Walk*> going;
  for (Walk& walk : walks) going.push_back(&walk);
  std::vector<Vec3> points;
  std::array<std::vector<FieldSample>, 2> samples;
  for (int step = 0; step <= kMaxSteps && !going.empty(); ++step) {
    points.clear();
    for (const Walk* walk : going) points.push_back(walk->at);
    for (std::size_t f = 0; f < fields.size(); ++f) {
      samples[f].resize(points.size());
      sample_field(*fields[f], points, kDifferenceStep * size, samples[f]);
    }
    const double close_enough = step < kExactSteps ? kExact : 0.5 * kOnSurface;
    std::vector<Walk*> still_going;
    for (std::size_t i = 0; i < going.size(); ++i) {
      Walk& walk = *going[i];
      double off = 0;
      for (std::size_t f = 0; f < fields.size(); ++f) {
        off = std::max(off, std::abs(samples[f][i].value));
      }
      if (step == 0 && fields.size() == 2) {
        walk.cosine = samples[0][i].gradient.normalized().dot(samples[1][i].gradient.normalized());
      }
      walk.has_arrived = off <= close_enough * size;
      if (walk.has_arrived) continue;
      const std::optional<Vec3> change = fields.size() == 1
                                             ? shortest_step(samples[0][i])
                                             : shortest_step(samples[0][i], samples[1][i]);
      if (!change) continue;
      walk.at += *change;
      if ((walk.at - walk.from).norm() <= limit) still_going.push_back(&walk);
    }
    going = std::move(still_going);
  }
}

}  // namespace

std::vector<Walk> walk_onto(std::span<const ScalarField* const> fields,
                            std::span<const Vec3> points, double size, double limit) {
  SPINDRIFT_ASSERT(fields.size() == 1 || fields.size() == 2);
  std::vector<Walk> walks(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) walks[i] = {points[i], points[i]};
  parallel_for_chunks(std::ssize(walks), kChunk, [&](std::int64_t begin, std::int64_t end) {
    walk_chunk(fields,
               std::span(walks).subspan(static_cast<std::size_t>(begin),
                                        static_cast<std::size_t>(end - begin)),
               size, limit);
  });
  return walks;
}

}  // namespace spindrift
