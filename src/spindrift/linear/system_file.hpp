// A linear system in a binary file, to hand it to another process.
//
// In the machine's byte order: "spndsys1"; rows and non-zeros (int64); starts of the rows (int64,
// rows + 1 of them); columns (int32); values (double); the right-hand side (double).
#pragma once

#include <filesystem>
#include <span>

#include "spindrift/linear/csr_matrix.hpp"

namespace spindrift {

// Rows that follow each other of a system; columns count in the whole.
struct SystemRows {
  std::int64_t first_row = 0;
  std::int64_t all_rows = 0;
  CsrMatrix matrix;
  Buffer<double> right_hand_side;
};

void write_system(const std::filesystem::path& path, const CsrMatrix& a, std::span<const double> b);

// The part-th of `parts` about equal ranges of rows. Throws InputError if the file is none of these
// or is damaged.
[[nodiscard]] SystemRows read_system(const std::filesystem::path& path, int part = 0,
                                     int parts = 1);

}  // namespace spindrift
