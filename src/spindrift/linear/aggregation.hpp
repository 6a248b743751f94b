// Rows of a matrix brought together, for the coarser levels of a multigrid.
#pragma once

#include <cstdint>
#include <span>

#include "spindrift/linear/csr_matrix.hpp"

namespace spindrift {

struct Aggregates {
  Buffer<std::int32_t> rows;  // those of aggregate a: [starts[a], starts[a+1])
  Buffer<std::int32_t> starts;
  Buffer<std::uint64_t> keys;  // of the aggregates, ascending
  Buffer<std::int32_t> of_row;

  [[nodiscard]] std::int64_t count() const { return std::ssize(keys); }
};

// Rows with the same key, the Morton code of a cube, make an aggregate. Eight cubes that make a
// larger one are joined where they hold at most `most` rows together, and again: where the cells
// of a graded mesh are large, so are the aggregates. More than `most` where there would otherwise
// be more than half as many aggregates as rows.
[[nodiscard]] Aggregates aggregate(std::span<const std::uint64_t> keys, std::int64_t most);

// P^T A P times `scale`, where P gives all rows of an aggregate its value, but for those that are
// `held` at zero (ascending).
//
// `surplus` has the sums of the rows of A, and then those of the result. With them diagonals are
// sums of what leaves an aggregate, free of cancellation.
[[nodiscard]] CsrMatrix coarse_matrix(const CsrMatrix& a, const Aggregates& aggregates,
                                      double scale, Buffer<double>& surplus,
                                      std::span<const std::int32_t> held = {});

// The sums of the rows.
[[nodiscard]] Buffer<double> row_sums(const CsrMatrix& a);

}  // namespace spindrift
