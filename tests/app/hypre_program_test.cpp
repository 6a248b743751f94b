// spindrift-hypre as it is started: over processes, by mpirun.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "spindrift/linear/system_file.hpp"

#include "app/run_command.hpp"
#include "linear/matrices.hpp"

namespace spindrift {
namespace {

using test::CommandResult;

class HypreProgram : public testing::Test {
 protected:
  void SetUp() override {
#ifndef SPINDRIFT_HYPRE_PROGRAM
    GTEST_SKIP() << "this build has no hypre";
#endif
  }

#ifdef SPINDRIFT_HYPRE_PROGRAM
  [[nodiscard]] CommandResult run(int processes, const std::string& arguments) const {
    // Root may: tests run in containers.
    const std::string line =
        "cd " + test::quoted(folder_.path().string()) +
        " && OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 " +
        test::quoted(SPINDRIFT_MPIRUN) + " --oversubscribe -n " + std::to_string(processes) + " " +
        test::quoted(SPINDRIFT_HYPRE_PROGRAM) + " " + arguments + " >out 2>err </dev/null";
    const int status = std::system(line.c_str());
    CommandResult result;
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.out = read_file(folder_ / "out").view();
    result.err = read_file(folder_ / "err").view();
    return result;
  }
#else
  [[nodiscard]] static CommandResult run(int /*processes*/, const std::string& /*arguments*/) {
    return {};
  }
#endif

  test::TemporaryFolder folder_;
};

TEST_F(HypreProgram, SlowSolvesOverProcesses) {
  const test::Grid grid{.n = 24};
  const CsrMatrix a = grid.matrix();
  test::Random random(1);
  write_system(folder_ / "a.system", a, test::random_vector(grid.rows(), random));
  for (const int processes : {1, 2, 3}) {
    SCOPED_TRACE(processes);
    const CommandResult result = run(processes, "a.system --tolerance 1e-8");
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const auto report = nlohmann::json::parse(result.out);
    EXPECT_EQ(report.at("processes"), processes);
    EXPECT_TRUE(report.at("has_converged"));
    EXPECT_LE(report.at("residual"), 1e-8);
    EXPECT_GE(report.at("iterations"), 4);
    EXPECT_LE(report.at("iterations"), 20);
    EXPECT_GT(report.at("setup"), 0);
    EXPECT_GT(report.at("solve"), 0);
    EXPECT_GT(report.at("bytes"), 12 * a.nonzeros());
  }
}

TEST_F(HypreProgram, SlowSaysWhatIsWrong) {
  test::MatrixBuilder one(1);
  one.add(0, 0, 1);
  write_system(folder_ / "one.system", one.matrix(), std::vector<double>{1});
  const CommandResult too_many = run(2, "one.system");
  EXPECT_EQ(too_many.exit_code, 2);
  EXPECT_NE(too_many.err.find("one.system: has 1 rows for 2 processes; start fewer"),
            std::string::npos)
      << too_many.err;

  const CommandResult missing = run(1, "missing.system");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_NE(missing.err.find("missing.system: cannot be opened"), std::string::npos) << missing.err;

  const test::Grid grid{.n = 16};
  write_system(folder_ / "a.system", grid.matrix(), std::vector<double>(4096, 1));
  const CommandResult too_few = run(2, "a.system --max-iterations 1");
  EXPECT_EQ(too_few.exit_code, 3);
  EXPECT_NE(too_few.err.find("after 1 iterations"), std::string::npos) << too_few.err;
  EXPECT_FALSE(nlohmann::json::parse(too_few.out).at("has_converged"));
}

}  // namespace
}  // namespace spindrift
