#include "spindrift/linear/aggregation.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>
#include <vector>

#include "spindrift/core/key_order.hpp"
#include "spindrift/core/parallel.hpp"

namespace spindrift {
namespace {

// Where each run of equal keys begins, and the end of all.
Buffer<std::int32_t> run_starts(const Buffer<std::uint64_t>& sorted) {
  constexpr std::int64_t kChunk = 1 << 15;
  const std::int64_t count = std::ssize(sorted);
  const auto begins = [&](std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    return i == 0 || sorted[k] != sorted[k - 1];
  };
  std::vector<std::int32_t> before(static_cast<std::size_t>(chunk_count(count, kChunk)));
  parallel_for_chunks(count, kChunk, [&](std::int64_t begin, std::int64_t end) {
    std::int32_t own = 0;
    for (std::int64_t i = begin; i < end; ++i) own += begins(i);
    before[static_cast<std::size_t>(begin / kChunk)] = own;
  });
  std::int32_t total = 0;
  for (std::int32_t& own : before) total += std::exchange(own, total);
  Buffer<std::int32_t> starts(static_cast<std::size_t>(total) + 1);
  starts.back() = static_cast<std::int32_t>(count);
  parallel_for_chunks(count, kChunk, [&](std::int64_t begin, std::int64_t end) {
    auto next = static_cast<std::size_t>(before[static_cast<std::size_t>(begin / kChunk)]);
    for (std::int64_t i = begin; i < end; ++i) {
      if (begins(i)) starts[next++] = static_cast<std::int32_t>(i);
    }
  });
  return starts;
}

// Joins cubes up the octree.
void join_cubes(Aggregates& cubes, std::int32_t most) {
  constexpr int kAxes = 3;  // bits of a Morton code for each level
  if (cubes.keys.empty()) return;
  const auto bits = static_cast<int>(std::bit_width(cubes.keys.front() ^ cubes.keys.back()));
  for (int shift = kAxes; shift < bits + kAxes; shift += kAxes) {
    const std::size_t count = cubes.keys.size();
    std::size_t kept = 0;
    for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
      while (end < count && cubes.keys[end] >> shift == cubes.keys[begin] >> shift) ++end;
      const bool is_joined = cubes.starts[end] - cubes.starts[begin] <= most;
      for (std::size_t i = begin; i < (is_joined ? begin + 1 : end); ++i, ++kept) {
        cubes.keys[kept] = cubes.keys[i];
        cubes.starts[kept] = cubes.starts[i];
      }
    }
    cubes.starts[kept] = cubes.starts[count];
    cubes.keys.resize(kept);
    cubes.starts.resize(kept + 1);
  }
}

// Adds up the entries of a row of the coarse matrix, and forgets them.
class RowSum {
 public:
  explicit RowSum(std::int64_t columns) : places_(static_cast<std::size_t>(columns), -1) {}

  // Row `row` of `a`, whose columns c are of aggregates `to[c]`.
  void add(const CsrMatrix& a, std::int32_t row, const std::int32_t* to) {
    // Numbers of this function alone, which the compiler keeps in registers.
    const auto i = static_cast<std::size_t>(row);
    const std::int32_t* const column_end = a.columns.data() + a.starts[i + 1];
    const double* value = a.values.data() + a.starts[i];
    const std::int32_t* const places = places_.data();
    double* values = values_.data();
    for (const std::int32_t* c = a.columns.data() + a.starts[i]; c != column_end; ++c, ++value) {
      std::int32_t place = places[to[*c]];
      if (place < 0) [[unlikely]] {
        place = add_column(to[*c]);
        values = values_.data();
      }
      values[place] += *value;
    }
  }
  // The place of a new column.
  std::int32_t add_column(std::int32_t column) {
    const auto place = static_cast<std::int32_t>(columns_.size());
    places_[static_cast<std::size_t>(column)] = place;
    columns_.push_back(column);
    values_.push_back(0.0);
    return place;
  }
  // visit(column, value) in ascending columns, of which `own` has to make up for the others to give
  // `sum`; empty afterwards.
  template <class Visit>
  void drain(std::int32_t own, double sum, const Visit& visit) {
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      if (columns_[k] != own) sum -= values_[k];
    }
    std::sort(columns_.begin(), columns_.end());
    for (const std::int32_t column : columns_) {
      std::int32_t& place = places_[static_cast<std::size_t>(column)];
      visit(column, column == own ? sum : values_[static_cast<std::size_t>(place)]);
      place = -1;
    }
    columns_.clear();
    values_.clear();
  }

 private:
  Buffer<std::int32_t> places_;  // of columns in the row; -1: not there
  Buffer<std::int32_t> columns_;
  Buffer<double> values_;
};

}  // namespace

Aggregates aggregate(std::span<const std::uint64_t> keys, std::int32_t most) {
  Aggregates result;
  KeyOrder order = key_order(keys);
  result.rows = std::move(order.indices);
  result.starts = run_starts(order.keys);
  result.keys.resize(result.starts.size() - 1);
  for (std::size_t a = 0; a < result.keys.size(); ++a) {
    result.keys[a] = order.keys[static_cast<std::size_t>(result.starts[a])];
  }
  join_cubes(result, most);
  while (2 * result.count() > std::ssize(keys) && result.count() > 1) {
    most *= 2;
    join_cubes(result, most);
  }
  result.of_row.resize(keys.size());
  parallel_for_each(result.count(), [&](std::int64_t a) {
    const auto i = static_cast<std::size_t>(a);
    for (std::int32_t k = result.starts[i]; k < result.starts[i + 1]; ++k) {
      result.of_row[static_cast<std::size_t>(result.rows[static_cast<std::size_t>(k)])] =
          static_cast<std::int32_t>(a);
    }
  });
  return result;
}

Buffer<double> row_sums(const CsrMatrix& a) {
  Buffer<double> sums(static_cast<std::size_t>(a.rows()));
  parallel_for_each(a.rows(), [&](std::int64_t row) {
    double sum = 0;
    a.for_row(row, [&](std::int32_t, double value) { sum += value; });
    sums[static_cast<std::size_t>(row)] = sum;
  });
  return sums;
}

CsrMatrix coarse_matrix(const CsrMatrix& a, const Aggregates& aggregates, double scale,
                        Buffer<double>& surplus) {
  // Few large chunks: each clears a number for every aggregate.
  constexpr std::int64_t kChunks = 16;
  constexpr std::int64_t kLeast = 512;
  struct Part {
    Buffer<std::int32_t> columns;
    Buffer<double> values;
  };
  const std::int64_t count = aggregates.count();
  const std::int64_t chunk = std::max(kLeast, chunk_count(count, kChunks));
  std::vector<Part> parts(static_cast<std::size_t>(chunk_count(count, chunk)));
  CsrMatrix coarse;
  coarse.starts.resize(static_cast<std::size_t>(count) + 1);
  coarse.starts[0] = 0;
  Buffer<double> sums(static_cast<std::size_t>(count));
  parallel_for_chunks(count, chunk, [&](std::int64_t begin, std::int64_t end) {
    Part& part = parts[static_cast<std::size_t>(begin / chunk)];
    RowSum entries(count);
    for (std::int64_t c = begin; c < end; ++c) {
      const auto i = static_cast<std::size_t>(c);
      const auto own = static_cast<std::int32_t>(c);
      double sum = 0;
      (void)entries.add_column(own);
      for (std::int32_t k = aggregates.starts[i]; k < aggregates.starts[i + 1]; ++k) {
        const std::int32_t row = aggregates.rows[static_cast<std::size_t>(k)];
        sum += surplus[static_cast<std::size_t>(row)];
        // Entries within the aggregate, too: what they add up to is not used, but the processor
        // could not guess which they are.
        entries.add(a, row, aggregates.of_row.data());
      }
      sums[i] = scale * sum;
      const std::size_t before = part.columns.size();
      entries.drain(own, sum, [&](std::int32_t column, double value) {
        part.columns.push_back(column);
        part.values.push_back(scale * value);
      });
      coarse.starts[i + 1] = static_cast<std::int64_t>(part.columns.size() - before);
    }
  });
  std::partial_sum(coarse.starts.begin(), coarse.starts.end(), coarse.starts.begin());
  coarse.columns.resize(static_cast<std::size_t>(coarse.starts.back()));
  coarse.values.resize(coarse.columns.size());
  parallel_for_each(
      std::ssize(parts),
      [&](std::int64_t p) {
        const Part& part = parts[static_cast<std::size_t>(p)];
        const std::int64_t to = coarse.starts[static_cast<std::size_t>(p * chunk)];
        std::copy(part.columns.begin(), part.columns.end(), coarse.columns.begin() + to);
        std::copy(part.values.begin(), part.values.end(), coarse.values.begin() + to);
      },
      1);
  surplus = std::move(sums);
  return coarse;
}

}  // namespace spindrift
