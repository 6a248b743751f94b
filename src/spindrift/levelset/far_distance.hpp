// How far from a surface points are at least, beyond the band in which distances are known.
#pragma once

#include <cstdint>
#include <vector>

#include "spindrift/levelset/cubic_sampler.hpp"

namespace spindrift {

// As CubicSampler within the band. Beyond it greater values, up to about `reach`, but never greater
// than the distance: from the blocks between a point and those that hold the band. For finding out
// where a surface is not. Keeps a reference to the distance.
class FarDistance final : public ScalarField {
 public:
  // `reach` in metres.
  FarDistance(const BandDistance& distance, double reach);

  void evaluate(std::span<const Vec3> points, std::span<double> values) const override;

 private:
  // Blocks from here to the nearest that holds nodes of the band, along the axis where that is the
  // most; no more than most_.
  [[nodiscard]] int blocks_away(const Vec3i& block) const;

  const BandDistance& distance_;
  CubicSampler sampler_;
  int most_;
  Vec3i low_ = Vec3i::Zero(), count_ = Vec3i::Zero();  // of the blocks with entries below
  std::vector<std::uint8_t> away_;
};

}  // namespace spindrift
