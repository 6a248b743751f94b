#include "surface_roughness.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Dense>

namespace spindrift::validation {
namespace {

// Of the inner points, 1/m.
Eigen::MatrixXd mean_curvature(const HeightGrid& grid) {
  const auto height = [&](int i, int j) {
    return grid.heights[static_cast<std::size_t>(j * grid.columns + i)];
  };
  const double d = grid.spacing;
  Eigen::MatrixXd curvature(grid.columns - 2, grid.rows - 2);
  for (int j = 1; j + 1 < grid.rows; ++j) {
    for (int i = 1; i + 1 < grid.columns; ++i) {
      const double hx = (height(i + 1, j) - height(i - 1, j)) / (2 * d);
      const double hy = (height(i, j + 1) - height(i, j - 1)) / (2 * d);
      const double hxx = (height(i + 1, j) - 2 * height(i, j) + height(i - 1, j)) / (d * d);
      const double hyy = (height(i, j + 1) - 2 * height(i, j) + height(i, j - 1)) / (d * d);
      const double hxy = (height(i + 1, j + 1) - height(i + 1, j - 1) - height(i - 1, j + 1) +
                          height(i - 1, j - 1)) /
                         (4 * d * d);
      const double slope = 1 + hx * hx + hy * hy;
      curvature(i - 1, j - 1) = ((1 + hy * hy) * hxx - 2 * hx * hy * hxy + (1 + hx * hx) * hyy) /
                                (2 * slope * std::sqrt(slope));
    }
  }
  return curvature;
}

// Orthonormal: row k is the cosine of k half waves.
Eigen::MatrixXd cosines(Eigen::Index n) {
  Eigen::MatrixXd all(n, n);
  const auto count = static_cast<double>(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    for (Eigen::Index i = 0; i < n; ++i) {
      all(k, i) =
          std::sqrt((k == 0 ? 1 : 2) / count) * std::cos(std::numbers::pi * static_cast<double>(k) *
                                                         (static_cast<double>(i) + 0.5) / count);
    }
  }
  return all;
}

}  // namespace

std::vector<RoughnessBand> curvature_spectrum(const HeightGrid& grid) {
  const Eigen::MatrixXd curvature = mean_curvature(grid);
  const Eigen::Index columns = curvature.rows();
  const Eigen::Index rows = curvature.cols();
  const Eigen::MatrixXd waves = cosines(columns) * curvature * cosines(rows).transpose();
  std::vector<RoughnessBand> bands;
  for (double longest = 4; longest / 2 < static_cast<double>(2 * std::max(columns, rows));
       longest *= 2) {
    bands.push_back({longest / 2, longest, 0});
  }
  for (Eigen::Index i = 0; i < columns; ++i) {
    for (Eigen::Index j = 0; j < rows; ++j) {
      if (i + j == 0) continue;
      const double frequency = std::hypot(static_cast<double>(i) / static_cast<double>(columns),
                                          static_cast<double>(j) / static_cast<double>(rows)) /
                               2;  // waves a spacing
      const auto octave = static_cast<std::ptrdiff_t>(std::floor(std::log2(0.5 / frequency)));
      bands[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(octave, 0, std::ssize(bands) - 1))]
          .curvature += waves(i, j) * waves(i, j);
    }
  }
  for (RoughnessBand& band : bands) {
    band.curvature = std::sqrt(band.curvature / static_cast<double>(columns * rows));
  }
  return bands;
}

}  // namespace spindrift::validation
