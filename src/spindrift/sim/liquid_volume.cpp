// What a liquid should have, and what it gets to have it.
#include <algorithm>

#include "spindrift/flow/components.hpp"
#include "spindrift/sim/body_volumes.hpp"
#include "spindrift/sim/liquid_state.hpp"

namespace spindrift {

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

void Liquid::State::measure_volumes() {
  const auto phase = report.stats.measure("other");
  const SolidsAt now = solids.at(time);
  {
    const auto part = report.stats.measure("other: cut");
    cut = cut_surface(tracker->surface(), tracker->samples(), now, mesh_box);
  }
  volumes = body_volumes(cut, tracker->components(), tracker->vertices());
}

std::vector<BodyVolume> Liquid::State::body_list() const {
  std::vector<BodyVolume> list;
  const LiquidComponents& now = tracker->components();
  for (std::size_t i = 0; i < now.components.size(); ++i) {
    list.push_back({now.components[i].id, now.components[i].parents, volumes[i], 0});
  }
  return list;
}

void Liquid::State::keep_books() {
  Openings::book(exchanged, book);
  const auto most = std::max_element(volumes.begin(), volumes.end());
  const std::ptrdiff_t largest = most == volumes.end() ? -1 : most - volumes.begin();
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
