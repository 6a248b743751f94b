// Which variables of a matrix survive into the next coarser one: the paper's greedy labelling.
//
// [Chentanez2007 §3.5]: a new coarse variable makes its neighbours fine; the next one is an
// unlabelled neighbour of a fine variable that has the most unlabelled neighbours itself.
// Neighbours are those with an entry, however small. Where the paper picks at random, the
// last one that came to have so many is taken, at first the lowest index; where its search would
// end with the first connected part of the matrix, it starts again in the next.
#pragma once

#include "spindrift/linear/csr_matrix.hpp"

namespace spindrift {

struct CoarseLabels {
  enum : std::int32_t { kFine = -1, kIsolated = -2 };

  Buffer<std::int32_t> of_row;  // the number of a coarse variable, ascending, or one of these
  std::int64_t coarse_count = 0;
};

// Every fine variable has a coarse neighbour; no two coarse variables are neighbours. Variables
// without any neighbour are isolated. Of a symmetric matrix; in time proportional to its entries.
[[nodiscard]] CoarseLabels label_coarse(const CsrMatrix& a);

}  // namespace spindrift
