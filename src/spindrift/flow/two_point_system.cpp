#include <algorithm>
#include <vector>

#include "spindrift/core/parallel.hpp"
#include "spindrift/flow/aggregate_keys.hpp"
#include "spindrift/flow/operators.hpp"
#include "spindrift/flow/pressure_system.hpp"

namespace spindrift {
namespace {

// Cells in a cube of the multigrid's first level: the fastest on graded balls and dam breaks.
constexpr double kCellsTogether = 24;

// For every cell, with s and normals outwards and p' = p - rho g . (x - x_0) where gravity is a
// potential:
//
//   sum_inside w (p'_c - p'_n) + sum_air w p'_c =
//       -(1/k) (sum_inside,air s A z* + sum_solid s A z_solid) + sum_air w p'_f + (1/k) q V
//
// with k = dt / rho and w = A / d.
class TwoPointSystem final : public PressureSystem {
 public:
  explicit TwoPointSystem(const ProjectionProblem& problem)
      : problem_(problem), lengths_(dual_lengths(problem.mesh)) {
    const CellMesh& mesh = problem.mesh;
    set_origins();
    parallel_for_each(mesh.face_count(), [&](std::int64_t face) { start_face(face); });
    const auto cells = static_cast<std::size_t>(mesh.cell_count());
    matrix_.starts.resize(cells + 1);
    matrix_.starts[0] = 0;
    for (std::size_t c = 0; c < cells; ++c) {
      std::int64_t entries = 1;
      for (const std::int32_t face : mesh.faces_of(static_cast<std::int64_t>(c))) {
        entries += mesh.face_cells[static_cast<std::size_t>(face)][1] >= 0;
      }
      matrix_.starts[c + 1] = matrix_.starts[c] + entries;
    }
    matrix_.columns.resize(static_cast<std::size_t>(matrix_.starts.back()));
    matrix_.values.resize(matrix_.columns.size());
    right_side_.resize(cells);
    parallel_for_each(mesh.cell_count(), [&](std::int64_t cell) { set_row(cell); });
    body_of_row_ = problem.bodies.of_cell;
    keys_ = aggregate_keys(mesh.centers, aggregate_side(mesh.volumes, kCellsTogether));
  }

  [[nodiscard]] std::int32_t row_of_face(std::int64_t) const override { return -1; }

  [[nodiscard]] double pressure_in(std::int64_t cell, std::span<const double> x) const override {
    const auto c = static_cast<std::size_t>(cell);
    return x[c] + potential(static_cast<std::int32_t>(cell), problem_.mesh.centers[c]);
  }

  [[nodiscard]] double velocity_through(std::int64_t face,
                                        std::span<const double> x) const override {
    const CellMesh& mesh = problem_.mesh;
    const auto f = static_cast<std::size_t>(face);
    const auto [first, second] = mesh.face_cells[f];
    const double here = x[static_cast<std::size_t>(first)];
    double there = here;
    if (second >= 0) {
      there = x[static_cast<std::size_t>(second)];
    } else if (has_pressure(mesh.tags[f])) {
      there = boundary_value(f);
    }
    return problem_.normal_velocity[f] - problem_.factor * (there - here) / lengths_[f];
  }

  void apply(std::span<const double> x, std::span<double> normal_velocity,
             std::span<Vec3> cell_velocity, std::span<double> pressure) const override {
    const CellMesh& mesh = problem_.mesh;
    parallel_for_each(mesh.face_count(), [&](std::int64_t face) {
      normal_velocity[static_cast<std::size_t>(face)] = velocity_through(face, x);
    });
    cell_velocities(mesh, normal_velocity, cell_velocity);
    if (pressure.empty()) return;
    parallel_for_each(mesh.cell_count(), [&](std::int64_t cell) {
      pressure[static_cast<std::size_t>(cell)] = pressure_in(cell, x);
    });
  }

 private:
  // Where each body's potential is zero: at the middle of the faces where pressure acts, so that a
  // pool at rest needs no pressure wherever it is; at the middle of the cells of enclosed bodies.
  void set_origins() {
    const CellMesh& mesh = problem_.mesh;
    origins_.assign(problem_.bodies.components.size(), Vec3::Zero());
    std::vector<double> weights(origins_.size(), 0.0);
    const auto add = [&](std::int32_t cell, double weight, const Vec3& x) {
      const auto body =
          static_cast<std::size_t>(problem_.bodies.of_cell[static_cast<std::size_t>(cell)]);
      origins_[body] += weight * x;
      weights[body] += weight;
    };
    for (std::size_t f = 0; f < mesh.tags.size(); ++f) {
      const auto [first, second] = mesh.face_cells[f];
      if (second >= 0 || !has_pressure(mesh.tags[f])) continue;
      add(first, mesh.area_vectors[f].norm(), mesh.face_centers[f]);
    }
    for (std::size_t c = 0; c < mesh.centers.size(); ++c) {
      const auto cell = static_cast<std::int32_t>(c);
      const auto body = static_cast<std::size_t>(problem_.bodies.of_cell[c]);
      if (!problem_.bodies.components[body].has_pressure) add(cell, 1, mesh.centers[c]);
    }
    for (std::size_t body = 0; body < origins_.size(); ++body) origins_[body] /= weights[body];
  }

  // Gravity as a potential: rho g . (x - origin) on bodies that touch solids.
  [[nodiscard]] bool is_potential(std::int32_t cell) const {
    const std::int32_t body = problem_.bodies.of_cell[static_cast<std::size_t>(cell)];
    return problem_.bodies.components[static_cast<std::size_t>(body)].touches_solid;
  }
  [[nodiscard]] double potential(std::int32_t cell, const Vec3& x) const {
    if (!is_potential(cell)) return 0;
    const auto body =
        static_cast<std::size_t>(problem_.bodies.of_cell[static_cast<std::size_t>(cell)]);
    return problem_.input.gravity.dot(x - origins_[body]) * problem_.input.dt / problem_.factor;
  }
  [[nodiscard]] double boundary_value(std::size_t f) const {
    const auto& given = problem_.input.boundary_pressure;
    const double pressure = given.empty() ? 0 : given[f];
    return pressure - potential(problem_.mesh.face_cells[f][0], problem_.mesh.face_centers[f]);
  }

  // The velocity before pressure.
  void start_face(std::int64_t face) const {
    const CellMesh& mesh = problem_.mesh;
    const auto f = static_cast<std::size_t>(face);
    double& z = problem_.normal_velocity[f];
    const auto [first, second] = mesh.face_cells[f];
    if (second < 0 && !has_pressure(mesh.tags[f])) {
      z = problem_.input.solid_velocity.empty() ? 0 : problem_.input.solid_velocity[f];
    } else if (!is_potential(first)) {
      z += problem_.input.dt * problem_.input.gravity.dot(mesh.area_vectors[f].normalized());
    }
  }

  void set_row(std::int64_t cell) {
    const CellMesh& mesh = problem_.mesh;
    const auto c = static_cast<std::size_t>(cell);
    double diagonal = 0;
    double right = problem_.divergence[c] * mesh.volumes[c] / problem_.factor;
    auto next = static_cast<std::size_t>(matrix_.starts[c]);
    const auto put = [&](std::int64_t column, double value) {
      // In ascending columns.
      std::size_t at = next++;
      for (; at > static_cast<std::size_t>(matrix_.starts[c]) && matrix_.columns[at - 1] > column;
           --at) {
        matrix_.columns[at] = matrix_.columns[at - 1];
        matrix_.values[at] = matrix_.values[at - 1];
      }
      matrix_.columns[at] = static_cast<std::int32_t>(column);
      matrix_.values[at] = value;
    };
    for (const std::int32_t face : mesh.faces_of(cell)) {
      const auto f = static_cast<std::size_t>(face);
      const double area = mesh.area_vectors[f].norm();
      right -= mesh.sign(face, cell) * area * problem_.normal_velocity[f] / problem_.factor;
      const auto [first, second] = mesh.face_cells[f];
      const double weight = area / lengths_[f];
      if (second >= 0) {
        put(first == cell ? second : first, -weight);
        diagonal += weight;
      } else if (has_pressure(mesh.tags[f])) {
        diagonal += weight;
        right += weight * boundary_value(f);
      }
    }
    put(cell, diagonal);
    right_side_[c] = right;
  }

  const ProjectionProblem problem_;
  Buffer<double> lengths_;
  std::vector<Vec3> origins_;  // of the bodies, m
};

}  // namespace

std::unique_ptr<PressureSystem> two_point_system(const ProjectionProblem& problem) {
  return std::make_unique<TwoPointSystem>(problem);
}

}  // namespace spindrift
