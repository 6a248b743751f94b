// Storage of the triangle tree: nodes of eight children and leaves of four triangles, one lane
// each.
//
// Internal to geometry. Coordinates are local: moved to the middle of the mesh and divided by a
// power of two, so that they lie in [-1, 1] and floats resolve the mesh however far or large it is.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "spindrift/core/simd.hpp"
#include "spindrift/geometry/triangle_mesh.hpp"

namespace spindrift::bvh {

inline constexpr int kWidth = 8;
inline constexpr int kLeafSize = 4;

// child >= 0: node; child < 0: leaf ~child. Empty lanes hold an inverted box, which no query meets.
struct Node {
  Lanes3<Float8> min, max;
  std::array<std::int32_t, kWidth> child;
};

// Three corners. Empty lanes repeat the first triangle.
struct Leaf {
  Lanes3<Double4> a, b, c;
  std::array<std::int32_t, kLeafSize> triangle;
  std::int32_t count = 0;
};

// Far field of each child: a dipole. The area vector sits at the area-weighted centre; the child is
// seen as a dipole from farther than the reach.
struct Far {
  Lanes3<Float8> center, area;
  Float8 reach2;
};

struct Tree {
  Vec3 origin = Vec3::Zero();
  double scale = 1;          // world = origin + scale * local
  std::vector<Node> nodes;   // nodes[0] is the root; empty for a mesh without triangles
  std::vector<Leaf> leaves;  // in depth-first order, so neighbours in space lie near in memory
  std::vector<Far> far;      // one per node

  [[nodiscard]] Vec3 to_local(const Vec3& world) const { return (world - origin) / scale; }
  [[nodiscard]] Vec3 to_world(const Vec3& local) const { return origin + scale * local; }
};

[[nodiscard]] Tree build_tree(const TriangleMesh& mesh);

}  // namespace spindrift::bvh
