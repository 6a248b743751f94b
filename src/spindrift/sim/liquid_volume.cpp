// What a liquid should have, and what it gets to have it.
#include <algorithm>

#include "spindrift/flow/components.hpp"
#include "spindrift/sim/body_sizes.hpp"
#include "spindrift/sim/liquid_state.hpp"

namespace spindrift {
namespace {

// Voxels: no surface is moved farther out at once.
constexpr double kMostOffset = 0.25;
// Smaller bodies are not moved: contours of a few voxels are off by more than they miss.
constexpr double kLeastVoxels = 100;

}  // namespace

// Of cells, 1/s: what sources pour under water, and what keeps the volume of the bodies.
Buffer<double> Liquid::State::wanted_divergence() {
  const CellMesh& cells = mesh->cells;
  Buffer<double> divergence(static_cast<std::size_t>(cells.cell_count()), 0.0);
  openings.pour(dt, cells, divergence);
  if (!scene.volume.control || control.bodies().empty()) return divergence;
  const FlowComponents bodies = find_components(cells);
  // Which tracked bodies they are, by a vertex at the surface.
  std::vector<std::int32_t> tracked(bodies.components.size(), -1);
  for (std::int64_t f = 0; f < cells.face_count(); ++f) {
    const auto k = static_cast<std::size_t>(f);
    if (cells.tags[k] != FaceTag::air) continue;
    std::int32_t& body = tracked[static_cast<std::size_t>(
        bodies.of_cell[static_cast<std::size_t>(cells.face_cells[k][0])])];
    if (body >= 0) continue;
    const std::int32_t vertex =
        tracker->vertices().closest(cells.face_centers[k], 2.0 * scene.resolution.surface);
    if (vertex >= 0) body = tracker->components().of_vertex[static_cast<std::size_t>(vertex)];
  }
  for (std::size_t c = 0; c < divergence.size(); ++c) {
    const std::int32_t body = tracked[static_cast<std::size_t>(bodies.of_cell[c])];
    if (body < 0) continue;
    const double rate = control.divergence(static_cast<std::size_t>(body), dt);
    divergence[c] += rate;
    book.correction += dt * rate * cells.volumes[c];
  }
  return divergence;
}

void Liquid::State::measure_bodies(const SolidsAt& now) {
  const auto phase = report.stats.measure("other");
  {
    const auto part = report.stats.measure("other: cut");
    cut = cut_surface(tracker->surface(), tracker->samples(), now, mesh_box);
  }
  sizes = body_sizes(cut, tracker->components(), tracker->vertices());
  is_cut_old = false;
}

void Liquid::State::renew_cut() {
  if (is_cut_old) measure_bodies(solids.at(time));
}

// What bodies miss they get at once, by an offset of their surface; what that cannot do, and what
// they have too much, is left to the divergence of the next step.
void Liquid::State::put_back_volume() {
  if (!scene.volume.control) return;
  std::vector<double> offsets(sizes.size(), 0.0);
  for (std::size_t b = 0; b < sizes.size(); ++b) {
    const double missing = control.bodies()[b].missing;
    if (!(missing > 0) || sizes[b].volume < kLeastVoxels * voxel * voxel * voxel) continue;
    offsets[b] = std::min(missing / sizes[b].air_area, kMostOffset * voxel);
    const double volume = offsets[b] * sizes[b].air_area;
    control.put_back(b, volume);
    book.correction += volume;
    is_cut_old = true;
  }
  if (is_cut_old) tracker->inflate(std::move(offsets));
}

std::vector<BodyVolume> Liquid::State::body_list() const {
  std::vector<BodyVolume> list;
  const LiquidComponents& now = tracker->components();
  for (std::size_t i = 0; i < now.components.size(); ++i) {
    list.push_back({now.components[i].id, now.components[i].parents, sizes[i].volume, 0});
  }
  return list;
}

void Liquid::State::keep_books() {
  Openings::book(exchanged, book);
  const auto most =
      std::max_element(sizes.begin(), sizes.end(),
                       [](const BodySize& a, const BodySize& b) { return a.volume < b.volume; });
  const std::ptrdiff_t largest = most == sizes.end() ? -1 : most - sizes.begin();
  std::vector<BodyVolume> bodies = body_list();
  for (const EditedVolume& change : exchanged) {
    if (bodies.empty()) break;
    // By the surface next to it; far below one, the largest body.
    const std::int32_t vertex = tracker->vertices().closest(change.place, 8);
    const std::ptrdiff_t body =
        vertex < 0 ? largest : tracker->components().of_vertex[static_cast<std::size_t>(vertex)];
    if (body >= 0) bodies[static_cast<std::size_t>(body)].edited += change.volume;
  }
  (void)control.update(bodies, [&](std::int64_t) { return largest; });
}

}  // namespace spindrift
