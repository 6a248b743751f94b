#include "spindrift/linear/multigrid_level.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "spindrift/core/fetch_ahead.hpp"

namespace spindrift {
namespace {

constexpr std::int64_t kAggregatesInChunk = 128;
// Rows with more follow each other as they come.
constexpr std::int64_t kMostSlots = 64;
// Rows whose entries are asked for before they are needed.
constexpr std::int64_t kPlacesAhead = 16;

}  // namespace

RowScaling scale_rows(const CsrMatrix& a) {
  RowScaling scaling;
  const auto n = static_cast<std::size_t>(a.rows());
  scaling.inverse.resize(n);
  scaling.own_weight.resize(n);
  scaling.sums.resize(n);
  parallel_for_each(a.rows(), [&](std::int64_t row) {
    double diagonal = 0;
    double others = 0;
    double sum = 0;
    a.for_row(row, [&](std::int32_t column, double value) {
      sum += value;
      diagonal += column == row ? value : 0;
      others += column == row ? 0 : std::abs(value);
    });
    // Rounding must not make a difference to rows whose entries add up to zero.
    const bool is_dominant = others <= diagonal * (1 + 1e-6);
    const double squared = is_dominant ? diagonal : (diagonal + others) / 2;
    const auto i = static_cast<std::size_t>(row);
    scaling.inverse[i] = diagonal > 0 ? 1 / std::sqrt(squared) : 0;
    scaling.own_weight[i] =
        is_dominant || diagonal <= 0 ? 0 : static_cast<float>(1 - diagonal / squared);
    // Rows that add up to zero but for rounding do: a body without any fixed value that has become
    // one row must not look as if it had one.
    constexpr double kRounding = 1e-11;
    scaling.sums[i] = std::abs(sum) > kRounding * (diagonal + others) ? sum : 0;
  });
  return scaling;
}

MultigridLevel::MultigridLevel(const CsrMatrix& a, const RowScaling& scaling,
                               const Aggregates& aggregates, const Buffer<double>& coarse) {
  set_places(a, scaling, aggregates);
  set_ratios(scaling, coarse);
  set_matrix(a, scaling);
  row_at_ = {};
}

void MultigridLevel::set_places(const CsrMatrix& a, const RowScaling& scaling,
                                const Aggregates& aggregates) {
  const std::int64_t count = aggregates.count();
  const Buffer<std::int32_t>& starts = aggregates.starts;
  std::int32_t slice = 0;
  for (std::int64_t begin = 0; begin < count; begin += kAggregatesInChunk) {
    const std::int64_t end = std::min(count, begin + kAggregatesInChunk);
    const std::int32_t rows =
        starts[static_cast<std::size_t>(end)] - starts[static_cast<std::size_t>(begin)];
    const std::int32_t slices = (rows + SlicedMatrix::kLanes - 1) / SlicedMatrix::kLanes;
    chunks_.push_back(
        {static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end), slice, slice + slices});
    slice += slices;
  }
  matrix_.starts.resize(static_cast<std::size_t>(slice) + 1);
  row_at_.resize(static_cast<std::size_t>(places()));
  aggregate_at_.resize(row_at_.size());
  place_of_row_.resize(aggregates.rows.size());
  const auto slots_of = [&](std::int32_t row) {
    const auto i = static_cast<std::size_t>(row);
    return std::min<std::int64_t>(
        kMostSlots, a.starts[i + 1] - a.starts[i] + (scaling.own_weight[i] != 0 ? 1 : 0));
  };
  parallel_for_each(
      std::ssize(chunks_),
      [&](std::int64_t c) {
        const Chunk& chunk = chunks_[static_cast<std::size_t>(c)];
        const std::int32_t begin = starts[static_cast<std::size_t>(chunk.first_aggregate)];
        const std::int32_t end = starts[static_cast<std::size_t>(chunk.end_aggregate)];
        // The place of the next row with so many slots.
        std::array<std::int32_t, kMostSlots + 2> next{};
        for (std::int32_t k = begin; k < end; ++k) {
          ++next[static_cast<std::size_t>(slots_of(aggregates.rows[static_cast<std::size_t>(k)]) +
                                          1)];
        }
        next[0] = SlicedMatrix::kLanes * chunk.first_slice;
        std::partial_sum(next.begin(), next.end(), next.begin());
        for (std::int32_t g = chunk.first_aggregate; g < chunk.end_aggregate; ++g) {
          const auto i = static_cast<std::size_t>(g);
          for (auto k = static_cast<std::size_t>(starts[i]);
               k < static_cast<std::size_t>(starts[i + 1]); ++k) {
            const std::int32_t row = aggregates.rows[k];
            const std::int32_t place = next[static_cast<std::size_t>(slots_of(row))]++;
            row_at_[static_cast<std::size_t>(place)] = row;
            aggregate_at_[static_cast<std::size_t>(place)] =
                static_cast<std::int16_t>(g - chunk.first_aggregate);
            place_of_row_[static_cast<std::size_t>(row)] = place;
          }
        }
        for (std::int32_t place = SlicedMatrix::kLanes * chunk.first_slice + (end - begin);
             place < SlicedMatrix::kLanes * chunk.end_slice; ++place) {
          row_at_[static_cast<std::size_t>(place)] = -1;
          aggregate_at_[static_cast<std::size_t>(place)] = 0;
        }
      },
      4);
}

void MultigridLevel::set_ratios(const RowScaling& scaling, const Buffer<double>& coarse) {
  ratio_.resize(static_cast<std::size_t>(places()));
  parallel_for_each(
      std::ssize(chunks_),
      [&](std::int64_t c) {
        const Chunk& chunk = chunks_[static_cast<std::size_t>(c)];
        for (std::int64_t k = SlicedMatrix::kLanes * std::int64_t{chunk.first_slice};
             k < SlicedMatrix::kLanes * std::int64_t{chunk.end_slice}; ++k) {
          const auto place = static_cast<std::size_t>(k);
          const std::int32_t row = row_at_[place];
          const double own = row < 0 ? 0 : scaling.inverse[static_cast<std::size_t>(row)];
          const auto to = static_cast<std::size_t>(chunk.first_aggregate + aggregate_at_[place]);
          ratio_[place] = own > 0 ? static_cast<float>(coarse[to] / own) : 0;
        }
      },
      4);
}

void MultigridLevel::set_matrix(const CsrMatrix& a, const RowScaling& scaling) {
  set_starts(a, scaling);
  matrix_.resize_slots();
  Buffer<Unknown> unknowns(static_cast<std::size_t>(a.rows()));
  parallel_for_each(a.rows(), [&](std::int64_t row) {
    const auto i = static_cast<std::size_t>(row);
    unknowns[i] = {place_of_row_[i], static_cast<float>(scaling.inverse[i])};
  });
  constexpr std::int64_t kSlices = 256;
  std::vector<Buffer<std::int32_t>> far_columns(
      static_cast<std::size_t>(chunk_count(matrix_.slices(), kSlices)));
  matrix_.far_starts.resize(matrix_.starts.size());
  parallel_for_chunks(matrix_.slices(), kSlices, [&](std::int64_t begin, std::int64_t end) {
    SliceEntries entries;
    Buffer<std::int32_t>& far = far_columns[static_cast<std::size_t>(begin / kSlices)];
    for (std::int64_t slice = begin; slice < end; ++slice) {
      const auto s = static_cast<std::size_t>(slice);
      const std::int32_t slots = matrix_.starts[s + 1] - matrix_.starts[s];
      set_entries(a, unknowns, scaling, slice, slots, entries);
      const bool is_far = matrix_.set_slice(slice, entries.columns, entries.weights);
      if (is_far) far.insert(far.end(), entries.columns.begin(), entries.columns.end());
      matrix_.far_starts[s + 1] = is_far ? slots : 0;
    }
  });
  matrix_.far_starts.front() = 0;
  std::partial_sum(matrix_.far_starts.begin(), matrix_.far_starts.end(),
                   matrix_.far_starts.begin());
  matrix_.far_columns.resize(
      static_cast<std::size_t>(std::int64_t{SlicedMatrix::kLanes} * matrix_.far_starts.back()));
  parallel_for_each(
      std::ssize(far_columns),
      [&](std::int64_t chunk) {
        const auto& far = far_columns[static_cast<std::size_t>(chunk)];
        const std::int32_t before = matrix_.far_starts[static_cast<std::size_t>(kSlices * chunk)];
        std::copy(far.begin(), far.end(),
                  matrix_.far_columns.begin() + SlicedMatrix::kLanes * std::int64_t{before});
      },
      4);
}

// As many slots as the longest row has entries besides its diagonal.
void MultigridLevel::set_starts(const CsrMatrix& a, const RowScaling& scaling) {
  constexpr int kLanes = SlicedMatrix::kLanes;
  parallel_for_each(
      matrix_.slices(),
      [&](std::int64_t slice) {
        std::int64_t longest = 0;
        for (std::int64_t place = kLanes * slice; place < kLanes * (slice + 1); ++place) {
          const std::int32_t row = row_at_[static_cast<std::size_t>(place)];
          if (row < 0) continue;
          const auto i = static_cast<std::size_t>(row);
          longest = std::max(
              longest, a.starts[i + 1] - a.starts[i] - 1 + (scaling.own_weight[i] != 0 ? 1 : 0));
        }
        matrix_.starts[static_cast<std::size_t>(slice) + 1] = static_cast<std::int32_t>(longest);
      },
      256);
  matrix_.starts.front() = 0;
  std::partial_sum(matrix_.starts.begin(), matrix_.starts.end(), matrix_.starts.begin());
}

void MultigridLevel::set_entries(const CsrMatrix& a, const Buffer<Unknown>& unknowns,
                                 const RowScaling& scaling, std::int64_t slice, std::int32_t slots,
                                 SliceEntries& entries) const {
  constexpr int kLanes = SlicedMatrix::kLanes;
  const auto count = static_cast<std::size_t>(kLanes * slots);
  // Room for a row's diagonal, which is written and then written over.
  entries.columns.resize(count + kLanes);
  entries.weights.resize(count + kLanes);
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::int64_t place = kLanes * slice + lane;
    auto slot = static_cast<std::size_t>(lane);
    const auto put = [&](std::int32_t column, float weight, bool stays = true) {
      entries.columns[slot] = column;
      entries.weights[slot] = weight;
      slot += stays ? kLanes : 0;
    };
    const std::int32_t row = row_at_[static_cast<std::size_t>(place)];
    // Rows without a diagonal have no entries.
    fetch_ahead(&unknowns[static_cast<std::size_t>(std::max(row, 0))]);
    const std::int32_t soon = row_at_[static_cast<std::size_t>(
        std::min(place + kPlacesAhead, static_cast<std::int64_t>(row_at_.size()) - 1))];
    if (soon >= 0) a.fetch_row(soon);
    const double own = row < 0 ? 0 : -unknowns[static_cast<std::size_t>(row)].inverse_scale;
    if (own != 0) {
      a.for_row(row, [&](std::int32_t column, double value) {
        const Unknown& other = unknowns[static_cast<std::size_t>(column)];
        put(other.place, static_cast<float>(value * (own * double{other.inverse_scale})),
            column != row);
      });
      const float diagonal = scaling.own_weight[static_cast<std::size_t>(row)];
      if (diagonal != 0) put(static_cast<std::int32_t>(place), diagonal);
    }
    while (slot < count) put(static_cast<std::int32_t>(place), 0);
  }
  entries.columns.resize(count);
  entries.weights.resize(count);
}

void MultigridLevel::cut_off(std::span<const std::int32_t> rows) {
  // In the opposite order: an entry between two rows was cut twice.
  for (auto cut = cut_entries_.rbegin(); cut != cut_entries_.rend(); ++cut) {
    matrix_.rests[cut->slot] = cut->rest;
    matrix_.rounded[cut->slot] = cut->rounded;
  }
  for (const CutRow& cut : cut_rows_) ratio_[cut.place] = cut.ratio;
  cut_entries_.clear();
  cut_rows_.clear();
  const auto cut = [&](std::size_t slot) {
    cut_entries_.push_back({slot, matrix_.rounded[slot], matrix_.rests[slot]});
    matrix_.rounded[slot] = 0;
    matrix_.rests[slot] = 0;
  };
  for (const std::int32_t row : rows) {
    const std::int64_t place = place_of_row_[static_cast<std::size_t>(row)];
    const auto p = static_cast<std::size_t>(place);
    cut_rows_.push_back({p, ratio_[p]});
    ratio_[p] = 0;
    matrix_.for_row(place, [&](std::size_t slot, std::int64_t column) {
      cut(slot);
      if (column == place) return;
      matrix_.for_row(column, [&](std::size_t other, std::int64_t back) {
        if (back == place) cut(other);
      });
    });
  }
}

std::int64_t MultigridLevel::bytes() const {
  return matrix_.bytes() + 2 * std::ssize(aggregate_at_) +
         4 * (std::ssize(ratio_) + std::ssize(place_of_row_) + std::ssize(row_at_));
}

double MultigridLevel::restrict_residual(const float* r, float weight, const std::int32_t* to,
                                         float* coarse) const {
  const Float8 w = splat8(weight);
  const Float8 rest = splat8(1 - weight);
  return sum_over_chunks([&](const Chunk& chunk) {
    // A sum for each lane and aggregate: the rows of a slice may be of several aggregates, and
    // those that follow each other are often of one, whose additions would wait for each other.
    std::array<std::array<float, kAggregatesInChunk>, SlicedMatrix::kLanes> sums{};
    Float8 products = splat8(0);
    for (std::int64_t s = chunk.first_slice; s < chunk.end_slice; ++s) {
      const std::int64_t place = SlicedMatrix::kLanes * s;
      const Float8 gr = matrix_.rounded_product(s, r);
      const Float8 here = load8(r + place);
      products += here * gr;
      std::array<float, SlicedMatrix::kLanes> left;
      store8(left.data(), load8(ratio_.data() + place) * (rest * here + w * gr));
      const std::int16_t* aggregate = aggregate_at_.data() + place;
      for (std::size_t lane = 0; lane < left.size(); ++lane) {
        sums[lane][static_cast<std::size_t>(aggregate[lane])] += left[lane];
      }
    }
    for (std::int32_t g = chunk.first_aggregate; g < chunk.end_aggregate; ++g) {
      const auto i = static_cast<std::size_t>(g - chunk.first_aggregate);
      float sum = 0;
      for (const auto& of_lane : sums) sum += of_lane[i];
      coarse[to[g]] = sum;
    }
    return lane_sum(products);
  });
}

void MultigridLevel::prolong(const float* r, float weight, const float* e, const std::int32_t* from,
                             float* y) const {
  const Float8 w = splat8(weight);
  (void)sum_over_chunks([&](const Chunk& chunk) {
    std::array<float, kAggregatesInChunk> values;
    for (std::int32_t g = chunk.first_aggregate; g < chunk.end_aggregate; ++g) {
      values[static_cast<std::size_t>(g - chunk.first_aggregate)] =
          e[from[static_cast<std::size_t>(g)]];
    }
    for (std::int64_t s = chunk.first_slice; s < chunk.end_slice; ++s) {
      const std::int64_t i = SlicedMatrix::kLanes * s;
      const Float8 value = gather(values.data(), aggregate_at_.data() + i);
      store8(y + i, w * load8(r + i) + load8(ratio_.data() + i) * value);
    }
    return 0.0;
  });
}

}  // namespace spindrift
