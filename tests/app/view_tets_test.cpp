// Tetrahedra cut open by a plane.
#include "spindrift/app/view_tets.hpp"

#include <gtest/gtest.h>

#include "app/view_pack_reader.hpp"
#include "support/tet_meshes.hpp"

namespace spindrift::app {
namespace {

// Two by one by one cubes of six tetrahedra each, with the pressure of a column and a flow along x.
TetFile two_cubes() {
  TetFile file;
  file.mesh = test::kuhn_grid({2, 1, 1});
  TetArray pressure{"pressure", 1, {}}, velocity{"velocity", 3, {}};
  for (std::int64_t tet = 0; tet < file.mesh.tet_count(); ++tet) {
    pressure.values.push_back(static_cast<double>(tet));
    velocity.values.insert(velocity.values.end(), {3, 0, -4});
  }
  file.arrays = {pressure, velocity};
  return file;
}

TEST(ViewTets, ACutShowsWhatIsLeftAndWhatCameToLight) {
  const TetView view(two_cubes());
  const test::PackReader whole(view.cut(Vec3::UnitX(), 10, TetMeasure::size));
  EXPECT_EQ(whole.about()["tets"], 12);
  EXPECT_EQ(whole.about()["left"], 12);
  // The surface of two cubes: ten squares.
  EXPECT_EQ(whole.array<float>("position").size(), 9U * 20);

  // A cube's tetrahedra have barycentres on its side of the middle plane.
  const test::PackReader half(view.cut(Vec3::UnitX(), 1, TetMeasure::size));
  EXPECT_EQ(half.about()["left"], 6);
  const std::vector<float> position = half.array<float>("position");
  EXPECT_EQ(position.size(), 9U * 12);
  for (std::size_t i = 0; i < position.size(); i += 3) EXPECT_LE(position[i], 1);

  const test::PackReader none(view.cut(Vec3::UnitX(), -1, TetMeasure::size));
  EXPECT_EQ(none.about()["left"], 0);
  EXPECT_TRUE(none.array<float>("position").empty());
}

TEST(ViewTets, FacesPointOutwards) {
  const TetView view(two_cubes());
  const std::vector<float> x =
      test::PackReader(view.cut(Vec3::UnitX(), 1, TetMeasure::size)).array<float>("position");
  double volume = 0;
  for (std::size_t i = 0; i < x.size(); i += 9) {
    const Vec3 a(x[i], x[i + 1], x[i + 2]), b(x[i + 3], x[i + 4], x[i + 5]);
    const Vec3 c(x[i + 6], x[i + 7], x[i + 8]);
    volume += a.cross(b).dot(c) / 6;
  }
  EXPECT_NEAR(volume, 1, 1e-12);
}

TEST(ViewTets, ValuesAreThoseOfTheTetrahedra) {
  const TetView view(two_cubes());
  const auto values = [&](TetMeasure measure) {
    return test::PackReader(view.cut(Vec3::UnitX(), 10, measure)).array<float>("value");
  };
  for (const float speed : values(TetMeasure::speed)) EXPECT_EQ(speed, 5);
  // Six tetrahedra of a unit cube: a^3 / (6 sqrt 2) = 1/6.
  for (const float size : values(TetMeasure::size))
    EXPECT_NEAR(size, std::cbrt(std::sqrt(2)), 1e-6);
  // Kuhn's tetrahedra have dihedral angles of 45, 60 and 90 degrees.
  for (const float angle : values(TetMeasure::angle)) EXPECT_NEAR(angle, 45, 1e-4);
  const nlohmann::json range =
      test::PackReader(view.cut(Vec3::UnitX(), 0.4, TetMeasure::pressure)).about()["range"];
  EXPECT_EQ(range, nlohmann::json({0.0, 11.0})) << "of all, cut away or not";
}

TEST(ViewTets, WhatTheFileLacksIsSaid) {
  TetFile file = two_cubes();
  file.arrays.clear();
  const TetView view(std::move(file));
  EXPECT_TRUE(view.has(TetMeasure::angle));
  EXPECT_FALSE(view.has(TetMeasure::pressure));
  const test::PackReader cut(view.cut(Vec3::UnitX(), 10, TetMeasure::pressure));
  EXPECT_TRUE(cut.about()["range"].is_null());
  EXPECT_EQ(cut.about()["measures"], nlohmann::json({"size", "angle"}));
}

TEST(ViewTets, TheWorstAreMarked) {
  TetFile file = two_cubes();
  // Flattens some tetrahedra of the second cube.
  for (Vec3& vertex : file.mesh.vertices) {
    if (vertex == Vec3(2, 1, 1)) vertex = Vec3(1.02, 1, 1);
  }
  const TetView view(std::move(file));
  const test::PackReader cut(view.cut(Vec3::UnitX(), 0.1, TetMeasure::angle));
  const nlohmann::json& worst = cut.about()["worst"];
  ASSERT_EQ(worst.size(), 12U) << "no more than there are";
  EXPECT_LT(worst[0]["smallest"].get<double>(), 5);
  EXPECT_GT(worst[0]["at"][0].get<double>(), 1);
  EXPECT_EQ(cut.array<float>("worst").size(), 12U * 36);
}

TEST(ViewTets, TetrahedraThatDoNotFitAreShownAllTheSame) {
  TetFile file;
  file.mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  file.mesh.tets = {{0, 1, 2, 3}, {0, 1, 2, 4}, {0, 1, 2, 3}, {1, 1, 1, 1}};
  const TetView view(std::move(file));
  const test::PackReader cut(view.cut(Vec3::UnitX(), 10, TetMeasure::size));
  EXPECT_EQ(cut.about()["left"], 4);
}

}  // namespace
}  // namespace spindrift::app
