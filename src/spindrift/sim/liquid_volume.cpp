// What a liquid should have, and what it gets to have it.
#include <algorithm>

#include "spindrift/core/parallel.hpp"
#include "spindrift/flow/components.hpp"
#include "spindrift/sim/body_sizes.hpp"
#include "spindrift/sim/liquid_state.hpp"

namespace spindrift {
namespace {

// Voxels: no surface is moved farther at once.
constexpr double kMostOffset = 0.25;
// Smaller bodies are not moved: contours of a few voxels are off by more than they miss.
constexpr double kLeastVoxels = 100;
// Cells below the surface by as many finest cells are those of thick liquid. They alone diverge, if
// they are more than this share of a body.
constexpr double kThickDepth = 1;
constexpr double kThickShare = 0.1;
// Of a body's surface: it is a thin body.
constexpr double kThinShare = 0.5;
// Of what thin bodies miss, that they learn to carry in a step, and the most of that.
constexpr double kThinGain = 0.3;
constexpr double kMostLearned = 0.05;
// Of all volume: thin bodies that miss more are worth a try of what offsets do; and by how much
// those are put right then.
constexpr double kWorthATry = 0.002;
constexpr double kLeastFactor = 0.3;
constexpr double kMostFactor = 2;

}  // namespace

// Of cells, 1/s: what sources pour under water, and what keeps the volume of the bodies.
Buffer<double> Liquid::State::wanted_divergence(const FlowComponents& bodies) {
  const auto phase = report.stats.measure("project: divergence");
  const CellMesh& cells = mesh->cells;
  Buffer<double> divergence(static_cast<std::size_t>(cells.cell_count()), 0.0);
  openings.pour(dt, cells, divergence);
  if (!scene.volume.control || control.bodies().empty()) return divergence;
  const std::vector<std::int32_t> tracked = tracked_bodies(bodies);
  // Thin parts are left alone.
  std::vector<double> depths(divergence.size());
  evaluate_parallel(tracker->distance(), cells.centers, depths);
  const auto is_thick = [&](std::size_t c) { return depths[c] < -kThickDepth * cell; };
  const std::vector<double> thick_volumes =
      sum_by_body(bodies, [&](std::size_t c) { return is_thick(c) ? cells.volumes[c] : 0; });
  std::vector<double> all(control.bodies().size(), 0.0);
  std::vector<double> thick(all.size(), 0.0);
  for (std::size_t b = 0; b < tracked.size(); ++b) {
    if (tracked[b] < 0) continue;
    all[static_cast<std::size_t>(tracked[b])] += bodies.components[b].volume;
    thick[static_cast<std::size_t>(tracked[b])] += thick_volumes[b];
  }
  const std::vector<double> more = volume_to_show(time + dt);
  struct Rates {
    double thick = 0, thin = 0;  // 1/s
  };
  std::vector<Rates> rates(bodies.components.size());
  for (std::size_t b = 0; b < rates.size(); ++b) {
    if (tracked[b] < 0) continue;
    const auto body = static_cast<std::size_t>(tracked[b]);
    const double rate = control.divergence(body, more[body], dt);
    rates[b] = thick[body] > kThickShare * all[body] ? Rates{rate * all[body] / thick[body], 0}
                                                     : Rates{rate, rate};
    book.correction += dt * (rates[b].thick * thick_volumes[b] +
                             rates[b].thin * (bodies.components[b].volume - thick_volumes[b]));
  }
  parallel_for_each(cells.cell_count(), [&](std::int64_t cell_number) {
    const auto c = static_cast<std::size_t>(cell_number);
    const Rates& of_body = rates[static_cast<std::size_t>(bodies.of_cell[c])];
    divergence[c] += is_thick(c) ? of_body.thick : of_body.thin;
  });
  return divergence;
}

// Which bodies of the tracker those of the mesh are, by a vertex at the surface; or -1.
std::vector<std::int32_t> Liquid::State::tracked_bodies(const FlowComponents& bodies) const {
  const CellMesh& cells = mesh->cells;
  std::vector<std::int32_t> tracked(bodies.components.size(), -1);
  for (std::size_t f = 0; f < cells.tags.size(); ++f) {
    if (cells.tags[f] != FaceTag::air) continue;
    std::int32_t& body = tracked[static_cast<std::size_t>(
        bodies.of_cell[static_cast<std::size_t>(cells.face_cells[f][0])])];
    if (body >= 0) continue;
    const std::int32_t vertex =
        tracker->vertices().closest(cells.face_centers[f], 2.0 * scene.resolution.surface);
    if (vertex >= 0) body = tracker->components().of_vertex[static_cast<std::size_t>(vertex)];
  }
  return tracked;
}

double Liquid::State::tracked_volume() const {
  double volume = 0;
  for (const VolumeControl::Body& body : control.bodies()) volume += body.volume;
  return volume;
}

std::vector<double> Liquid::State::volume_to_show(double when) const {
  std::vector<double> more = control.to_show(least_volume());
  double growth = 0;
  for (const double volume : more) growth += std::max(0.0, volume);
  const double left = growth > 0 ? room.left(tracked_volume(), when) : growth;
  if (left >= growth) return more;
  for (double& volume : more) volume *= volume > 0 ? left / growth : 1;
  return more;
}

double Liquid::State::least_volume() const { return kLeastVoxels * voxel * voxel * voxel; }

void Liquid::State::measure_bodies(const SolidsAt& now) {
  const auto phase = report.stats.measure("other");
  {
    const auto part = report.stats.measure("other: cut");
    cut = cut_surface(tracker->surface(), tracker->samples(), now, mesh_box);
  }
  sizes = body_sizes(cut, *tracker);
  is_cut_old = false;
}

void Liquid::State::renew_cut() {
  if (is_cut_old) measure_bodies(solids.at(time));
}

// What bodies miss they get at once, by an offset of their surface; what they have too much they
// lose where they are thick. What that cannot do is left to the divergence of the next step.
//
// Thin parts show what they carry, whatever a body misses: it is missing where the body is thick.
// Bodies that are thin nearly everywhere carry too much or too little themselves, and learn it.
void Liquid::State::put_back_volume(double when) {
  if (!scene.volume.control) return;
  const std::vector<double> more = volume_to_show(when);
  std::vector<double> offsets(sizes.size(), 0.0);
  std::vector<ThinChange> thin(sizes.size());
  const std::vector<double> thin_areas = tracker->thin_liquid().held_areas(sizes.size());
  const auto is_thin = [&](std::size_t b) {
    return thin_areas[b] > kThinShare * sizes[b].air_area;
  };
  double all = 0;
  double uncertain = 0;
  for (std::size_t b = 0; b < sizes.size(); ++b) {
    const BodySize& size = sizes[b];
    const double area = more[b] > 0 || is_thin(b) ? size.air_area : size.thick_area;
    all += size.volume;
    if (more[b] == 0 || !(area > 0)) continue;
    const double offset = std::clamp(more[b] / area, -kMostOffset * voxel, kMostOffset * voxel);
    if (is_thin(b)) {
      thin[b].share =
          1 + std::clamp(kThinGain * more[b] / size.volume, -kMostLearned, kMostLearned);
      uncertain += std::abs(more[b]);
    }
    (is_thin(b) && offset < 0 ? thin[b].offset : offsets[b]) = offset;
    const double volume = offset * area;
    control.put_back(b, volume);
    book.correction += volume;
    is_cut_old = true;
  }
  if (!is_cut_old) return;
  if (uncertain > kWorthATry * all) try_offsets(when, more, offsets, thin);
  tracker->inflate(std::move(offsets), thin);
}

// Films and sheets do not change by area times offset: where they end, they come and go. So the
// offsets are tried, and put right by what they did.
void Liquid::State::try_offsets(double when, std::span<const double> more,
                                std::span<double> offsets, std::span<ThinChange> thin) const {
  const CutSurface tried =
      cut_surface(tracker->surface(), tracker->inflated(offsets, thin), solids.at(when), mesh_box);
  const std::vector<BodySize> sizes_then = body_sizes(tried, *tracker);
  for (std::size_t b = 0; b < sizes.size(); ++b) {
    const double gained = sizes_then[b].volume - sizes[b].volume;
    if (!(more[b] * gained > 0)) continue;
    const double factor = std::clamp(more[b] / gained, kLeastFactor, kMostFactor);
    for (double* const offset : {&offsets[b], &thin[b].offset}) {
      *offset = std::clamp(factor * *offset, -kMostOffset * voxel, kMostOffset * voxel);
    }
  }
}

std::vector<BodyVolume> Liquid::State::body_list() const {
  std::vector<BodyVolume> list;
  const LiquidComponents& now = tracker->components();
  for (std::size_t i = 0; i < now.components.size(); ++i) {
    list.push_back({now.components[i].id, now.components[i].parents, sizes[i].volume, 0,
                    sizes[i].place, sizes[i].group});
  }
  return list;
}

// By the surface next to it; far from all, the largest; -1: there are none.
std::ptrdiff_t Liquid::State::body_near(const Vec3& place) const {
  const std::int32_t vertex = tracker->vertices().closest(place, 8);
  if (vertex >= 0) return tracker->components().of_vertex[static_cast<std::size_t>(vertex)];
  const auto most =
      std::max_element(sizes.begin(), sizes.end(),
                       [](const BodySize& a, const BodySize& b) { return a.volume < b.volume; });
  return most == sizes.end() ? -1 : most - sizes.begin();
}

void Liquid::State::start_books() {
  std::vector<BodyVolume> bodies = body_list();
  for (const BodyVolume& body : bodies) book.start += body.volume;
  if (scene.thickening.enabled) {
    const ThinLiquid& thin = tracker->thin_liquid();
    book.thickening = thin.shown() - thin.carried();
    book.in_flight = thin.in_flight();
    // Bodies show what is in flight meanwhile.
    book.start += book.in_flight;
    for (const Droplet& droplet : thin.droplets) {
      const std::ptrdiff_t body = body_near(droplet.position);
      if (body >= 0) bodies[static_cast<std::size_t>(body)].edited += droplet.volume;
    }
  }
  control.start(bodies);
}

double Liquid::State::keep_books() {
  Openings::book(exchanged, book);
  std::vector<BodyVolume> bodies = body_list();
  for (const EditedVolume& change : exchanged) {
    const std::ptrdiff_t body = body_near(change.place);
    if (body >= 0) bodies[static_cast<std::size_t>(body)].edited += change.volume;
  }
  return control.update(bodies, [&](const Vec3& place) { return body_near(place); });
}

}  // namespace spindrift
