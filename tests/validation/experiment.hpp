// What an experiment of the validation gives back: rows of asked and measured, and curves.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "svg_plot.hpp"

namespace spindrift::validation {

struct ExperimentOptions {
  bool is_quick = false;
  std::optional<std::uint64_t> seed;  // random scenes: this one alone
  std::filesystem::path kept;         // where their outcomes are kept; empty: nowhere
};

// Bounds are printed beside what was measured, whether met or not.
struct Row {
  std::string setting, quantity;
  std::string asked;  // empty: only reported
  std::string measured;
  std::optional<bool> is_met{};
};

// A bound from above on an absolute value. `unit` follows the numbers, `digits` significant ones.
[[nodiscard]] Row bounded(std::string setting, std::string quantity, double bound, double value,
                          const std::string& unit);
[[nodiscard]] Row reported(std::string setting, std::string quantity, std::string measured);
[[nodiscard]] Row required(std::string setting, std::string quantity, std::string asked,
                           std::string measured, bool is_met);

struct Result {
  std::string about;  // Markdown: what is run
  std::vector<Row> rows;
  std::vector<Plot> plots;
  std::string notes;  // Markdown, below the table
};

struct Experiment {
  std::string name, title;
  std::function<Result(const ExperimentOptions&)> run;
};

// To stderr, for whoever waits.
void progress(const std::string& text);

// As Markdown, pictures as links to `images`/liquid_NAME.svg; empty: without.
[[nodiscard]] std::string to_markdown(const Experiment& experiment, const Result& result,
                                      const std::string& images);

}  // namespace spindrift::validation
