#include "experiment.hpp"

#include <cmath>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace spindrift::validation {
namespace {

std::string number(double value, const std::string& unit) {
  return fmt::format("{:.3g}{}{}", value, unit.empty() ? "" : " ", unit);
}

}  // namespace

Row bounded(std::string setting, std::string quantity, double bound, double value,
            const std::string& unit) {
  return {std::move(setting), std::move(quantity), "≤ " + number(bound, unit), number(value, unit),
          std::abs(value) <= bound};
}

Row reported(std::string setting, std::string quantity, std::string measured) {
  return {std::move(setting), std::move(quantity), "", std::move(measured), std::nullopt};
}

Row required(std::string setting, std::string quantity, std::string asked, std::string measured,
             bool is_met) {
  return {std::move(setting), std::move(quantity), std::move(asked), std::move(measured), is_met};
}

void progress(const std::string& text) {
  fmt::print(stderr, "{}\n", text);
  std::fflush(stderr);
}

std::string to_markdown(const Experiment& experiment, const Result& result,
                        const std::string& images) {
  std::string text = fmt::format("### {}\n\n{}\n\n", experiment.title, result.about);
  text += "| run | quantity | asked | measured | |\n|---|---|---|---|---|\n";
  for (const Row& row : result.rows) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", row.setting, row.quantity, row.asked,
                        row.measured,
                        !row.is_met   ? ""
                        : *row.is_met ? "met"
                                      : "**not met**");
  }
  text += "\n";
  if (!result.notes.empty()) text += result.notes + "\n\n";
  if (images.empty()) return text;
  for (const Plot& plot : result.plots) {
    text += fmt::format("![{}]({}/liquid_{}.svg)\n\n", plot.title, images, plot.name);
  }
  return text;
}

}  // namespace spindrift::validation
