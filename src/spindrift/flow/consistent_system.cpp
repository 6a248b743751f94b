#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <Eigen/Dense>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/flow/aggregate_keys.hpp"
#include "spindrift/flow/operators.hpp"
#include "spindrift/flow/pressure_system.hpp"

namespace spindrift {
namespace {

// Faces in a cube of the multigrid's first level, counted as half a cell each.
constexpr double kFacesTogether = 16;

// Squared cosines no greater than this are rounding.
constexpr double kRightAngle = 1e-24;

// Of two of four faces, in products_.
constexpr std::size_t kPair[4][4] = {{0, 0, 1, 2}, {0, 0, 3, 4}, {1, 3, 0, 5}, {2, 4, 5, 0}};

// For every face f without a given pressure, summed over its cells, with a_i the area vectors of a
// cell's faces, outwards:
//
//   sum_cells sum_i (a_f . a_i / V + S_fi) p_i = (1/k) (sum_cells (a_f . u* + q a_f . (x_f - b) /
//   3) - s A z_solid)
//
// which says that the velocities u* - k grad p + q (x - b) / 3 of its cells agree on f.
class ConsistentSystem final : public PressureSystem {
 public:
  explicit ConsistentSystem(const ProjectionProblem& problem) : problem_(problem) {
    number_faces();
    add_gravity();
    set_products();
    set_matrix();
    std::vector<Vec3> centers(static_cast<std::size_t>(matrix_.rows()));
    body_of_row_.resize(centers.size());
    parallel_for_each(problem.mesh.face_count(), [&](std::int64_t face) {
      const auto f = static_cast<std::size_t>(face);
      if (unknown_[f] < 0) return;
      const auto row = static_cast<std::size_t>(unknown_[f]);
      centers[row] = problem.mesh.face_centers[f];
      body_of_row_[row] =
          problem.bodies.of_cell[static_cast<std::size_t>(problem.mesh.face_cells[f][0])];
    });
    keys_ = aggregate_keys(centers, aggregate_side(problem.mesh.volumes, kFacesTogether / 2));
  }

  [[nodiscard]] std::int32_t row_of_face(std::int64_t face) const override {
    return unknown_[static_cast<std::size_t>(face)];
  }

  [[nodiscard]] double pressure_in(std::int64_t cell, std::span<const double> x) const override {
    double sum = 0;
    for (const std::int32_t face : problem_.mesh.faces_of(cell)) sum += pressure_on(face, x);
    return sum / static_cast<double>(problem_.mesh.faces_of(cell).size());
  }

  [[nodiscard]] double velocity_through(std::int64_t face,
                                        std::span<const double> x) const override {
    const auto f = static_cast<std::size_t>(face);
    if (!has_pressure(problem_.mesh.tags[f])) return solid_velocity(f);
    const std::int32_t cell = problem_.mesh.face_cells[f][0];
    return flux(face, cell, velocity_in(cell, x), x) / problem_.mesh.area_vectors[f].norm();
  }

  void apply(std::span<const double> x, std::span<double> normal_velocity,
             std::span<Vec3> cell_velocity, std::span<double> pressure) const override {
    const CellMesh& mesh = problem_.mesh;
    parallel_for_each(mesh.cell_count(), [&](std::int64_t cell) {
      const auto c = static_cast<std::size_t>(cell);
      cell_velocity[c] = velocity_in(cell, x);
      if (!pressure.empty()) pressure[c] = pressure_in(cell, x);
    });
    parallel_for_each(mesh.face_count(), [&](std::int64_t face) {
      const auto f = static_cast<std::size_t>(face);
      const auto [first, second] = mesh.face_cells[f];
      if (second < 0) {
        normal_velocity[f] = velocity_through(face, x);
        return;
      }
      const auto side = [&](std::int32_t cell) {
        return flux(face, cell, cell_velocity[static_cast<std::size_t>(cell)], x);
      };
      // The same on both sides, to the solver's tolerance.
      normal_velocity[f] = (side(first) + side(second)) / 2 / mesh.area_vectors[f].norm();
    });
  }

 private:
  [[nodiscard]] Vec3 outward(std::int32_t face, std::int64_t cell) const {
    return problem_.mesh.sign(face, cell) *
           problem_.mesh.area_vectors[static_cast<std::size_t>(face)];
  }
  [[nodiscard]] double given(std::size_t f) const {
    return problem_.input.boundary_pressure.empty() ? 0 : problem_.input.boundary_pressure[f];
  }
  [[nodiscard]] double solid_velocity(std::size_t f) const {
    return problem_.input.solid_velocity.empty() ? 0 : problem_.input.solid_velocity[f];
  }
  [[nodiscard]] double pressure_on(std::int32_t face, std::span<const double> x) const {
    const std::int32_t i = unknown_[static_cast<std::size_t>(face)];
    return i >= 0 ? x[static_cast<std::size_t>(i)] : given(static_cast<std::size_t>(face));
  }
  // The mean in a cell.
  [[nodiscard]] Vec3 velocity_in(std::int64_t cell, std::span<const double> x) const {
    const auto c = static_cast<std::size_t>(cell);
    Vec3 slope = Vec3::Zero();
    for (const std::int32_t face : problem_.mesh.faces_of(cell)) {
      slope += pressure_on(face, x) * outward(face, cell);
    }
    return problem_.cell_velocity[c] - problem_.factor / problem_.mesh.volumes[c] * slope;
  }
  [[nodiscard]] Vec3 velocity_at(const Vec3& mean, std::int32_t cell, const Vec3& x) const {
    const auto c = static_cast<std::size_t>(cell);
    return mean + problem_.divergence[c] / 3 * (x - problem_.mesh.centers[c]);
  }
  // Along a face's area vector, of the velocity on one side of it.
  [[nodiscard]] double flux(std::int64_t face, std::int32_t cell, const Vec3& mean,
                            std::span<const double> x) const {
    const CellMesh& mesh = problem_.mesh;
    const auto f = static_cast<std::size_t>(face);
    const double flow = mesh.area_vectors[f].dot(velocity_at(mean, cell, mesh.face_centers[f]));
    if (mesh.faces_of(cell).size() == 4) return flow;
    // The term against oscillations lets something through, too.
    const auto row = static_cast<std::int32_t>(face);
    const Vec3 own = outward(row, cell);
    double extra = 0;
    for_each_entry(row, cell, [&](std::int32_t other, double entry) {
      const double linear =
          own.dot(outward(other, cell)) / mesh.volumes[static_cast<std::size_t>(cell)];
      extra += (entry - linear) * pressure_on(other, x);
    });
    return flow - mesh.sign(row, cell) * problem_.factor * extra;
  }

  void number_faces() {
    const CellMesh& mesh = problem_.mesh;
    unknown_.resize(static_cast<std::size_t>(mesh.face_count()));
    const auto is_given = [&](std::size_t f) {
      return mesh.face_cells[f][1] < 0 && has_pressure(mesh.tags[f]);
    };
    constexpr std::int64_t kFacesAtOnce = 1 << 14;
    std::vector<std::int32_t> before(
        static_cast<std::size_t>(chunk_count(mesh.face_count(), kFacesAtOnce)));
    parallel_for_chunks(mesh.face_count(), kFacesAtOnce, [&](std::int64_t begin, std::int64_t end) {
      std::int32_t own = 0;
      for (std::int64_t f = begin; f < end; ++f) own += !is_given(static_cast<std::size_t>(f));
      before[static_cast<std::size_t>(begin / kFacesAtOnce)] = own;
    });
    std::int32_t unknowns = 0;
    for (std::int32_t& own : before) unknowns += std::exchange(own, unknowns);
    parallel_for_chunks(mesh.face_count(), kFacesAtOnce, [&](std::int64_t begin, std::int64_t end) {
      std::int32_t next = before[static_cast<std::size_t>(begin / kFacesAtOnce)];
      for (auto f = static_cast<std::size_t>(begin); f < static_cast<std::size_t>(end); ++f) {
        unknown_[f] = is_given(f) ? -1 : next++;
      }
    });
    matrix_.starts.resize(static_cast<std::size_t>(unknowns) + 1);
  }

  void add_gravity() const {
    parallel_for_each(problem_.mesh.cell_count(), [&](std::int64_t cell) {
      problem_.cell_velocity[static_cast<std::size_t>(cell)] +=
          problem_.input.dt * problem_.input.gravity;
    });
  }

  // Of the pairs of faces of every tetrahedron, a . b / V: those of a face are needed by four rows.
  // Pairs at right angles have none, not even rounding: there are two in most tetrahedra of a
  // lattice.
  void set_products() {
    const CellMesh& mesh = problem_.mesh;
    products_.resize(static_cast<std::size_t>(mesh.cell_count()));
    parallel_for_each(mesh.cell_count(), [&](std::int64_t cell) {
      const auto c = static_cast<std::size_t>(cell);
      const std::span<const std::int32_t> faces = mesh.faces_of(cell);
      if (faces.size() != 4) return;
      std::array<Vec3, 4> areas;
      std::array<double, 4> squares;
      for (std::size_t i = 0; i < 4; ++i) {
        areas[i] = outward(faces[i], cell);
        squares[i] = areas[i].squaredNorm();
      }
      for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          const double product = areas[i].dot(areas[j]);
          const bool is_right = product * product <= kRightAngle * squares[i] * squares[j];
          products_[c][kPair[i][j]] = is_right ? 0 : product / mesh.volumes[c];
        }
      }
    });
  }

  // Calls visit(face, entry) for the row of one face in a cell's matrix, without zeros.
  template <class Visit>
  void for_each_entry(std::int32_t row, std::int32_t cell, const Visit& visit) const {
    const CellMesh& mesh = problem_.mesh;
    const std::span<const std::int32_t> faces = mesh.faces_of(cell);
    if (faces.size() == 4) {
      const std::array<double, 6>& products = products_[static_cast<std::size_t>(cell)];
      const auto i =
          static_cast<std::size_t>(std::find(faces.begin(), faces.end(), row) - faces.begin());
      double own = 0;  // the area vectors of a cell add up to zero
      for (std::size_t j = 0; j < 4; ++j) {
        if (j == i) continue;
        const double product = products[kPair[i][j]];
        own -= product;
        if (product != 0) visit(faces[j], product);
      }
      visit(row, own);
      return;
    }
    const Vec3 own = outward(row, cell);
    const double volume = mesh.volumes[static_cast<std::size_t>(cell)];
    const Eigen::MatrixXd stabilisation = stabilisation_of(cell);
    const auto i = std::find(faces.begin(), faces.end(), row) - faces.begin();
    for (std::size_t j = 0; j < faces.size(); ++j) {
      visit(faces[j], own.dot(outward(faces[j], cell)) / volume +
                          stabilisation(i, static_cast<Eigen::Index>(j)));
    }
  }

  // As large as the rest, on pressures that are not linear over the cell [Droniou et al. 2010].
  [[nodiscard]] Eigen::MatrixXd stabilisation_of(std::int32_t cell) const {
    const CellMesh& mesh = problem_.mesh;
    const std::span<const std::int32_t> faces = mesh.faces_of(cell);
    const auto n = static_cast<Eigen::Index>(faces.size());
    Eigen::MatrixXd linear(n, 4);
    double trace = 0;
    for (Eigen::Index i = 0; i < n; ++i) {
      const std::int32_t face = faces[static_cast<std::size_t>(i)];
      const auto f = static_cast<std::size_t>(face);
      linear(i, 0) = 1;
      linear.block<1, 3>(i, 1) =
          (mesh.face_centers[f] - mesh.centers[static_cast<std::size_t>(cell)]).transpose();
      trace += mesh.area_vectors[f].squaredNorm() / mesh.volumes[static_cast<std::size_t>(cell)];
    }
    const Eigen::MatrixXd basis =
        linear.colPivHouseholderQr().householderQ() * Eigen::MatrixXd::Identity(n, 4);
    const Eigen::MatrixXd others = Eigen::MatrixXd::Identity(n, n) - basis * basis.transpose();
    return trace / static_cast<double>(2 * n) * (others + others.transpose());
  }

  void set_matrix() {
    const CellMesh& mesh = problem_.mesh;
    // visit(face, row, cell) for the cells of the faces with unknowns.
    const auto for_each_row = [&](const auto& visit) {
      parallel_for_each(mesh.face_count(), [&](std::int64_t face) {
        const std::int32_t row = unknown_[static_cast<std::size_t>(face)];
        if (row >= 0) visit(static_cast<std::int32_t>(face), static_cast<std::size_t>(row));
      });
    };
    matrix_.starts[0] = 0;
    for_each_row([&](std::int32_t face, std::size_t row) {
      std::int64_t entries = 1;
      for (const std::int32_t cell : mesh.face_cells[static_cast<std::size_t>(face)]) {
        if (cell < 0) continue;
        for_each_entry(face, cell, [&](std::int32_t other, double) {
          entries += other != face && unknown_[static_cast<std::size_t>(other)] >= 0;
        });
      }
      matrix_.starts[row + 1] = entries;
    });
    for (std::size_t i = 1; i < matrix_.starts.size(); ++i) {
      matrix_.starts[i] += matrix_.starts[i - 1];
    }
    matrix_.columns.resize(static_cast<std::size_t>(matrix_.starts.back()));
    matrix_.values.resize(matrix_.columns.size());
    right_side_.resize(static_cast<std::size_t>(matrix_.rows()));
    for_each_row([&](std::int32_t face, std::size_t row) { set_row(face, row); });
  }

  void set_row(std::int32_t face, std::size_t row) {
    const CellMesh& mesh = problem_.mesh;
    const auto f = static_cast<std::size_t>(face);
    const auto begin = static_cast<std::size_t>(matrix_.starts[row]);
    std::size_t next = begin;
    const auto put = [&](std::int32_t column, double value) {
      std::size_t at = next++;
      for (; at > begin && matrix_.columns[at - 1] > column; --at) {
        matrix_.columns[at] = matrix_.columns[at - 1];
        matrix_.values[at] = matrix_.values[at - 1];
      }
      matrix_.columns[at] = column;
      matrix_.values[at] = value;
    };
    double diagonal = 0;
    double right = 0;
    for (const std::int32_t cell : mesh.face_cells[f]) {
      if (cell < 0) continue;
      right += outward(face, cell)
                   .dot(velocity_at(problem_.cell_velocity[static_cast<std::size_t>(cell)], cell,
                                    mesh.face_centers[f])) /
               problem_.factor;
      for_each_entry(face, cell, [&](std::int32_t other, double entry) {
        const std::int32_t column = unknown_[static_cast<std::size_t>(other)];
        if (other == face) {
          diagonal += entry;
        } else if (column >= 0) {
          put(column, entry);
        } else {
          right -= entry * given(static_cast<std::size_t>(other));
        }
      });
    }
    if (mesh.face_cells[f][1] < 0) {
      right -= mesh.area_vectors[f].norm() * solid_velocity(f) / problem_.factor;
    }
    put(static_cast<std::int32_t>(row), diagonal);
    right_side_[row] = right;
  }

  const ProjectionProblem problem_;
  Buffer<std::array<double, 6>> products_;
  Buffer<std::int32_t> unknown_;  // of every face; -1: its pressure is given
};

}  // namespace

std::unique_ptr<PressureSystem> consistent_system(const ProjectionProblem& problem) {
  return std::make_unique<ConsistentSystem>(problem);
}

}  // namespace spindrift
