// What a liquid should have, and what it gets to have it.
#include <algorithm>
#include <optional>

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
// Of a body's surface, thin parts: up to where they are left alone, and from where on the body is
// thin.
constexpr double kLeftAlone = 0.1;
constexpr double kThinShare = 0.5;
// Of what thin bodies miss, that they learn to carry in a step, and the most of that.
constexpr double kThinGain = 0.3;
constexpr double kMostLearned = 0.05;
// Of all volume: bodies that miss more are worth a try of what offsets do, up to so many. Bodies
// that are off by less than this share of themselves are right. And by how much offsets are changed
// from one try to the next.
constexpr double kWorthATry = 0.002;
constexpr int kMostTries = 3;
constexpr double kRight = 0.001;
constexpr double kLeastFactor = 0.3;
constexpr double kMostFactor = 2;

double thinness_of(double thin_area, double air_area) {
  if (!(air_area > 0)) return 0;
  return std::clamp((thin_area / air_area - kLeftAlone) / (kThinShare - kLeftAlone), 0.0, 1.0);
}

}  // namespace

// How a body's surface is moved.
struct Liquid::State::BodyMove {
  double more = 0;      // m^3, that it should get by it
  double thinness = 0;  // 0: its thin parts are left alone; 1: they are as the others
  double offset = 0;    // m
  double gain = 0;      // m^3, that the offset is thought to bring
  double tried = 0;     // m, the offset before
  double tried_gain = 0;
};

struct Liquid::State::SurfaceMove {
  std::vector<double> offsets;
  std::vector<ThinChange> thin;
};

Buffer<std::uint8_t> Liquid::State::thick_cells() const {
  const Buffer<Vec3>& centers = mesh->cells.centers;
  Buffer<double> depths(centers.size());
  evaluate_parallel(tracker->distance(), centers, depths);
  Buffer<std::uint8_t> is_thick(depths.size());
  parallel_for_each(std::ssize(depths), [&](std::int64_t cell_number) {
    const auto c = static_cast<std::size_t>(cell_number);
    is_thick[c] = depths[c] < -kThickDepth * cell ? 1 : 0;
  });
  return is_thick;
}

std::vector<Liquid::State::DivergenceRates> Liquid::State::divergence_rates(
    const FlowComponents& bodies, std::span<const std::uint8_t> is_thick) {
  const CellMesh& cells = mesh->cells;
  const std::vector<std::int32_t> tracked = tracked_bodies(bodies);
  // Thin parts are left alone.
  const std::vector<double> thick_volumes =
      sum_by_body(bodies, [&](std::size_t c) { return is_thick[c] != 0 ? cells.volumes[c] : 0; });
  std::vector<double> all(control.bodies().size(), 0.0);
  std::vector<double> thick(all.size(), 0.0);
  for (std::size_t b = 0; b < tracked.size(); ++b) {
    if (tracked[b] < 0) continue;
    all[static_cast<std::size_t>(tracked[b])] += bodies.components[b].volume;
    thick[static_cast<std::size_t>(tracked[b])] += thick_volumes[b];
  }
  const std::vector<double> more = volume_to_show(time + dt);
  std::vector<DivergenceRates> rates(bodies.components.size());
  for (std::size_t b = 0; b < rates.size(); ++b) {
    if (tracked[b] < 0) continue;
    const auto body = static_cast<std::size_t>(tracked[b]);
    const double rate = control.divergence(body, more[body], dt);
    rates[b] = thick[body] > kThickShare * all[body]
                   ? DivergenceRates{rate * all[body] / thick[body], 0}
                   : DivergenceRates{rate, rate};
    book.correction += dt * (rates[b].thick * thick_volumes[b] +
                             rates[b].thin * (bodies.components[b].volume - thick_volumes[b]));
  }
  return rates;
}

Buffer<double> Liquid::State::wanted_divergence(const FlowComponents& bodies,
                                                std::span<const std::uint8_t> is_thick,
                                                std::span<const DivergenceRates> rates) const {
  const CellMesh& cells = mesh->cells;
  Buffer<double> divergence(static_cast<std::size_t>(cells.cell_count()), 0.0);
  openings.pour(dt, cells, divergence);
  if (rates.empty()) return divergence;
  parallel_for_each(cells.cell_count(), [&](std::int64_t cell_number) {
    const auto c = static_cast<std::size_t>(cell_number);
    const DivergenceRates& of_body = rates[static_cast<std::size_t>(bodies.of_cell[c])];
    divergence[c] += is_thick[c] != 0 ? of_body.thick : of_body.thin;
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
  // Liquid that obstacles leave no room would be shot about.
  const double shown = tracked_volume();
  const double lacking = room.lacking(shown, when);
  if (lacking > 0) {
    for (std::size_t b = 0; b < more.size(); ++b) {
      more[b] = std::min(more[b], -lacking * control.bodies()[b].volume / shown);
    }
    return more;
  }
  double growth = 0;
  for (const double volume : more) growth += std::max(0.0, volume);
  const double left = growth > 0 ? room.left(shown, when) : growth;
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
// But the more of a body's surface is thin, the more of what it has too much is theirs: they carry
// it, would show it again in every step, and learn to carry less.
void Liquid::State::put_back_volume(double when) {
  if (!scene.volume.control) return;
  const auto phase = report.stats.measure("other");
  const auto part = report.stats.measure("other: volume");
  const std::vector<double> more = volume_to_show(when);
  const std::vector<double> thin_areas = tracker->thin_liquid().held_areas(sizes.size());
  std::vector<BodyMove> moves(sizes.size());
  double all = 0;
  double uncertain = 0;
  for (std::size_t b = 0; b < sizes.size(); ++b) {
    const BodySize& size = sizes[b];
    BodyMove& move = moves[b];
    move.more = more[b];
    move.thinness = thinness_of(thin_areas[b], size.air_area);
    const double area =
        more[b] > 0 ? size.air_area
                    : std::min(size.air_area, size.thick_area + move.thinness * thin_areas[b]);
    all += size.volume;
    if (more[b] == 0 || !(area > 0)) continue;
    move.offset = std::clamp(more[b] / area, -kMostOffset * voxel, kMostOffset * voxel);
    move.gain = move.offset * area;
    uncertain += std::abs(more[b]);
    is_cut_old = true;
  }
  if (!is_cut_old) return;
  std::optional<BandDistance> tried;
  if (uncertain > kWorthATry * all) tried = try_offsets(when, moves);
  for (std::size_t b = 0; b < moves.size(); ++b) {
    control.put_back(b, moves[b].gain);
    book.correction += moves[b].gain;
  }
  SurfaceMove move = surface_move(moves);
  if (!tried) tried = tracker->inflated(move.offsets, move.thin);
  tracker->inflate(std::move(move.offsets), move.thin, std::move(*tried));
}

Liquid::State::SurfaceMove Liquid::State::surface_move(std::span<const BodyMove> moves) const {
  SurfaceMove all{std::vector<double>(moves.size(), 0.0), std::vector<ThinChange>(moves.size())};
  for (std::size_t b = 0; b < moves.size(); ++b) {
    const BodyMove& move = moves[b];
    if (move.offset == 0) continue;
    all.offsets[b] = move.offset;
    all.thin[b].offset = std::min(0.0, move.thinness * move.offset);
    const double learned =
        std::clamp(kThinGain * move.more / sizes[b].volume, -kMostLearned, kMostLearned);
    all.thin[b].share = 1 + move.thinness * learned;
  }
  return all;
}

// Surfaces do not change volumes by area times offset: where thin parts end, they come and go, and
// solids hold some. So offsets are tried, and put right by what they did. Returns the samples that
// they lead to if the last ones tried were right.
std::optional<BandDistance> Liquid::State::try_offsets(double when,
                                                       std::span<BodyMove> moves) const {
  const double most = kMostOffset * voxel;
  for (int trial = 0; trial < kMostTries; ++trial) {
    const SurfaceMove move = surface_move(moves);
    BandDistance samples = tracker->inflated(move.offsets, move.thin);
    const CutSurface tried = cut_surface(tracker->surface(), samples, solids.at(when), mesh_box);
    const std::vector<double> volumes = body_volumes(tried, *tracker);
    bool is_right = true;
    for (std::size_t b = 0; b < sizes.size(); ++b) {
      BodyMove& move_now = moves[b];
      if (move_now.offset == 0) continue;
      const double offset = move_now.offset;
      const double gain = volumes[b] - sizes[b].volume;
      const double left = move_now.more - gain;
      // What one unit of offset brings, by the last two tries.
      const double slope = trial > 0 && offset != move_now.tried
                               ? (gain - move_now.tried_gain) / (offset - move_now.tried)
                               : gain / offset;
      move_now.gain = gain;
      move_now.tried = offset;
      move_now.tried_gain = gain;
      if (std::abs(left) < kRight * sizes[b].volume) {
        // What is left of it is not worth a divergence.
        move_now.gain = move_now.more;
        continue;
      }
      if (!(slope > 0)) continue;
      const double factor = std::clamp(1 + left / (slope * offset), kLeastFactor, kMostFactor);
      const double next = std::clamp(factor * offset, -most, most);
      if (next == offset) continue;
      move_now.offset = next;
      move_now.gain = gain + slope * (next - offset);
      is_right = false;
    }
    if (is_right) return samples;
  }
  return std::nullopt;
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
  const std::vector<BodyVolume> bodies = body_list();
  for (const BodyVolume& body : bodies) book.start += body.volume;
  if (scene.thickening.enabled) {
    const ThinLiquid& thin = tracker->thin_liquid();
    book.thickening = thin.shown() - thin.carried();
    book.in_flight = thin.in_flight();
    book.start += book.in_flight;
  }
  control.start(bodies);
}

// What leaves is counted by what is shown. Bodies that show more or less than they should have give
// up the same share of what they should have: else the books of a splash that runs out end below
// nothing, or with liquid that is nowhere.
std::vector<EditedVolume> Liquid::State::as_booked(std::vector<EditedVolume> leaving) const {
  if (!scene.volume.control || leaving.empty()) return leaving;
  const std::vector<double> shares = control.true_shares();
  for (EditedVolume& part : leaving) {
    const std::ptrdiff_t body = body_near(part.place);
    if (body >= 0) part.volume *= shares[static_cast<std::size_t>(body)];
  }
  return leaving;
}

double Liquid::State::keep_books() {
  Openings::book(exchanged, book);
  // They had left their bodies before.
  Openings::book(tracking.taken, book);
  std::vector<BodyVolume> bodies = body_list();
  for (const EditedVolume& change : exchanged) {
    const std::ptrdiff_t body = body_near(change.place);
    if (body < 0) {
      control.wait(change.volume);
    } else {
      bodies[static_cast<std::size_t>(body)].edited += change.volume;
    }
  }
  for (const FlightChange& flight : tracking.flights) {
    if (flight.volume > 0 && flight.body >= 0) {
      control.give_to_droplets(static_cast<std::size_t>(flight.body), flight.volume);
      continue;
    }
    const std::ptrdiff_t body = body_near(flight.place);
    if (body < 0) {
      control.wait(-flight.volume);
    } else {
      bodies[static_cast<std::size_t>(body)].landed -= flight.volume;
    }
  }
  return control.update(bodies, [&](const Vec3& place) { return body_near(place); });
}

}  // namespace spindrift
