#include "spindrift/flow/vertex_velocity.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <vector>

#include <Eigen/LU>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/core/simd.hpp"
#include "spindrift/flow/corner_weights.hpp"
#include "spindrift/flow/free_slip.hpp"
#include "spindrift/mesh/boundary.hpp"

namespace spindrift {
namespace {

// Fitted slopes are damped by this share of the mean squared distance: hardly where the barycentres
// around a vertex determine them, to zero where these lie in a plane or on a line.
constexpr double kSlopeDamping = 1e-3;

std::int64_t count_not_finite(std::span<const Vec3> velocities) {
  return parallel_reduce_chunks(
      std::ssize(velocities), 1 << 14, std::int64_t{0},
      [&](std::int64_t begin, std::int64_t end) {
        std::int64_t count = 0;
        for (std::int64_t i = begin; i < end; ++i) {
          count += !velocities[static_cast<std::size_t>(i)].allFinite();
        }
        return count;
      },
      std::plus<>());
}

void expect_none_bad(std::int64_t bad, const char* where) {
  if (bad == 0) return;
  throw Error(ErrorKind::numerical, {},
              std::to_string(bad) + " velocities " + where + " are not finite",
              "take smaller steps");
}

void expect_finite(std::span<const Vec3> velocities, const char* where) {
  expect_none_bad(count_not_finite(velocities), where);
}

struct Range {
  Vec3 least, most;
};

Double4 lanes(const Vec3& v) { return Double4{v.x(), v.y(), v.z(), 0}; }
Vec3 first_three(Double4 v) { return {v[0], v[1], v[2]}; }

// The sum of a b^T, a column in a register.
class OuterProducts {
 public:
  void add(Double4 a, Double4 b) {
    for (int k = 0; k < 3; ++k) columns_[static_cast<std::size_t>(k)] += a * splat4(b[k]);
  }
  [[nodiscard]] Mat3 sum() const {
    Mat3 matrix;
    matrix << first_three(columns_[0]), first_three(columns_[1]), first_three(columns_[2]);
    return matrix;
  }

 private:
  std::array<Double4, 3> columns_{};
};

class WeightedMean {
 public:
  void add(double weight, Double4 v) {
    sum_ += splat4(weight) * v;
    total_ += weight;
  }
  // Zero if there was nothing.
  [[nodiscard]] Vec3 value() const {
    return total_ > 0 ? first_three(sum_ / splat4(total_)) : Vec3::Zero();
  }

 private:
  Double4 sum_ = splat4(0);
  double total_ = 0;
};

class WideRange {
 public:
  void extend(Double4 v) {
    least_ = lane_min(v, least_);
    most_ = lane_max(v, most_);
  }
  [[nodiscard]] Range with(const Vec3& v) const {
    return {v.cwiseMin(first_three(least_)), v.cwiseMax(first_three(most_))};
  }

 private:
  static constexpr double kMost = std::numeric_limits<double>::max();
  Double4 least_ = splat4(kMost), most_ = splat4(-kMost);
};

// Of the tetrahedra around a vertex.
struct Around {
  struct Corner {
    Double4 velocity, center;
    double weight;
  };
  std::vector<Corner> corners;
  WeightedMean velocity, center;
  WideRange range;
};

class VertexAverages {
 public:
  VertexAverages(const TetFlow& flow, const VertexRings& rings, const CornerWeights& weights)
      : flow_(flow), rings_(rings), weights_(weights) {}

  // Of vectors in tetrahedra; zero at vertices without any.
  [[nodiscard]] Vec3 mean(std::int64_t vertex, std::span<const Vec3> of_tets) const {
    return weighted_mean(vertex, of_tets, [](Double4) {});
  }

  // The mean of the velocities around a vertex, and the range of these and the mean.
  [[nodiscard]] Vec3 mean_velocity(std::int64_t vertex, Range& range) const {
    WideRange wide;
    const Vec3 mean =
        weighted_mean(vertex, flow_.cell_velocity, [&](Double4 u) { wide.extend(u); });
    range = wide.with(mean);
    return mean;
  }
  [[nodiscard]] static Vec3 mean_velocity(const Around& around, Range& range) {
    const Vec3 mean = around.velocity.value();
    range = around.range.with(mean);
    return mean;
  }

  // What is around a vertex, looked up once.
  void gather(std::int64_t vertex, Around& around) const {
    const std::span<const std::int32_t> ring = rings_.of(vertex);
    around.corners.resize(ring.size());
    WeightedMean velocity, center;
    WideRange range;
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const auto t = static_cast<std::size_t>(ring[i] >> 2);
      Around::Corner& corner = around.corners[i];
      corner = {lanes(flow_.cell_velocity[t]), lanes(flow_.cells.centers[t]), weights_.at(ring[i])};
      velocity.add(corner.weight, corner.velocity);
      center.add(corner.weight, corner.center);
      range.extend(corner.velocity);
    }
    around.velocity = velocity;
    around.center = center;
    around.range = range;
  }

  // The velocity and its slope at a vertex where the mean is known, by weighted least squares
  // through the barycentres around it.
  void fit(const Vec3& mean_velocity, const Around& around, BoundaryVertex& at) const {
    const Vec3& place = flow_.mesh.vertices[static_cast<std::size_t>(at.vertex)];
    const Vec3 center = around.center.value();
    OuterProducts spread;
    OuterProducts change;
    double reach = 0;
    for (const Around::Corner& corner : around.corners) {
      const double w = corner.weight;
      const Double4 way = corner.center - lanes(center);
      spread.add(splat4(w) * way, way);
      change.add(splat4(w) * (corner.velocity - lanes(mean_velocity)), way);
      reach += w * (first_three(corner.center) - place).squaredNorm();
    }
    if (!(reach > 0)) return;
    Mat3 damped = spread.sum();
    damped.diagonal().array() += kSlopeDamping * reach;
    at.slope = change.sum() * damped.inverse();
    at.fitted = mean_velocity + at.slope * (place - center);
  }

 private:
  // Calls visit(vector) for each.
  template <class Visit>
  [[nodiscard]] Vec3 weighted_mean(std::int64_t vertex, std::span<const Vec3> of_tets,
                                   const Visit& visit) const {
    WeightedMean mean;
    for (const std::int32_t corner : rings_.of(vertex)) {
      const Double4 v = lanes(of_tets[static_cast<std::size_t>(corner >> 2)]);
      mean.add(weights_.at(corner), v);
      visit(v);
    }
    return mean.value();
  }

  const TetFlow& flow_;
  const VertexRings& rings_;
  const CornerWeights& weights_;
};

// The solid faces that meet in a vertex.
void find_solid_faces(const TetFlow& flow, std::span<const std::int32_t> ring,
                      std::vector<SolidFace>& found) {
  found.clear();
  for (const std::int32_t corner : ring) {
    const auto& around = flow.faces.neighbors()[static_cast<std::size_t>(corner >> 2)];
    for (int k = 0; k < 4; ++k) {
      if (k == (corner & 3) || around[static_cast<std::size_t>(k)] >= 0) continue;
      const auto face =
          static_cast<std::size_t>(flow.faces.of_tet(corner >> 2)[static_cast<std::size_t>(k)]);
      if (flow.cells.tags[face] != FaceTag::solid) continue;
      found.push_back({flow.cells.area_vectors[face],
                       flow.normal_velocity.empty() ? 0 : flow.normal_velocity[face]});
    }
  }
}

// For every vertex of the mesh, whether it is on a solid face.
std::vector<std::uint8_t> touching_solids(const TetFlow& flow,
                                          std::span<const std::int32_t> boundary_sides) {
  std::vector<std::uint8_t> touches(flow.mesh.vertices.size(), 0);
  for (const std::int32_t side : boundary_sides) {
    const auto face =
        static_cast<std::size_t>(flow.faces.of_tet(side >> 2)[static_cast<std::size_t>(side & 3)]);
    if (flow.cells.tags[face] != FaceTag::solid) continue;
    for (const std::int32_t v : face_corners(flow.mesh, side)) {
      touches[static_cast<std::size_t>(v)] = 1;
    }
  }
  return touches;
}

struct BoundarySetting {
  const TetFlow& flow;
  const VertexRings& rings;
  const VertexAverages& averages;
  BoundaryFit way;
};

// What a thread needs again and again.
struct Scratch {
  Around around;
  std::vector<SolidFace> solid_faces;
};

// `value`: the mean there, which becomes the velocity. `range`: of those around, which are in
// `scratch`.
void set_boundary_vertex(const BoundarySetting& setting, const Range& range, Scratch& scratch,
                         BoundaryVertex& at, Vec3& value) {
  at.fitted = value;
  at.least = range.least;
  at.most = range.most;
  if (setting.way == BoundaryFit::linear) {
    setting.averages.fit(value, scratch.around, at);
    value = at.fitted.cwiseMax(at.least).cwiseMin(at.most);
    // Not even paths should follow what a fit through noise may say.
    const Vec3 room = at.most - at.least;
    at.fitted = at.fitted.cwiseMax(at.least - room).cwiseMin(at.most + room);
  }
  if (!at.touches_solid) return;
  find_solid_faces(setting.flow, setting.rings.of(at.vertex), scratch.solid_faces);
  const bool is_in_range = at.fitted == value;  // as most are
  value = with_free_slip(value, scratch.solid_faces);
  at.fitted = is_in_range ? value : with_free_slip(at.fitted, scratch.solid_faces);
  at.least = at.least.cwiseMin(value);
  at.most = at.most.cwiseMax(value);
}

void set_boundary(const TetFlow& flow, const VertexRings& rings, const VertexAverages& averages,
                  std::span<const Range> ranges, BoundaryFit way, VertexVelocity& result) {
  const std::vector<std::int32_t> sides = boundary_sides(flow.faces.neighbors());
  const std::vector<std::int32_t> vertices = vertices_of(flow.mesh, sides);
  const std::vector<std::uint8_t> touches_solid = touching_solids(flow, sides);
  result.boundary.assign(vertices.size(), {});
  result.is_boundary.assign(result.values.size(), 0);
  for (const std::int32_t v : vertices) result.is_boundary[static_cast<std::size_t>(v)] = 1;
  parallel_for_chunks(std::ssize(vertices), 256, [&](std::int64_t begin, std::int64_t end) {
    Scratch scratch;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      BoundaryVertex& at = result.boundary[i];
      at.vertex = vertices[i];
      const auto v = static_cast<std::size_t>(at.vertex);
      at.touches_solid = touches_solid[v] != 0;
      if (way == BoundaryFit::linear) averages.gather(at.vertex, scratch.around);
      set_boundary_vertex({flow, rings, averages, way}, ranges[v], scratch, at, result.values[v]);
    }
  });
}

}  // namespace

VertexVelocity vertex_velocities(const TetFlow& flow, const VertexRings& rings,
                                 const VertexVelocityParams& params) {
  return vertex_velocities(flow, rings, CornerWeights(flow.mesh), params);
}

VertexVelocity vertex_velocities(const TetFlow& flow, const VertexRings& rings,
                                 const CornerWeights& weights, const VertexVelocityParams& params) {
  SPINDRIFT_ASSERT(params.correction >= 0 && params.correction <= 1);
  SPINDRIFT_ASSERT(flow.cell_velocity.size() == flow.mesh.tets.size());
  SPINDRIFT_ASSERT(flow.normal_velocity.empty() ||
                   std::ssize(flow.normal_velocity) == flow.faces.count());
  const VertexAverages averages(flow, rings, weights);
  VertexVelocity result;
  result.values.resize(flow.mesh.vertices.size());
  Buffer<Range> ranges(result.values.size());
  parallel_for_each(flow.mesh.vertex_count(), [&](std::int64_t vertex) {
    const auto v = static_cast<std::size_t>(vertex);
    result.values[v] = averages.mean_velocity(vertex, ranges[v]);
  });
  // A mean is finite only if all around it are.
  if (count_not_finite(result.values) > 0) expect_finite(flow.cell_velocity, "in tetrahedra");
  set_boundary(flow, rings, averages, ranges, params.boundary, result);
  expect_finite(result.values, "at vertices");
  if (params.correction == 0) return result;
  Buffer<Vec3> residuals(flow.cell_velocity.size());
  parallel_for_each(flow.mesh.tet_count(), [&](std::int64_t tet) {
    const auto t = static_cast<std::size_t>(tet);
    Double4 sum = splat4(0);
    for (const std::int32_t v : flow.mesh.tets[t]) {
      sum += lanes(result.values[static_cast<std::size_t>(v)]);
    }
    residuals[t] = first_three(lanes(flow.cell_velocity[t]) - sum / splat4(4));
  });
  parallel_for_each(flow.mesh.vertex_count(), [&](std::int64_t vertex) {
    const auto v = static_cast<std::size_t>(vertex);
    if (result.is_boundary[v] != 0) return;
    const Vec3 corrected = result.values[v] + params.correction * averages.mean(vertex, residuals);
    result.values[v] = corrected.cwiseMax(ranges[v].least).cwiseMin(ranges[v].most);
  });
  return result;
}

SomeVertexVelocities::SomeVertexVelocities(const TetFlow& flow, const VertexRings& rings,
                                           const CornerWeights& weights,
                                           const VertexVelocity& other)
    : flow_(flow), rings_(rings), weights_(weights), is_made_(other.is_boundary) {
  const VertexAverages averages(flow_, rings_, weights_);
  velocities_.values.resize(flow.mesh.vertices.size());
  velocities_.is_boundary = other.is_boundary;
  velocities_.boundary.resize(other.boundary.size());
  constexpr std::int64_t kChunk = 256;
  const auto set = [&](std::int64_t begin, std::int64_t end) {
    Scratch scratch;
    std::int64_t bad = 0;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      BoundaryVertex at;
      at.vertex = other.boundary[i].vertex;
      at.touches_solid = other.boundary[i].touches_solid;
      Range range;
      averages.gather(at.vertex, scratch.around);
      Vec3 value = VertexAverages::mean_velocity(scratch.around, range);
      set_boundary_vertex({flow_, rings_, averages, BoundaryFit::linear}, range, scratch, at,
                          value);
      velocities_.boundary[i] = at;
      velocities_.values[static_cast<std::size_t>(at.vertex)] = value;
      bad += !value.allFinite();
    }
    return bad;
  };
  expect_none_bad(parallel_reduce_chunks(std::ssize(other.boundary), kChunk, std::int64_t{0}, set,
                                         std::plus<>()),
                  "at vertices");
}

void SomeVertexVelocities::add(std::span<const std::uint8_t> wanted) {
  SPINDRIFT_ASSERT(wanted.size() == is_made_.size());
  const VertexAverages averages(flow_, rings_, weights_);
  const auto set = [&](std::int64_t begin, std::int64_t end) {
    std::int64_t bad = 0;
    for (std::int64_t vertex = begin; vertex < end; ++vertex) {
      const auto v = static_cast<std::size_t>(vertex);
      if (wanted[v] == 0 || is_made_[v] != 0) continue;
      is_made_[v] = 1;
      velocities_.values[v] = averages.mean(vertex, flow_.cell_velocity);
      bad += !velocities_.values[v].allFinite();
    }
    return bad;
  };
  expect_none_bad(
      parallel_reduce_chunks(std::ssize(wanted), 4096, std::int64_t{0}, set, std::plus<>()),
      "at vertices");
}

}  // namespace spindrift
