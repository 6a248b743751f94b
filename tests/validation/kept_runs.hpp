// Random scenes that were run, kept in a folder: all of them take hours, and may be run in parts,
// one process each.
#pragma once

#include <filesystem>
#include <optional>

#include "support/random_runs.hpp"

namespace spindrift::validation {

class KeptRuns {
 public:
  // Empty: nothing is kept.
  explicit KeptRuns(std::filesystem::path folder);

  // What this very program, bit for bit, left there.
  [[nodiscard]] std::optional<test::RandomRun> find(std::uint64_t seed) const;
  void keep(std::uint64_t seed, const test::RandomRun& run) const;

 private:
  [[nodiscard]] std::filesystem::path path(std::uint64_t seed) const;
  std::filesystem::path folder_;
  std::string program_;  // its checksum
};

}  // namespace spindrift::validation
