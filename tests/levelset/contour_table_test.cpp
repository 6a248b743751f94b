#include "spindrift/levelset/contour_table.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "spindrift/core/vec.hpp"

namespace spindrift {
namespace {

Vec3 corner_position(int corner) {
  return {double(corner & 1), double(corner >> 1 & 1), double(corner >> 2)};
}
Vec3 middle(int edge) {
  const CellEdge e = cell_edge(edge);
  return (corner_position(e.low) + corner_position(e.high())) / 2;
}
bool is_inside(unsigned pattern, int corner) { return (pattern >> corner & 1) != 0; }
bool is_crossed(unsigned pattern, int edge) {
  return is_inside(pattern, cell_edge(edge).low) != is_inside(pattern, cell_edge(edge).high());
}

TEST(ContourTable, EdgesAreTheTwelveOfACube) {
  std::set<std::pair<int, int>> edges;
  for (int edge = 0; edge < kCellEdges; ++edge) {
    const CellEdge e = cell_edge(edge);
    EXPECT_EQ(e.low & e.high(), e.low);
    EXPECT_EQ(e.high() - e.low, 1 << e.axis);
    edges.insert({e.low, e.high()});
  }
  EXPECT_EQ(edges.size(), 12u);
}

TEST(ContourTable, EdgesShareAFaceIfACoordinateIsTheSameOnBoth) {
  for (int edge = 0; edge < kCellEdges; ++edge) {
    for (int other = 0; other < kCellEdges; ++other) {
      const Vec3 a = middle(edge), b = middle(other);
      bool expected = false;
      for (int k = 0; k < 3; ++k) expected |= a[k] == b[k] && a[k] != 0.5;
      EXPECT_EQ(share_face(edge, other), expected) << edge << ", " << other;
    }
  }
}

TEST(ContourTable, LoopsVisitEveryCrossedEdgeOnceOverFaces) {
  std::size_t longest = 0;
  for (unsigned pattern = 0; pattern < 256; ++pattern) {
    std::multiset<int> visited;
    for (const std::vector<int>& loop : contour_loops(pattern)) {
      longest = std::max(longest, loop.size());
      ASSERT_GE(loop.size(), 3u);
      for (std::size_t k = 0; k < loop.size(); ++k) {
        visited.insert(loop[k]);
        EXPECT_TRUE(share_face(loop[k], loop[(k + 1) % loop.size()]));
      }
    }
    for (int edge = 0; edge < kCellEdges; ++edge) {
      EXPECT_EQ(visited.count(edge), is_crossed(pattern, edge) ? 1u : 0u);
    }
  }
  EXPECT_LE(longest, 7u);
}

TEST(ContourTable, AmbiguousFacesSeparateInsideCorners) {
  // Corners 0 and 3 lie across the face z = 0; the face's edges are 0 and 1 (along x), 4 and 6.
  const std::vector<std::vector<int>> loops = contour_loops(0b1001);
  ASSERT_EQ(loops.size(), 2u);
  for (const std::vector<int>& loop : loops) {
    ASSERT_EQ(loop.size(), 3u);
    const CellEdge e = cell_edge(loop[0]);
    const int corner = is_inside(0b1001, e.low) ? e.low : e.high();
    for (const int edge : loop) {
      EXPECT_TRUE(cell_edge(edge).low == corner || cell_edge(edge).high() == corner);
    }
  }
}

// Sides that one triangle walks one way and no other walks back are the loops; all others lie
// within the cell, not in a face.
TEST(ContourTable, TrianglesFillTheLoopsWithoutDiagonalsInFaces) {
  const ContourTable& table = ContourTable::get();
  for (unsigned pattern = 0; pattern < 256; ++pattern) {
    std::map<std::pair<int, int>, int> sides;
    for (const auto& triangle : table.triangles(pattern)) {
      for (int k = 0; k < 3; ++k) ++sides[{triangle[k], triangle[(k + 1) % 3]}];
    }
    std::set<std::pair<int, int>> loop_sides;
    std::size_t expected = 0;
    for (const std::vector<int>& loop : contour_loops(pattern)) {
      expected += loop.size() - 2;
      for (std::size_t k = 0; k < loop.size(); ++k) {
        loop_sides.insert({loop[k], loop[(k + 1) % loop.size()]});
      }
    }
    EXPECT_EQ(table.triangles(pattern).size(), expected);
    EXPECT_EQ(table.triangle_count(pattern), static_cast<int>(expected));
    for (const auto& [side, times] : sides) {
      EXPECT_EQ(times, 1);
      const bool has_back = sides.contains({side.second, side.first});
      EXPECT_EQ(loop_sides.contains(side), !has_back);
      EXPECT_FALSE(has_back && share_face(side.first, side.second)) << "pattern " << pattern;
    }
    for (const auto& side : loop_sides) EXPECT_TRUE(sides.contains(side));
  }
}

// Seen from the outside end of each of its edges, a triangle's loop goes counter-clockwise: the
// area-weighted normal of a loop points from inside corners to outside ones.
TEST(ContourTable, TrianglesFaceOutwards) {
  const ContourTable& table = ContourTable::get();
  for (unsigned pattern = 0; pattern < 256; ++pattern) {
    for (const std::vector<int>& loop : contour_loops(pattern)) {
      Vec3 normal = Vec3::Zero(), out = Vec3::Zero();
      for (std::size_t k = 0; k < loop.size(); ++k) {
        normal += middle(loop[k]).cross(middle(loop[(k + 1) % loop.size()]));
        const CellEdge e = cell_edge(loop[k]);
        const double sign = is_inside(pattern, e.low) ? 1 : -1;
        out += sign * (corner_position(e.high()) - corner_position(e.low));
      }
      EXPECT_GT(normal.dot(out), 0) << "pattern " << pattern;
    }
  }
  ASSERT_EQ(table.triangle_count(1), 1);
  const auto& lone = table.triangles(1)[0];
  const Vec3 normal = (middle(lone[1]) - middle(lone[0])).cross(middle(lone[2]) - middle(lone[0]));
  EXPECT_GT(normal.minCoeff(), 0);
}

// Corners and edges across the middle of the cell.
unsigned mirrored_pattern(unsigned pattern) {
  unsigned mirrored = 0;
  for (int corner = 0; corner < 8; ++corner) {
    if (is_inside(pattern, corner)) mirrored |= 1U << (7 - corner);
  }
  return mirrored;
}
std::uint8_t mirrored_edge(int edge) {
  for (int other = 0; other < kCellEdges; ++other) {
    if (middle(other) == Vec3::Ones() - middle(edge)) return static_cast<std::uint8_t>(other);
  }
  ADD_FAILURE();
  return 0;
}
// The smallest edge first.
ContourTable::EdgeTriangle turned(ContourTable::EdgeTriangle triangle) {
  std::rotate(triangle.begin(), std::min_element(triangle.begin(), triangle.end()), triangle.end());
  return triangle;
}

TEST(ContourTable, MirroredPatternsHaveTheMirroredTriangles) {
  const ContourTable& table = ContourTable::get();
  for (unsigned pattern = 0; pattern < 256; ++pattern) {
    std::multiset<ContourTable::EdgeTriangle> expected, found;
    for (const auto& [a, b, c] : table.triangles(pattern)) {
      // Mirrors turn triangles around.
      expected.insert(turned({mirrored_edge(a), mirrored_edge(c), mirrored_edge(b)}));
    }
    for (const auto& triangle : table.triangles(mirrored_pattern(pattern))) {
      found.insert(turned(triangle));
    }
    EXPECT_EQ(found, expected) << "pattern " << pattern;
  }
}

TEST(ContourTable, TrianglesAreFarFromSlivers) {
  double smallest = std::numbers::pi;
  int most = 0;
  for (unsigned pattern = 0; pattern < 256; ++pattern) {
    most = std::max(most, ContourTable::get().triangle_count(pattern));
    for (const auto& triangle : ContourTable::get().triangles(pattern)) {
      for (int k = 0; k < 3; ++k) {
        const Vec3 at = middle(triangle[k]);
        const Vec3 a = (middle(triangle[(k + 1) % 3]) - at).normalized();
        const Vec3 b = (middle(triangle[(k + 2) % 3]) - at).normalized();
        smallest = std::min(smallest, std::acos(a.dot(b)));
      }
    }
  }
  EXPECT_EQ(most, 5);
  EXPECT_GT(smallest * 180 / std::numbers::pi, 29.9);
  RecordProperty("smallest_angle_degrees", std::to_string(smallest * 180 / std::numbers::pi));
}

}  // namespace
}  // namespace spindrift
