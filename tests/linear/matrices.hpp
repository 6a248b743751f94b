// Matrices for tests of solvers: Poisson's equation on grids, random graphs, and what is odd.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <span>
#include <vector>

#include "spindrift/geometry/morton.hpp"
#include "spindrift/linear/csr_matrix.hpp"

#include "support/random.hpp"

namespace spindrift::test {

// Entries in any order; those of the same place are added up.
class MatrixBuilder {
 public:
  explicit MatrixBuilder(std::int64_t rows) : rows_(static_cast<std::size_t>(rows)) {}

  void add(std::int64_t row, std::int64_t column, double value) {
    rows_[static_cast<std::size_t>(row)][static_cast<std::int32_t>(column)] += value;
  }
  // A spring between two rows: symmetric, without changing row sums.
  void connect(std::int64_t i, std::int64_t j, double weight) {
    add(i, i, weight);
    add(j, j, weight);
    add(i, j, -weight);
    add(j, i, -weight);
  }
  [[nodiscard]] CsrMatrix matrix() const {
    CsrMatrix a;
    for (const auto& row : rows_) {
      for (const auto& [column, value] : row) {
        a.columns.push_back(column);
        a.values.push_back(value);
      }
      a.starts.push_back(std::ssize(a.columns));
    }
    return a;
  }

 private:
  std::vector<std::map<std::int32_t, double>> rows_;
};

// An n x n x n grid of unknowns with the seven-point stencil, times n^2.
struct Grid {
  enum class Boundary { zero, closed };  // Dirichlet one spacing outside; Neumann

  std::int64_t n;
  Boundary boundary = Boundary::zero;
  std::array<double, 3> weights{1, 1, 1};  // along x, y and z
  double grading = 1;                      // weights grow by this factor from row to row along x

  [[nodiscard]] std::int64_t rows() const { return n * n * n; }

  template <class Visit>  // visit(row, x, y, z)
  void for_each(const Visit& visit) const {
    for (std::int64_t z = 0, row = 0; z < n; ++z) {
      for (std::int64_t y = 0; y < n; ++y) {
        for (std::int64_t x = 0; x < n; ++x, ++row) visit(row, x, y, z);
      }
    }
  }

  [[nodiscard]] CsrMatrix matrix() const {
    CsrMatrix a;
    const std::array<std::int64_t, 3> strides{1, n, n * n};
    for_each([&](std::int64_t row, std::int64_t x, std::int64_t y, std::int64_t z) {
      const std::array<std::int64_t, 3> cell{x, y, z};
      double diagonal = 0;
      std::array<double, 6> values{};
      for (std::size_t side = 0; side < 6; ++side) {
        const std::size_t axis = side % 3;
        const bool is_up = side >= 3;
        const bool is_inside = is_up ? cell[axis] + 1 < n : cell[axis] > 0;
        if (!is_inside && boundary == Boundary::closed) continue;
        // On the face between two columns, or in the middle of one: the same from both sides.
        const double place = static_cast<double>(x) + (axis == 0 ? (is_up ? 0.5 : -0.5) : 0.0);
        const double w = weights[axis] * std::pow(grading, place);
        diagonal += w;
        if (is_inside) values[side] = -w;
      }
      const auto add = [&](std::int64_t column, double value) {
        if (value == 0) return;
        a.columns.push_back(static_cast<std::int32_t>(column));
        a.values.push_back(value);
      };
      for (std::size_t axis = 3; axis-- > 0;) add(row - strides[axis], values[axis]);
      add(row, diagonal);
      for (std::size_t axis = 0; axis < 3; ++axis) add(row + strides[axis], values[3 + axis]);
      a.starts.push_back(std::ssize(a.columns));
    });
    return a;
  }

  // sin sin sin, the eigenvector of the uniform Dirichlet matrix with `waves` half waves a side.
  [[nodiscard]] std::vector<double> sines(const std::array<int, 3>& waves) const {
    std::vector<double> v(static_cast<std::size_t>(rows()));
    const auto sine = [&](int wave, std::int64_t i) {
      return std::sin(std::numbers::pi * wave * static_cast<double>(i + 1) /
                      static_cast<double>(n + 1));
    };
    for_each([&](std::int64_t row, std::int64_t x, std::int64_t y, std::int64_t z) {
      v[static_cast<std::size_t>(row)] = sine(waves[0], x) * sine(waves[1], y) * sine(waves[2], z);
    });
    return v;
  }
  [[nodiscard]] double eigenvalue(const std::array<int, 3>& waves) const {
    double sum = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sum +=
          weights[axis] * 4 *
          std::pow(std::sin(std::numbers::pi * waves[axis] / (2 * static_cast<double>(n + 1))), 2);
    }
    return sum;
  }

  // Morton codes of cubes of 3 x 3 x 3 rows.
  [[nodiscard]] std::vector<std::uint64_t> keys() const {
    std::vector<std::uint64_t> result(static_cast<std::size_t>(rows()));
    for_each([&](std::int64_t row, auto... cell) {
      result[static_cast<std::size_t>(row)] = morton_key(Vec3i(static_cast<int>(cell / 3)...));
    });
    return result;
  }
};

// Keys for matrices without a place in space: about twenty rows that follow each other.
inline std::vector<std::uint64_t> keys_in_order(std::int64_t rows) {
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i / 20;
  return keys;
}

// b beside a, rows that know nothing of each other.
inline CsrMatrix side_by_side(const CsrMatrix& a, const CsrMatrix& b) {
  CsrMatrix both = a;
  for (std::int64_t row = 0; row < b.rows(); ++row) {
    b.for_row(row, [&](std::int32_t column, double value) {
      both.columns.push_back(column + static_cast<std::int32_t>(a.rows()));
      both.values.push_back(value);
    });
    both.starts.push_back(std::ssize(both.columns));
  }
  return both;
}

// Rows and columns in another order: row i of the result is row order[i] of a.
inline CsrMatrix reordered(const CsrMatrix& a, const std::vector<std::int32_t>& order) {
  std::vector<std::int32_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
  }
  MatrixBuilder builder(a.rows());
  for (std::size_t i = 0; i < order.size(); ++i) {
    a.for_row(order[i], [&](std::int32_t column, double value) {
      builder.add(static_cast<std::int64_t>(i), place[static_cast<std::size_t>(column)], value);
    });
  }
  return builder.matrix();
}

// A connected graph with weights over two decades; off-diagonals are negative, or of both signs.
// Diagonally dominant, strictly in one row of eight.
inline CsrMatrix random_matrix(std::int64_t rows, bool has_positive_entries, Random& random) {
  MatrixBuilder builder(rows);
  const auto connect = [&](std::int64_t i, std::int64_t j) {
    const double weight = std::pow(10, random.between(-1, 1));
    if (has_positive_entries && random.below(4) == 0) {
      builder.add(i, i, weight);
      builder.add(j, j, weight);
      builder.add(i, j, weight);
      builder.add(j, i, weight);
    } else {
      builder.connect(i, j, weight);
    }
  };
  for (std::int64_t i = 1; i < rows; ++i)
    connect(i, std::max<std::int64_t>(0, i - 1 - random.below(8)));
  for (std::int64_t k = 0; k < 2 * rows; ++k) {
    const std::int64_t i = random.below(rows);
    const std::int64_t j = std::min(rows - 1, i + 1 + random.below(30));
    if (i != j) connect(i, j);
  }
  for (std::int64_t i = 0; i < rows; i += 8) builder.add(i, i, random.between(0.1, 1));
  return builder.matrix();
}

inline std::vector<double> random_vector(std::int64_t size, Random& random) {
  std::vector<double> v(static_cast<std::size_t>(size));
  for (double& value : v) value = random.between(-1, 1);
  return v;
}

inline std::vector<double> times(const CsrMatrix& a, std::span<const double> x) {
  std::vector<double> y(static_cast<std::size_t>(a.rows()));
  multiply(a, x, y);
  return y;
}

}  // namespace spindrift::test
