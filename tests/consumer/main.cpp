// The volume of a ball with a hole, by counting points inside, in parallel.
#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>

#include <spindrift/core/parallel.hpp>
#include <spindrift/geometry/shape.hpp>

int main() {
  using spindrift::Vec3;
  const auto bead =
      spindrift::make_difference({spindrift::make_sphere({0, 0, 0}, 1.0),
                                  spindrift::make_cylinder({0, 0, -2}, {0, 0, 2}, 0.6)});
  constexpr std::int64_t kSide = 100;
  const auto inside = spindrift::parallel_reduce_chunks(
      kSide, 1, std::int64_t{0},
      [&](std::int64_t begin, std::int64_t) {
        std::int64_t count = 0;
        const auto center = [](std::int64_t i) {
          return (static_cast<double>(i) + 0.5) * 2 / kSide - 1;
        };
        for (std::int64_t j = 0; j < kSide; ++j) {
          for (std::int64_t k = 0; k < kSide; ++k) {
            if (bead->distance(Vec3(center(begin), center(j), center(k))) < 0) ++count;
          }
        }
        return count;
      },
      std::plus<>());
  const double volume = 8.0 * static_cast<double>(inside) / (kSide * kSide * kSide);
  // A bead of height h has the volume pi h^3 / 6, whatever the radius of its ball; here h = 1.6.
  const double expected = std::numbers::pi / 6 * 1.6 * 1.6 * 1.6;
  std::printf("volume %.4f, expected %.4f\n", volume, expected);
  return std::abs(volume - expected) < 0.01 ? 0 : 1;
}
