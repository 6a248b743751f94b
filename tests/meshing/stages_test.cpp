#include <gtest/gtest.h>

#include "spindrift/geometry/shape.hpp"
#include "spindrift/mesh/quality.hpp"
#include "spindrift/meshing/stuffing.hpp"

namespace spindrift {
namespace {

constexpr double kSize = 0.11;

class Stages : public testing::Test {
 protected:
  Stages()
      : mesh_(stuff(*ball_, ball_->bounds(), {.size = kSize, .keep_stages = true}, &report_)) {}

  const LabelledCells& stage(const std::string& name) const {
    for (const StuffingStage& stage : report_.stages) {
      if (stage.name == name) return stage.cells;
    }
    throw std::out_of_range(name);
  }
  double distance(const LabelledCells& cells, std::int64_t cell, int corner) const {
    const std::int64_t place = corner_count(cells.kind) * cell + corner;
    const std::int32_t point = cells.corners[static_cast<std::size_t>(place)];
    return ball_->distance(cells.points[static_cast<std::size_t>(point)]);
  }

  ShapePtr ball_ = make_sphere({0.02, -0.03, 0.01}, 1);
  StuffingReport report_;
  TetMesh mesh_;
};

TEST_F(Stages, AreNamedAndWhole) {
  std::vector<std::string> names;
  for (const auto& [name, cells] : report_.stages) {
    names.push_back(name);
    EXPECT_GT(cells.count(), 0) << name;
    EXPECT_EQ(std::ssize(cells.corners), corner_count(cells.kind) * cells.count()) << name;
    for (const std::int32_t corner : cells.corners) {
      ASSERT_TRUE(corner >= 0 && corner < std::ssize(cells.points)) << name;
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"octree", "cut", "warp", "vertices", "tetrahedra"}));
  // They are those that are measured.
  ASSERT_EQ(report_.stats.phases().size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(report_.stats.phases()[i].name, names[i]);
  }
}

TEST_F(Stages, AreNotKeptUnlessAskedFor) {
  StuffingReport report;
  (void)stuff(*ball_, ball_->bounds(), {.size = kSize}, &report);
  EXPECT_TRUE(report.stages.empty());
}

TEST_F(Stages, LeavesCoverTheVolume) {
  const LabelledCells& leaves = stage("octree");
  double volume = 0;
  for (std::int64_t leaf = 0; leaf < leaves.count(); ++leaf) {
    const auto corner = [&](int k) {
      const std::int32_t point = leaves.corners[static_cast<std::size_t>(8 * leaf + k)];
      return leaves.points[static_cast<std::size_t>(point)];
    };
    const double side = std::ldexp(kSize, leaves.labels[static_cast<std::size_t>(leaf)]);
    EXPECT_LT((corner(6) - corner(0) - Vec3::Constant(side)).norm(), 1e-12);
    EXPECT_LT((corner(1) - corner(0) - Vec3(side, 0, 0)).norm(), 1e-12);
    EXPECT_LT((corner(3) - corner(0) - Vec3(0, side, 0)).norm(), 1e-12);
    volume += side * side * side;
  }
  const double radius = 1 + 3 * kSize;
  EXPECT_GT(volume, measure_quality(mesh_).volume);
  EXPECT_LT(volume, 4.0 / 3 * M_PI * radius * radius * radius);
}

TEST_F(Stages, CutsGoFromInsideToTheSurface) {
  const LabelledCells& cuts = stage("cut");
  for (std::int64_t cut = 0; cut < cuts.count(); ++cut) {
    EXPECT_LT(distance(cuts, cut, 0), 0);
    EXPECT_LT(std::abs(distance(cuts, cut, 1)), 1e-6 * kSize);
  }
}

TEST_F(Stages, WarpsEndOnTheSurface) {
  const LabelledCells& warps = stage("warp");
  for (std::int64_t warp = 0; warp < warps.count(); ++warp) {
    EXPECT_LT(std::abs(distance(warps, warp, 1)), 1e-6 * kSize);
    EXPECT_GT(std::abs(distance(warps, warp, 0)), 1e-8 * kSize);
  }
}

TEST_F(Stages, CutPointsAreOnTheSurface) {
  const LabelledCells& vertices = stage("vertices");
  EXPECT_EQ(vertices.count(), mesh_.vertex_count());
  std::array<int, 3> counts{};
  for (std::int64_t v = 0; v < vertices.count(); ++v) {
    const int kind = vertices.labels[static_cast<std::size_t>(v)];
    ++counts.at(static_cast<std::size_t>(kind));
    if (kind == 2) {
      EXPECT_GT(distance(vertices, v, 0), -1e-6 * kSize);
    }
    EXPECT_LT(distance(vertices, v, 0), 1e-6 * kSize);
  }
  for (const int count : counts) EXPECT_GT(count, 0);
}

TEST_F(Stages, TetrahedraAreTheMesh) {
  const LabelledCells& tets = stage("tetrahedra");
  ASSERT_EQ(tets.count(), mesh_.tet_count());
  for (std::int64_t t = 0; t < tets.count(); ++t) {
    const auto i = static_cast<std::size_t>(t);
    EXPECT_EQ(tets.labels[i] >= 0, mesh_.shapes[i].is_standard());
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(tets.corners[4 * i + k], mesh_.tets[i][k]);
  }
}

}  // namespace
}  // namespace spindrift
