#include "damped_cosine.hpp"

#include <Eigen/QR>

namespace spindrift::validation {

DampedCosine fit_damped_cosine(std::span<const Vec2> points, double omega) {
  DampedCosine fit;
  fit.omega = omega;
  const auto count = static_cast<Eigen::Index>(points.size());
  Eigen::MatrixXd jacobian(count, 5);
  Eigen::VectorXd residual(count);
  for (int iteration = 0; iteration < 50; ++iteration) {
    for (Eigen::Index i = 0; i < count; ++i) {
      const double t = points[static_cast<std::size_t>(i)].x();
      const double decay = std::exp(-fit.rate * t);
      const double cosine = decay * std::cos(fit.omega * t);
      const double sine = decay * std::sin(fit.omega * t);
      const double wave = fit.a * cosine + fit.b * sine;
      residual[i] = points[static_cast<std::size_t>(i)].y() - wave - fit.c;
      jacobian.row(i) << cosine, sine, 1, t * (fit.b * cosine - fit.a * sine), -t * wave;
    }
    fit.misfit = std::sqrt(residual.squaredNorm() / static_cast<double>(count));
    // The first time around a and b are zero, and only they and c can be found.
    const Eigen::Index unknowns = iteration == 0 ? 3 : 5;
    const Eigen::VectorXd change =
        jacobian.leftCols(unknowns).colPivHouseholderQr().solve(residual);
    fit.a += change[0];
    fit.b += change[1];
    fit.c += change[2];
    if (unknowns == 3) continue;
    fit.omega += change[3];
    fit.rate += change[4];
    if (std::abs(change[3]) + std::abs(change[4]) < 1e-12 * omega) break;
  }
  return fit;
}

}  // namespace spindrift::validation
