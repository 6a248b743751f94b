#include "spindrift/surface/surface_changes.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "spindrift/geometry/shape.hpp"

namespace spindrift {
namespace {

constexpr double kSpacing = 0.05;

double added_to_air(const std::vector<SurfaceEdit>& edits) {
  const NodeFunction air = [](std::span<const Vec3> points, std::span<float> values) {
    std::fill_n(values.begin(), points.size(), 10.0F);
  };
  double volume = 0;
  for (const EditedVolume& change : edited_volumes(air, edits, nullptr, {Vec3::Zero(), kSpacing})) {
    EXPECT_EQ(change.tag, 7U);
    volume += change.volume;
  }
  return volume;
}

// What a sink takes away again in the same step never was there.
TEST(SurfaceChanges, ASourceAddsWhatSinksLeaveOfIt) {
  const ShapePtr source = make_box(Vec3(0, 0, 0), Vec3(1, 1, 1));
  const ShapePtr sink = make_box(Vec3(0.5, -1, -1), Vec3(2, 2, 2));
  const Box3 box(Vec3::Constant(-0.2), Vec3::Constant(1.2));
  const SurfaceEdit add = {SurfaceEdit::Kind::add, source.get(), box, 7};
  const SurfaceEdit remove = {SurfaceEdit::Kind::remove, sink.get(), box, 8};
  const double whole = added_to_air({add});
  EXPECT_NEAR(whole, 1, 0.01);
  EXPECT_NEAR(added_to_air({add, remove}), 0.5, 0.01);
  // Taken away before, it is there afterwards.
  EXPECT_EQ(added_to_air({remove, add}), whole);
}

}  // namespace
}  // namespace spindrift
