// A coarser space for the first level of a multigrid, from whoever knows what the rows stand for.
#pragma once

#include <array>
#include <cstdint>

#include "spindrift/linear/csr_matrix.hpp"

namespace spindrift {

// A row's value is `weight` times the sum of the values of its sources.
struct Interpolation {
  static constexpr int kMostSources = 4;

  Buffer<std::array<std::int32_t, kMostSources>> sources;  // of every row; -1: none
  double weight = 0;
  CsrMatrix matrix;            // P^T A P
  Buffer<std::uint64_t> keys;  // of its rows, as those of the multigrid
  double seconds = 0;          // that making it took, a part of the multigrid's set-up

  [[nodiscard]] bool is_empty() const { return matrix.rows() == 0; }
};

}  // namespace spindrift
