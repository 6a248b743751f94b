#include "spindrift/sim/volume_control.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace spindrift {
namespace {

std::ptrdiff_t no_heir(const Vec3& /*place*/) { return -1; }

double total_missing(const VolumeControl& control) {
  double sum = 0;
  for (const VolumeControl::Body& body : control.bodies()) sum += body.missing;
  return sum;
}

TEST(VolumeControl, WhatIsMissingIsBackInAFewSteps) {
  VolumeControl control;
  control.start(std::vector<BodyVolume>{{.id = 0, .volume = 1}});
  constexpr double kStep = 0.01;
  double volume = 0.99;
  for (int step = 0; step < 3; ++step) {
    control.update(std::vector<BodyVolume>{{.id = 0, .parents = {0}, .volume = volume}}, no_heir);
    volume *= 1 + kStep * control.divergence(0, control.bodies()[0].missing, kStep);
  }
  EXPECT_NEAR(volume, 1, 0.0002);
}

TEST(VolumeControl, BodiesMissFromTheStartWhatIsEditedOfThem) {
  VolumeControl control;
  control.start(std::vector<BodyVolume>{{.id = 0, .volume = 1, .edited = 0.25}});
  EXPECT_EQ(control.bodies()[0].volume, 1);
  EXPECT_EQ(control.bodies()[0].missing, 0.25);
}

TEST(VolumeControl, ASteadyLossLeavesAThirdOfAStepsLoss) {
  VolumeControl control;
  control.start(std::vector<BodyVolume>{{.id = 0, .volume = 1}});
  constexpr double kStep = 0.01;
  double volume = 1;
  for (int step = 0; step < 1000; ++step) {
    volume *= 1 - 1e-4;
    control.update(std::vector<BodyVolume>{{.id = 0, .parents = {0}, .volume = volume}}, no_heir);
    volume *= 1 + kStep * control.divergence(0, control.bodies()[0].missing, kStep);
  }
  EXPECT_NEAR(volume, 1 - 1e-4 / 3, 1e-6);
}

TEST(VolumeControl, BodiesThatMergeAndSplitShareWhatTheyMiss) {
  VolumeControl control;
  control.start(std::vector<BodyVolume>{{.id = 0, .volume = 2}, {.id = 1, .volume = 1}});
  control.update(std::vector<BodyVolume>{{.id = 0, .parents = {0, 1}, .volume = 2.9}}, no_heir);
  EXPECT_NEAR(control.bodies()[0].missing, 0.1, 1e-12);
  control.update(std::vector<BodyVolume>{{.id = 0, .parents = {0}, .volume = 2.1},
                                         {.id = 2, .parents = {0}, .volume = 0.7}},
                 no_heir);
  EXPECT_NEAR(control.bodies()[0].missing, 0.15, 1e-12);
  EXPECT_NEAR(control.bodies()[1].missing, 0.05, 1e-12);
}

TEST(VolumeControl, EditsAreNotMissing) {
  VolumeControl control;
  control.start(std::vector<BodyVolume>{{.id = 0, .volume = 2}});
  const double change = control.update(
      std::vector<BodyVolume>{{.id = 0, .parents = {0}, .volume = 2.5, .edited = 0.6},
                              {.id = 1, .volume = 0.2, .edited = 0.2}},
      no_heir);
  EXPECT_NEAR(control.bodies()[0].missing, 0.1, 1e-12);
  EXPECT_NEAR(control.bodies()[1].missing, 0, 1e-12);
  EXPECT_NEAR(change, -0.1, 1e-12);
}

TEST(VolumeControl, ABodyThatVanishesLeavesItsVolumeToTheHeir) {
  VolumeControl control;
  control.start(std::vector<BodyVolume>{{.id = 0, .volume = 2},
                                        {.id = 1, .volume = 0.01, .place = Vec3(1, 2, 3)}});
  control.update(std::vector<BodyVolume>{{.id = 0, .parents = {0}, .volume = 2}},
                 [](const Vec3& place) -> std::ptrdiff_t {
                   EXPECT_EQ(place, Vec3(1, 2, 3));
                   return 0;
                 });
  EXPECT_NEAR(total_missing(control), 0.01, 1e-12);
}

TEST(VolumeControl, TheLargestBodyShowsWhatSmallOnesDoNot) {
  VolumeControl control;
  control.start(std::vector<BodyVolume>{
      {.id = 0, .volume = 2}, {.id = 1, .volume = 1}, {.id = 2, .volume = 0.02}});
  control.update(std::vector<BodyVolume>{{.id = 0, .parents = {0}, .volume = 1.9},
                                         {.id = 1, .parents = {1}, .volume = 1.05},
                                         {.id = 2, .parents = {2}, .volume = 0.03}},
                 no_heir);
  const std::vector<double> more = control.to_show(0.1);
  EXPECT_NEAR(more[0], 0.1 - 0.01, 1e-12);
  EXPECT_NEAR(more[1], -0.05, 1e-12);
  EXPECT_EQ(more[2], 0);
  // Each still knows what it should have.
  EXPECT_NEAR(control.bodies()[2].missing, -0.01, 1e-12);
}

TEST(VolumeControl, TheLargestBodyIsPutRightHoweverSmallItIs) {
  VolumeControl control;
  control.start(std::vector<BodyVolume>{{.id = 0, .volume = 0.02}, {.id = 1, .volume = 0.01}});
  control.update(std::vector<BodyVolume>{{.id = 0, .parents = {0}, .volume = 0.015},
                                         {.id = 1, .parents = {1}, .volume = 0.008}},
                 no_heir);
  const std::vector<double> more = control.to_show(0.1);
  EXPECT_NEAR(more[0], 0.007, 1e-12);
  EXPECT_EQ(more[1], 0);
}

TEST(VolumeControl, BodiesMeasuredTogetherShareWhatTheyMissThenAndAStepLater) {
  VolumeControl control;
  control.start(std::vector<BodyVolume>{{.id = 0, .volume = 2}, {.id = 1, .volume = 1}});
  // Both are in one piece, which counts as that of the first.
  control.update(std::vector<BodyVolume>{{.id = 0, .parents = {0}, .volume = 2.9, .group = 0},
                                         {.id = 1, .parents = {1}, .volume = 0, .group = 0}},
                 no_heir);
  EXPECT_NEAR(control.bodies()[0].missing, 0.1, 1e-12);
  EXPECT_EQ(control.bodies()[1].missing, 0);
  // In two again: neither has too much or too little but for what both miss.
  control.update(std::vector<BodyVolume>{{.id = 0, .parents = {0}, .volume = 1.9, .group = 0},
                                         {.id = 1, .parents = {1}, .volume = 0.95, .group = 1}},
                 no_heir);
  EXPECT_NEAR(control.bodies()[0].missing, 0.1, 1e-12);
  EXPECT_NEAR(control.bodies()[1].missing, 0.05, 1e-12);
}

// Droplets: a body has less by what they take, and more by what they bring; neither is missing, nor
// a change.
TEST(VolumeControl, WhatDropletsTakeAndBringIsNotMissing) {
  VolumeControl control;
  control.start(std::vector<BodyVolume>{{.id = 0, .volume = 2}, {.id = 1, .volume = 1}});
  control.give_to_droplets(0, 0.25);
  const double change =
      control.update(std::vector<BodyVolume>{{.id = 0, .parents = {0}, .volume = 1.75},
                                             {.id = 1, .parents = {1}, .volume = 1}},
                     no_heir);
  EXPECT_EQ(change, 0);
  EXPECT_EQ(total_missing(control), 0);
  control.update(std::vector<BodyVolume>{{.id = 0, .parents = {0}, .volume = 1.75},
                                         {.id = 1, .parents = {1}, .volume = 1, .landed = 0.25}},
                 no_heir);
  EXPECT_EQ(control.bodies()[0].missing, 0);
  EXPECT_EQ(control.bodies()[1].missing, 0.25);
}

TEST(VolumeControl, WhatNoBodyShowsWaitsForTheNext) {
  VolumeControl control;
  control.start(std::vector<BodyVolume>{{.id = 0, .volume = 2}});
  control.give_to_droplets(0, 1.5);
  control.update({}, no_heir);
  EXPECT_EQ(control.waiting(), 0.5);
  // A body that shows nothing is none.
  control.update(std::vector<BodyVolume>{{.id = 1, .volume = 0, .landed = 0.25}}, no_heir);
  EXPECT_EQ(control.waiting(), 0.75);
  control.update(std::vector<BodyVolume>{{.id = 2, .parents = {1}, .volume = 1, .landed = 1.25}},
                 no_heir);
  EXPECT_EQ(control.waiting(), 0);
  EXPECT_EQ(control.bodies()[0].missing, 1);
}

TEST(VolumeControl, WhatLeavesIsTheTrueShareOfWhatIsShown) {
  VolumeControl control;
  control.start(std::vector<BodyVolume>{{.id = 0, .volume = 2, .edited = 0.5},
                                        {.id = 1, .volume = 1, .edited = -2},
                                        {.id = 2, .volume = 1, .edited = 3},
                                        {.id = 3, .volume = 3, .edited = -2, .group = 3},
                                        {.id = 4, .volume = 1, .edited = 0, .group = 3},
                                        {.id = 5, .volume = 0, .edited = 1}});
  EXPECT_EQ(control.true_shares(), (std::vector<double>{1.25, 0, 2, 0.5, 0.5, 1}));
}

TEST(VolumeControl, ThinPartsCarryNoMoreThanTheirBodyShouldHave) {
  VolumeControl control;
  control.start(std::vector<BodyVolume>{{.id = 0, .volume = 2, .edited = -1},
                                        {.id = 1, .volume = 1, .edited = -2},
                                        {.id = 2, .volume = 3, .edited = -2, .group = 3},
                                        {.id = 3, .volume = 0, .edited = 0, .group = 3},
                                        {.id = 4, .volume = 1}});
  EXPECT_EQ(control.held_shares(std::vector<double>{4, 1, 1, 1, 0.5}),
            (std::vector<double>{0.25, 0, 0.5, 0.5, 1}));
}

TEST(VolumeControl, NoBodySwellsAtOnce) {
  VolumeControl control;
  control.start(std::vector<BodyVolume>{{.id = 0, .volume = 1}});
  control.update(std::vector<BodyVolume>{{.id = 0, .parents = {0}, .volume = 0.1}}, no_heir);
  EXPECT_NEAR(0.01 * control.divergence(0, control.bodies()[0].missing, 0.01), 0.02, 1e-12);
  EXPECT_NEAR(0.02 * control.divergence(0, control.bodies()[0].missing, 0.02), 0.02, 1e-12);
  // Nor faster in shorter steps.
  EXPECT_NEAR(control.divergence(0, control.bodies()[0].missing, 0.001), 2, 1e-12);
}

}  // namespace
}  // namespace spindrift
