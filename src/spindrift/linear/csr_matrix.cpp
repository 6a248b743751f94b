#include "spindrift/linear/csr_matrix.hpp"

#include <algorithm>

#include "spindrift/core/parallel.hpp"

namespace spindrift {

std::int64_t CsrMatrix::bytes() const {
  return std::ssize(starts) * std::int64_t{sizeof(std::int64_t)} +
         nonzeros() * std::int64_t{sizeof(std::int32_t) + sizeof(double)};
}

void multiply(const CsrMatrix& a, std::span<const double> x, std::span<double> y) {
  parallel_for_each(
      a.rows(),
      [&](std::int64_t row) {
        double sum = 0;
        a.for_row(row, [&](std::int32_t column, double value) {
          sum += value * x[static_cast<std::size_t>(column)];
        });
        y[static_cast<std::size_t>(row)] = sum;
      },
      4096);
}

Buffer<double> diagonal(const CsrMatrix& a) {
  Buffer<double> result(static_cast<std::size_t>(a.rows()), 0);
  parallel_for_each(a.rows(), [&](std::int64_t row) {
    a.for_row(row, [&](std::int32_t column, double value) {
      if (column == row) result[static_cast<std::size_t>(row)] = value;
    });
  });
  return result;
}

bool is_symmetric(const CsrMatrix& a) {
  const auto entry = [&](std::int32_t row, std::int64_t column) {
    const auto i = static_cast<std::size_t>(row);
    const auto begin = a.columns.begin() + a.starts[i];
    const auto end = a.columns.begin() + a.starts[i + 1];
    const auto found = std::lower_bound(begin, end, column);
    const bool is_there = found != end && *found == column;
    return is_there ? a.values[static_cast<std::size_t>(found - a.columns.begin())] : 0.0;
  };
  return parallel_reduce_chunks(
             a.rows(), 4096, 1,
             [&](std::int64_t begin, std::int64_t end) {
               int same = 1;
               for (std::int64_t row = begin; row < end; ++row) {
                 a.for_row(row, [&](std::int32_t column, double value) {
                   if (entry(column, row) != value) same = 0;
                 });
               }
               return same;
             },
             [](int x, int y) { return x & y; }) != 0;
}

}  // namespace spindrift
