#include <cmath>
#include <map>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/run_command.hpp"

namespace spindrift {
namespace {

using Json = nlohmann::json;

std::vector<Json> rows_of(const std::vector<std::string>& arguments) {
  const auto result = test::run_command(".", arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::vector<Json> rows;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) rows.push_back(Json::parse(line));
  return rows;
}

TEST(Bench, SlowContourMeasuresOneStepBesideOpenVdb) {
  const std::vector<Json> rows = rows_of({"bench", "contour", "--quick", "--json"});
  ASSERT_GE(rows.size(), 2u);
  std::map<int, std::vector<double>> triangles;  // by threads
  for (const Json& row : rows) {
    SCOPED_TRACE(row.dump());
    EXPECT_EQ(row.at("bench"), "contour");
    const auto seconds = [&row](const char* part) {
      return row.at(std::string("seconds_") + part).get<double>();
    };
    EXPECT_GT(seconds("redistance"), 0);
    EXPECT_GT(seconds("contour"), 0);
    // The whole has more parts than these two.
    EXPECT_GT(seconds("advance"), seconds("redistance") + seconds("contour"));
    triangles[row.at("threads")].push_back(row.at("triangles"));
#ifdef SPINDRIFT_OPENVDB
    EXPECT_GT(seconds("openvdb_to_volume"), 0);
    EXPECT_GT(seconds("openvdb_to_mesh"), 0);
    EXPECT_DOUBLE_EQ(seconds("openvdb"), seconds("openvdb_to_volume") + seconds("openvdb_to_mesh"));
    EXPECT_DOUBLE_EQ(row.at("share_of_openvdb"),
                     (seconds("redistance") + seconds("contour")) / seconds("openvdb"));
    // The same surface through the same lattice.
    EXPECT_NEAR(row.at("triangles_openvdb"), row.at("triangles"),
                0.01 * row.at("triangles").get<double>());
#else
    EXPECT_TRUE(row.at("seconds_openvdb").is_null());
#endif
  }
  for (const auto& [threads, counts] : triangles) {
    EXPECT_EQ(counts, triangles.at(1)) << threads << " threads made another surface";
  }
  // The sizes that were asked for.
  ASSERT_EQ(triangles.at(1).size(), 2u);
  EXPECT_NEAR(triangles.at(1)[0], 100'000, 2'000);
  EXPECT_NEAR(triangles.at(1)[1], 200'000, 4'000);
}

TEST(Bench, SlowMeshMeasuresWhatASolverNeeds) {
  const std::vector<Json> rows = rows_of({"bench", "mesh", "--quick", "--json"});
  ASSERT_GE(rows.size(), 2u);
  std::map<int, std::vector<double>> tets;  // by threads
  for (const Json& row : rows) {
    SCOPED_TRACE(row.dump());
    EXPECT_EQ(row.at("bench"), "mesh");
    EXPECT_GT(row.at("tets_per_second"), row.at("tets_per_second_full"));
    EXPECT_GT(row.at("tets_per_second_full"), 0);
    // A tetrahedron and its neighbours alone take 32.
    EXPECT_GT(row.at("bytes_per_tet"), 32);
    EXPECT_GE(row.at("min_dihedral"), 10.7);
    EXPECT_LE(row.at("max_dihedral"), 164.8);
    EXPECT_GT(row.at("standard_tets"), 0.5);
    tets[row.at("threads")].push_back(row.at("tets"));
  }
  for (const auto& [threads, counts] : tets) {
    EXPECT_EQ(counts, tets.at(1)) << threads << " threads made another mesh";
  }
  ASSERT_EQ(tets.at(1).size(), 3u);
  EXPECT_NEAR(tets.at(1)[0], 100'000, 20'000);
  EXPECT_NEAR(tets.at(1)[1], 400'000, 80'000);
  // From triangles.
  EXPECT_NEAR(tets.at(1)[2], 400'000, 80'000);
  EXPECT_EQ(rows.back().at("input_triangles"), 40'000);
}

TEST(Bench, SlowLocateFindsTheSamePointsInAnyOrder) {
  const std::vector<Json> rows = rows_of({"bench", "locate", "--quick", "--json"});
  ASSERT_GE(rows.size(), 4u);
  std::map<double, std::pair<int, double>> found;  // by tetrahedra: rows, and how many points
  for (const Json& row : rows) {
    SCOPED_TRACE(row.dump());
    EXPECT_EQ(row.at("bench"), "locate");
    EXPECT_EQ(row.at("points"), 200'000);
    EXPECT_GT(row.at("ns_per_point"), 0);
    EXPECT_GT(row.at("build_ns_per_tet"), 0);
    EXPECT_GT(row.at("bytes_per_tet"), 0);
    EXPECT_LT(row.at("bytes_per_tet"), 20);
    const auto [first, is_new] = found.try_emplace(row.at("tets"), 0, row.at("found"));
    ++first->second.first;
    EXPECT_EQ(row.at("found"), first->second.second);
    // Half of those near the surface, and a fifth of the box.
    EXPECT_NEAR(row.at("found"), 75'000, 15'000);
  }
  EXPECT_EQ(found.size(), 2u);
  for (const auto& [tets, count] : found) EXPECT_GE(count.first, 2) << tets;
}

TEST(Bench, GeometryMeasuresEveryQueryWithTheThreadsAllowed) {
  std::map<std::string, int> queries;
  for (const Json& row : rows_of({"bench", "geometry", "--quick", "--json", "--threads", "1"})) {
    EXPECT_EQ(row.at("bench"), "geometry");
    if (!row.contains("query")) continue;
    ++queries[row.at("query")];
    EXPECT_EQ(row.at("threads"), 1) << row;
    EXPECT_GT(row.at("per_second"), 0) << row;
    EXPECT_EQ(row.at("embree_per_second").is_null(), row.at("query") == "winding") << row;
  }
  EXPECT_EQ(queries,
            (std::map<std::string, int>{{"build", 1}, {"closest", 2}, {"winding", 2}, {"ray", 2}}));
}

TEST(Bench, SlowFrameMeasuresTheSameStepsWithAnyNumberOfThreads) {
  const std::vector<Json> rows = rows_of({"bench", "frame", "--quick", "--json"});
  std::map<int, std::vector<std::pair<double, double>>> sizes;  // by threads: tets, triangles
  for (const Json& row : rows) {
    SCOPED_TRACE(row.dump());
    EXPECT_EQ(row.at("bench"), "frame");
    EXPECT_EQ(row.at("scene"), "dam_break");
    EXPECT_EQ(row.at("steps"), 3);
    double parts = 0;
    for (const char* part : {"surface", "mesh", "advect", "project", "other"}) {
      parts += row.at(std::string("seconds_") + part).get<double>();
    }
    EXPECT_NEAR(parts, row.at("seconds_per_step").get<double>(), 1e-6);
    EXPECT_NEAR(3 * parts, row.at("seconds").get<double>(), 3e-6);
    EXPECT_GT(row.at("peak_bytes"), 10'000'000);
    sizes[row.at("threads")].emplace_back(row.at("tets"), row.at("triangles"));
  }
  ASSERT_EQ(sizes.at(1).size(), 2u);
  for (const auto& [threads, made] : sizes) EXPECT_EQ(made, sizes.at(1)) << threads << " threads";
  // Cells half as large: four times the triangles; tetrahedra go with the surface and, where cells
  // are too large to be graded, with the volume.
  const auto [small, large] = std::pair(sizes.at(1)[0], sizes.at(1)[1]);
  EXPECT_GT(large.first / small.first, 4);
  EXPECT_LT(large.first / small.first, 8);
  EXPECT_NEAR(large.second / small.second, 4, 0.6);
}

TEST(Bench, SlowCacheMeasuresWritingBesideSteps) {
  const std::vector<Json> rows = rows_of({"bench", "cache", "--quick", "--json"});
  ASSERT_EQ(rows.size(), 1u);
  const Json& row = rows.front();
  SCOPED_TRACE(row.dump());
  EXPECT_EQ(row.at("bench"), "cache");
  const auto seconds = [&row](const char* part) {
    return row.at(std::string("seconds_") + part).get<double>();
  };
  for (const char* part : {"step", "step_beside", "handing_over", "surface", "checkpoint"}) {
    EXPECT_GT(seconds(part), 0) << part;
  }
  EXPECT_DOUBLE_EQ(row.at("share_waited"), seconds("handing_over") / seconds("step"));
  EXPECT_DOUBLE_EQ(row.at("share_written"),
                   (seconds("surface") + seconds("checkpoint")) / seconds("step"));
  // A vertex has 24 bytes, a triangle 13, and there are two triangles for a vertex.
  EXPECT_NEAR(row.at("surface_bytes"), 25 * row.at("triangles").get<double>(),
              0.05 * row.at("surface_bytes").get<double>());
  // The velocity of a tetrahedron, and samples around the surface.
  EXPECT_LT(row.at("checkpoint_bytes"),
            24 * row.at("tets").get<double>() + 20 * row.at("triangles").get<double>());
}

TEST(Bench, SlowPressureMeasuresAllSolversOnTheSameSystems) {
  const std::vector<Json> rows = rows_of({"bench", "pressure", "--quick", "--json"});
  std::map<std::string, std::map<std::string, double>> unknowns;  // by system, by solver
  for (const Json& row : rows) {
    SCOPED_TRACE(row.dump());
    EXPECT_EQ(row.at("bench"), "pressure");
    EXPECT_TRUE(row.at("has_converged").get<bool>());
    EXPECT_LE(row.at("residual").get<double>(), 1.0000001e-6);
    EXPECT_GT(row.at("setup").get<double>(), 0);
    EXPECT_GT(row.at("solve").get<double>(), 0);
    EXPECT_GT(row.at("iterations").get<int>(), 0);
    EXPECT_GT(row.at("tets").get<double>(), 40'000);
    EXPECT_LT(row.at("tets").get<double>(), 80'000);  // droplets need no less
    const std::string solver = row.at("solver");
    if (solver == "multigrid") {
      EXPECT_LE(row.at("bytes_per_unknown").get<double>(), 200);
      EXPECT_LE(row.at("iterations").get<int>(), 40);
    }
    unknowns[row.at("mesh").get<std::string>() + " " + row.at("projection").get<std::string>()]
            [solver] = row.at("unknowns");
  }
  EXPECT_EQ(unknowns.size(), 8u);  // four meshes, two projections
  for (const auto& [system, solvers] : unknowns) {
    SCOPED_TRACE(system);
    for (const char* solver : {"multigrid", "multigrid_paper", "ic_cg", "jacobi_cg"}) {
      ASSERT_TRUE(solvers.contains(solver)) << solver;
    }
    for (const auto& [solver, count] : solvers) EXPECT_EQ(count, solvers.at("multigrid"));
  }
}

}  // namespace
}  // namespace spindrift
