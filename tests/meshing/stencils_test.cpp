#include "spindrift/meshing/stencils.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "spindrift/core/error.hpp"

namespace spindrift {
namespace {

std::array<Vec3, 4> corners_of(int axis, int k) {
  const Vec3 center = Vec3::Ones();
  return {center, center + 2 * Vec3::Unit(axis), square_corner(axis, k).cast<double>(),
          square_corner(axis, (k + 1) % 4).cast<double>()};
}

// With every cut in the middle of its edge.
Vec3 position(const std::array<Vec3, 4>& corners, int vertex) {
  if (vertex < 4) return corners[static_cast<std::size_t>(vertex)];
  const auto [a, b] = kTetEdges[static_cast<std::size_t>(vertex - 4)];
  return (corners[static_cast<std::size_t>(a)] + corners[static_cast<std::size_t>(b)]) / 2;
}

double volume(const std::array<Vec3, 4>& corners, const std::array<std::uint8_t, 4>& tet) {
  const Vec3 a = position(corners, tet[0]);
  return (position(corners, tet[1]) - a)
             .cross(position(corners, tet[2]) - a)
             .dot(position(corners, tet[3]) - a) /
         6;
}

// The inside of a tetrahedron in which a linear function is 1 at vertices inside, -1 outside and 0
// on the surface, of the volume of the whole. The cuts are in the middle of the edges.
double inside_share(int in, int on, int out) {
  if (in == 0) return 0;
  if (out == 0) return 1;
  if (in == 1) return std::pow(0.5, out);
  if (out == 1) return 1 - std::pow(0.5, in);
  SPINDRIFT_ASSERT(in == 2 && out == 2 && on == 0);
  return 0.5;
}

TEST(Stencils, FillTheInsideOfEveryPattern) {
  const StencilTable& table = StencilTable::instance();
  for (int axis = 0; axis < 3; ++axis) {
    for (int k = 0; k < 4; ++k) {
      const std::array<Vec3, 4> corners = corners_of(axis, k);
      const double whole = volume(corners, {0, 1, 2, 3});
      EXPECT_NEAR(whole, 8.0 / 12, 1e-12);
      for (int signs = 0; signs < 81; ++signs) {
        std::array<int, 3> counts{};
        for (int v = 0, rest = signs; v < 4; ++v, rest /= 3) {
          ++counts[static_cast<std::size_t>(rest % 3)];
        }
        const Stencil& stencil = table.stencil(axis, k, signs);
        double sum = 0;
        for (int t = 0; t < stencil.count; ++t) {
          const double part = volume(corners, stencil.tets[static_cast<std::size_t>(t)]);
          EXPECT_GT(part, 0);
          sum += part;
        }
        EXPECT_NEAR(sum, whole * inside_share(counts[2], counts[1], counts[0]), 1e-12)
            << "axis " << axis << ", tet " << k << ", signs " << signs;
      }
    }
  }
}

TEST(Stencils, EdgesEndAtTheirVertices) {
  const StencilTable& table = StencilTable::instance();
  for (int axis = 0; axis < 3; ++axis) {
    for (int k = 0; k < 4; ++k) {
      const std::array<Vec3, 4> corners = corners_of(axis, k);
      for (int e = 0; e < 6; ++e) {
        const LatticeEdge& edge = table.edge(axis, k, e);
        const Vec3i owner = 2 * edge.owner + Vec3i::Constant(edge_owner_lattice(edge.type));
        const Vec3 middle = owner.cast<double>() + 0.5 * edge_vector(edge.type).cast<double>();
        EXPECT_EQ(middle, position(corners, 4 + e));
      }
    }
  }
}

}  // namespace
}  // namespace spindrift
