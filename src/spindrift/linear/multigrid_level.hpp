// One level of a multigrid: a scaled matrix in single precision, and the way to the next level.
//
// With t_i = sqrt(f_i a_ii) the level's unknowns are t_i x_i and its matrix is I - G, where f_i >=
// 1 keeps the eigenvalues between 0 and 2 [as l1-Jacobi does: Baker et al. 2011]; f_i = 1 wherever
// a row's diagonal is no less than its other entries together.
//
// Rows have places. Those of a chunk of aggregates follow each other by how many entries they have,
// so that slices have hardly any empty slots and loops over them are as long as the ones before.
// Chunks begin at multiples of eight; the places left over between them are empty rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spindrift/core/parallel.hpp"
#include "spindrift/linear/aggregation.hpp"
#include "spindrift/linear/sliced_matrix.hpp"

namespace spindrift {

struct RowScaling {
  Buffer<double> inverse;    // 1 / t of every row; 0 for rows without a diagonal
  Buffer<float> own_weight;  // of G on the diagonal; 0 in most rows
  Buffer<double> sums;       // of the rows of A; zero where they are rounding
};

[[nodiscard]] RowScaling scale_rows(const CsrMatrix& a);

class MultigridLevel {
 public:
  // `coarse` is 1 / t of the aggregates.
  MultigridLevel(const CsrMatrix& a, const RowScaling& scaling, const Aggregates& aggregates,
                 const Buffer<double>& coarse);

  [[nodiscard]] std::int64_t places() const { return SlicedMatrix::kLanes * matrix_.slices(); }
  [[nodiscard]] const Buffer<std::int32_t>& place_of_row() const { return place_of_row_; }
  [[nodiscard]] std::int64_t bytes() const;

  // Cuts these rows off from all others and from their aggregates, and no longer those of the call
  // before.
  void cut_off(std::span<const std::int32_t> rows);

  // visit(first place, (G x) there) for all slices, in parallel; the sum of what it returns.
  template <class Visit>
  double for_each_exact_product(const float* x, const Visit& visit) const {
    return for_each_slice(
        [&](std::int64_t i) { return visit(i, matrix_.product(i / SlicedMatrix::kLanes, x)); });
  }
  // The same with rounded weights.
  template <class Visit>
  double for_each_product(const float* x, const Visit& visit) const {
    return for_each_slice([&](std::int64_t i) {
      return visit(i, matrix_.rounded_product(i / SlicedMatrix::kLanes, x));
    });
  }
  // The same without a product.
  template <class Visit>
  double for_each_slice(const Visit& visit) const {
    return sum_over_chunks([&](const Chunk& chunk) {
      Float8 sum = splat8(0);
      for (std::int64_t s = chunk.first_slice; s < chunk.end_slice; ++s) {
        sum += visit(SlicedMatrix::kLanes * s);
      }
      return lane_sum(sum);
    });
  }

  // coarse[to[a]] = P^T ((1 - w) r + w G r): what is left of r after one step of Jacobi's method
  // from zero. Returns r . G r.
  double restrict_residual(const float* r, float weight, const std::int32_t* to,
                           float* coarse) const;
  // y = w r + P e, with the e of aggregate a at e[from[a]].
  void prolong(const float* r, float weight, const float* e, const std::int32_t* from,
               float* y) const;

 private:
  struct Chunk {
    std::int32_t first_aggregate, end_aggregate;
    std::int32_t first_slice, end_slice;
  };

  static double lane_sum(Float8 v) {
    double sum = 0;
    for (int k = 0; k < SlicedMatrix::kLanes; ++k) sum += double{v[k]};
    return sum;
  }
  // In the order of the chunks, whatever the number of threads.
  template <class Sum>
  double sum_over_chunks(const Sum& sum) const {
    return parallel_reduce_chunks(
        std::ssize(chunks_), 1, 0.0,
        [&](std::int64_t c, std::int64_t) { return sum(chunks_[static_cast<std::size_t>(c)]); },
        [](double a, double b) { return a + b; });
  }

  void set_places(const CsrMatrix& a, const RowScaling& scaling, const Aggregates& aggregates);
  void set_ratios(const RowScaling& scaling, const Buffer<double>& coarse);
  void set_matrix(const CsrMatrix& a, const RowScaling& scaling);
  void set_starts(const CsrMatrix& a, const RowScaling& scaling);
  // What entries need to know of their columns, fetched at once.
  struct Unknown {
    std::int32_t place;
    float inverse_scale;  // 1 / t
  };
  struct SliceEntries {
    Buffer<std::int32_t> columns;
    Buffer<float> weights;
  };
  void set_entries(const CsrMatrix& a, const Buffer<Unknown>& unknowns, const RowScaling& scaling,
                   std::int64_t slice, std::int32_t slots, SliceEntries& entries) const;

  SlicedMatrix matrix_;
  std::vector<Chunk> chunks_;
  Buffer<std::int16_t> aggregate_at_;  // of a place, counted in its chunk
  Buffer<float> ratio_;                // t of a row over t of its aggregate
  Buffer<std::int32_t> place_of_row_;
  Buffer<std::int32_t> row_at_;  // -1: an empty place; gone after setting up
  // What cut_off() has set to zero.
  struct CutEntry {
    std::size_t slot;
    std::int8_t rounded;
    std::int16_t rest;
  };
  struct CutRow {
    std::size_t place;
    float ratio;
  };
  std::vector<CutEntry> cut_entries_;
  std::vector<CutRow> cut_rows_;
};

}  // namespace spindrift
