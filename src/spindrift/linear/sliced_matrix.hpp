// A matrix I - G in single precision, eight rows at a time.
//
// Rows are kept in slices of eight with as many slots as the longest of them has entries, lane by
// lane; empty slots have weight 0 and point at their own row. A product gathers eight numbers for a
// slot (core/gather.hpp), and multiplies them at once.
//
// Time goes into fetching the matrix. Columns are near their rows, so that the distance from the
// slice takes 16 bits; slices with a farther one keep columns of 32. The weights lie between -1 and
// 1 and are rounded to 16 bits for what need not be exact: a preconditioner.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "spindrift/core/buffer.hpp"
#include "spindrift/core/gather.hpp"
#include "spindrift/core/simd.hpp"

namespace spindrift {

struct SlicedMatrix {
  static constexpr int kLanes = 8;
  static constexpr float kRoundedOne = 1 << 15;

  // Eight numbers a slot.
  Buffer<std::int32_t> starts{0};      // slots before each slice
  Buffer<std::int32_t> far_starts{0};  // those of slices with far columns
  Buffer<std::int16_t> rounded;        // weights times kRoundedOne, of all slots
  Buffer<float> weights;               // none where only rounded ones are needed
  Buffer<std::int16_t> distances;      // of the slots of slices without far columns
  Buffer<std::int32_t> far_columns;    // of the slots of the others

  [[nodiscard]] std::int64_t slices() const { return std::ssize(starts) - 1; }
  [[nodiscard]] std::int64_t bytes() const {
    return 4 * (std::ssize(starts) + std::ssize(far_starts) + std::ssize(far_columns) +
                std::ssize(weights)) +
           2 * (std::ssize(distances) + std::ssize(rounded));
  }

  // Fills in the slots of a slice, for which `starts` and `far_starts` have made room.
  void set_slice(std::int64_t slice, std::span<const std::int32_t> columns,
                 std::span<const float> values) {
    const auto s = static_cast<std::size_t>(slice);
    const std::int64_t begin = kLanes * std::int64_t{starts[s]};
    const std::int64_t far_begin = kLanes * std::int64_t{far_starts[s]};
    if (is_far(s)) {
      std::copy(columns.begin(), columns.end(), far_columns.data() + far_begin);
    } else {
      const auto first = static_cast<std::int32_t>(kLanes * slice);
      std::int16_t* to = distances.data() + (begin - far_begin);
      for (std::size_t i = 0; i < columns.size(); i += kLanes) {
        store8(to + i, load8(&columns[i]) - first);
      }
    }
    if (!weights.empty()) std::copy(values.begin(), values.end(), weights.data() + begin);
    const Float8 most = splat8(kRoundedOne - 1);
    for (std::size_t i = 0; i < columns.size(); i += kLanes) {
      const Float8 scaled = splat8(kRoundedOne) * load8(&values[i]);
      store8(rounded.data() + begin + i, nearest(lane_min(lane_max(scaled, -most), most)));
    }
  }

  // visit(slot, column) for all entries of a row. Slots are indices of weights.
  template <class Visit>
  void for_row(std::int64_t row, const Visit& visit) const {
    const auto slice = static_cast<std::size_t>(row / kLanes);
    const std::int64_t begin = kLanes * std::int64_t{starts[slice]} + row % kLanes;
    const std::int64_t end = kLanes * std::int64_t{starts[slice + 1]};
    const std::int64_t far_begin = kLanes * std::int64_t{far_starts[slice]} + row % kLanes;
    for (std::int64_t slot = begin, step = 0; slot < end; slot += kLanes, step += kLanes) {
      const std::int64_t column =
          is_far(slice)
              ? far_columns[static_cast<std::size_t>(far_begin + step)]
              : row / kLanes * kLanes + distances[static_cast<std::size_t>(
                                            slot - kLanes * std::int64_t{far_starts[slice]})];
      visit(static_cast<std::size_t>(slot), column);
    }
  }

  // G x for the eight rows of a slice. x is as long as all slices.
  [[nodiscard]] Float8 product(std::int64_t slice, const float* x) const {
    return sum_slots(slice, x,
                     [&](std::size_t slot) { return load8(weights.data() + kLanes * slot); });
  }
  // With rounded weights.
  [[nodiscard]] Float8 rounded_product(std::int64_t slice, const float* x) const {
    return splat8(1 / kRoundedOne) * sum_slots(slice, x, [&](std::size_t slot) {
             return load8(rounded.data() + kLanes * slot);
           });
  }

 private:
  [[nodiscard]] bool is_far(std::size_t slice) const {
    return far_starts[slice] != far_starts[slice + 1];
  }
  template <class Weight>
  [[nodiscard]] Float8 sum_slots(std::int64_t slice, const float* x, const Weight& weight) const {
    const auto i = static_cast<std::size_t>(slice);
    const auto begin = static_cast<std::size_t>(starts[i]);
    const auto end = static_cast<std::size_t>(starts[i + 1]);
    Float8 sum = splat8(0);
    const std::int64_t far_begin = std::int64_t{kLanes} * far_starts[i];
    if (!is_far(i)) {
      const float* near = x + kLanes * slice;
      const std::int16_t* distance =
          distances.data() + (kLanes * std::int64_t{starts[i]} - far_begin);
      const auto add = [&](const auto& gather_near) {
        for (std::size_t s = begin; s < end; ++s, distance += kLanes) {
          sum = fused(weight(s), gather_near(near, distance), sum);
        }
      };
      if (kHasFastGathers) {
        add([](const float* from, const std::int16_t* c) { return gather_at_once(from, c); });
      } else {
        add([](const float* from, const std::int16_t* c) { return gather_by_loads(from, c); });
      }
    } else {
      const std::int32_t* columns = far_columns.data() + far_begin;
      for (std::size_t s = begin; s < end; ++s, columns += kLanes) {
        sum = fused(weight(s), gather(x, columns), sum);
      }
    }
    return sum;
  }
};

}  // namespace spindrift
