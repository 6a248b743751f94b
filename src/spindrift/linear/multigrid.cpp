#include "spindrift/linear/multigrid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "spindrift/core/error.hpp"
#include "spindrift/core/fetch_ahead.hpp"
#include "spindrift/core/parallel_copy.hpp"
#include "spindrift/core/stats.hpp"
#include "spindrift/linear/solve_record.hpp"

namespace spindrift {

// A residual that is so much smaller is computed anew, or once single precision of what was added
// to x since may make so much of it: the more the smoother x is, a hundredth of b for 5 million
// cells. Twice or an eighth of that changes iterations by two at most. If it turns out to be
// greater than the iteration had it so often, and does not even halve meanwhile, rounding is in the
// way.
constexpr double kLookAfter = 1e-3;
constexpr double kMostRounding = 0.02;
constexpr int kMostLooksOff = 5;
constexpr double kNothing = 1e-12;  // of r . r, in single precision

struct Multigrid::Work {
  Buffer<float> r;  // right-hand side
  Buffer<float> e;  // solution
  Buffer<float> y, first;

  explicit Work(std::int64_t places) {
    for (Buffer<float>* vector : {&r, &e, &y, &first}) {
      *vector = filled_buffer(static_cast<std::size_t>(places), 0.0F);
    }
  }
  [[nodiscard]] std::int64_t bytes() const {
    return 4 * std::ssize(r) * std::int64_t{sizeof(float)};
  }
};

Multigrid::~Multigrid() = default;

Multigrid::Multigrid(const CsrMatrix& a, std::span<const std::uint64_t> keys,
                     const MultigridParams& params, std::span<const std::int32_t> held)
    : a_(a), params_(params) {
  SPINDRIFT_ASSERT(std::ssize(keys) == a.rows());
  SPINDRIFT_ASSERT(a.rows() < std::int64_t{1} << 30);  // places and slots take 32 bits
  SPINDRIFT_ASSERT(params.dense_rows > 0);
  const Stopwatch watch;
  const CsrMatrix* fine = &a;
  CsrMatrix coarse;
  RowScaling scaling = scale_rows(a);
  Buffer<double> surplus = std::move(scaling.sums);
  Buffer<std::uint64_t> coarse_keys;
  std::span<const std::uint64_t> fine_keys = keys;
  while (fine->rows() > params.dense_rows || levels_.empty()) {
    setup_.levels.push_back({fine->rows(), fine->nonzeros()});
    const bool is_first = levels_.empty();
    Aggregates aggregates =
        aggregate(fine_keys, is_first ? params.most_together : params.most_together_below);
    CsrMatrix next =
        coarse_matrix(*fine, aggregates, is_first ? params.first_scale : params.coarse_scale,
                      surplus, is_first ? held : std::span<const std::int32_t>());
    RowScaling next_scaling = scale_rows(next);
    const bool is_last = next.rows() <= params.dense_rows;
    if (is_last) std::fill(next_scaling.inverse.begin(), next_scaling.inverse.end(), 1.0);
    levels_.emplace_back(*fine, scaling, aggregates, next_scaling.inverse);
    if (is_first) inverse_scale_ = std::move(scaling.inverse);
    scaling = std::move(next_scaling);
    coarse = std::move(next);
    fine = &coarse;
    coarse_keys = std::move(aggregates.keys);
    fine_keys = coarse_keys;
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
  if (!held.empty()) hold_at_zero(held);
  setup_.seconds = watch.seconds();
}

void Multigrid::hold_at_zero(std::span<const std::int32_t> rows) {
  is_held_.assign(rows.empty() ? 0 : static_cast<std::size_t>(a_.rows()), 0);
  for (const std::int32_t row : rows) is_held_[static_cast<std::size_t>(row)] = 1;
  levels_.front().cut_off(rows);
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
    next.for_each_exact_product(below.first.data(), [&](std::int64_t i, Float8 product) {
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

// Conjugate gradients in single precision, in units of the residual. The solution is in double
// precision; it is brought up to date, and the residual computed anew from it, at looks.
class Multigrid::Iteration {
 public:
  Iteration(Multigrid& grid, std::span<const double> b, std::span<double> x);

  // Brings x up to date.
  void finish();

  // Brings x up to date; |b - A x|, and r from it.
  double look();

  // One iteration; the problem if it is not possible, and then nothing has changed.
  const char* improve();

  // Whether the last look found more than the iteration had it for.
  [[nodiscard]] bool is_off_at_look() const { return scaled_at_look_ > 1.5 * unit_ * unit_ * rr_; }

  // Whether the last digits of dx may matter to r.
  [[nodiscard]] bool is_rounded() const {
    constexpr double kUnit = std::numeric_limits<float>::epsilon() / 2;
    return kUnit * std::sqrt(squared_dx_) > kMostRounding * std::sqrt(rr_);
  }

  // |r| over what it was at the last look.
  [[nodiscard]] double shrunk() const { return std::sqrt(rr_ / rr_at_look_); }

 private:
  // z = M r, without z: r . z is known before, and p = z + beta p follows.
  [[nodiscard]] double correct_coarsely();
  void change_unit();
  void turn(double beta);
  void turn_after_look();
  void mend_last_step();
  [[nodiscard]] double take_step();
  [[nodiscard]] Float8 corrected(std::int64_t i, Float8 product) const;

  Multigrid& grid_;
  std::span<const double> b_;
  std::span<double> x_;
  const MultigridLevel& level_;
  Work& below_;
  const std::int32_t* places_below_;
  float w_;
  Buffer<float>&r_, &y_, &q_, &p_;  // q = A p
  Buffer<float>& dx_;               // since the last look
  double unit_ = 1;                 // of r, p, q and dx
  double rr_ = 0, rr_at_look_ = 0;
  double scaled_at_look_ = 0;  // what it found, r . r without a unit
  double last_rz_ = 0;
  double curvature_ = 0;  // p . q; none before the first direction
  double step_ = 0;       // along p, still to be made
  double squared_dx_ = 0;
  bool has_looked_ = false, is_at_look_ = false, is_x_zero_;
};

Multigrid::Iteration::Iteration(Multigrid& grid, std::span<const double> b, std::span<double> x)
    : grid_(grid),
      b_(b),
      x_(x),
      level_(grid.levels_.front()),
      below_(grid.work_[1]),
      places_below_(
          (grid.levels_.size() == 1 ? grid.coarsest_places_ : grid.levels_[1].place_of_row())
              .data()),
      w_(grid.params_.smoothing),
      r_(grid.work_.front().r),
      y_(grid.work_.front().y),
      q_(grid.work_.front().e),
      p_(grid.work_.front().first),
      dx_(grid.solution_),
      is_x_zero_(sum_over(std::ssize(x), [&](std::size_t i) { return x[i] != 0 ? 1.0 : 0.0; }) ==
                 0) {
  for (Buffer<float>* vector : {&dx_, &p_, &r_}) parallel_fill(*vector, 0.0F);
  // Near what it will be, so that single precision has room for r.
  const auto rows = static_cast<double>(b.size());
  const double squared = sum_over(std::ssize(b), [&](std::size_t i) {
    const double scaled = b[i] * grid.inverse_scale_[i];
    return scaled * scaled;
  });
  unit_ = std::sqrt(squared / rows);
  if (!(unit_ > 0)) unit_ = 1;
}

void Multigrid::Iteration::finish() {
  const Buffer<double>& inverse_scale = grid_.inverse_scale_;
  const Buffer<std::int32_t>& place_of_row = level_.place_of_row();
  const auto last_step = static_cast<float>(std::exchange(step_, 0));
  parallel_for_each(grid_.a_.rows(), [&](std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    const auto place = static_cast<std::size_t>(place_of_row[k]);
    x_[k] += unit_ * double{dx_[place] + last_step * p_[place]} * inverse_scale[k];
  });
  parallel_fill(dx_, 0.0F);
  squared_dx_ = 0;
}

double Multigrid::Iteration::look() {
  const CsrMatrix& a = grid_.a_;
  const Buffer<double>& inverse_scale = grid_.inverse_scale_;
  const Buffer<std::int32_t>& place_of_row = level_.place_of_row();
  const std::vector<char>& is_held = grid_.is_held_;
  if (has_looked_) finish();
  const bool is_plain = std::exchange(has_looked_, true) == false && is_x_zero_;
  struct Norms {
    double plain = 0, scaled = 0;  // squared; of r without and with the rows' scales
  };
  const Norms norms = parallel_reduce_chunks(
      a.rows(), kVectorChunk, Norms(),
      [&](std::int64_t begin, std::int64_t end) {
        Norms part;
        for (std::int64_t i = begin; i < end; ++i) {
          const auto k = static_cast<std::size_t>(i);
          fetch_ahead(&x_[k]);
          double residual = b_[k];
          if (!is_held.empty() && is_held[k] != 0) {
            residual = 0;
          } else if (!is_plain) {
            a.for_row(i, [&](std::int32_t column, double value) {
              residual -= value * x_[static_cast<std::size_t>(column)];
            });
          }
          const double scaled = residual * inverse_scale[k];
          part.plain += residual * residual;
          part.scaled += scaled * scaled;
          r_[static_cast<std::size_t>(place_of_row[k])] = static_cast<float>(scaled / unit_);
        }
        return part;
      },
      [](const Norms& one, const Norms& other) {
        return Norms{one.plain + other.plain, one.scaled + other.scaled};
      });
  scaled_at_look_ = norms.scaled;
  is_at_look_ = true;
  return std::sqrt(norms.plain);
}

// After a look that is not the last: units in which r is near one, and what a look upsets.
void Multigrid::Iteration::change_unit() {
  const double old_unit = unit_;
  unit_ = std::sqrt(scaled_at_look_ / static_cast<double>(grid_.a_.rows()));
  if (!(unit_ > 0)) unit_ = 1;
  const double ratio = old_unit / unit_;
  const Float8 change = splat8(static_cast<float>(ratio));
  curvature_ *= ratio * ratio;
  rr_ = level_.for_each_slice([&](std::int64_t i) {
    const Float8 v = change * load8(r_.data() + i);
    store8(r_.data() + i, v);
    return v * v;
  });
  rr_at_look_ = rr_;
  if (!(curvature_ > 0)) return;
  (void)level_.for_each_slice([&](std::int64_t i) {
    for (Buffer<float>* vector : {&p_, &q_}) {
      store8(vector->data() + i, change * load8(vector->data() + i));
    }
    return Float8{};
  });
  mend_last_step();
}

// What rounding added to r is not orthogonal to p, as what the next direction is made of has to be.
void Multigrid::Iteration::mend_last_step() {
  const double rp = level_.for_each_slice(
      [&](std::int64_t i) { return load8(r_.data() + i) * load8(p_.data() + i); });
  step_ = rp / curvature_;
  rr_ = take_step();
}

// r . r after it.
double Multigrid::Iteration::take_step() {
  const Float8 step = splat8(static_cast<float>(step_));
  return level_.for_each_slice([&](std::int64_t i) {
    const Float8 v = load8(r_.data() + i) - step * load8(q_.data() + i);
    store8(r_.data() + i, v);
    return v * v;
  });
}

double Multigrid::Iteration::correct_coarsely() {
  const double r_gr = level_.restrict_residual(r_.data(), w_, places_below_, below_.r.data());
  grid_.cycle(1);
  const double coarse = sum_over(std::ssize(below_.r), [&](std::size_t i) {
    return double{below_.r[i]} * double{below_.e[i]};
  });
  const double r_ar = rr_ - r_gr;
  return 2 * double{w_} * rr_ - double{w_} * double{w_} * r_ar + coarse;
}

// z at a place, from what the level made of y there.
Float8 Multigrid::Iteration::corrected(std::int64_t i, Float8 product) const {
  return splat8(1 - w_) * load8(y_.data() + i) + splat8(w_) * (load8(r_.data() + i) + product);
}

// p = z + beta p.
void Multigrid::Iteration::turn(double beta) {
  // The last step along p is made where p is at hand.
  const Float8 last_step = splat8(static_cast<float>(std::exchange(step_, 0)));
  const Float8 keep = splat8(static_cast<float>(beta));
  squared_dx_ = level_.for_each_product(y_.data(), [&](std::int64_t i, Float8 product) {
    const Float8 last = load8(p_.data() + i);
    const Float8 dx = load8(dx_.data() + i) + last_step * last;
    store8(dx_.data() + i, dx);
    store8(p_.data() + i, corrected(i, product) + keep * last);
    return dx * dx;
  });
}

// The residual is not what the iteration had it for, so that the ratio of r . z is no measure of
// how much of p to keep: rounding adds little to |r|, but what it adds is as smooth as x, and may
// be most of r . z. What makes z and p conjugate is as good as ever.
void Multigrid::Iteration::turn_after_look() {
  const double zq = level_.for_each_product(y_.data(), [&](std::int64_t i, Float8 product) {
    const Float8 z = corrected(i, product);
    const Float8 q = load8(q_.data() + i);
    store8(q_.data() + i, z);
    return z * q;
  });
  const Float8 last_step = splat8(static_cast<float>(std::exchange(step_, 0)));
  const Float8 keep = splat8(static_cast<float>(curvature_ > 0 ? -zq / curvature_ : 0));
  squared_dx_ = level_.for_each_slice([&](std::int64_t i) {
    const Float8 last = load8(p_.data() + i);
    const Float8 dx = last_step * last;
    store8(dx_.data() + i, dx);
    store8(p_.data() + i, load8(q_.data() + i) + keep * last);
    return dx * dx;
  });
}

const char* Multigrid::Iteration::improve() {
  if (is_at_look_) change_unit();
  // Bodies of a few rows: the step along the last direction was all that the look had left.
  if (rr_ <= kNothing * rr_at_look_) return nullptr;
  const double rz = correct_coarsely();
  if (!(rz > 0)) return "the preconditioner is not positive definite";
  level_.prolong(r_.data(), w_, below_.e.data(), places_below_, y_.data());
  if (std::exchange(is_at_look_, false)) {
    turn_after_look();
  } else {
    turn(rz / last_rz_);
  }
  curvature_ = level_.for_each_exact_product(p_.data(), [&](std::int64_t i, Float8 product) {
    const Float8 here = load8(p_.data() + i);
    const Float8 ap = here - product;
    store8(q_.data() + i, ap);
    return here * ap;
  });
  if (!(curvature_ > 0)) return "the matrix is not positive definite";
  step_ = rz / curvature_;
  rr_ = take_step();
  last_rz_ = rz;
  return nullptr;
}

SolveReport Multigrid::solve(std::span<const double> b, std::span<double> x,
                             const SolveParams& params) {
  SPINDRIFT_ASSERT(std::ssize(b) == a_.rows() && std::ssize(x) == a_.rows());
  SolveRecord record(b, x, params);
  if (!record.has_begun()) return record.report();
  Iteration iteration(*this, b, x);
  double residual_at_look = iteration.look() / record.size();
  record.add(residual_at_look);
  double halved = std::numeric_limits<double>::infinity();  // the last residual half as large
  int looks_off = 0;
  while (record.goes_on()) {
    if (const char* problem = iteration.improve()) {
      record.correct(iteration.look() / record.size());
      return record.failed(problem);
    }
    double residual = residual_at_look * iteration.shrunk();
    if (params.is_trial && record.is_small_enough(residual)) {
      iteration.finish();
      record.count_iteration(residual);
      break;
    }
    const bool is_last = record.iterations() + 1 == params.max_iterations;
    if (!is_last && !record.is_small_enough(residual) &&
        !(residual < kLookAfter * residual_at_look) && !iteration.is_rounded()) {
      record.count_iteration(residual);
      continue;
    }
    residual = residual_at_look = iteration.look() / record.size();
    record.count_iteration(residual);
    if (residual <= 0.5 * halved) {
      halved = residual;
      looks_off = 0;
    }
    looks_off += iteration.is_off_at_look();
    if (!record.is_small_enough(residual) && looks_off == kMostLooksOff) return record.stuck();
  }
  return record.report();
}

}  // namespace spindrift
