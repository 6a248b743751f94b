#include "spindrift/linear/coarse_labels.hpp"

#include <vector>

namespace spindrift {
namespace {

// Unlabelled variables beside fine ones, by the number of their unlabelled neighbours.
//
// A variable is put in again whenever its number changes; what it left behind is skipped.
class Candidates {
 public:
  explicit Candidates(std::size_t most) : lists_(most + 1) {}

  void put(std::int32_t variable, std::int32_t count) {
    const auto k = static_cast<std::size_t>(count);
    lists_[k].push_back(variable);
    top_ = std::max(top_, k);
  }
  // One with the highest count of which is_current(variable, count) holds; -1 if there is none.
  template <class IsCurrent>
  [[nodiscard]] std::int32_t take(const IsCurrent& is_current) {
    for (;; --top_) {
      while (!lists_[top_].empty()) {
        const std::int32_t variable = lists_[top_].back();
        lists_[top_].pop_back();
        if (is_current(variable, static_cast<std::int32_t>(top_))) return variable;
      }
      if (top_ == 0) return -1;
    }
  }

 private:
  std::vector<std::vector<std::int32_t>> lists_;
  std::size_t top_ = 0;
};

}  // namespace

CoarseLabels label_coarse(const CsrMatrix& a) {
  constexpr std::int32_t kCoarse = 0;
  constexpr std::int32_t kUnlabelled = -3;
  constexpr std::int32_t kCandidate = -4;  // unlabelled, beside a fine variable
  CoarseLabels labels;
  const auto n = static_cast<std::size_t>(a.rows());
  labels.of_row.assign(n, kUnlabelled);
  const auto label = [&](std::int32_t i) -> std::int32_t& {
    return labels.of_row[static_cast<std::size_t>(i)];
  };
  const auto for_each_neighbor = [&](std::int32_t i, const auto& visit) {
    // By pattern, which is symmetric: a sum that is zero in one row may be rounding in the other.
    a.for_row(i, [&](std::int32_t j, double) {
      if (j != i) visit(j);
    });
  };

  Buffer<std::int32_t> counts(n, 0);  // of unlabelled neighbours
  const auto count = [&](std::int32_t i) -> std::int32_t& {
    return counts[static_cast<std::size_t>(i)];
  };
  std::int32_t most = 0;
  for (std::int32_t i = 0; i < a.rows(); ++i) {
    for_each_neighbor(i, [&](std::int32_t) { ++count(i); });
    most = std::max(most, count(i));
    if (count(i) == 0) label(i) = CoarseLabels::kIsolated;
  }

  Candidates candidates(static_cast<std::size_t>(most));
  std::vector<std::int32_t> new_fine;
  const auto make_coarse = [&](std::int32_t i) {
    label(i) = kCoarse;
    new_fine.clear();
    for_each_neighbor(i, [&](std::int32_t j) {
      if (label(j) != kUnlabelled && label(j) != kCandidate) return;
      label(j) = CoarseLabels::kFine;
      new_fine.push_back(j);
    });
    for (const std::int32_t j : new_fine) {
      for_each_neighbor(j, [&](std::int32_t k) {
        if (label(k) != kUnlabelled && label(k) != kCandidate) return;
        label(k) = kCandidate;
        candidates.put(k, --count(k));
      });
    }
  };
  for (std::int32_t first = 0; first < a.rows(); ++first) {
    if (label(first) != kUnlabelled) continue;
    for (std::int32_t i = first; i >= 0;) {
      make_coarse(i);
      i = candidates.take(
          [&](std::int32_t j, std::int32_t c) { return label(j) == kCandidate && count(j) == c; });
    }
  }
  for (std::int32_t& own : labels.of_row) {
    if (own == kCoarse) own = static_cast<std::int32_t>(labels.coarse_count++);
  }
  return labels;
}

}  // namespace spindrift
