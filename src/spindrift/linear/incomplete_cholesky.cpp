#include "spindrift/linear/incomplete_cholesky.hpp"

#include <algorithm>
#include <cmath>

#include "spindrift/core/stats.hpp"

namespace spindrift {

IncompleteCholesky::IncompleteCholesky(const CsrMatrix& a) {
  const Stopwatch watch;
  lower_.starts.reserve(a.starts.size());
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    a.for_row(row, [&](std::int32_t column, double) {
      if (column < row) lower_.columns.push_back(column);
    });
    lower_.starts.push_back(std::ssize(lower_.columns));
  }
  lower_.values.resize(lower_.columns.size());
  inverse_pivots_.resize(static_cast<std::size_t>(a.rows()));
  // With twice the diagonal of a dominant matrix all pivots are positive; what fails far beyond has
  // no positive diagonal. Then nothing is factored, and conjugate gradients will say what is wrong.
  constexpr double kMostShift = 1000;
  double shift = 0;
  while (!factor(a, shift)) {
    shift = shift == 0 ? 1e-3 : 2 * shift;
    if (shift > kMostShift) {
      std::fill(lower_.values.begin(), lower_.values.end(), 0.0);
      std::fill(inverse_pivots_.begin(), inverse_pivots_.end(), 1.0);
      break;
    }
  }
  setup_.levels = {{a.rows(), a.nonzeros()}};
  setup_.bytes =
      a.bytes() + lower_.bytes() + std::ssize(inverse_pivots_) * std::int64_t{sizeof(double)};
  setup_.seconds = watch.seconds();
}

bool IncompleteCholesky::factor(const CsrMatrix& a, double shift) {
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    const auto begin = static_cast<std::size_t>(lower_.starts[static_cast<std::size_t>(row)]);
    std::size_t next = begin;
    double pivot = 0;
    a.for_row(row, [&](std::int32_t column, double value) {
      if (column == row) pivot = (1 + shift) * value;
      if (column >= row) return;
      // Minus the product of the rows' common entries so far.
      double sum = value;
      std::size_t i = begin;
      lower_.for_row(column, [&](std::int32_t other, double entry) {
        while (i < next && lower_.columns[i] < other) ++i;
        if (i < next && lower_.columns[i] == other) sum -= lower_.values[i] * entry;
      });
      lower_.values[next++] = sum * inverse_pivots_[static_cast<std::size_t>(column)];
    });
    double squares = 0;
    for (std::size_t i = begin; i < next; ++i) squares += lower_.values[i] * lower_.values[i];
    // Rows of zeros have no pivot.
    const bool is_empty = pivot == 0 && squares == 0;
    pivot -= squares;
    if (!(pivot > 0) && !is_empty) return false;
    inverse_pivots_[static_cast<std::size_t>(row)] = is_empty ? 1 : 1 / std::sqrt(pivot);
  }
  return true;
}

void IncompleteCholesky::apply(std::span<const double> r, std::span<double> z) const {
  for (std::int64_t row = 0; row < lower_.rows(); ++row) {
    const auto k = static_cast<std::size_t>(row);
    double sum = r[k];
    lower_.for_row(row, [&](std::int32_t column, double value) {
      sum -= value * z[static_cast<std::size_t>(column)];
    });
    z[k] = sum * inverse_pivots_[k];
  }
  for (std::int64_t row = lower_.rows() - 1; row >= 0; --row) {
    const auto k = static_cast<std::size_t>(row);
    z[k] *= inverse_pivots_[k];
    lower_.for_row(row, [&](std::int32_t column, double value) {
      z[static_cast<std::size_t>(column)] -= value * z[k];
    });
  }
}

}  // namespace spindrift
