#include "spindrift/linear/hypre_solver.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/stats.hpp"

// Bindings of MPI for C++ that nobody uses, in a C++ that no longer is.
#define OMPI_SKIP_MPICXX
#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <_hypre_parcsr_ls.h>

namespace spindrift {
namespace {

// MPI and hypre are started once and end with the process.
void start_hypre() {
  static const bool is_started = [] {
    int has_mpi = 0;
    MPI_Initialized(&has_mpi);
    if (has_mpi == 0) {
      MPI_Init(nullptr, nullptr);
      std::atexit([] { MPI_Finalize(); });
    }
    HYPRE_Init();
    return true;
  }();
  static_cast<void>(is_started);
}

// A matrix in hypre's numbers. Rows of zeros get a one on their diagonal, which hypre divides by;
// where b is not zero there, the system has no solution.
struct HypreRows {
  Buffer<HYPRE_Int> sizes;
  Buffer<HYPRE_BigInt> rows, columns;
  Buffer<double> values;
  Buffer<std::size_t> diagonal;  // where in values
  Buffer<std::size_t> zeros;     // rows

  HypreRows(const CsrMatrix& a, std::int64_t first_row) {
    for (std::int64_t row = 0; row < a.rows(); ++row) {
      rows.push_back(static_cast<HYPRE_BigInt>(first_row + row));
      const std::size_t before = columns.size();
      const auto add = [&](HYPRE_BigInt column, double value) {
        if (column == rows.back()) diagonal.push_back(columns.size());
        columns.push_back(column);
        values.push_back(value);
      };
      a.for_row(row, [&](std::int32_t column, double value) {
        if (value != 0) add(column, value);
      });
      if (columns.size() == before) {
        zeros.push_back(static_cast<std::size_t>(row));
        add(rows.back(), 1);
      }
      sizes.push_back(static_cast<HYPRE_Int>(columns.size() - before));
    }
  }
};

// A vector over the processes.
class HypreVector {
 public:
  HypreVector(MPI_Comm processes, const Buffer<HYPRE_BigInt>& rows) : rows_(rows) {
    HYPRE_IJVectorCreate(processes, rows.front(), rows.back(), &vector_);
    HYPRE_IJVectorSetObjectType(vector_, HYPRE_PARCSR);
    HYPRE_IJVectorInitialize(vector_);
  }
  ~HypreVector() { HYPRE_IJVectorDestroy(vector_); }
  HypreVector(const HypreVector&) = delete;
  HypreVector& operator=(const HypreVector&) = delete;

  void set(std::span<const double> values) {
    HYPRE_IJVectorSetValues(vector_, static_cast<HYPRE_Int>(rows_.size()), rows_.data(),
                            values.data());
    HYPRE_IJVectorAssemble(vector_);
  }
  void get(std::span<double> values) const {
    HYPRE_IJVectorGetValues(vector_, static_cast<HYPRE_Int>(rows_.size()), rows_.data(),
                            values.data());
  }
  [[nodiscard]] HYPRE_ParVector get() const {
    void* object = nullptr;
    HYPRE_IJVectorGetObject(vector_, &object);
    return static_cast<HYPRE_ParVector>(object);
  }
  [[nodiscard]] double norm() const {
    double squared = 0;
    HYPRE_ParVectorInnerProd(get(), get(), &squared);
    return std::sqrt(squared);
  }

 private:
  const Buffer<HYPRE_BigInt>& rows_;
  HYPRE_IJVector vector_ = nullptr;
};

}  // namespace

struct HypreSolver::Handles {
  MPI_Comm processes;
  HypreRows own;
  HYPRE_IJMatrix matrix = nullptr;
  HYPRE_Solver multigrid = nullptr, gradients = nullptr;

  Handles(const CsrMatrix& a, std::int64_t first_row, MPI_Comm which)
      : processes(which), own(a, first_row) {
    SPINDRIFT_ASSERT(std::ssize(own.columns) <= std::numeric_limits<HYPRE_Int>::max());
    HYPRE_IJMatrixCreate(processes, own.rows.front(), own.rows.back(), own.rows.front(),
                         own.rows.back(), &matrix);
    HYPRE_IJMatrixSetObjectType(matrix, HYPRE_PARCSR);
    HYPRE_IJMatrixSetRowSizes(matrix, own.sizes.data());
  }
  ~Handles() {
    if (gradients != nullptr) HYPRE_ParCSRPCGDestroy(gradients);
    if (multigrid != nullptr) HYPRE_BoomerAMGDestroy(multigrid);
    HYPRE_IJMatrixDestroy(matrix);
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;

  [[nodiscard]] HYPRE_ParCSRMatrix rows() const {
    void* object = nullptr;
    HYPRE_IJMatrixGetObject(matrix, &object);
    return static_cast<HYPRE_ParCSRMatrix>(object);
  }

  void set_values() {
    HYPRE_IJMatrixInitialize(matrix);
    HYPRE_IJMatrixSetValues(matrix, static_cast<HYPRE_Int>(own.rows.size()), own.sizes.data(),
                            own.rows.data(), own.columns.data(), own.values.data());
    HYPRE_IJMatrixAssemble(matrix);
  }

  [[nodiscard]] SetupReport set_up(const HypreParams& params) {
    // Where a part of the matrix is singular, its last coarse row would be round-off, and hypre
    // would divide by it. So the coarse matrices are those of a slightly greater diagonal.
    constexpr double kGreater = 1 + 1e-10;
    Buffer<double> exact = own.values;
    for (const std::size_t k : own.diagonal) own.values[k] *= kGreater;
    set_values();
    SetupReport report = set_up_solvers(params);
    own.values = std::move(exact);
    set_values();
    HYPRE_ClearAllErrors();
    own.columns = {};
    own.values = {};
    own.diagonal = {};
    return report;
  }

  [[nodiscard]] SetupReport set_up_solvers(const HypreParams& params) {
    constexpr int kHmis = 10;
    constexpr int kExtendedInterpolation = 6;
    HYPRE_BoomerAMGCreate(&multigrid);
    HYPRE_BoomerAMGSetPrintLevel(multigrid, 0);
    HYPRE_BoomerAMGSetCoarsenType(multigrid, kHmis);
    HYPRE_BoomerAMGSetInterpType(multigrid, kExtendedInterpolation);
    HYPRE_BoomerAMGSetStrongThreshold(multigrid, params.strength);
    HYPRE_BoomerAMGSetAggNumLevels(multigrid, params.aggressive_levels);
    HYPRE_BoomerAMGSetTol(multigrid, 0);
    HYPRE_BoomerAMGSetMaxIter(multigrid, 1);

    HYPRE_ParCSRPCGCreate(processes, &gradients);
    HYPRE_ParCSRPCGSetTwoNorm(gradients, 1);
    HYPRE_PCGSetRecomputeResidual(gradients, 1);
    HYPRE_ParCSRPCGSetPrintLevel(gradients, 0);
    HYPRE_ParCSRPCGSetPrecond(gradients, HYPRE_BoomerAMGSolve, HYPRE_BoomerAMGSetup, multigrid);
    // The vectors only tell their sizes.
    HypreVector b(processes, own.rows);
    HypreVector x(processes, own.rows);
    const Stopwatch watch;
    HYPRE_ParCSRPCGSetup(gradients, rows(), b.get(), x.get());
    SetupReport report;
    report.seconds = watch.seconds();
    HYPRE_ClearAllErrors();
    add_levels(report);
    return report;
  }

  void add_levels(SetupReport& report) const {
    const auto* data = reinterpret_cast<hypre_ParAMGData*>(multigrid);
    const auto bytes = [](hypre_ParCSRMatrix* of) {
      hypre_ParCSRMatrixSetDNumNonzeros(of);
      return static_cast<std::int64_t>(hypre_ParCSRMatrixDNumNonzeros(of)) *
                 std::int64_t{sizeof(double) + sizeof(HYPRE_Int)} +
             hypre_ParCSRMatrixGlobalNumRows(of) * std::int64_t{sizeof(HYPRE_Int)};
    };
    const int count = hypre_ParAMGDataNumLevels(data);
    for (int l = 0; l < count; ++l) {
      hypre_ParCSRMatrix* level = hypre_ParAMGDataAArray(data)[l];
      report.bytes += bytes(level);
      if (l + 1 < count) report.bytes += bytes(hypre_ParAMGDataPArray(data)[l]);
      report.levels.push_back({hypre_ParCSRMatrixGlobalNumRows(level),
                               static_cast<std::int64_t>(hypre_ParCSRMatrixDNumNonzeros(level))});
    }
  }
};

bool has_hypre() { return true; }

HypreRank hypre_rank() {
  start_hypre();
  HypreRank result;
  MPI_Comm_rank(MPI_COMM_WORLD, &result.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &result.count);
  return result;
}

void abort_hypre(int exit_code) {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::abort();
}

HypreSolver::HypreSolver(const CsrMatrix& a, const HypreParams& params) {
  start_hypre();
  if (a.rows() == 0) return;
  handles_ = std::make_unique<Handles>(a, 0, MPI_COMM_SELF);
  setup_ = handles_->set_up(params);
}

HypreSolver::HypreSolver(const CsrMatrix& own, std::int64_t first_row, const HypreParams& params) {
  start_hypre();
  SPINDRIFT_ASSERT(own.rows() > 0);
  handles_ = std::make_unique<Handles>(own, first_row, MPI_COMM_WORLD);
  setup_ = handles_->set_up(params);
}

HypreSolver::~HypreSolver() = default;

SolveReport HypreSolver::solve(std::span<const double> b, std::span<double> x,
                               const SolveParams& params) {
  SolveReport report;
  if (handles_ == nullptr) {
    report.has_converged = true;
    report.residuals = {0};
    return report;
  }
  Handles& handles = *handles_;
  SPINDRIFT_ASSERT(b.size() == handles.own.rows.size() && x.size() == b.size());
  HypreVector right(handles.processes, handles.own.rows);
  HypreVector solution(handles.processes, handles.own.rows);
  HypreVector residual(handles.processes, handles.own.rows);
  right.set(b);
  solution.set(x);
  const double size = right.norm();
  if (!std::isfinite(size)) {
    report.problem = "the right-hand side is not finite";
    return report;
  }
  Buffer<double> own_residual(b.size());
  const auto true_residual = [&] {
    residual.set(b);
    HYPRE_ParCSRMatrixMatvec(-1, handles.rows(), solution.get(), 1, residual.get());
    if (!handles.own.zeros.empty()) {
      residual.get(own_residual);
      for (const std::size_t row : handles.own.zeros) own_residual[row] = b[row];
      residual.set(own_residual);
    }
    return size > 0 ? residual.norm() / size : 0.0;
  };
  report.residuals = {true_residual()};
  if (size > 0 && report.residual() <= params.tolerance) {
    report.has_converged = true;
    return report;
  }
  HYPRE_ParCSRPCGSetTol(handles.gradients, params.tolerance);
  HYPRE_ParCSRPCGSetMaxIter(handles.gradients, params.max_iterations);
  const Stopwatch watch;
  HYPRE_ParCSRPCGSolve(handles.gradients, handles.rows(), right.get(), solution.get());
  report.seconds = watch.seconds();
  HYPRE_ClearAllErrors();
  HYPRE_Int iterations = 0;
  HYPRE_ParCSRPCGGetNumIterations(handles.gradients, &iterations);
  report.iterations = iterations;
  solution.get(x);
  report.residuals.push_back(true_residual());
  report.has_converged = report.residual() <= params.tolerance;
  if (!report.has_converged) {
    report.problem = std::isfinite(report.residual())
                         ? fmt::format("the residual is {:.2g} after {} iterations",
                                       report.residual(), report.iterations)
                         : "the residual is not finite";
  }
  return report;
}

}  // namespace spindrift
