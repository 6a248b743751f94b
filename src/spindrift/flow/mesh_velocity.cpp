#include "spindrift/flow/mesh_velocity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/flow/operators.hpp"

namespace spindrift {
namespace {

// Of MeshInterpolant::Value::boundary_share: from here to 1 the grid takes over.
constexpr double kBlendFrom = 0.75;

template <class Make>
auto timed(Stats& stats, const char* name, const Make& make) {
  const auto phase = stats.measure(name);
  return make();
}

// Of the tetrahedra that nodes are in, 1/s; of velocities without values on faces, nothing.
Buffer<float> node_divergence(const TetFlow& flow, const LocatedNodes& nodes) {
  Buffer<float> rates(flow.normal_velocity.empty() ? 0 : nodes.tets.size());
  parallel_for_each(std::ssize(rates), [&](std::int64_t i) {
    const std::int32_t tet = nodes.tets[static_cast<std::size_t>(i)];
    rates[static_cast<std::size_t>(i)] =
        tet == kNoTet ? 0
                      : static_cast<float>(divergence(flow.cells, flow.normal_velocity, tet) /
                                           flow.cells.volumes[static_cast<std::size_t>(tet)]);
  });
  return rates;
}

GridReach reach_of_step(const TetFlow& flow, std::span<const Vec3> at_vertices, double dt,
                        const MeshVelocityParams& params) {
  SPINDRIFT_ASSERT(std::isfinite(dt) && params.margin >= 0 && params.greatest_reach > 0);
  const double size = finest_cell_size(flow.mesh, flow.cells);
  return {.margin = params.margin > 0 ? params.margin : 2 * size,
          .velocities = at_vertices,
          .dt = dt,
          .most = params.greatest_reach * size};
}

}  // namespace

// Differences from one of them: exact where all are the same.
Vec3 mean_velocity(const TetFlow& flow) {
  if (flow.cell_velocity.empty()) return Vec3::Zero();
  const Vec3 base = flow.cell_velocity.front();
  using Sum = std::pair<Vec3, double>;
  const Sum sum = parallel_reduce_chunks(
      std::ssize(flow.cell_velocity), 1 << 14, Sum(Vec3::Zero(), 0.0),
      [&](std::int64_t begin, std::int64_t end) {
        Sum part(Vec3::Zero(), 0.0);
        for (auto t = static_cast<std::size_t>(begin); t < static_cast<std::size_t>(end); ++t) {
          part.first += flow.cells.volumes[t] * (flow.cell_velocity[t] - base);
          part.second += flow.cells.volumes[t];
        }
        return part;
      },
      [](const Sum& a, const Sum& b) { return Sum(a.first + b.first, a.second + b.second); });
  return base + sum.first / sum.second;
}

// The grid where it is known, the mesh elsewhere.
class MeshVelocity::Paths final : public VelocityField {
 public:
  explicit Paths(const MeshVelocity& all)
      : all_(all),
        linear_(all.flow_, all.places_.rings, all.at_vertices_, Interpolant::vertex_linear) {}

  void evaluate(std::span<const Vec3> points, std::span<Vec3> velocities) const override {
    all_.path_grid().evaluate(points, velocities);
    std::vector<std::size_t> missing;
    std::vector<Vec3> places;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (!std::isnan(velocities[i].x())) continue;
      missing.push_back(i);
      places.push_back(points[i]);
    }
    if (missing.empty()) return;
    std::vector<std::int32_t> tets(places.size());
    all_.places_.locator.find(places, tets);
    for (std::size_t i = 0; i < missing.size(); ++i) {
      velocities[missing[i]] = tets[i] < 0 ? all_.far_ : linear_.at(places[i], tets[i]).velocity;
    }
  }

 private:
  const MeshVelocity& all_;
  MeshInterpolant linear_;
};

// The mesh inside, the grid outside.
class MeshVelocity::Values final : public VelocityField {
 public:
  Values(const MeshVelocity& all, Interpolant kind)
      : all_(all), interpolant_(all.flow_, all.places_.rings, all.at_vertices_, kind) {}

  void evaluate(std::span<const Vec3> points, std::span<Vec3> velocities) const override {
    std::vector<std::int32_t> tets(points.size());
    all_.places_.locator.find(points, tets);
    std::vector<std::size_t> near;
    std::vector<double> shares;  // of the grid
    std::vector<Vec3> places;
    const auto add = [&](std::size_t i, double share) {
      near.push_back(i);
      shares.push_back(share);
      places.push_back(points[i]);
    };
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (tets[i] < 0) {
        velocities[i] = all_.far_;
        add(i, 1);
        continue;
      }
      const MeshInterpolant::Value value = interpolant_.at(points[i], tets[i]);
      velocities[i] = value.velocity;
      if (value.boundary_share > kBlendFrom) {
        add(i, std::min(1.0, (value.boundary_share - kBlendFrom) / (1 - kBlendFrom)));
      }
    }
    std::vector<Vec3> on_grid(places.size());
    all_.value_grid().evaluate(places, on_grid);
    for (std::size_t i = 0; i < near.size(); ++i) {
      if (std::isnan(on_grid[i].x())) continue;
      velocities[near[i]] += shares[i] * (on_grid[i] - velocities[near[i]]);
    }
  }

 private:
  const MeshVelocity& all_;
  MeshInterpolant interpolant_;
};

MeshVelocity::MeshVelocity(const TetFlow& flow, double dt, const MeshVelocityParams& params,
                           const SolidMotion& solids)
    : flow_(flow),
      places_{
          timed(stats_, "rings", [&] { return vertex_rings(flow.mesh); }),
          timed(stats_, "weights", [&] { return CornerWeights(flow.mesh); }),
          timed(stats_, "locator", [&] { return TetLocator(flow.mesh, flow.faces.neighbors()); })},
      at_vertices_(timed(stats_, "vertices",
                         [&] {
                           return vertex_velocities(flow, places_.rings, places_.weights,
                                                    params.vertices);
                         })),
      far_(mean_velocity(flow)),
      paths_(std::make_unique<Paths>(*this)),
      values_(std::make_unique<Values>(*this, params.interpolant)) {
  LocatedNodes nodes = timed(stats_, "nodes", [&] {
    return locate_nodes(flow, places_.rings, lattice_around(flow.mesh, flow.cells),
                        reach_of_step(flow, at_vertices_.values, dt, params));
  });
  const auto phase = stats_.measure("grids");
  places_.grid.emplace(flow.mesh, at_vertices_.boundary, std::move(nodes));
  const Buffer<float> rates = node_divergence(flow, places_.grid->nodes);
  const std::array<VelocityGridParams, 2> kinds = {
      {{GridKind::sharp, rates}, {GridKind::bounded, {}}}};
  grids_ = velocity_grids(flow.mesh, at_vertices_, *places_.grid, kinds, solids);
}

MeshVelocity::~MeshVelocity() = default;

const VelocityField& MeshVelocity::paths() const { return *paths_; }
const VelocityField& MeshVelocity::values() const {
  SPINDRIFT_ASSERT(values_);
  return *values_;
}

}  // namespace spindrift
