// Linear systems for the pressure, and what follows from their solution.
#pragma once

#include <memory>

#include "spindrift/flow/components.hpp"
#include "spindrift/flow/projection.hpp"
#include "spindrift/linear/csr_matrix.hpp"

namespace spindrift {

// All that a projection works on.
struct ProjectionProblem {
  const CellMesh& mesh;
  const FlowComponents& bodies;
  const ProjectionInput& input;
  double factor;                       // dt / density
  std::span<const double> divergence;  // asked for, and possible, 1/s
  // Before pressure; systems add gravity to them. Those of faces: of two_point alone.
  std::span<double> normal_velocity;
  std::span<Vec3> cell_velocity;
};

// A pressure system A x = b.
class PressureSystem {
 public:
  virtual ~PressureSystem() = default;
  [[nodiscard]] const CsrMatrix& matrix() const { return matrix_; }
  [[nodiscard]] const Buffer<double>& right_side() const { return right_side_; }
  [[nodiscard]] const Buffer<std::uint64_t>& keys() const { return keys_; }

  // The row of the pressure on a face; -1 if it has none.
  [[nodiscard]] virtual std::int32_t row_of_face(std::int64_t face) const = 0;

  // In enclosed bodies the pressure is known up to a number: takes out of b what no pressure makes,
  // which is rounding, and that number out of x.
  void balance_right_side(const FlowComponents& bodies);
  void balance_pressure(const FlowComponents& bodies, std::span<double> x) const;

  // The pressure in a cell, and the velocity through a face of the boundary, from x.
  [[nodiscard]] virtual double pressure_in(std::int64_t cell, std::span<const double> x) const = 0;
  [[nodiscard]] virtual double velocity_through(std::int64_t face,
                                                std::span<const double> x) const = 0;

  // Velocities, and the pressure in cells if it is asked for, from x.
  virtual void apply(std::span<const double> x, std::span<double> normal_velocity,
                     std::span<Vec3> cell_velocity, std::span<double> pressure) const = 0;

 protected:
  CsrMatrix matrix_;
  Buffer<double> right_side_;
  Buffer<std::uint64_t> keys_;
  Buffer<std::int32_t> body_of_row_;
};

[[nodiscard]] std::unique_ptr<PressureSystem> two_point_system(const ProjectionProblem& problem);
[[nodiscard]] std::unique_ptr<PressureSystem> consistent_system(const ProjectionProblem& problem);

// A system with all that it refers to but the mesh and the input.
class AssembledPressure {
 public:
  // Velocities are copied: those of the caller stay. Throws InputError where the method is not
  // defined.
  AssembledPressure(const CellMesh& mesh, const ProjectionInput& input,
                    const ProjectionParams& params, std::span<const double> normal_velocity,
                    std::span<const Vec3> cell_velocity);
  AssembledPressure(const AssembledPressure&) = delete;
  AssembledPressure& operator=(const AssembledPressure&) = delete;

  [[nodiscard]] const PressureSystem& system() const { return *system_; }
  [[nodiscard]] const FlowComponents& bodies() const { return bodies_; }
  [[nodiscard]] double greatest_mismatch() const { return greatest_mismatch_; }
  [[nodiscard]] std::int64_t enclosed_bodies() const { return enclosed_bodies_; }

  // The velocities that follow from x, and the pressure in cells if it is asked for. Returns the
  // greatest difference of a divergence from what was asked for, 1/s; NaN if one is.
  double apply(std::span<double> x, std::span<double> normal_velocity,
               std::span<Vec3> cell_velocity, std::span<double> pressure) const;

 private:
  void set_divergence(const ProjectionInput& input);

  const CellMesh& mesh_;
  FlowComponents bodies_;
  Buffer<double> divergence_;
  Buffer<double> normal_velocity_;
  Buffer<Vec3> cell_velocity_;
  std::unique_ptr<PressureSystem> system_;
  double greatest_mismatch_ = 0;
  std::int64_t enclosed_bodies_ = 0;
};

}  // namespace spindrift
