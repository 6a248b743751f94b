#include "spindrift/geometry/fields.hpp"

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"

namespace spindrift {

namespace {

// Large enough to amortise dispatch and let walks follow each other, small enough for the cache.
constexpr std::int64_t kBatch = 1024;

template <class Field, class Value>
void evaluate_chunks(const Field& field, std::span<const Vec3> points, std::span<Value> values) {
  SPINDRIFT_ASSERT(points.size() == values.size());
  parallel_for_chunks(std::ssize(points), kBatch, [&](std::int64_t begin, std::int64_t end) {
    const std::size_t count = end - begin;
    field.evaluate(points.subspan(begin, count), values.subspan(begin, count));
  });
}

void trace_batch(const VelocityField& field, double dt, PathScheme scheme, std::span<Vec3> x) {
  const std::size_t n = x.size();
  std::vector<Vec3> k1(n);
  field.evaluate(x, k1);
  if (scheme == PathScheme::euler) {
    for (std::size_t i = 0; i < n; ++i) x[i] += dt * k1[i];
    return;
  }
  std::vector<Vec3> stage(n), k2(n);
  for (std::size_t i = 0; i < n; ++i) stage[i] = x[i] + 0.5 * dt * k1[i];
  field.evaluate(stage, k2);
  if (scheme == PathScheme::midpoint) {
    for (std::size_t i = 0; i < n; ++i) x[i] += dt * k2[i];
    return;
  }
  std::vector<Vec3> k3(n), k4(n);
  for (std::size_t i = 0; i < n; ++i) stage[i] = x[i] + 0.5 * dt * k2[i];
  field.evaluate(stage, k3);
  for (std::size_t i = 0; i < n; ++i) stage[i] = x[i] + dt * k3[i];
  field.evaluate(stage, k4);
  for (std::size_t i = 0; i < n; ++i) x[i] += dt / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
}

}  // namespace

void evaluate_parallel(const ScalarField& field, std::span<const Vec3> points,
                       std::span<double> values) {
  evaluate_chunks(field, points, values);
}

void evaluate_parallel(const VelocityField& field, std::span<const Vec3> points,
                       std::span<Vec3> velocities) {
  evaluate_chunks(field, points, velocities);
}

void trace_paths(const VelocityField& field, double dt, PathScheme scheme, std::span<Vec3> points) {
  parallel_for_chunks(std::ssize(points), kBatch, [&](std::int64_t begin, std::int64_t end) {
    trace_batch(field, dt, scheme, points.subspan(begin, end - begin));
  });
}

}  // namespace spindrift
