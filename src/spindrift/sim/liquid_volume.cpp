// What a liquid should have, and what it gets to have it.
#include <algorithm>

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
  // Thin parts are left alone.
  std::vector<double> depths(divergence.size());
  evaluate_parallel(tracker->distance(), cells.centers, depths);
  std::vector<double> all(control.bodies().size(), 0.0);
  std::vector<double> thick(all.size(), 0.0);
  const auto body_of = [&](std::size_t c) {
    return tracked[static_cast<std::size_t>(bodies.of_cell[c])];
  };
  for (std::size_t c = 0; c < divergence.size(); ++c) {
    if (body_of(c) < 0) continue;
    const auto b = static_cast<std::size_t>(body_of(c));
    all[b] += cells.volumes[c];
    if (depths[c] < -kThickDepth * cell) thick[b] += cells.volumes[c];
  }
  const std::vector<double> more = control.to_show(least_volume());
  for (std::size_t c = 0; c < divergence.size(); ++c) {
    if (body_of(c) < 0) continue;
    const auto b = static_cast<std::size_t>(body_of(c));
    double rate = control.divergence(b, more[b], dt);
    if (thick[b] > kThickShare * all[b]) {
      rate *= depths[c] < -kThickDepth * cell ? all[b] / thick[b] : 0;
    }
    divergence[c] += rate;
    book.correction += dt * rate * cells.volumes[c];
  }
  return divergence;
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
void Liquid::State::put_back_volume() {
  if (!scene.volume.control) return;
  const std::vector<double> more = control.to_show(least_volume());
  std::vector<double> offsets(sizes.size(), 0.0);
  for (std::size_t b = 0; b < sizes.size(); ++b) {
    const double area = more[b] > 0 ? sizes[b].air_area : sizes[b].thick_area;
    if (more[b] == 0 || !(area > 0)) continue;
    offsets[b] = std::clamp(more[b] / area, -kMostOffset * voxel, kMostOffset * voxel);
    const double volume = offsets[b] * area;
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
    list.push_back(
        {now.components[i].id, now.components[i].parents, sizes[i].volume, 0, sizes[i].place});
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
  // By the surface next to it; far from all, the largest.
  const auto body_near = [&](const Vec3& place) {
    const std::int32_t vertex = tracker->vertices().closest(place, 8);
    return vertex < 0
               ? largest
               : std::ptrdiff_t{tracker->components().of_vertex[static_cast<std::size_t>(vertex)]};
  };
  for (const EditedVolume& change : exchanged) {
    const std::ptrdiff_t body = body_near(change.place);
    if (body >= 0) bodies[static_cast<std::size_t>(body)].edited += change.volume;
  }
  (void)control.update(bodies, body_near);
}

}  // namespace spindrift
