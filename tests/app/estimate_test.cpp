// What `spindrift check` says of memory, beside what runs take.
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/run_command.hpp"

namespace spindrift {
namespace {

using Json = nlohmann::json;

struct Case {
  const char* scene;
  int cells, frames;
};

class Estimate : public testing::TestWithParam<Case> {};

TEST_P(Estimate, SlowMemoryIsWithinAFactorOfTwo) {
  const auto& [scene, cells, frames] = GetParam();
  const test::TemporaryFolder folder;
  std::vector<std::string> arguments = {std::string(SPINDRIFT_SOURCE_DIR) + "/scenes/" + scene,
                                        "--json",
                                        "--set",
                                        "resolution.cells=" + std::to_string(cells),
                                        "--set",
                                        "time.frames=" + std::to_string(frames)};
  arguments.insert(arguments.begin(), "check");
  const auto checked = test::run_command(folder.path(), arguments);
  ASSERT_EQ(checked.exit_code, 0) << checked.err;
  const Json estimate = Json::parse(checked.out).at("estimate");
  arguments.front() = "run";
  const auto run = test::run_command(folder.path(), arguments);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  double peak = 0;
  int steps = 0;
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) {
    const Json frame = Json::parse(line);
    peak = std::max(peak, frame.at("peak_bytes").get<double>());
    steps += frame.at("steps").get<int>();
  }
  EXPECT_GT(estimate.at("peak_bytes").get<double>(), 0.5 * peak);
  EXPECT_LT(estimate.at("peak_bytes").get<double>(), 2 * peak);
  EXPECT_GT(estimate.at("steps").get<int>(), steps / 2);
  EXPECT_LT(estimate.at("steps").get<int>(), 2 * steps);
  EXPECT_GT(estimate.at("seconds").get<double>(), 0);
}

INSTANTIATE_TEST_SUITE_P(Scenes, Estimate,
                         testing::Values(Case{"dam_break.toml", 40, 16},
                                         Case{"dam_break.toml", 96, 8}, Case{"spray.toml", 64, 12},
                                         Case{"figure.toml", 48, 24}),
                         [](const auto& at) {
                           const std::string name = at.param.scene;
                           return name.substr(0, name.find('.')) + std::to_string(at.param.cells);
                         });

}  // namespace
}  // namespace spindrift
