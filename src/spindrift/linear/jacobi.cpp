#include "spindrift/linear/jacobi.hpp"

#include "spindrift/core/parallel.hpp"
#include "spindrift/core/stats.hpp"

namespace spindrift {

Jacobi::Jacobi(const CsrMatrix& a) {
  const Stopwatch watch;
  inverse_ = diagonal(a);
  for (double& d : inverse_) d = d > 0 ? 1 / d : 1;
  setup_.levels = {{a.rows(), a.nonzeros()}};
  setup_.bytes = a.bytes() + std::ssize(inverse_) * std::int64_t{sizeof(double)};
  setup_.seconds = watch.seconds();
}

void Jacobi::apply(std::span<const double> r, std::span<double> z) const {
  parallel_for_each(std::ssize(r), [&](std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    z[k] = inverse_[k] * r[k];
  });
}

}  // namespace spindrift
