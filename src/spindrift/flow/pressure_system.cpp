#include "spindrift/flow/pressure_system.hpp"

#include <vector>

namespace spindrift {
namespace {

// Makes the numbers of each enclosed body add up to zero.
void take_out_means(const FlowComponents& bodies, std::span<const std::int32_t> body_of_row,
                    std::span<double> numbers) {
  std::vector<double> sums(bodies.components.size(), 0.0);
  std::vector<std::int64_t> counts(bodies.components.size(), 0);
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    const auto body = static_cast<std::size_t>(body_of_row[row]);
    sums[body] += numbers[row];
    ++counts[body];
  }
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    const auto body = static_cast<std::size_t>(body_of_row[row]);
    if (bodies.components[body].has_pressure) continue;
    numbers[row] -= sums[body] / static_cast<double>(counts[body]);
  }
}

bool has_enclosed(const FlowComponents& bodies) {
  for (const FlowComponent& body : bodies.components) {
    if (!body.has_pressure) return true;
  }
  return false;
}

}  // namespace

void PressureSystem::balance_right_side(const FlowComponents& bodies) {
  if (has_enclosed(bodies)) take_out_means(bodies, body_of_row_, right_side_);
}

void PressureSystem::balance_pressure(const FlowComponents& bodies, std::span<double> x) const {
  if (has_enclosed(bodies)) take_out_means(bodies, body_of_row_, x);
}

}  // namespace spindrift
