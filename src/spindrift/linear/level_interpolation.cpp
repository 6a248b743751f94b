#include "spindrift/linear/level_interpolation.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace spindrift {
namespace {

constexpr int kLanes = SlicedMatrix::kLanes;
// With at most four sources a row, slots fit into 16 bits.
constexpr std::int64_t kSlicesInChunk = 256;

}  // namespace

LevelInterpolation::LevelInterpolation(const MultigridLevel& fine,
                                       const Interpolation& interpolation,
                                       const Buffer<double>& coarse) {
  const bool has_four = parallel_reduce_chunks(
                            std::ssize(interpolation.sources), 1 << 14, 0,
                            [&](std::int64_t begin, std::int64_t end) {
                              int four = 0;
                              for (std::int64_t i = begin; i < end; ++i) {
                                const auto& row =
                                    interpolation.sources[static_cast<std::size_t>(i)];
                                four |= std::count(row.begin(), row.end(), -1) == 0;
                              }
                              return four;
                            },
                            [](int a, int b) { return a | b; }) != 0;
  sources_ = has_four ? 4 : 3;
  set_slots(fine, interpolation);
  set_lists(interpolation.matrix.rows());
  inverse_.resize(coarse.size());
  for (std::size_t i = 0; i < coarse.size(); ++i) {
    inverse_[i] = static_cast<float>(interpolation.weight * coarse[i]);
  }
}

void LevelInterpolation::set_slots(const MultigridLevel& fine, const Interpolation& interpolation) {
  struct Seen {
    std::int32_t by;  // the last chunk with this source
    std::uint16_t slot;
  };
  const std::int64_t chunks = chunk_count(fine.places() / kLanes, kSlicesInChunk);
  Buffer<std::int32_t> row_at(static_cast<std::size_t>(fine.places()), -1);
  parallel_for_each(std::ssize(interpolation.sources), [&](std::int64_t row) {
    const std::int32_t place = fine.place_of_row()[static_cast<std::size_t>(row)];
    row_at[static_cast<std::size_t>(place)] = static_cast<std::int32_t>(row);
  });
  slots_.assign(static_cast<std::size_t>(sources_ * fine.places()), 0);
  std::vector<Buffer<std::int32_t>> rows(static_cast<std::size_t>(chunks));
  // Few large parts: each clears a number for every source.
  constexpr std::int64_t kParts = 16;
  parallel_for_chunks(
      chunks, std::max<std::int64_t>(1, chunk_count(chunks, kParts)),
      [&](std::int64_t begin, std::int64_t end) {
        std::vector<Seen> seen(static_cast<std::size_t>(interpolation.matrix.rows()), Seen{-1, 0});
        for (std::int64_t chunk = begin; chunk < end; ++chunk) {
          Buffer<std::int32_t>& own = rows[static_cast<std::size_t>(chunk)];
          const std::int64_t first = chunk * kSlicesInChunk * kLanes;
          const std::int64_t last = std::min(fine.places(), first + kSlicesInChunk * kLanes);
          for (std::int64_t place = first; place < last; ++place) {
            const std::int32_t row = row_at[static_cast<std::size_t>(place)];
            if (row < 0) continue;
            std::uint16_t* slot = &slots_[static_cast<std::size_t>(sources_ * place)];
            for (const std::int32_t source : interpolation.sources[static_cast<std::size_t>(row)]) {
              if (source < 0) continue;
              Seen& here = seen[static_cast<std::size_t>(source)];
              if (here.by != chunk) {
                own.push_back(source);
                here = {static_cast<std::int32_t>(chunk), static_cast<std::uint16_t>(own.size())};
              }
              *slot++ = here.slot;
            }
          }
        }
      });
  for (const Buffer<std::int32_t>& own : rows) {
    row_of_slot_.insert(row_of_slot_.end(), own.begin(), own.end());
    chunk_starts_.push_back(static_cast<std::int32_t>(row_of_slot_.size()));
  }
  partial_.assign(row_of_slot_.size(), 0.0F);
}

void LevelInterpolation::set_lists(std::int64_t coarse_rows) {
  list_starts_.assign(static_cast<std::size_t>(coarse_rows) + 1, 0);
  for (const std::int32_t row : row_of_slot_) ++list_starts_[static_cast<std::size_t>(row) + 1];
  std::partial_sum(list_starts_.begin(), list_starts_.end(), list_starts_.begin());
  lists_.resize(row_of_slot_.size());
  Buffer<std::int32_t> next(list_starts_.begin(), list_starts_.end());
  for (std::size_t slot = 0; slot < row_of_slot_.size(); ++slot) {
    const auto row = static_cast<std::size_t>(row_of_slot_[slot]);
    lists_[static_cast<std::size_t>(next[row]++)] = static_cast<std::int32_t>(slot);
  }
}

std::int64_t LevelInterpolation::bytes() const {
  return 2 * std::ssize(slots_) +
         4 * (std::ssize(chunk_starts_) + std::ssize(row_of_slot_) + std::ssize(list_starts_) +
              std::ssize(lists_) + std::ssize(inverse_) + std::ssize(partial_));
}

template <int sources>
double LevelInterpolation::restrict_as(const MultigridLevel& fine, const float* r, float weight) {
  const Float8 w = splat8(weight);
  const Float8 rest = splat8(1 - weight);
  const SlicedMatrix& matrix = fine.matrix();
  return parallel_reduce_chunks(
      matrix.slices(), kSlicesInChunk, 0.0,
      [&](std::int64_t begin, std::int64_t end) {
        const auto chunk = static_cast<std::size_t>(begin / kSlicesInChunk);
        const std::int32_t first = chunk_starts_[chunk];
        const std::int32_t count = chunk_starts_[chunk + 1] - first;
        thread_local Buffer<float> sums;
        sums.assign(static_cast<std::size_t>(count) + 1, 0.0F);
        Float8 products = splat8(0);
        const std::uint16_t* slot = slots_.data() + sources * kLanes * begin;
        for (std::int64_t s = begin; s < end; ++s) {
          const std::int64_t place = kLanes * s;
          const Float8 gr = matrix.rounded_product(s, r);
          const Float8 here = load8(r + place);
          products += here * gr;
          const Float8 scaled = load8(fine.ratios() + place) * (rest * here + w * gr);
          for (int lane = 0; lane < kLanes; ++lane) {
            for (int k = 0; k < sources; ++k) sums[*slot++] += scaled[lane];
          }
        }
        std::copy(sums.begin() + 1, sums.end(), partial_.begin() + first);
        double sum = 0;
        for (int lane = 0; lane < kLanes; ++lane) sum += double{products[lane]};
        return sum;
      },
      [](double a, double b) { return a + b; });
}

double LevelInterpolation::restrict_residual(const MultigridLevel& fine, const float* r,
                                             float weight, const std::int32_t* to, float* coarse) {
  const double r_gr =
      sources_ == 3 ? restrict_as<3>(fine, r, weight) : restrict_as<4>(fine, r, weight);
  parallel_for_each(std::ssize(inverse_), [&](std::int64_t row) {
    const auto i = static_cast<std::size_t>(row);
    float sum = 0;
    for (std::int32_t k = list_starts_[i]; k < list_starts_[i + 1]; ++k) {
      sum += partial_[static_cast<std::size_t>(lists_[static_cast<std::size_t>(k)])];
    }
    coarse[to[i]] = inverse_[i] * sum;
  });
  return r_gr;
}

template <int sources>
void LevelInterpolation::prolong_as(const MultigridLevel& fine, const float* r, float weight,
                                    const float* e, const std::int32_t* from, float* y) const {
  parallel_for_chunks(
      fine.matrix().slices(), kSlicesInChunk, [&](std::int64_t begin, std::int64_t end) {
        const auto chunk = static_cast<std::size_t>(begin / kSlicesInChunk);
        const std::int32_t first = chunk_starts_[chunk];
        const std::int32_t count = chunk_starts_[chunk + 1] - first;
        thread_local Buffer<float> values;
        values.resize(static_cast<std::size_t>(count) + 1);
        values[0] = 0;
        for (std::int32_t k = 0; k < count; ++k) {
          const auto row =
              static_cast<std::size_t>(row_of_slot_[static_cast<std::size_t>(first + k)]);
          values[static_cast<std::size_t>(k) + 1] = inverse_[row] * e[from[row]];
        }
        const float* const value = values.data();
        const std::uint16_t* slot = slots_.data() + sources * kLanes * begin;
        for (std::int64_t s = begin; s < end; ++s) {
          Float8 sums;
          for (int lane = 0; lane < kLanes; ++lane, slot += sources) {
            float sum = value[slot[0]] + value[slot[1]] + value[slot[2]];
            if constexpr (sources == 4) sum += value[slot[3]];
            sums[lane] = sum;
          }
          const std::int64_t place = kLanes * s;
          store8(y + place,
                 splat8(weight) * load8(r + place) + load8(fine.ratios() + place) * sums);
        }
      });
}

void LevelInterpolation::prolong(const MultigridLevel& fine, const float* r, float weight,
                                 const float* e, const std::int32_t* from, float* y) const {
  if (sources_ == 3) {
    prolong_as<3>(fine, r, weight, e, from, y);
  } else {
    prolong_as<4>(fine, r, weight, e, from, y);
  }
}

}  // namespace spindrift
