// Rows of a matrix brought together, for the coarser levels of a multigrid.
#pragma once

#include <cstdint>
#include <span>

#include "spindrift/linear/csr_matrix.hpp"

namespace spindrift {

// Rows with the same key, in ascending keys.
struct Aggregates {
  Buffer<std::int32_t> rows;  // those of aggregate a: [starts[a], starts[a+1])
  Buffer<std::int32_t> starts;
  Buffer<std::uint64_t> keys;  // of the aggregates
  Buffer<std::int32_t> of_row;

  [[nodiscard]] std::int64_t count() const { return std::ssize(keys); }
};

[[nodiscard]] Aggregates aggregate(std::span<const std::uint64_t> keys);

// P^T A P times `scale`, where P gives all rows of an aggregate its value.
//
// `surplus` has the sums of the rows of A, and then those of the result. With them diagonals are
// sums of what leaves an aggregate, free of cancellation.
[[nodiscard]] CsrMatrix coarse_matrix(const CsrMatrix& a, const Aggregates& aggregates,
                                      double scale, Buffer<double>& surplus);

// The sums of the rows.
[[nodiscard]] Buffer<double> row_sums(const CsrMatrix& a);

}  // namespace spindrift
