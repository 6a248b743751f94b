#include "spindrift/app/bumpy_torus.hpp"

#include <cmath>

namespace spindrift::app {

TriangleMesh bumpy_torus(int around, int across) {
  TriangleMesh mesh;
  const double turn = 2 * std::numbers::pi;
  for (int i = 0; i < around; ++i) {
    for (int j = 0; j < across; ++j) {
      const double u = turn * i / around, v = turn * j / across;
      const double tube = 0.35 + 0.06 * std::sin(7 * u + 3 * v) + 0.03 * std::sin(11 * v - 5 * u);
      const double ring = 1 + tube * std::cos(v);
      mesh.vertices.emplace_back(ring * std::cos(u), ring * std::sin(u), tube * std::sin(v));
    }
  }
  for (int i = 0; i < around; ++i) {
    for (int j = 0; j < across; ++j) {
      const int i1 = (i + 1) % around, j1 = (j + 1) % across;
      const int a = i * across + j, b = i1 * across + j, c = i1 * across + j1, d = i * across + j1;
      mesh.triangles.push_back({a, b, c});
      mesh.triangles.push_back({a, c, d});
    }
  }
  return mesh;
}

}  // namespace spindrift::app
