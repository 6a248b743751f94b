// The way from the finest level of a multigrid to an interpolated one, and back.
//
// Rows are worked on in chunks. The rows of a chunk have few sources, which have slots in it: a
// row's sources take 16 bits each. Prolongation fetches the numbers of the slots first; restriction
// adds up in the slots, and then the slots of each source.
#pragma once

#include <cstdint>

#include "spindrift/linear/interpolation.hpp"
#include "spindrift/linear/multigrid_level.hpp"

namespace spindrift {

class LevelInterpolation {
 public:
  LevelInterpolation() = default;
  // `coarse` is 1 / t of the rows of the interpolated level. The ratios of the fine level must be
  // the t of its rows.
  LevelInterpolation(const MultigridLevel& fine, const Interpolation& interpolation,
                     const Buffer<double>& coarse);

  [[nodiscard]] bool is_empty() const { return inverse_.empty(); }
  [[nodiscard]] std::int64_t bytes() const;

  // As those of MultigridLevel.
  double restrict_residual(const MultigridLevel& fine, const float* r, float weight,
                           const std::int32_t* to, float* coarse);
  void prolong(const MultigridLevel& fine, const float* r, float weight, const float* e,
               const std::int32_t* from, float* y) const;

 private:
  template <int sources>
  double restrict_as(const MultigridLevel& fine, const float* r, float weight);
  template <int sources>
  void prolong_as(const MultigridLevel& fine, const float* r, float weight, const float* e,
                  const std::int32_t* from, float* y) const;
  void set_slots(const MultigridLevel& fine, const Interpolation& interpolation);
  void set_lists(std::int64_t coarse_rows);

  int sources_ = 0;                       // of a row, at most
  Buffer<std::uint16_t> slots_;           // of the sources of each place, in its chunk; 0: none
  Buffer<std::int32_t> chunk_starts_{0};  // slots before each chunk, without 0
  Buffer<std::int32_t> row_of_slot_;      // of the interpolated level
  Buffer<std::int32_t> list_starts_{0};   // of the slots of each interpolated row
  Buffer<std::int32_t> lists_;
  Buffer<float> inverse_;  // 1 / t of the interpolated rows, times the weight
  Buffer<float> partial_;  // sums in the slots
};

}  // namespace spindrift
