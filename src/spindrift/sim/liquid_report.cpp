// What is seen of a liquid: reports, probes, its surface.
#include <algorithm>
#include <optional>
#include <utility>

#include "spindrift/core/parallel.hpp"
#include "spindrift/flow/operators.hpp"
#include "spindrift/mesh/tet_locator.hpp"
#include "spindrift/sim/gauge.hpp"
#include "spindrift/sim/liquid_state.hpp"
#include "spindrift/sim/mesh_coverage.hpp"

namespace spindrift {
namespace {

// The share of a cell that counts as liquid, by how far out of it its middle lies, in finest cells.
double liquid_share(double distance) {
  constexpr double kNone = 0.25;
  return std::clamp(1 - distance / kNone, 0.0, 1.0);
}

}  // namespace

Vec3 Liquid::State::synchronised(std::size_t cell_index) const {
  // Of the last kick, the part that lies before now.
  const double share = lag > 0 ? lag / (lag + 0.5 * dt) : 0;
  const Vec3& before = flow->carried[cell_index];
  return before + share * (flow->u[cell_index] - before);
}

Liquid::State::Present::Present(const State& state)
    : cell_velocity(state.flow->u.size()), solids(state.solids.at(state.time)) {
  parallel_for_each(std::ssize(cell_velocity), [&](std::int64_t c) {
    cell_velocity[static_cast<std::size_t>(c)] = state.synchronised(static_cast<std::size_t>(c));
  });
}

Liquid::State::Present& Liquid::State::look_at_present() {
  if (!present) present = std::make_unique<Present>(*this);
  return *present;
}

const Buffer<Vec3>& Liquid::State::cell_velocity_now() { return look_at_present().cell_velocity; }

PresentVelocity& Liquid::State::velocity_now() {
  Present& now = look_at_present();
  if (!now.everywhere) {
    now.everywhere.emplace(
        look_ahead().velocity, now.cell_velocity,
        SolidMotion{&now.solids, solids.move() ? &now.solids : nullptr, nullptr});
  }
  return *now.everywhere;
}

Buffer<double> Liquid::State::liquid_shares() const {
  Buffer<double> shares(mesh->cells.centers.size());
  evaluate_parallel(tracker->distance(), mesh->cells.centers, shares);
  parallel_for_each(std::ssize(shares), [&](std::int64_t c) {
    double& share = shares[static_cast<std::size_t>(c)];
    share = liquid_share(share / cell);
  });
  return shares;
}

void Liquid::State::fill_state(FrameReport& result) {
  result.frame = frame;
  result.time = time;
  result.tets = std::ssize(mesh->tets.tets);
  result.triangles = cut.mesh.triangle_count();
  Ledger& ledger = result.ledger;
  ledger.book = book;
  for (const BodySize& size : sizes) ledger.volume += size.volume;
  result.volume = ledger.volume;
  // What droplets carry is not seen. Where all should have left, what is there counts by what there
  // was.
  const double expected = book.expected();
  const double whole = expected > 0 ? expected : book.start + book.sources;
  result.volume_drift = whole > 0 ? (ledger.volume + book.in_flight - expected) / whole : 0;
  for (const VolumeControl::Body& body : control.bodies()) {
    // Of spray, most are behind walls or thinner than the surface's grid: nothing to tell of.
    if (body.volume == 0 && body.missing == 0) continue;
    ledger.bodies.push_back({body.id, body.volume, body.volume + body.missing});
  }
  const double in_no_body = book.in_flight + control.waiting();
  if (in_no_body != 0) ledger.bodies.push_back({kNoBody, book.in_flight, in_no_body});
  const Buffer<Vec3>& now = cell_velocity_now();
  const double density = scene.liquid.density;
  const Buffer<double> shares = liquid_shares();
  using Sums = std::pair<double, Vec3>;  // of energy and momentum
  const Sums sums = parallel_reduce_chunks(
      std::min(std::ssize(now), mesh->cells.cell_count()), 1 << 14, Sums(0, Vec3::Zero()),
      [&](std::int64_t begin, std::int64_t end) {
        Sums part(0, Vec3::Zero());
        for (auto c = static_cast<std::size_t>(begin); c < static_cast<std::size_t>(end); ++c) {
          const double mass = shares[c] * density * mesh->cells.volumes[c];
          part.first += 0.5 * mass * now[c].squaredNorm();
          part.second += mass * now[c];
        }
        return part;
      },
      [](const Sums& x, const Sums& y) { return Sums(x.first + y.first, x.second + y.second); });
  ledger.kinetic = sums.first;
  for (int axis = 0; axis < 3; ++axis) ledger.momentum[axis] = sums.second[axis];
  if (cut.mesh.triangle_count() > 0) {
    const MassProperties mass = mass_properties(cut.mesh, density);
    const Box3& box = solids.domain().box;
    Vec3 bottom = box.min();
    for (int axis = 0; axis < 3; ++axis) {
      if (scene.liquid.gravity[axis] > 0) bottom[axis] = box.max()[axis];
    }
    ledger.potential = -mass.mass * scene.liquid.gravity.dot(mass.center - bottom);
  }
  result.energy = ledger.kinetic + ledger.potential;
  result.max_speed = greatest_speed(now);
  if (mesh->is_empty()) {
    result.hanging = cut.mesh.vertices.empty() ? 0 : 1;
  } else {
    std::optional<TetLocator> own;
    if (!ahead) own.emplace(mesh->tets, mesh->faces->neighbors());
    result.hanging =
        share_out_of_reach(mesh->tets, mesh->faces->neighbors(),
                           ahead ? ahead->velocity.locator() : *own, cut.mesh, 0.5 * cell);
  }
}

void Liquid::State::sample_probes() {
  const auto phase = report.stats.measure("other");
  std::optional<TetLocator> locator;
  for (std::size_t i = 0; i < scene.probes.size(); ++i) {
    const ProbeSpec& probe = scene.probes[i];
    ProbeSample sample{time, Vec3::Zero()};
    if (probe.kind == ProbeKind::height) {
      sample.value.x() = surface_height(tracker->distance(), solids.at(time), solids.domain().box,
                                        probe.at, voxel);
    } else if (!mesh->is_empty()) {
      if (!locator) locator.emplace(mesh->tets, mesh->faces->neighbors());
      const std::int32_t tet = locator->find(probe.at);
      if (tet >= 0) {
        const auto t = static_cast<std::size_t>(tet);
        if (probe.kind == ProbeKind::pressure) sample.value.x() = flow->pressure[t];
        if (probe.kind == ProbeKind::velocity) sample.value = synchronised(t);
      }
    }
    report.probes[i].push_back(sample);
  }
}

FrameReport Liquid::report() const {
  state_->renew_cut();
  FrameReport report = state_->report;
  state_->fill_state(report);
  return report;
}

LiquidSurface Liquid::surface() const {
  State& state = *state_;
  state.renew_cut();
  LiquidSurface surface;
  surface.mesh = state.cut.mesh;
  surface.velocities.assign(surface.mesh.vertices.size(), state.drift);
  if (!state.mesh->is_empty()) {
    state.velocity_now().evaluate(surface.mesh.vertices, surface.velocities);
  }
  return surface;
}

}  // namespace spindrift
