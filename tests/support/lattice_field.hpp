// Fields that cut the edges of the body-centred lattice anywhere.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "spindrift/geometry/fields.hpp"

namespace spindrift::test {

// Linear in every tetrahedron of the lattice of unit cells, with values at the vertices that are
// given: at_vertex(half cells) for corners (even) and centres (odd).
template <class AtVertex>
class LatticeField final : public ScalarField {
 public:
  explicit LatticeField(AtVertex at_vertex) : at_vertex_(std::move(at_vertex)) {}

  void evaluate(std::span<const Vec3> points, std::span<double> values) const override {
    for (std::size_t i = 0; i < points.size(); ++i) values[i] = at(points[i]);
  }

 private:
  // The tetrahedron of a point: the axis along which it is farthest from the cell's centre tells
  // the other centre; the farther of the other two, the edge of the square between them.
  [[nodiscard]] double at(const Vec3& point) const {
    const Vec3i cell = point.array().floor().cast<int>();
    const Vec3i c0 = 2 * cell + Vec3i::Ones();
    const Vec3 d = 2 * point - c0.cast<double>();
    int axis = 0;
    d.cwiseAbs().maxCoeff(&axis);
    const int side = d[axis] < 0 ? -1 : 1;
    const Vec3i c1 = c0 + 2 * side * Vec3i::Unit(axis);
    int b = (axis + 1) % 3;
    int c = (axis + 2) % 3;
    if (std::abs(d[b]) < std::abs(d[c])) std::swap(b, c);
    Vec3i v = c0 + side * Vec3i::Unit(axis);
    v[b] += d[b] < 0 ? -1 : 1;
    Vec3i w = v;
    v[c] -= 1;
    w[c] += 1;
    const std::array<Vec3i, 4> corners = {c0, c1, v, w};
    Mat3 edges;
    for (int k = 0; k < 3; ++k) {
      edges.col(k) = (corners[static_cast<std::size_t>(k) + 1] - c0).template cast<double>();
    }
    const Vec3 weights = edges.inverse() * d;
    double value = (1 - weights.sum()) * at_vertex_(c0);
    for (int k = 0; k < 3; ++k) {
      value += weights[k] * at_vertex_(corners[static_cast<std::size_t>(k) + 1]);
    }
    return value;
  }

  AtVertex at_vertex_;
};

// A number from -1 to 1 that depends on the place and the seed alone.
inline double hashed(const Vec3i& place, std::uint64_t seed) {
  std::uint64_t x = seed * 0x9e3779b97f4a7c15ULL;
  for (const int c : {place.x(), place.y(), place.z()}) {
    x ^= static_cast<std::uint32_t>(c);
    x *= 0xbf58476d1ce4e5b9ULL;
    x ^= x >> 29;
  }
  x *= 0x94d049bb133111ebULL;
  x ^= x >> 32;
  return static_cast<double>(x >> 11) * 0x1p-52 - 1;
}

}  // namespace spindrift::test
