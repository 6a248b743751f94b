// A matrix I - G in single precision, eight rows at a time.
//
// Rows are kept in slices of eight with as many slots as the longest of them has entries, lane by
// lane; empty slots have weight 0 and point at their own row. A product gathers eight numbers for a
// slot (core/gather.hpp), and multiplies them at once.
//
// Time goes into fetching the matrix. Columns are near their rows, so that the distance from the
// slice takes 16 bits; slices with a farther one keep columns of 32. The weights lie between -1 and
// 1 and are rounded to 8 bits for what need not be exact: a smoother. Another 16 bits tell what
// that left, which makes them as exact as single precision is next to a diagonal of one. What all
// weights of a row miss together, with the rests or without, goes to its diagonal: in lattices all
// rows miss the same, which smooth vectors would feel as if it were fixed values, or worse, the
// opposite.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "spindrift/core/buffer.hpp"
#include "spindrift/core/fetch_ahead.hpp"
#include "spindrift/core/gather.hpp"
#include "spindrift/core/simd.hpp"

namespace spindrift {

struct SlicedMatrix {
  static constexpr int kLanes = 8;
  // Exact for weights of one, which bodies of two rows have.
  static constexpr float kRoundedOne = (1 << 7) - 1;
  static constexpr float kRestOne = 1 << 16;   // of what was left, in units of the rounded ones
  static constexpr float kMissedOne = 1 << 5;  // of what a row misses, in units of the last digit

  // Eight numbers a slot.
  Buffer<std::int32_t> starts{0};      // slots before each slice
  Buffer<std::int32_t> far_starts{0};  // those of slices with far columns
  Buffer<std::int8_t> rounded;         // weights times kRoundedOne, of all slots
  Buffer<std::int16_t> rests;          // times kRestOne
  Buffer<std::int8_t> missed;          // by rounded weights and rests, times kMissedOne: one a row
  Buffer<std::int8_t> missed_rounded;  // by rounded weights alone
  Buffer<std::int16_t> distances;      // of all slots; of no use in slices with far columns
  Buffer<std::int32_t> far_columns;    // of the slots of these

  [[nodiscard]] std::int64_t slices() const { return std::ssize(starts) - 1; }
  [[nodiscard]] std::int64_t bytes() const {
    return 4 * (std::ssize(starts) + std::ssize(far_starts) + std::ssize(far_columns)) +
           2 * (std::ssize(distances) + std::ssize(rests)) + std::ssize(rounded) +
           std::ssize(missed) + std::ssize(missed_rounded);
  }

  // Makes room for the slots of all slices, of which `starts` tells.
  void resize_slots() {
    const auto slots = static_cast<std::size_t>(kLanes * std::int64_t{starts.back()});
    distances.resize(slots);
    rounded.resize(slots);
    rests.resize(slots);
    missed.resize(static_cast<std::size_t>(kLanes * slices()));
    missed_rounded.resize(missed.size());
  }

  // Fills in the slots of a slice but for far columns. Whether it has any.
  [[nodiscard]] bool set_slice(std::int64_t slice, std::span<const std::int32_t> columns,
                               std::span<const float> values) {
    const std::int64_t begin = kLanes * std::int64_t{starts[static_cast<std::size_t>(slice)]};
    const auto first = static_cast<std::int32_t>(kLanes * slice);
    Int8 least{};
    Int8 most{};
    for (std::size_t i = 0; i < columns.size(); i += kLanes) {
      const Int8 distance = load8(&columns[i]) - first;
      least = lane_min(least, distance);
      most = lane_max(most, distance);
      store8(distances.data() + begin + i, distance);
    }
    const Float8 one = splat8(1);
    Float8 left = splat8(0);
    Float8 left_rounded = splat8(0);
    for (std::size_t i = 0; i < columns.size(); i += kLanes) {
      const Float8 weight = lane_min(lane_max(load8(&values[i]), -one), one);
      const Float8 scaled = splat8(kRoundedOne) * weight;
      const Int8 whole = nearest(scaled);
      store8(rounded.data() + begin + i, whole);
      const Float8 rest = splat8(kRestOne) * (scaled - __builtin_convertvector(whole, Float8));
      const Int8 whole_rest = nearest(lane_min(rest, splat8(kRestOne / 2 - 1)));
      store8(rests.data() + begin + i, whole_rest);
      left += rest - __builtin_convertvector(whole_rest, Float8);
      left_rounded += scaled - __builtin_convertvector(whole, Float8);
    }
    const auto in_8_bits = [](Float8 v) {
      constexpr float kMost = std::numeric_limits<std::int8_t>::max();
      return nearest(lane_max(lane_min(v, splat8(kMost)), splat8(-kMost)));
    };
    store8(missed.data() + first, in_8_bits(splat8(kMissedOne) * left));
    store8(missed_rounded.data() + first, in_8_bits(splat8(kMissedOne) * left_rounded));
    using Limits = std::numeric_limits<std::int16_t>;
    return true_lanes((least < Limits::min()) | (most > Limits::max())) != 0;
  }

  // visit(slot, column) for all entries of a row. Slots are indices of rounded and rests.
  template <class Visit>
  void for_row(std::int64_t row, const Visit& visit) const {
    const auto slice = static_cast<std::size_t>(row / kLanes);
    const std::int64_t begin = kLanes * std::int64_t{starts[slice]} + row % kLanes;
    const std::int64_t end = kLanes * std::int64_t{starts[slice + 1]};
    const std::int64_t far_begin = kLanes * std::int64_t{far_starts[slice]} + row % kLanes;
    for (std::int64_t slot = begin, step = 0; slot < end; slot += kLanes, step += kLanes) {
      const std::int64_t column =
          is_far(slice) ? far_columns[static_cast<std::size_t>(far_begin + step)]
                        : row / kLanes * kLanes + distances[static_cast<std::size_t>(slot)];
      visit(static_cast<std::size_t>(slot), column);
    }
  }

  // G x for the eight rows of a slice. x is as long as all slices.
  [[nodiscard]] Float8 product(std::int64_t slice, const float* x) const {
    const Float8 sum = sum_slots(slice, x, [&](std::size_t slot) {
      return fused(splat8(kRestOne), load8(rounded.data() + kLanes * slot),
                   load8(rests.data() + kLanes * slot));
    });
    return fused(splat8(1 / kMissedOne), own(missed, slice, x), sum) /
           splat8(kRestOne * kRoundedOne);
  }
  // With rounded weights.
  [[nodiscard]] Float8 rounded_product(std::int64_t slice, const float* x) const {
    const Float8 sum = sum_slots(
        slice, x, [&](std::size_t slot) { return load8(rounded.data() + kLanes * slot); });
    return splat8(1 / kRoundedOne) *
           fused(splat8(1 / kMissedOne), own(missed_rounded, slice, x), sum);
  }

 private:
  [[nodiscard]] static Float8 own(const Buffer<std::int8_t>& weights, std::int64_t slice,
                                  const float* x) {
    return load8(weights.data() + kLanes * slice) * load8(x + kLanes * slice);
  }
  [[nodiscard]] bool is_far(std::size_t slice) const {
    return far_starts[slice] != far_starts[slice + 1];
  }
  template <class Weight>
  [[nodiscard]] Float8 sum_slots(std::int64_t slice, const float* x, const Weight& weight) const {
    const auto i = static_cast<std::size_t>(slice);
    const auto begin = static_cast<std::size_t>(starts[i]);
    const auto end = static_cast<std::size_t>(starts[i + 1]);
    Float8 sum = splat8(0);
    const float* near = x + kLanes * slice;
    fetch_ahead(near);
    if (!is_far(i)) {
      const std::int16_t* distance = distances.data() + kLanes * std::int64_t{starts[i]};
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
      const std::int32_t* columns = far_columns.data() + kLanes * std::int64_t{far_starts[i]};
      for (std::size_t s = begin; s < end; ++s, columns += kLanes) {
        sum = fused(weight(s), gather(x, columns), sum);
      }
    }
    return sum;
  }
};

}  // namespace spindrift
