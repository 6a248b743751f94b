#include "spindrift/linear/multigrid_level.hpp"

#include <algorithm>
#include <cmath>

namespace spindrift {
namespace {

constexpr std::int64_t kAggregatesInChunk = 128;

}  // namespace

Buffer<double> jacobi_scale(const CsrMatrix& a) {
  Buffer<double> scale(static_cast<std::size_t>(a.rows()));
  parallel_for_each(a.rows(), [&](std::int64_t row) {
    double diagonal = 0;
    double others = 0;
    a.for_row(row, [&](std::int32_t column, double value) {
      column == row ? diagonal = value : others += std::abs(value);
    });
    // Rounding must not make a difference to rows whose entries add up to zero.
    const bool is_dominant = others <= diagonal * (1 + 1e-6);
    const double squared = is_dominant ? diagonal : (diagonal + others) / 2;
    scale[static_cast<std::size_t>(row)] = diagonal > 0 ? std::sqrt(squared) : 0;
  });
  return scale;
}

MultigridLevel::MultigridLevel(const CsrMatrix& a, const Buffer<double>& scale,
                               const Aggregates& aggregates, const Buffer<double>& coarse_scale) {
  set_places(aggregates);
  set_ratios(scale, aggregates, coarse_scale);
  set_matrix(a, scale);
}

void MultigridLevel::set_places(const Aggregates& aggregates) {
  const std::int64_t count = aggregates.count();
  first_place_.resize(static_cast<std::size_t>(count));
  sizes_.resize(static_cast<std::size_t>(count));
  std::int32_t slice = 0;
  for (std::int64_t begin = 0; begin < count; begin += kAggregatesInChunk) {
    const std::int64_t end = std::min(count, begin + kAggregatesInChunk);
    const std::int32_t rows = aggregates.starts[static_cast<std::size_t>(end)] -
                              aggregates.starts[static_cast<std::size_t>(begin)];
    const std::int32_t slices = (rows + SlicedMatrix::kLanes - 1) / SlicedMatrix::kLanes;
    chunks_.push_back(
        {static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end), slice, slice + slices});
    slice += slices;
  }
  matrix_.starts.resize(static_cast<std::size_t>(slice) + 1);
  row_at_.resize(static_cast<std::size_t>(places()));
  place_of_row_.resize(aggregates.rows.size());
  parallel_for_each(
      std::ssize(chunks_),
      [&](std::int64_t c) {
        const Chunk& chunk = chunks_[static_cast<std::size_t>(c)];
        std::int32_t place = SlicedMatrix::kLanes * chunk.first_slice;
        for (std::int32_t g = chunk.first_aggregate; g < chunk.end_aggregate; ++g) {
          const auto i = static_cast<std::size_t>(g);
          first_place_[i] = place;
          sizes_[i] = aggregates.starts[i + 1] - aggregates.starts[i];
          for (std::int32_t k = aggregates.starts[i]; k < aggregates.starts[i + 1]; ++k, ++place) {
            const std::int32_t row = aggregates.rows[static_cast<std::size_t>(k)];
            row_at_[static_cast<std::size_t>(place)] = row;
            place_of_row_[static_cast<std::size_t>(row)] = place;
          }
        }
        for (; place < SlicedMatrix::kLanes * chunk.end_slice; ++place) {
          row_at_[static_cast<std::size_t>(place)] = -1;
        }
      },
      4);
}

void MultigridLevel::set_ratios(const Buffer<double>& scale, const Aggregates& aggregates,
                                const Buffer<double>& coarse_scale) {
  ratio_.resize(static_cast<std::size_t>(places()));
  parallel_for_each(places(), [&](std::int64_t place) {
    const std::int32_t row = row_at_[static_cast<std::size_t>(place)];
    double ratio = 0;
    if (row >= 0) {
      const std::int32_t to = aggregates.of_row[static_cast<std::size_t>(row)];
      const double coarse = coarse_scale[static_cast<std::size_t>(to)];
      if (coarse > 0) ratio = scale[static_cast<std::size_t>(row)] / coarse;
    }
    ratio_[static_cast<std::size_t>(place)] = static_cast<float>(ratio);
  });
}

void MultigridLevel::set_matrix(const CsrMatrix& a, const Buffer<double>& scale) {
  matrix_.rows = a.rows();
  const auto inverse = [&](std::int32_t row) {
    const double t = scale[static_cast<std::size_t>(row)];
    return t > 0 ? 1 / t : 0;
  };
  // A diagonal of 1 needs no slot.
  const auto has_slot = [&](std::int32_t row, std::int32_t column, double value) {
    if (column != row) return true;
    const double t = scale[static_cast<std::size_t>(row)];
    return t > 0 && std::abs(value / (t * t) - 1) > 1e-6;
  };
  const auto for_slice_rows = [&](std::int64_t slice, const auto& visit) {
    for (int lane = 0; lane < SlicedMatrix::kLanes; ++lane) {
      const std::int64_t place = SlicedMatrix::kLanes * slice + lane;
      visit(lane, place, row_at_[static_cast<std::size_t>(place)]);
    }
  };
  parallel_for_each(matrix_.slices(), [&](std::int64_t slice) {
    std::int32_t longest = 0;
    for_slice_rows(slice, [&](int, std::int64_t, std::int32_t row) {
      if (row < 0) return;
      std::int32_t count = 0;
      a.for_row(row,
                [&](std::int32_t column, double value) { count += has_slot(row, column, value); });
      longest = std::max(longest, count);
    });
    matrix_.starts[static_cast<std::size_t>(slice) + 1] = longest;
  });
  matrix_.starts[0] = 0;
  for (std::size_t s = 1; s < matrix_.starts.size(); ++s)
    matrix_.starts[s] += matrix_.starts[s - 1];
  const auto slots = static_cast<std::size_t>(matrix_.starts.back());
  matrix_.columns.resize(SlicedMatrix::kLanes * slots);
  matrix_.weights.resize(SlicedMatrix::kLanes * slots);
  parallel_for_each(matrix_.slices(), [&](std::int64_t slice) {
    const auto begin = static_cast<std::size_t>(matrix_.starts[static_cast<std::size_t>(slice)]);
    const auto end = static_cast<std::size_t>(matrix_.starts[static_cast<std::size_t>(slice) + 1]);
    for_slice_rows(slice, [&](int lane, std::int64_t place, std::int32_t row) {
      std::size_t slot = SlicedMatrix::kLanes * begin + static_cast<std::size_t>(lane);
      const auto put = [&](std::int64_t column, double weight) {
        matrix_.columns[slot] = static_cast<std::int32_t>(column);
        matrix_.weights[slot] = static_cast<float>(weight);
        slot += SlicedMatrix::kLanes;
      };
      if (row >= 0) {
        const double own = inverse(row);
        a.for_row(row, [&](std::int32_t column, double value) {
          if (!has_slot(row, column, value)) return;
          const double scaled = value * own * inverse(column);
          put(place_of_row_[static_cast<std::size_t>(column)],
              column == row ? 1 - scaled : -scaled);
        });
      }
      while (slot < SlicedMatrix::kLanes * end) put(place, 0);
    });
  });
}

std::int64_t MultigridLevel::bytes() const {
  return matrix_.bytes() + 4 * (std::ssize(first_place_) + std::ssize(sizes_) + std::ssize(ratio_) +
                                std::ssize(place_of_row_) + std::ssize(row_at_));
}

double MultigridLevel::restrict_residual(const float* r, float weight, const std::int32_t* to,
                                         float* coarse) const {
  const Float8 w = splat8(weight);
  const Float8 rest = splat8(1 - weight);
  return sum_over_chunks([&](const Chunk& chunk) {
    // The rows of a slice may be of several aggregates: sums over ranges come behind.
    thread_local Buffer<float> scaled;
    const std::int64_t first = SlicedMatrix::kLanes * std::int64_t{chunk.first_slice};
    scaled.resize(
        static_cast<std::size_t>(SlicedMatrix::kLanes * (chunk.end_slice - chunk.first_slice)));
    Float8 products = splat8(0);
    for (std::int64_t s = chunk.first_slice; s < chunk.end_slice; ++s) {
      const std::int64_t place = SlicedMatrix::kLanes * s;
      const Float8 gr = matrix_.product(s, r);
      const Float8 here = load8(r + place);
      products += here * gr;
      store8(scaled.data() + (place - first),
             load8(ratio_.data() + place) * (rest * here + w * gr));
    }
    for (std::int32_t g = chunk.first_aggregate; g < chunk.end_aggregate; ++g) {
      const auto i = static_cast<std::size_t>(g);
      const float* from = scaled.data() + (first_place_[i] - first);
      float sum = 0;
      for (std::int32_t k = 0; k < sizes_[i]; ++k) sum += from[k];
      coarse[to[i]] = sum;
    }
    return lane_sum(products);
  });
}

void MultigridLevel::prolong(const float* r, float weight, const float* e, const std::int32_t* from,
                             float* y) const {
  (void)sum_over_chunks([&](const Chunk& chunk) {
    for (std::int32_t g = chunk.first_aggregate; g < chunk.end_aggregate; ++g) {
      const auto i = static_cast<std::size_t>(g);
      const float value = e[from[i]];
      const auto begin = static_cast<std::size_t>(first_place_[i]);
      for (std::size_t k = begin; k < begin + static_cast<std::size_t>(sizes_[i]); ++k) {
        y[k] = weight * r[k] + ratio_[k] * value;
      }
    }
    return 0.0;
  });
}

}  // namespace spindrift
