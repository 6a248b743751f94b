#include "spindrift/flow/operators.hpp"

#include <algorithm>
#include <cmath>

#include "spindrift/core/parallel.hpp"

namespace spindrift {

Buffer<double> dual_lengths(const CellMesh& mesh) {
  Buffer<double> lengths(static_cast<std::size_t>(mesh.face_count()));
  parallel_for_each(mesh.face_count(), [&](std::int64_t face) {
    const auto f = static_cast<std::size_t>(face);
    const auto [first, second] = mesh.face_cells[f];
    const Vec3& to =
        second < 0 ? mesh.face_centers[f] : mesh.centers[static_cast<std::size_t>(second)];
    const Vec3 way = to - mesh.centers[static_cast<std::size_t>(first)];
    lengths[f] = way.dot(mesh.area_vectors[f]) / mesh.area_vectors[f].norm();
  });
  return lengths;
}

double divergence(const CellMesh& mesh, std::span<const double> normal_velocity,
                  std::int64_t cell) {
  double sum = 0;
  for (const std::int32_t face : mesh.faces_of(cell)) {
    const auto f = static_cast<std::size_t>(face);
    sum += mesh.sign(face, cell) * mesh.area_vectors[f].norm() * normal_velocity[f];
  }
  return sum;
}

void divergence(const CellMesh& mesh, std::span<const double> normal_velocity,
                std::span<double> result) {
  parallel_for_each(mesh.cell_count(), [&](std::int64_t cell) {
    result[static_cast<std::size_t>(cell)] = divergence(mesh, normal_velocity, cell);
  });
}

void gradient(const CellMesh& mesh, std::span<const double> pressure,
              std::span<const double> on_boundary, std::span<double> result) {
  const Buffer<double> lengths = dual_lengths(mesh);
  parallel_for_each(mesh.face_count(), [&](std::int64_t face) {
    const auto f = static_cast<std::size_t>(face);
    const auto [first, second] = mesh.face_cells[f];
    const double here = pressure[static_cast<std::size_t>(first)];
    if (second >= 0) {
      result[f] = (pressure[static_cast<std::size_t>(second)] - here) / lengths[f];
    } else {
      result[f] = has_pressure(mesh.tags[f]) ? (on_boundary[f] - here) / lengths[f] : 0;
    }
  });
}

void cell_velocities(const CellMesh& mesh, std::span<const double> normal_velocity,
                     std::span<Vec3> result) {
  parallel_for_each(mesh.cell_count(), [&](std::int64_t cell) {
    const auto c = static_cast<std::size_t>(cell);
    Vec3 sum = Vec3::Zero();
    for (const std::int32_t face : mesh.faces_of(cell)) {
      const auto f = static_cast<std::size_t>(face);
      const double flux = mesh.sign(face, cell) * mesh.area_vectors[f].norm() * normal_velocity[f];
      sum += flux * (mesh.face_centers[f] - mesh.centers[c]);
    }
    result[c] = sum / mesh.volumes[c];
  });
}

void face_velocities(const CellMesh& mesh, std::span<const Vec3> cell_velocity,
                     std::span<double> result) {
  parallel_for_each(mesh.face_count(), [&](std::int64_t face) {
    const auto f = static_cast<std::size_t>(face);
    const auto [first, second] = mesh.face_cells[f];
    Vec3 velocity = cell_velocity[static_cast<std::size_t>(first)];
    if (second >= 0) {
      const double v1 = mesh.volumes[static_cast<std::size_t>(first)];
      const double v2 = mesh.volumes[static_cast<std::size_t>(second)];
      velocity = (v1 * velocity + v2 * cell_velocity[static_cast<std::size_t>(second)]) / (v1 + v2);
    }
    result[f] = velocity.dot(mesh.area_vectors[f].normalized());
  });
}

double greatest_speed(std::span<const Vec3> velocities) {
  return std::sqrt(parallel_reduce_chunks(
      std::ssize(velocities), 1 << 14, 0.0,
      [&](std::int64_t begin, std::int64_t end) {
        double greatest = 0;
        for (std::int64_t i = begin; i < end; ++i) {
          greatest = std::max(greatest, velocities[static_cast<std::size_t>(i)].squaredNorm());
        }
        return greatest;
      },
      [](double a, double b) { return std::max(a, b); }));
}

}  // namespace spindrift
