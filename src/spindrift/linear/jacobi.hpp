// The simplest preconditioner: the diagonal.
#pragma once

#include "spindrift/linear/conjugate_gradients.hpp"

namespace spindrift {

class Jacobi final : public Preconditioner {
 public:
  explicit Jacobi(const CsrMatrix& a);
  void apply(std::span<const double> r, std::span<double> z) const override;
  [[nodiscard]] const SetupReport& setup() const { return setup_; }

 private:
  Buffer<double> inverse_;
  SetupReport setup_;
};

}  // namespace spindrift
