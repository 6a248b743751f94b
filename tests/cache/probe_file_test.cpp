#include "spindrift/cache/probe_file.hpp"

#include <gtest/gtest.h>

namespace spindrift {
namespace {

TEST(ProbeFile, ColumnsFollowTheKind) {
  EXPECT_EQ(probe_header(ProbeKind::height), "time,height\n");
  EXPECT_EQ(probe_header(ProbeKind::pressure), "time,pressure\n");
  EXPECT_EQ(probe_header(ProbeKind::velocity), "time,vx,vy,vz\n");
  const std::vector<ProbeRow> rows = {{0.1, {0.5, 0, 0}}, {1.0 / 3, {-2, 1e-9, 3}}};
  EXPECT_EQ(probe_lines(ProbeKind::height, rows), "0.1,0.5\n0.3333333333333333,-2\n");
  EXPECT_EQ(probe_lines(ProbeKind::velocity, rows), "0.1,0.5,0,0\n0.3333333333333333,-2,1e-09,3\n");
  EXPECT_EQ(probe_lines(ProbeKind::pressure, {}), "");
}

}  // namespace
}  // namespace spindrift
