#include "spindrift/linear/sparse_product.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "spindrift/core/parallel.hpp"

namespace spindrift {
namespace {

// The entries of one row, added up by column in a hash table.
class RowTable {
 public:
  RowTable() : slots_(64, kEmpty) {}

  void add(std::int32_t column, double value) {
    std::size_t slot = first_slot(column);
    while (slots_[slot] != kEmpty) {
      auto& entry = entries_[static_cast<std::size_t>(slots_[slot])];
      if (entry.first == column) {
        entry.second += value;
        return;
      }
      slot = (slot + 1) & (slots_.size() - 1);
    }
    slots_[slot] = static_cast<std::int32_t>(entries_.size());
    entries_.emplace_back(column, value);
    if (2 * entries_.size() > slots_.size()) grow();
  }
  // In ascending columns; empty afterwards.
  template <class Visit>
  void drain(const Visit& visit) {
    std::sort(entries_.begin(), entries_.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [column, value] : entries_) visit(column, value);
    entries_.clear();
    std::fill(slots_.begin(), slots_.end(), kEmpty);
  }

 private:
  static constexpr std::int32_t kEmpty = -1;

  [[nodiscard]] std::size_t first_slot(std::int32_t column) const {
    // Neighbouring columns fall far apart [Knuth 1973, 6.4].
    return (static_cast<std::uint32_t>(column) * 2654435769U >> 8) & (slots_.size() - 1);
  }
  void grow() {
    slots_.assign(2 * slots_.size(), kEmpty);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      std::size_t slot = first_slot(entries_[i].first);
      while (slots_[slot] != kEmpty) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = static_cast<std::int32_t>(i);
    }
  }

  std::vector<std::int32_t> slots_;  // where in entries_; a power of two of them
  std::vector<std::pair<std::int32_t, double>> entries_;
};

}  // namespace

CsrMatrix product(const CsrMatrix& a, const CsrMatrix& b) {
  constexpr std::int64_t kChunk = 2048;
  struct Part {
    std::vector<std::int32_t> columns;
    std::vector<double> values;
  };
  std::vector<Part> parts(static_cast<std::size_t>(chunk_count(a.rows(), kChunk)));
  CsrMatrix result;
  result.starts.resize(a.starts.size());
  result.starts[0] = 0;
  parallel_for_chunks(a.rows(), kChunk, [&](std::int64_t begin, std::int64_t end) {
    Part& part = parts[static_cast<std::size_t>(begin / kChunk)];
    RowTable table;
    for (std::int64_t row = begin; row < end; ++row) {
      a.for_row(row, [&](std::int32_t middle, double left) {
        b.for_row(middle,
                  [&](std::int32_t column, double right) { table.add(column, left * right); });
      });
      const std::size_t before = part.columns.size();
      table.drain([&](std::int32_t column, double value) {
        part.columns.push_back(column);
        part.values.push_back(value);
      });
      result.starts[static_cast<std::size_t>(row) + 1] =
          static_cast<std::int64_t>(part.columns.size() - before);
    }
  });
  std::partial_sum(result.starts.begin(), result.starts.end(), result.starts.begin());
  result.columns.resize(static_cast<std::size_t>(result.starts.back()));
  result.values.resize(result.columns.size());
  parallel_for_each(
      std::ssize(parts),
      [&](std::int64_t p) {
        const Part& part = parts[static_cast<std::size_t>(p)];
        const std::int64_t to = result.starts[static_cast<std::size_t>(p * kChunk)];
        std::copy(part.columns.begin(), part.columns.end(), result.columns.begin() + to);
        std::copy(part.values.begin(), part.values.end(), result.values.begin() + to);
      },
      1);
  return result;
}

CsrMatrix transposed(const CsrMatrix& a, std::int64_t columns) {
  CsrMatrix result;
  result.starts.assign(static_cast<std::size_t>(columns) + 1, 0);
  for (const std::int32_t column : a.columns) ++result.starts[static_cast<std::size_t>(column) + 1];
  std::partial_sum(result.starts.begin(), result.starts.end(), result.starts.begin());
  result.columns.resize(a.columns.size());
  result.values.resize(a.values.size());
  Buffer<std::int64_t> next(result.starts.begin(), result.starts.end() - 1);
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    a.for_row(row, [&](std::int32_t column, double value) {
      const auto to = static_cast<std::size_t>(next[static_cast<std::size_t>(column)]++);
      result.columns[to] = static_cast<std::int32_t>(row);
      result.values[to] = value;
    });
  }
  return result;
}

}  // namespace spindrift
