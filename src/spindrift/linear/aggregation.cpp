#include "spindrift/linear/aggregation.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "spindrift/core/error.hpp"
#include "spindrift/core/fetch_ahead.hpp"
#include "spindrift/core/key_order.hpp"
#include "spindrift/core/parallel_copy.hpp"

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
void join_cubes(Aggregates& cubes, std::int64_t most) {
  constexpr int kAxes = 3;  // bits of a Morton code for each level
  if (cubes.keys.empty()) return;
  const auto bits = static_cast<int>(std::bit_width(cubes.keys.front() ^ cubes.keys.back()));
  for (int level = 1; level <= (bits + kAxes - 1) / kAxes; ++level) {
    const auto parent = [shift = kAxes * level](std::uint64_t key) {
      return shift < std::numeric_limits<std::uint64_t>::digits ? key >> shift : 0;
    };
    const std::size_t count = cubes.keys.size();
    std::size_t kept = 0;
    for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
      while (end < count && parent(cubes.keys[end]) == parent(cubes.keys[begin])) ++end;
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

constexpr std::int32_t kNoAggregate = -1;

struct Entry {
  std::int32_t column;
  double value;
};

// Adds up the entries that leave an aggregate by the aggregates that they lead to.
//
// Which entries leave, and which are the first to lead somewhere, the processor cannot guess:
// there are no branches on either. Those that lead to kNoAggregate are left out.
class LeavingEntries {
 public:
  explicit LeavingEntries(std::int64_t aggregates)
      : seen_(static_cast<std::size_t>(aggregates), Seen{-1, 0}) {}

  void clear() { leaving_count_ = 0; }
  // The entries of a row of `own`; column c is of aggregate to[c].
  void add(const CsrMatrix& a, std::int32_t row, std::int32_t own, const std::int32_t* to) {
    const auto i = static_cast<std::size_t>(row);
    const std::int64_t begin = a.starts[i];
    const std::int64_t end = a.starts[i + 1];
    const auto room = static_cast<std::size_t>(leaving_count_ + (end - begin));
    if (leaving_.size() < room) leaving_.resize(2 * room);
    Entry* last = leaving_.data() + leaving_count_;
    for (std::int64_t k = begin; k < end; ++k) {
      const std::int32_t other = to[a.columns[static_cast<std::size_t>(k)]];
      *last = {other, a.values[static_cast<std::size_t>(k)]};
      last += static_cast<int>(other != own) & static_cast<int>(other != kNoAggregate);
    }
    leaving_count_ = last - leaving_.data();
  }
  // The sums of the entries of `own`, in ascending columns.
  [[nodiscard]] std::span<const Entry> sums(std::int32_t own) {
    if (std::ssize(entries_) <= leaving_count_) {
      entries_.resize(static_cast<std::size_t>(2 * leaving_count_ + 1));
    }
    Entry* const entries = entries_.data();
    std::int32_t count = 0;
    for (const Entry* e = leaving_.data(); e != leaving_.data() + leaving_count_; ++e) {
      Seen& seen = seen_[static_cast<std::size_t>(e->column)];
      const bool is_new = seen.by != own;
      const std::int32_t place = is_new ? count : seen.place;
      entries[count] = {e->column, 0};  // a new one, or written over
      count += is_new;
      entries[place].value += e->value;
      seen = {own, place};
    }
    std::sort(entries, entries + count,
              [](const Entry& one, const Entry& other) { return one.column < other.column; });
    return {entries, static_cast<std::size_t>(count)};
  }

 private:
  struct Seen {
    std::int32_t by, place;  // the last aggregate that led here, and where in entries_ that is
  };
  std::vector<Seen> seen_;
  Buffer<Entry> leaving_;
  std::int64_t leaving_count_ = 0;
  Buffer<Entry> entries_;
};

// Takes rows that are held at zero out of their aggregates. What binds others to them binds those
// to zero: it is in their surplus.
Buffer<std::int32_t> cut_off(const CsrMatrix& a, std::span<const std::int32_t> held,
                             const Buffer<std::int32_t>& of_row, Buffer<double>& surplus) {
  Buffer<std::int32_t> left(of_row.size());
  parallel_copy(of_row, left);
  for (const std::int32_t row : held) {
    left[static_cast<std::size_t>(row)] = kNoAggregate;
    a.for_row(row, [&](std::int32_t column, double value) {
      if (column != row) surplus[static_cast<std::size_t>(column)] -= value;
    });
  }
  return left;
}

}  // namespace

Aggregates aggregate(std::span<const std::uint64_t> keys, std::int64_t most) {
  SPINDRIFT_ASSERT(most > 0);
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
                        Buffer<double>& surplus, std::span<const std::int32_t> held) {
  // Few large chunks: each clears a number for every aggregate.
  constexpr std::int64_t kChunks = 16;
  constexpr std::int64_t kLeast = 512;
  constexpr std::int32_t kRowsAhead = 16;
  const auto last_row = static_cast<std::int32_t>(aggregates.rows.size()) - 1;
  struct Part {
    Buffer<std::int32_t> columns;
    Buffer<double> values;
  };
  Buffer<std::int32_t> without_held;
  if (!held.empty()) without_held = cut_off(a, held, aggregates.of_row, surplus);
  const Buffer<std::int32_t>& of_row = held.empty() ? aggregates.of_row : without_held;
  const std::int64_t count = aggregates.count();
  const std::int64_t chunk = std::max(kLeast, chunk_count(count, kChunks));
  std::vector<Part> parts(static_cast<std::size_t>(chunk_count(count, chunk)));
  CsrMatrix coarse;
  coarse.starts.resize(static_cast<std::size_t>(count) + 1);
  coarse.starts[0] = 0;
  Buffer<double> sums(static_cast<std::size_t>(count));
  parallel_for_chunks(count, chunk, [&](std::int64_t begin, std::int64_t end) {
    Part& part = parts[static_cast<std::size_t>(begin / chunk)];
    LeavingEntries leaving(count);
    for (std::int64_t c = begin; c < end; ++c) {
      const auto i = static_cast<std::size_t>(c);
      const auto own = static_cast<std::int32_t>(c);
      double sum = 0;
      leaving.clear();
      for (std::int32_t k = aggregates.starts[i]; k < aggregates.starts[i + 1]; ++k) {
        const std::int32_t row = aggregates.rows[static_cast<std::size_t>(k)];
        const auto soon = static_cast<std::size_t>(std::min(k + kRowsAhead, last_row));
        a.fetch_row(aggregates.rows[soon]);
        fetch_ahead(&of_row[static_cast<std::size_t>(row)]);
        if (of_row[static_cast<std::size_t>(row)] == kNoAggregate) continue;
        sum += surplus[static_cast<std::size_t>(row)];
        leaving.add(a, row, own, of_row.data());
      }
      const std::span<const Entry> entries = leaving.sums(own);
      double diagonal = sum;
      for (const Entry& entry : entries) diagonal -= entry.value;
      const std::size_t before = part.columns.size();
      const auto put = [&](const Entry& entry) {
        part.columns.push_back(entry.column);
        part.values.push_back(scale * entry.value);
      };
      const auto after = std::find_if(entries.begin(), entries.end(),
                                      [own](const Entry& entry) { return entry.column > own; });
      std::for_each(entries.begin(), after, put);
      put({own, diagonal});
      std::for_each(after, entries.end(), put);
      sums[i] = scale * sum;
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
