#include "spindrift/core/stats.hpp"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace spindrift {
namespace {

TEST(Stats, AddsUpPerNameInOrderOfFirstUse) {
  Stats stats;
  stats.add_seconds("project", 1.5);
  stats.add_seconds("mesh", 0.25);
  stats.add_seconds("project", 0.5);
  stats.count("snapped", 3);
  stats.count("split");
  stats.count("snapped", 4);
  ASSERT_EQ(stats.phases().size(), 2u);
  EXPECT_EQ(stats.phases()[0].name, "project");
  EXPECT_EQ(stats.phases()[0].value, 2.0);
  EXPECT_EQ(stats.phases()[1].name, "mesh");
  EXPECT_EQ(stats.seconds("mesh"), 0.25);
  ASSERT_EQ(stats.counters().size(), 2u);
  EXPECT_EQ(stats.counters()[0].name, "snapped");
  EXPECT_EQ(stats.count_of("snapped"), 7);
  EXPECT_EQ(stats.count_of("split"), 1);
}

TEST(Stats, UnknownNamesAreZeroAndStayUnknown) {
  const Stats stats;
  EXPECT_EQ(stats.seconds("mesh"), 0);
  EXPECT_EQ(stats.count_of("snapped"), 0);
  EXPECT_TRUE(stats.phases().empty());
}

TEST(Stats, PhaseMeasuresItsScope) {
  Stats stats;
  const Stopwatch watch;
  {
    const auto phase = stats.measure("sleep");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(stats.seconds("sleep"), 0);  // booked at the end
  }
  const double outside = watch.seconds();
  EXPECT_GE(stats.seconds("sleep"), 0.020);
  EXPECT_LE(stats.seconds("sleep"), outside);
}

TEST(Stats, PeakMemoryGrowsWithUse) {
  const std::int64_t before = peak_bytes();
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  std::vector<char> block(kBytes);
  // Volatile: a compiler may otherwise do without memory that nobody reads.
  volatile char* bytes = block.data();
  for (std::size_t i = 0; i < kBytes; i += 1024) bytes[i] = 1;
  EXPECT_GT(before, 1 << 20);
  EXPECT_GE(peak_bytes(), static_cast<std::int64_t>(kBytes));
  EXPECT_GE(peak_bytes(), before);
}

}  // namespace
}  // namespace spindrift
