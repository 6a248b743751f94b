#include "spindrift/flow/mesh_interpolant.hpp"

#include <algorithm>
#include <cmath>

#include "spindrift/flow/tet_weights.hpp"

namespace spindrift {
namespace {

// Factors of weights in multiples of their edges' squared lengths: where they are closer to zero
// the point is on a face of the dual cell, or in one of its nodes. All tetrahedra of that face
// share the edge, so that their weights keep their ratios.
constexpr double kLeastFactor = 1e-12;

}  // namespace

std::int32_t MeshInterpolant::closest_vertex(const Vec3& point, std::int32_t tet) const {
  std::int32_t closest = -1;
  double least = 0;
  for (const std::int32_t v : flow_.mesh.tets[static_cast<std::size_t>(tet)]) {
    const double squared = (flow_.mesh.vertices[static_cast<std::size_t>(v)] - point).squaredNorm();
    // By number where two are as close, so that neighbours agree.
    if (closest >= 0 && (squared > least || (squared == least && v > closest))) continue;
    closest = v;
    least = squared;
  }
  return closest;
}

Vec3 MeshInterpolant::linear(const Double4& weights, std::int32_t tet) const {
  Vec3 sum = Vec3::Zero();
  int k = 0;
  for (const std::int32_t v : flow_.mesh.tets[static_cast<std::size_t>(tet)]) {
    sum += weights[k++] * at_vertices_.values[static_cast<std::size_t>(v)];
  }
  return sum;
}

// x = 4 m b + sum (weight - m) p, with m the least weight, which is that of the vertex opposite the
// face.
Vec3 MeshInterpolant::in_sub_tet(const Double4& weights, std::int32_t tet) const {
  const double m = std::min(std::min(weights[0], weights[1]), std::min(weights[2], weights[3]));
  return 4 * m * flow_.cell_velocity[static_cast<std::size_t>(tet)] +
         linear(weights - splat4(m), tet);
}

bool MeshInterpolant::in_dual_cell(const Vec3& point, std::int32_t vertex, Vec3& velocity) const {
  if (at_vertices_.is_boundary[static_cast<std::size_t>(vertex)] != 0) return false;
  const Vec3& center = flow_.mesh.vertices[static_cast<std::size_t>(vertex)];
  Vec3 sum = Vec3::Zero();
  double total = 0;
  for (const std::int32_t corner : rings_.of(vertex)) {
    const auto t = static_cast<std::size_t>(corner >> 2);
    const Vec3 way = flow_.cells.centers[t] - point;
    double product = 1;
    for (int k = 0; k < 4; ++k) {
      if (k == (corner & 3)) continue;
      const Vec3 edge = flow_.mesh.corner(corner >> 2, k) - center;
      const double least = kLeastFactor * edge.squaredNorm();
      const double factor = edge.dot(way);
      if (factor < -least) return false;
      product *= std::max(factor, least);
    }
    const double weight = flow_.cells.volumes[t] / product;
    sum += weight * flow_.cell_velocity[t];
    total += weight;
  }
  velocity = sum / total;
  return std::isfinite(total) && total > 0;
}

bool MeshInterpolant::has_dual_cell(const Vec3& point, std::int32_t tet) const {
  Vec3 unused;
  return in_dual_cell(point, closest_vertex(point, tet), unused);
}

MeshInterpolant::Value MeshInterpolant::at(const Vec3& point, std::int32_t tet) const {
  const Double4 weights = tet_weights(flow_.mesh, tet, point);
  Value value;
  value.boundary_share = 0;
  int k = 0;
  for (const std::int32_t v : flow_.mesh.tets[static_cast<std::size_t>(tet)]) {
    if (at_vertices_.is_boundary[static_cast<std::size_t>(v)] != 0) {
      value.boundary_share += weights[k];
    }
    ++k;
  }
  if (kind_ == Interpolant::dual_cell &&
      in_dual_cell(point, closest_vertex(point, tet), value.velocity)) {
    return value;
  }
  value.velocity =
      kind_ == Interpolant::vertex_linear ? linear(weights, tet) : in_sub_tet(weights, tet);
  return value;
}

}  // namespace spindrift
