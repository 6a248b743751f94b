#include "spindrift/linear/multigrid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/stats.hpp"
#include "spindrift/linear/vectors.hpp"

namespace spindrift {

// A residual that is so much smaller is computed anew. If it turns out to be greater than the
// iteration had it so often, and does not even halve meanwhile, rounding is in the way.
constexpr double kLookAfter = 1e-3;
constexpr int kMostLooksOff = 5;

struct Multigrid::Work {
  Buffer<float> r;  // right-hand side
  Buffer<float> e;  // solution
  Buffer<float> y, first;

  explicit Work(std::int64_t places) {
    for (Buffer<float>* vector : {&r, &e, &y, &first}) {
      vector->assign(static_cast<std::size_t>(places), 0.0F);
    }
  }
  [[nodiscard]] std::int64_t bytes() const {
    return 4 * std::ssize(r) * std::int64_t{sizeof(float)};
  }
};

Multigrid::~Multigrid() = default;

Multigrid::Multigrid(const CsrMatrix& a, std::span<const std::uint64_t> keys,
                     const MultigridParams& params)
    : a_(a), params_(params) {
  SPINDRIFT_ASSERT(std::ssize(keys) == a.rows());
  SPINDRIFT_ASSERT(a.rows() < std::int64_t{1} << 30);  // places and slots take 32 bits
  SPINDRIFT_ASSERT(params.dense_rows > 0);
  const Stopwatch watch;
  const CsrMatrix* fine = &a;
  CsrMatrix coarse;
  RowScaling scaling = scale_rows(a);
  Buffer<double> surplus = scaling.sums;
  inverse_scale_ = scaling.inverse;
  Buffer<std::uint64_t> fine_keys(keys.begin(), keys.end());
  while (fine->rows() > params.dense_rows || levels_.empty()) {
    setup_.levels.push_back({fine->rows(), fine->nonzeros()});
    const bool is_first = levels_.empty();
    Aggregates aggregates =
        aggregate(fine_keys, is_first ? params.most_together : params.most_together_below);
    CsrMatrix next = coarse_matrix(*fine, aggregates,
                                   is_first ? params.first_scale : params.coarse_scale, surplus);
    RowScaling next_scaling = scale_rows(next);
    const bool is_last = next.rows() <= params.dense_rows;
    if (is_last) std::fill(next_scaling.inverse.begin(), next_scaling.inverse.end(), 1.0);
    levels_.emplace_back(*fine, scaling, aggregates, next_scaling.inverse, is_first);
    scaling = std::move(next_scaling);
    coarse = std::move(next);
    fine = &coarse;
    fine_keys = std::move(aggregates.keys);
  }
  setup_.levels.push_back({fine->rows(), fine->nonzeros()});
  coarsest_ = DenseInverse(*fine);
  coarsest_places_.resize(static_cast<std::size_t>(fine->rows()));
  std::iota(coarsest_places_.begin(), coarsest_places_.end(), 0);
  setup_.bytes = a.bytes() + coarsest_.bytes();
  for (const MultigridLevel& level : levels_) {
    work_.emplace_back(level.places());
    setup_.bytes += level.bytes() + work_.back().bytes();
  }
  solution_.resize(static_cast<std::size_t>(levels_.front().places()));
  setup_.bytes += std::ssize(inverse_scale_) * std::int64_t{sizeof(double)} +
                  std::ssize(solution_) * std::int64_t{sizeof(float)};
  work_.emplace_back(fine->rows());
  setup_.seconds = watch.seconds();
}

// Solves approximately on a level from zero: work.e from work.r.
void Multigrid::cycle(std::size_t l) {
  Work& work = work_[l];
  if (l == levels_.size()) {
    coarsest_.apply(work.r.data(), work.e.data());
    return;
  }
  const MultigridLevel& level = levels_[l];
  Work& below = work_[l + 1];
  const bool is_above_last = l + 1 == levels_.size();
  const std::int32_t* places =
      (is_above_last ? coarsest_places_ : levels_[l + 1].place_of_row()).data();
  const float w = params_.coarse_smoothing;
  level.restrict_residual(work.r.data(), w, places, below.r.data());
  cycle(l + 1);
  if (!is_above_last) {
    // Once more, from what is left.
    const MultigridLevel& next = levels_[l + 1];
    std::swap(below.first, below.e);
    next.for_each_product(below.first.data(), [&](std::int64_t i, Float8 product) {
      store8(below.r.data() + i,
             load8(below.r.data() + i) - load8(below.first.data() + i) + product);
      return Float8{};
    });
    cycle(l + 1);
    next.for_each_slice([&](std::int64_t i) {
      store8(below.e.data() + i, load8(below.e.data() + i) + load8(below.first.data() + i));
      return Float8{};
    });
  }
  level.prolong(work.r.data(), w, below.e.data(), places, work.y.data());
  level.for_each_product(work.y.data(), [&](std::int64_t i, Float8 product) {
    const Float8 y = load8(work.y.data() + i);
    store8(work.e.data() + i, splat8(1 - w) * y + splat8(w) * (load8(work.r.data() + i) + product));
    return Float8{};
  });
}

SolveReport Multigrid::solve(std::span<const double> b, std::span<double> x,
                             const SolveParams& params) {
  SPINDRIFT_ASSERT(std::ssize(b) == a_.rows() && std::ssize(x) == a_.rows());
  const Stopwatch watch;
  SolveReport report;
  const auto finish = [&](std::string problem) {
    report.has_converged = problem.empty();
    report.problem = std::move(problem);
    report.seconds = watch.seconds();
    return report;
  };
  const double size = norm(b);
  if (!std::isfinite(size)) return finish("the right-hand side is not finite");
  if (size == 0) {
    std::fill(x.begin(), x.end(), 0.0);
    report.residuals = {0};
    return finish({});
  }
  const MultigridLevel& level = levels_.front();
  const bool is_two_level = levels_.size() == 1;
  const std::int32_t* places = (is_two_level ? coarsest_places_ : levels_[1].place_of_row()).data();
  const Buffer<std::int32_t>& place_of_row = level.place_of_row();
  Work& work = work_.front();
  Work& below = work_[1];
  const float w = params_.smoothing;
  Buffer<float>& r = work.r;
  Buffer<float>& y = work.y;
  Buffer<float>& q = work.e;
  Buffer<float>& p = work.first;
  Buffer<float>& dx = solution_;  // since the last look
  std::fill(dx.begin(), dx.end(), 0.0F);
  std::fill(p.begin(), p.end(), 0.0F);

  std::fill(r.begin(), r.end(), 0.0F);
  const bool starts_at_zero = std::all_of(x.begin(), x.end(), [](double v) { return v == 0; });

  // In double precision: |b - A x|, and r from it in units that make it near one.
  struct Norms {
    double plain = 0, scaled = 0;  // squared; of r without and with the rows' scales
  };
  double unit = 1;
  double rr = 0;
  double step = 0;  // along p, still to be made
  const auto look = [&](bool is_first) {
    if (!is_first) {
      const auto last_step = static_cast<float>(std::exchange(step, 0));
      parallel_for_each(a_.rows(), [&](std::int64_t i) {
        const auto k = static_cast<std::size_t>(i);
        const auto place = static_cast<std::size_t>(place_of_row[k]);
        x[k] += unit * double{dx[place] + last_step * p[place]} * inverse_scale_[k];
      });
      std::fill(dx.begin(), dx.end(), 0.0F);
    }
    const Norms norms = parallel_reduce_chunks(
        a_.rows(), kVectorChunk, Norms(),
        [&](std::int64_t begin, std::int64_t end) {
          Norms part;
          for (std::int64_t i = begin; i < end; ++i) {
            const auto k = static_cast<std::size_t>(i);
            double residual = b[k];
            if (!is_first || !starts_at_zero) {
              a_.for_row(i, [&](std::int32_t column, double value) {
                residual -= value * x[static_cast<std::size_t>(column)];
              });
            }
            const double scaled = residual * inverse_scale_[k];
            part.plain += residual * residual;
            part.scaled += scaled * scaled;
            r[static_cast<std::size_t>(place_of_row[k])] = static_cast<float>(scaled / unit);
          }
          return part;
        },
        [](const Norms& one, const Norms& other) {
          return Norms{one.plain + other.plain, one.scaled + other.scaled};
        });
    const double old_unit = unit;
    unit = std::sqrt(norms.scaled / static_cast<double>(a_.rows()));
    if (!(unit > 0)) unit = 1;
    const Float8 change = splat8(static_cast<float>(old_unit / unit));
    rr = level.for_each_slice([&](std::int64_t i) {
      const Float8 v = change * load8(r.data() + i);
      store8(r.data() + i, v);
      store8(p.data() + i, change * load8(p.data() + i));
      return v * v;
    });
    return std::sqrt(norms.plain) / size;
  };

  // Near what it will be, so that single precision has room for r.
  unit = std::sqrt(sum_over(a_.rows(),
                            [&](std::size_t i) {
                              const double scaled = b[i] * inverse_scale_[i];
                              return scaled * scaled;
                            }) /
                   static_cast<double>(a_.rows()));
  if (!(unit > 0)) unit = 1;
  report.residuals = {look(true)};
  double rr_at_look = rr;
  double residual_at_look = report.residual();
  double halved = std::numeric_limits<double>::infinity();  // the last residual half as large
  int looks_off = 0;
  double last_rz = 0;
  while (!(report.residual() <= params.tolerance)) {
    if (!std::isfinite(report.residual())) return finish("the residual is not finite");
    if (report.iterations == params.max_iterations) {
      report.residuals.back() = look(false);
      if (report.residual() <= params.tolerance) break;
      return finish(fmt::format("the residual is {:.2g} after {} iterations", report.residual(),
                                report.iterations));
    }
    // z = M r, without z: p = z + beta p.
    const double r_gr = level.restrict_residual(r.data(), w, places, below.r.data());
    cycle(1);
    const double coarse = std::inner_product(below.r.begin(), below.r.end(), below.e.begin(), 0.0);
    const double r_ar = rr - r_gr;
    const double rz = 2 * double{w} * rr - double{w} * double{w} * r_ar + coarse;
    if (!(rz > 0)) {
      report.residuals.back() = look(false);
      return finish("the preconditioner is not positive definite");
    }
    const auto beta = static_cast<float>(last_rz > 0 ? rz / last_rz : 0);
    level.prolong(r.data(), w, below.e.data(), places, y.data());
    // The last step along p is made where p is at hand.
    const auto last_step = static_cast<float>(std::exchange(step, 0));
    level.for_each_product(y.data(), [&](std::int64_t i, Float8 product) {
      const Float8 z =
          splat8(1 - w) * load8(y.data() + i) + splat8(w) * (load8(r.data() + i) + product);
      const Float8 last = load8(p.data() + i);
      store8(dx.data() + i, load8(dx.data() + i) + splat8(last_step) * last);
      store8(p.data() + i, z + splat8(beta) * last);
      return Float8{};
    });
    const double curvature =
        level.for_each_exact_product(p.data(), [&](std::int64_t i, Float8 product) {
          const Float8 here = load8(p.data() + i);
          const Float8 ap = here - product;
          store8(q.data() + i, ap);
          return here * ap;
        });
    if (!(curvature > 0)) {
      report.residuals.back() = look(false);
      return finish("the matrix is not positive definite");
    }
    step = rz / curvature;
    rr = level.for_each_slice([&](std::int64_t i) {
      const Float8 v = load8(r.data() + i) - splat8(static_cast<float>(step)) * load8(q.data() + i);
      store8(r.data() + i, v);
      return v * v;
    });
    last_rz = rz;
    ++report.iterations;
    double residual = residual_at_look * std::sqrt(rr / rr_at_look);
    if (residual <= params.tolerance || residual < kLookAfter * residual_at_look) {
      const double unit_before = unit;
      const double rr_before = rr;
      residual = look(false);
      residual_at_look = residual;
      rr_at_look = rr;
      // The recursive one in new units.
      const double expected = rr_before * std::pow(unit_before / unit, 2);
      last_rz *= std::pow(unit_before / unit, 2);
      const bool is_off = rr > 1.5 * expected;
      if (is_off) last_rz = 0;
      if (residual <= 0.5 * halved) {
        halved = residual;
        looks_off = 0;
      }
      looks_off += is_off;
      if (residual > params.tolerance && looks_off == kMostLooksOff) {
        report.residuals.push_back(residual);
        return finish(fmt::format("the residual stays at {:.2g}", residual));
      }
    }
    report.residuals.push_back(residual);
  }
  return finish({});
}

}  // namespace spindrift
