#include "spindrift/linear/paper_multigrid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/stats.hpp"
#include "spindrift/linear/aggregation.hpp"
#include "spindrift/linear/coarse_labels.hpp"
#include "spindrift/linear/solve_record.hpp"
#include "spindrift/linear/sparse_product.hpp"

namespace spindrift {
namespace {

// Coarse variables keep their value, fine ones get the average of their coarse neighbours, isolated
// ones nothing.
CsrMatrix averages(const CsrMatrix& a, const CoarseLabels& labels) {
  CsrMatrix p;
  p.starts.reserve(a.starts.size());
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    const std::int32_t own = labels.of_row[static_cast<std::size_t>(row)];
    if (own >= 0) p.columns.push_back(own);
    const std::size_t before = p.columns.size();
    if (own == CoarseLabels::kFine) {
      a.for_row(row, [&](std::int32_t column, double) {
        const std::int32_t coarse = labels.of_row[static_cast<std::size_t>(column)];
        if (coarse >= 0) p.columns.push_back(coarse);
      });
    }
    const std::size_t count = p.columns.size() - before;
    p.values.resize(p.columns.size(), own >= 0 ? 1 : 1 / static_cast<double>(count));
    p.starts.push_back(std::ssize(p.columns));
  }
  return p;
}

// The sums of the rows; exactly zero where nothing but round-off is left.
Buffer<double> clean_row_sums(const CsrMatrix& a) {
  constexpr double kRoundOff = 8 * std::numeric_limits<double>::epsilon();
  Buffer<double> sums = row_sums(a);
  const Buffer<double> d = diagonal(a);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (std::abs(sums[i]) <= kRoundOff * d[i]) sums[i] = 0;
  }
  return sums;
}

// P^T A P keeps the sums of rows: with them a part of the matrix that is singular stays so, while
// P^T A P as it was added up would end in a last row of round-off, which looks regular.
void set_row_sums(CsrMatrix& a, const Buffer<double>& sums) {
  parallel_for_each(a.rows(), [&](std::int64_t row) {
    const auto i = static_cast<std::size_t>(row);
    double others = 0;
    std::size_t own = a.columns.size();
    for (auto k = static_cast<std::size_t>(a.starts[i]);
         k < static_cast<std::size_t>(a.starts[i + 1]); ++k) {
      if (a.columns[k] == row) {
        own = k;
      } else {
        others += a.values[k];
      }
    }
    SPINDRIFT_ASSERT(own < a.columns.size());
    a.values[own] = sums[i] - others;
  });
}

}  // namespace

PaperMultigrid::PaperMultigrid(const CsrMatrix& a, const PaperMultigridParams& params)
    : a_(a), params_(params) {
  const Stopwatch watch;
  add_levels();
  const CsrMatrix& last = matrix(levels_.size() - 1);
  coarsest_ = DenseInverse(last);
  setup_.bytes = a.bytes() + coarsest_.bytes();
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const Level& level = levels_[l];
    const auto n = static_cast<std::size_t>(matrix(l).rows());
    vectors_.push_back({Buffer<double>(n), Buffer<double>(n), Buffer<double>(n)});
    setup_.levels.push_back({matrix(l).rows(), matrix(l).nonzeros()});
    setup_.bytes += (l == 0 ? 0 : level.own.bytes()) + level.prolongation.bytes() +
                    level.restriction.bytes() +
                    std::ssize(level.inverse_diagonal) * std::int64_t{sizeof(double)};
  }
  setup_.seconds = watch.seconds();
}

void PaperMultigrid::add_levels() {
  Buffer<double> sums = clean_row_sums(a_);
  CsrMatrix next;
  for (std::size_t l = 0;; ++l) {
    levels_.push_back({std::move(next), {}, {}, {}});
    Level& level = levels_.back();
    const CsrMatrix& here = matrix(l);
    level.inverse_diagonal = diagonal(here);
    for (double& d : level.inverse_diagonal) d = d > 0 ? 1 / d : 0;
    if (here.rows() <= params_.dense_rows) return;
    const CoarseLabels labels = label_coarse(here);
    level.prolongation = averages(here, labels);
    level.restriction = transposed(level.prolongation, labels.coarse_count);
    next = product(level.restriction, product(here, level.prolongation));
    Buffer<double> coarse_sums(static_cast<std::size_t>(labels.coarse_count));
    multiply(level.restriction, sums, coarse_sums);
    set_row_sums(next, coarse_sums);
    sums = std::move(coarse_sums);
  }
}

void PaperMultigrid::relax(std::size_t level, Direction direction) const {
  const CsrMatrix& a = matrix(level);
  Vectors& v = vectors_[level];
  const Buffer<double>& inverse = levels_[level].inverse_diagonal;
  const auto relax_row = [&](std::int64_t row) {
    const auto i = static_cast<std::size_t>(row);
    double r = v.b[i];
    a.for_row(row,
              [&](std::int32_t j, double value) { r -= value * v.x[static_cast<std::size_t>(j)]; });
    v.x[i] += inverse[i] * r;
  };
  for (int sweep = 0; sweep < params_.sweeps; ++sweep) {
    if (direction == Direction::forward) {
      for (std::int64_t row = 0; row < a.rows(); ++row) relax_row(row);
    } else {
      for (std::int64_t row = a.rows() - 1; row >= 0; --row) relax_row(row);
    }
  }
}

void PaperMultigrid::solve_coarsest() const {
  Vectors& v = vectors_.back();
  double size = 0;
  for (const double value : v.b) size = std::max(size, std::abs(value));
  if (size == 0) size = 1;
  // The inverse is in single precision; numbers near one neither vanish in it nor overflow.
  Buffer<float> r(v.b.size());
  Buffer<float> x(v.b.size());
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = static_cast<float>(v.b[i] / size);
  coarsest_.apply(r.data(), x.data());
  for (std::size_t i = 0; i < r.size(); ++i) v.x[i] = size * double{x[i]};
}

// Improves x of a level.
void PaperMultigrid::v_cycle(std::size_t level) const {
  if (level + 1 == levels_.size()) return solve_coarsest();
  Vectors& v = vectors_[level];
  Vectors& coarse = vectors_[level + 1];
  relax(level, Direction::forward);
  multiply(matrix(level), v.x, v.residual);
  parallel_for_each(std::ssize(v.b), [&](std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    v.residual[k] = v.b[k] - v.residual[k];
  });
  multiply(levels_[level].restriction, v.residual, coarse.b);
  std::fill(coarse.x.begin(), coarse.x.end(), 0.0);
  v_cycle(level + 1);
  multiply(levels_[level].prolongation, coarse.x, v.residual);
  parallel_for_each(std::ssize(v.x), [&](std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    v.x[k] += v.residual[k];
  });
  relax(level, Direction::backward);
}

// x of the finest level from its b.
void PaperMultigrid::full_cycle() const {
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
    multiply(levels_[l].restriction, vectors_[l].b, vectors_[l + 1].b);
  }
  solve_coarsest();
  for (std::size_t l = levels_.size() - 1; l-- > 0;) {
    multiply(levels_[l].prolongation, vectors_[l + 1].x, vectors_[l].x);
    v_cycle(l);
  }
}

void PaperMultigrid::apply(std::span<const double> r, std::span<double> z) const {
  Vectors& v = vectors_.front();
  std::copy(r.begin(), r.end(), v.b.begin());
  std::fill(v.x.begin(), v.x.end(), 0.0);
  v_cycle(0);
  std::copy(v.x.begin(), v.x.end(), z.begin());
}

SolveReport PaperMultigrid::solve(std::span<const double> b, std::span<double> x,
                                  const SolveParams& params) const {
  SPINDRIFT_ASSERT(std::ssize(b) == a_.rows() && std::ssize(x) == a_.rows());
  SolveRecord record(b, x, params);
  Vectors& v = vectors_.front();
  const auto set_residual = [&] {
    multiply(a_, x, v.residual);
    const double squared = sum_over(a_.rows(), [&](std::size_t i) {
      v.b[i] = b[i] - v.residual[i];
      return v.b[i] * v.b[i];
    });
    return std::sqrt(squared) / record.size();
  };
  if (record.has_begun()) record.add(set_residual());
  while (record.goes_on()) {
    full_cycle();
    parallel_for_each(std::ssize(v.x), [&](std::int64_t i) {
      const auto k = static_cast<std::size_t>(i);
      x[k] += v.x[k];
    });
    record.count_iteration(set_residual());
  }
  return record.report();
}

}  // namespace spindrift
