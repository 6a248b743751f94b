// Products and transposes of sparse matrices, which may be rectangular.
#pragma once

#include "spindrift/linear/csr_matrix.hpp"

namespace spindrift {

// A B, in parallel.
[[nodiscard]] CsrMatrix product(const CsrMatrix& a, const CsrMatrix& b);

// A^T of a matrix with so many columns.
[[nodiscard]] CsrMatrix transposed(const CsrMatrix& a, std::int64_t columns);

}  // namespace spindrift
