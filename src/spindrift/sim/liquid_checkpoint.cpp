// All that a liquid needs to go on as if it had never stopped.
#include <algorithm>

#include <fmt/format.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel_copy.hpp"
#include "spindrift/sim/liquid_state.hpp"
#include "spindrift/sim/tracker_state.hpp"

namespace spindrift {

// A projection is done again when a run goes on: a fraction of a step, for which every checkpoint
// is half as large. Not what another scene has projected, and not the paper's, which starts from
// velocities on faces that nobody keeps.
void Liquid::State::save_flow(StateWriter& state) const {
  const bool is_done_again =
      projected.has_value() && scene.solver.projection == Projection::consistent;
  state.put("projection.is_done_again", static_cast<std::uint8_t>(is_done_again));
  if (is_done_again) {
    std::vector<double> rates;
    for (const DivergenceRates& of_body : projected->rates) {
      rates.insert(rates.end(), {of_body.thick, of_body.thin});
    }
    state.put("projection.likely", projected->likely);
    state.put("projection.rates", rates);
    return;
  }
  state.share("velocity.faces", flow->z, flow);
  state.share("velocity.cells", flow->u, flow);
  state.share("pressure", flow->pressure, flow);
  Buffer<std::uint8_t> tags(mesh->cells.tags.size());
  parallel_for_each(std::ssize(tags), [&](std::int64_t f) {
    const auto k = static_cast<std::size_t>(f);
    tags[k] = static_cast<std::uint8_t>(mesh->cells.tags[k]);
  });
  state.put("tags", tags);
}

void Liquid::State::restore_flow(const StateReader& state) {
  const auto read = [&]<class T>(const char* name, std::int64_t count, const T& /*like*/) {
    std::vector<T> values = state.array<T>(name);
    if (std::ssize(values) != count) {
      state.fail_as_other_version(
          fmt::format("its '{}' does not fit the mesh that this Spindrift makes", name));
    }
    return values;
  };
  const auto fill = [&]<class T>(const char* name, std::int64_t count, Buffer<T>& buffer) {
    const std::vector<T> values = read(name, count, T());
    buffer.resize(values.size());
    parallel_copy(values, buffer);
  };
  const CellMesh& cells = mesh->cells;
  const auto made = std::make_shared<Flow>();
  fill("velocity.carried", cells.cell_count(), made->carried);
  if (state.get<std::uint8_t>("projection.is_done_again") != 0) {
    made->u.resize(made->carried.size());
    parallel_copy(made->carried, made->u);
    made->z = filled_buffer(cells.tags.size(), 0.0);
    project_again(state, *made);
  } else {
    fill("velocity.faces", cells.face_count(), made->z);
    fill("velocity.cells", cells.cell_count(), made->u);
    fill("pressure", cells.cell_count(), made->pressure);
    const std::vector<std::uint8_t> tags = read("tags", cells.face_count(), std::uint8_t{});
    std::vector<FaceTag> face_tags(tags.size());
    std::transform(tags.begin(), tags.end(), face_tags.begin(),
                   [](std::uint8_t tag) { return static_cast<FaceTag>(tag); });
    take_tags(face_tags, *mesh);
    projected.reset();
  }
  flow = made;
}

void Liquid::State::project_again(const StateReader& state, Flow& next) {
  projected.emplace();
  projected->likely = state.array<std::int32_t>("projection.likely");
  const std::vector<double> rates = state.array<double>("projection.rates");
  for (std::size_t i = 0; i + 1 < rates.size(); i += 2) {
    projected->rates.push_back({rates[i], rates[i + 1]});
  }
  const CellMesh& cells = mesh->cells;
  const FlowComponents bodies = find_components(cells);
  const std::vector<std::int32_t>& likely = projected->likely;
  const bool fits = (rates.empty() || rates.size() == 2 * bodies.components.size()) &&
                    std::is_sorted(likely.begin(), likely.end()) &&
                    std::all_of(likely.begin(), likely.end(), [&](std::int32_t face) {
                      return face >= 0 && face < cells.face_count() &&
                             cells.tags[static_cast<std::size_t>(face)] == FaceTag::solid;
                    });
  if (!fits) state.fail_as_other_version("its projection does not fit the mesh that it is for");
  if (mesh->is_empty()) return;
  project_carried(bodies, rates.empty() ? Buffer<std::uint8_t>() : thick_cells(), next);
}

void Liquid::save(StateWriter& state) const {
  const State& s = *state_;
  state.put("time", s.time);
  state.put("frame", std::int64_t{s.frame});
  state.put("dt", s.dt);
  state.put("last_dt", s.last_dt);
  state.put("lag", s.lag);
  state.put("drift", s.drift);
  save_tracker(*s.tracker, state);
  state.share("velocity.carried", s.flow->carried, s.flow);
  s.save_flow(state);
  const VolumeBook& book = s.book;
  state.put("book", std::vector<double>{book.start, book.sources, book.sinks, book.open_sides,
                                        book.thickening, book.in_flight, book.specks,
                                        book.obstacles, book.correction});
  std::vector<std::int64_t> ids;
  std::vector<double> bodies;
  std::vector<Vec3> places;
  std::vector<std::int64_t> groups;
  for (const VolumeControl::Body& body : s.control.bodies()) {
    ids.push_back(body.id);
    bodies.insert(bodies.end(), {body.volume, body.missing});
    places.push_back(body.place);
    groups.push_back(body.group);
  }
  state.put("bodies.ids", ids);
  state.put("bodies.volumes", bodies);
  state.put("bodies.places", places);
  state.put("bodies.groups", groups);
  state.put("bodies.waiting", s.control.waiting());
  state.put("sources.owed", s.openings.owed());
}

void Liquid::restore(const StateReader& state) {
  State& s = *state_;
  s.ahead.reset();
  s.present.reset();
  s.time = state.get<double>("time");
  s.frame = static_cast<int>(state.get<std::int64_t>("frame"));
  s.dt = state.get<double>("dt");
  s.last_dt = state.get<double>("last_dt");
  s.lag = state.get<double>("lag");
  s.drift = state.get<Vec3>("drift");
  restore_tracker(state, *s.tracker);
  (void)s.make_mesh(s.solids.at(s.time));
  const std::vector<double> book = state.array<double>("book");
  const std::vector<std::int64_t> ids = state.array<std::int64_t>("bodies.ids");
  const std::vector<double> volumes = state.array<double>("bodies.volumes");
  const std::vector<Vec3> places = state.array<Vec3>("bodies.places");
  const std::vector<std::int64_t> groups = state.array<std::int64_t>("bodies.groups");
  const std::vector<double> owed = state.array<double>("sources.owed");
  if (book.size() != 9 || volumes.size() != 2 * ids.size() || places.size() != ids.size() ||
      groups.size() != ids.size() || owed.size() != s.openings.owed().size()) {
    state.fail_as_other_version("its books have other columns than this Spindrift's");
  }
  s.book = {book[0], book[1], book[2], book[3], book[4], book[5], book[6], book[7], book[8]};
  std::vector<VolumeControl::Body> bodies;
  for (std::size_t b = 0; b < ids.size(); ++b) {
    bodies.push_back({ids[b], volumes[2 * b], volumes[2 * b + 1], places[b], groups[b]});
  }
  s.control.restore(std::move(bodies), state.get<double>("bodies.waiting"));
  s.openings.restore(owed);
  s.restore_flow(state);
  s.measure_bodies(s.solids.at(s.time));
  s.report = {};
  s.report.probes.resize(s.scene.probes.size());
}

}  // namespace spindrift
