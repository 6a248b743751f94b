#include "spindrift/meshing/edge_roots.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace spindrift {
namespace {

constexpr double kSize = 0.25;

class Function final : public ScalarField {
 public:
  explicit Function(std::function<double(const Vec3&)> at) : at_(std::move(at)) {}
  void evaluate(std::span<const Vec3> points, std::span<double> values) const override {
    looks_ += points.size();
    for (std::size_t i = 0; i < points.size(); ++i) values[i] = at_(points[i]);
  }
  [[nodiscard]] std::size_t looks() const { return looks_; }

 private:
  std::function<double(const Vec3&)> at_;
  mutable std::size_t looks_ = 0;
};

double ball(const Vec3& p) { return p.norm() - 1; }
double floor(const Vec3& p) { return p.z() + 0.3; }
// A ball with dents, above a floor: kinks where dents and floor cut it.
double dented(const Vec3& p) {
  return std::max({ball(p), 0.35 - (p - Vec3(0.9, 0.2, 0.3)).norm(), -floor(p)});
}

// Edges as long as a cell that the surface cuts.
std::vector<SignedEdge> cut_edges(const Function& field, std::uint64_t seed) {
  test::Random random(seed);
  std::vector<SignedEdge> edges;
  while (edges.size() < 2000) {
    const Vec3 from = random.in_box(Box3(Vec3::Constant(-1.3), Vec3::Constant(1.3)));
    const std::vector<Vec3> ends = {from, from + kSize * random.direction()};
    std::vector<double> values(2);
    field.evaluate(ends, values);
    if (values[0] * values[1] >= 0) continue;
    edges.push_back({from, ends[1] - from, values[0] / kSize, values[1] / kSize});
  }
  return edges;
}

std::vector<double> found(const RootTolerance& tolerance, const Function& field,
                          std::span<const SignedEdge> edges) {
  std::vector<double> roots(edges.size());
  EdgeRoots(tolerance).find(field, kSize, edges, roots);
  return roots;
}

Vec3 place(const SignedEdge& edge, double root) { return edge.from + root * edge.vector; }

TEST(EdgeRoots, AreExactOnSmoothSurfaces) {
  const Function field(ball);
  const std::vector<SignedEdge> edges = cut_edges(field, 1);
  const std::vector<double> roots = found({}, field, edges);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    // Edges that only graze it have values that hardly change.
    EXPECT_NEAR(ball(place(edges[i], roots[i])), 0, 1e-8 * kSize) << "edge " << i;
  }
}

TEST(EdgeRoots, AreExactAtKinks) {
  const Function field(dented);
  const std::vector<SignedEdge> edges = cut_edges(field, 2);
  const std::vector<double> roots = found({}, field, edges);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    EXPECT_NEAR(dented(place(edges[i], roots[i])), 0, 1e-8 * kSize) << "edge " << i;
  }
}

TEST(EdgeRoots, AreExactWhereTheyAreToBeAndCloseElsewhere) {
  const Function field(dented);
  const Function solid(floor);
  const std::vector<SignedEdge> edges = cut_edges(field, 3);
  const std::vector<double> roots = found({.elsewhere = 1e-4, .exact = &solid}, field, edges);
  int on_floor = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const Vec3 root = place(edges[i], roots[i]);
    EXPECT_NEAR(dented(root), 0, 3e-4 * kSize) << "edge " << i;
    if (std::abs(floor(root)) > 1e-4 * kSize) continue;
    ++on_floor;
    EXPECT_NEAR(floor(root), 0, 1.1e-7 * kSize) << "edge " << i;
  }
  EXPECT_GT(on_floor, 200);
}

TEST(EdgeRoots, TakeFewLooks) {
  const Function field(dented);
  const std::vector<SignedEdge> edges = cut_edges(field, 4);
  const std::size_t before = field.looks();
  const Function nowhere([](const Vec3&) { return 1.0; });
  (void)found({.elsewhere = 1e-4, .exact = &nowhere}, field, edges);
  EXPECT_LT(static_cast<double>(field.looks() - before), 2.5 * static_cast<double>(edges.size()));
}

}  // namespace
}  // namespace spindrift
