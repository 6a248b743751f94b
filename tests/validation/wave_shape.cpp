#include "wave_shape.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace spindrift::validation {
namespace {

class WaveShape final : public Shape {
 public:
  explicit WaveShape(const Wave& wave) : wave_(wave), k_(2 * std::numbers::pi / wave.wavelength) {}

  double distance(const Vec3& point) const override {
    // Newton's method for the foot of the perpendicular, (s - x) + (h(s) - z) h'(s) = 0.
    double s = point.x();
    for (int iteration = 0; iteration < 20; ++iteration) {
      const double above = height(s) - point.z();
      const double slope = -wave_.amplitude * k_ * std::sin(k_ * s);
      const double bend = -wave_.amplitude * k_ * k_ * std::cos(k_ * s);
      const double change = (s - point.x() + above * slope) / (1 + slope * slope + above * bend);
      s -= change;
      if (std::abs(change) < 1e-14 * wave_.wavelength) break;
    }
    const double d = std::hypot(s - point.x(), height(s) - point.z());
    return point.z() < height(point.x()) ? -d : d;
  }
  Box3 bounds() const override {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return {Vec3::Constant(-kInfinity), Vec3(kInfinity, kInfinity, wave_.depth + wave_.amplitude)};
  }

 private:
  [[nodiscard]] double height(double x) const {
    return wave_.depth + wave_.amplitude * std::cos(k_ * x);
  }

  Wave wave_;
  double k_;  // 1/m
};

}  // namespace

ShapePtr make_wave(const Wave& wave) { return std::make_shared<WaveShape>(wave); }

}  // namespace spindrift::validation
