#include "spindrift/linear/aggregation.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "spindrift/core/key_order.hpp"
#include "spindrift/core/parallel.hpp"

namespace spindrift {
namespace {

// Adds up the entries of a row of the coarse matrix.
class RowSum {
 public:
  void add(std::int32_t column, double value) {
    // Few columns, and those that come again were seen last.
    for (std::size_t i = entries_.size(); i-- > 0;) {
      if (entries_[i].first != column) continue;
      entries_[i].second += value;
      return;
    }
    entries_.emplace_back(column, value);
  }
  // In ascending columns; empty afterwards.
  template <class Visit>
  void drain(const Visit& visit) {
    std::sort(entries_.begin(), entries_.end());
    for (const auto& [column, value] : entries_) visit(column, value);
    entries_.clear();
  }

 private:
  std::vector<std::pair<std::int32_t, double>> entries_;
};

}  // namespace

Aggregates aggregate(std::span<const std::uint64_t> keys) {
  constexpr std::int64_t kChunk = 1 << 15;
  Aggregates result;
  result.rows = key_order(keys);
  const auto key_at = [&](std::int64_t i) {
    return keys[static_cast<std::size_t>(result.rows[static_cast<std::size_t>(i)])];
  };
  const auto begins = [&](std::int64_t i) { return i == 0 || key_at(i) != key_at(i - 1); };
  const std::int64_t count = std::ssize(keys);
  std::vector<std::int32_t> before(static_cast<std::size_t>(chunk_count(count, kChunk)));
  parallel_for_chunks(count, kChunk, [&](std::int64_t begin, std::int64_t end) {
    std::int32_t own = 0;
    for (std::int64_t i = begin; i < end; ++i) own += begins(i);
    before[static_cast<std::size_t>(begin / kChunk)] = own;
  });
  std::int32_t total = 0;
  for (std::int32_t& own : before) total += std::exchange(own, total);
  result.starts.resize(static_cast<std::size_t>(total) + 1);
  result.keys.resize(static_cast<std::size_t>(total));
  result.of_row.resize(keys.size());
  result.starts.back() = static_cast<std::int32_t>(count);
  parallel_for_chunks(count, kChunk, [&](std::int64_t begin, std::int64_t end) {
    std::int32_t next = before[static_cast<std::size_t>(begin / kChunk)];
    for (std::int64_t i = begin; i < end; ++i) {
      if (begins(i)) {
        result.starts[static_cast<std::size_t>(next)] = static_cast<std::int32_t>(i);
        result.keys[static_cast<std::size_t>(next++)] = key_at(i);
      }
      result.of_row[static_cast<std::size_t>(result.rows[static_cast<std::size_t>(i)])] = next - 1;
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
  constexpr std::int64_t kChunk = 512;  // aggregates
  struct Part {
    std::vector<std::int32_t> columns;
    std::vector<double> values;
  };
  const std::int64_t count = aggregates.count();
  std::vector<Part> parts(static_cast<std::size_t>(chunk_count(count, kChunk)));
  CsrMatrix coarse;
  coarse.starts.resize(static_cast<std::size_t>(count) + 1);
  coarse.starts[0] = 0;
  Buffer<double> sums(static_cast<std::size_t>(count));
  parallel_for_chunks(count, kChunk, [&](std::int64_t begin, std::int64_t end) {
    Part& part = parts[static_cast<std::size_t>(begin / kChunk)];
    RowSum entries;
    for (std::int64_t c = begin; c < end; ++c) {
      const auto i = static_cast<std::size_t>(c);
      double sum = 0;
      double leaving = 0;
      for (std::int32_t k = aggregates.starts[i]; k < aggregates.starts[i + 1]; ++k) {
        const std::int32_t row = aggregates.rows[static_cast<std::size_t>(k)];
        sum += surplus[static_cast<std::size_t>(row)];
        a.for_row(row, [&](std::int32_t column, double value) {
          const std::int32_t other = aggregates.of_row[static_cast<std::size_t>(column)];
          if (other == c) return;
          entries.add(other, scale * value);
          leaving -= value;
        });
      }
      sums[i] = scale * sum;
      entries.add(static_cast<std::int32_t>(c), scale * (sum + leaving));
      const std::size_t before = part.columns.size();
      entries.drain([&](std::int32_t column, double value) {
        part.columns.push_back(column);
        part.values.push_back(value);
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
        const std::int64_t to = coarse.starts[static_cast<std::size_t>(p * kChunk)];
        std::copy(part.columns.begin(), part.columns.end(), coarse.columns.begin() + to);
        std::copy(part.values.begin(), part.values.end(), coarse.values.begin() + to);
      },
      1);
  surplus = std::move(sums);
  return coarse;
}

}  // namespace spindrift
