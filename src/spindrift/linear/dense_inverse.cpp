#include "spindrift/linear/dense_inverse.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace spindrift {

DenseInverse::DenseInverse(const CsrMatrix& a) {
  // Unit diagonal; rows of zeros have no inverse.
  const Eigen::Index n = a.rows();
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index row = 0; row < n; ++row) {
    a.for_row(row, [&](std::int32_t column, double value) { matrix(row, column) += value; });
  }
  Eigen::VectorXd scale = matrix.diagonal();
  for (double& d : scale) d = d > 0 ? 1 / std::sqrt(d) : 0;
  matrix = scale.asDiagonal() * matrix * scale.asDiagonal();
  // Rows without a diagonal, as of aggregates that are held at zero, must not make it singular.
  for (Eigen::Index row = 0; row < n; ++row) {
    if (scale[row] == 0) matrix(row, row) = 1;
  }

  constexpr double kSingular = 1e-6;
  const Eigen::LLT<Eigen::MatrixXd> factors(matrix);
  const bool is_regular = n == 0 || (factors.info() == Eigen::Success &&
                                     factors.matrixLLT().diagonal().minCoeff() > kSingular);
  Eigen::MatrixXd inverse;
  if (is_regular) {
    inverse = factors.solve(Eigen::MatrixXd::Identity(n, n));
  } else {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> parts(matrix);
    Eigen::VectorXd values = parts.eigenvalues();
    for (double& value : values) value = value > kSingular ? 1 / value : 0;
    inverse = parts.eigenvectors() * values.asDiagonal() * parts.eigenvectors().transpose();
  }
  inverse_ = (scale.asDiagonal() * inverse * scale.asDiagonal()).cast<float>();
}

void DenseInverse::apply(const float* r, float* x) const {
  const Eigen::Index n = inverse_.rows();
  Eigen::Map<Eigen::VectorXf>(x, n).noalias() = inverse_ * Eigen::Map<const Eigen::VectorXf>(r, n);
}

}  // namespace spindrift
