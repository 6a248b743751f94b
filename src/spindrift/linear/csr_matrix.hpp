// Sparse matrices by rows.
#pragma once

#include <cstdint>
#include <span>

#include "spindrift/core/buffer.hpp"

namespace spindrift {

// Row i has the entries [starts[i], starts[i+1]), in ascending columns.
struct CsrMatrix {
  Buffer<std::int64_t> starts{0};
  Buffer<std::int32_t> columns;
  Buffer<double> values;

  [[nodiscard]] std::int64_t rows() const { return std::ssize(starts) - 1; }
  [[nodiscard]] std::int64_t nonzeros() const { return std::ssize(columns); }
  [[nodiscard]] std::int64_t bytes() const;

  // visit(column, value) for the entries of a row.
  template <class Visit>
  void for_row(std::int64_t row, const Visit& visit) const {
    const auto i = static_cast<std::size_t>(row);
    for (auto k = static_cast<std::size_t>(starts[i]); k < static_cast<std::size_t>(starts[i + 1]);
         ++k) {
      visit(columns[k], values[k]);
    }
  }

  // Asks for the entries of a row that a loop will come to soon.
  void fetch_row(std::int64_t row) const {
    const auto k = static_cast<std::size_t>(starts[static_cast<std::size_t>(row)]);
    __builtin_prefetch(columns.data() + k);
    __builtin_prefetch(values.data() + k);
    __builtin_prefetch(values.data() + k + 64 / sizeof(double));
  }
};

// y = A x, in parallel.
void multiply(const CsrMatrix& a, std::span<const double> x, std::span<double> y);

// The entries a_ii; 0 where there is none.
[[nodiscard]] Buffer<double> diagonal(const CsrMatrix& a);

// Of a square matrix.
[[nodiscard]] bool is_symmetric(const CsrMatrix& a);

}  // namespace spindrift
