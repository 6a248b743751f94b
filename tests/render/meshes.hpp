// Meshes to draw.
#pragma once

#include <array>
#include <map>
#include <memory>

#include "spindrift/render/picture.hpp"

namespace spindrift::test {

// An octahedron, subdivided and pushed out.
inline MeshPtr mesh_ball(const Vec3& center, double radius, int levels) {
  auto mesh = std::make_shared<TriangleMesh>();
  std::map<std::array<double, 3>, std::int32_t> known;
  const auto add = [&](const Vec3& x) {
    const auto next = static_cast<std::int32_t>(mesh->vertices.size());
    const auto [place, is_new] = known.try_emplace({x.x(), x.y(), x.z()}, next);
    if (is_new) mesh->vertices.emplace_back(center + radius * x);
    return place->second;
  };
  const auto split = [&](const auto& self, const Vec3& a, const Vec3& b, const Vec3& c,
                         int level) -> void {
    if (level == 0) {
      mesh->triangles.push_back({add(a), add(b), add(c)});
      return;
    }
    const Vec3 ab = (a + b).normalized(), bc = (b + c).normalized(), ca = (c + a).normalized();
    self(self, a, ab, ca, level - 1);
    self(self, b, bc, ab, level - 1);
    self(self, c, ca, bc, level - 1);
    self(self, ab, bc, ca, level - 1);
  };
  for (const double x : {-1.0, 1.0}) {
    for (const double y : {-1.0, 1.0}) {
      for (const double z : {-1.0, 1.0}) {
        const bool even = x * y * z > 0;
        split(split, Vec3(x, 0, 0), even ? Vec3(0, y, 0) : Vec3(0, 0, z),
              even ? Vec3(0, 0, z) : Vec3(0, y, 0), levels);
      }
    }
  }
  return mesh;
}

// Twelve triangles, facing outwards.
inline MeshPtr mesh_box(const Vec3& low, const Vec3& high) {
  auto mesh = std::make_shared<TriangleMesh>();
  const Box3 box(low, high);
  for (int i = 0; i < 8; ++i) {
    mesh->vertices.emplace_back(box.corner(static_cast<Box3::CornerType>(i)));
  }
  mesh->triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                     {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

}  // namespace spindrift::test
