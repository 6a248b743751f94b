// The inverse of a small symmetric matrix, for the coarsest level of a multigrid.
#pragma once

#include <span>

#include <Eigen/Core>

#include "spindrift/linear/csr_matrix.hpp"

namespace spindrift {

// Of a matrix that is positive definite, or semi-definite: then what has no inverse stays zero.
class DenseInverse {
 public:
  DenseInverse() = default;
  explicit DenseInverse(const CsrMatrix& a);
  void apply(const float* r, float* x) const;
  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(inverse_.size()) * std::int64_t{sizeof(float)};
  }

 private:
  Eigen::MatrixXf inverse_;
};

}  // namespace spindrift
