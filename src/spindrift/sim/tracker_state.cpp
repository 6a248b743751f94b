#include "spindrift/sim/tracker_state.hpp"

#include <algorithm>

#include "spindrift/core/error.hpp"

namespace spindrift {
namespace {

void save_thin_liquid(const ThinLiquid& thin, StateWriter& state) {
  std::vector<Vec3> places;
  std::vector<double> numbers;
  std::vector<std::int32_t> bodies;
  for (const ThinParticle& p : thin.particles) {
    places.insert(places.end(), {p.position, p.shift});
    numbers.insert(numbers.end(),
                   {p.volume, p.shown, p.radius, p.least_radius, p.offset, p.body_offset, p.reach,
                    p.area, (p.is_film ? 1.0 : 0.0) + (p.is_wedge ? 2.0 : 0.0)});
    bodies.push_back(p.body);
  }
  state.put("particles.positions", places);
  state.put("particles.numbers", numbers);
  state.put("particles.bodies", bodies);
  std::vector<Vec3> motions;
  std::vector<double> volumes;
  for (const Droplet& droplet : thin.droplets) {
    motions.insert(motions.end(), {droplet.position, droplet.velocity});
    volumes.push_back(droplet.volume);
  }
  state.put("droplets.motions", motions);
  state.put("droplets.volumes", volumes);
}

}  // namespace

void save_tracker(const ContouringTracker& tracker, StateWriter& state) {
  const ContouringTracker::Memory memory = tracker.memory();
  const TrackedSurface& tracked = *memory.tracked;
  state.share("surface.vertices", tracked.mesh.vertices, memory.tracked);
  state.share("surface.triangles", tracked.mesh.triangles, memory.tracked);
  state.share("surface.normals", tracked.normals, memory.tracked);
  state.share("components.of_vertex", tracked.components.of_vertex, memory.tracked);
  state.put("components.next_id", tracked.components.next_id);
  std::vector<std::int64_t> numbers;
  std::vector<double> sizes;
  for (const LiquidComponent& component : tracked.components.components) {
    numbers.insert(numbers.end(), {component.id, component.pockets});
    sizes.insert(sizes.end(), {component.volume, component.area});
  }
  state.put("components.numbers", numbers);
  state.put("components.sizes", sizes);
  state.put("components.offsets", memory.offsets);
  save_thin_liquid(memory.thin, state);
}

void restore_tracker(const StateReader& state, ContouringTracker& tracker) {
  ContouringTracker::Memory memory;
  const auto tracked = std::make_shared<TrackedSurface>();
  memory.tracked = tracked;
  tracked->mesh.vertices = state.array<Vec3>("surface.vertices");
  tracked->mesh.triangles = state.array<Triangle>("surface.triangles");
  tracked->normals = state.array<Vec3f>("surface.normals");
  tracked->components.of_vertex = state.array<std::int32_t>("components.of_vertex");
  tracked->components.next_id = state.get<std::int64_t>("components.next_id");
  const std::vector<std::int64_t> numbers = state.array<std::int64_t>("components.numbers");
  const std::vector<double> sizes = state.array<double>("components.sizes");
  memory.offsets = state.array<double>("components.offsets");
  const std::vector<Vec3> places = state.array<Vec3>("particles.positions");
  const std::vector<double> numbers_there = state.array<double>("particles.numbers");
  const std::vector<std::int32_t> owners = state.array<std::int32_t>("particles.bodies");
  const std::vector<Vec3> droplets = state.array<Vec3>("droplets.motions");
  const std::vector<double> volumes = state.array<double>("droplets.volumes");
  const auto vertices = static_cast<std::int32_t>(tracked->mesh.vertices.size());
  const auto components = static_cast<std::int32_t>(numbers.size() / 2);
  const auto is_component = [&](std::int32_t c) { return c >= -1 && c < components; };
  const bool fits =
      places.size() == 2 * owners.size() && numbers_there.size() == 9 * owners.size() &&
      droplets.size() == 2 * volumes.size() &&
      tracked->normals.size() == tracked->mesh.vertices.size() &&
      tracked->components.of_vertex.size() == tracked->mesh.vertices.size() &&
      sizes.size() == numbers.size() && numbers.size() % 2 == 0 &&
      (memory.offsets.empty() || memory.offsets.size() == numbers.size() / 2) &&
      std::all_of(tracked->mesh.triangles.begin(), tracked->mesh.triangles.end(),
                  [&](const Triangle& t) {
                    return std::all_of(t.begin(), t.end(),
                                       [&](std::int32_t v) { return v >= 0 && v < vertices; });
                  }) &&
      std::all_of(owners.begin(), owners.end(), is_component) &&
      std::all_of(tracked->components.of_vertex.begin(), tracked->components.of_vertex.end(),
                  is_component);
  if (!fits) state.fail_as_other_version("the arrays of its surface do not fit together");
  for (std::size_t c = 0; c < numbers.size() / 2; ++c) {
    LiquidComponent component;
    component.id = numbers[2 * c];
    component.pockets = numbers[2 * c + 1];
    component.volume = sizes[2 * c];
    component.area = sizes[2 * c + 1];
    tracked->components.components.push_back(component);
  }
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const double* const n = numbers_there.data() + 9 * i;
    memory.thin.particles.push_back({places[2 * i], n[0], n[1], n[2], n[3], n[4], places[2 * i + 1],
                                     n[5], n[6], n[7], owners[i], n[8] == 1 || n[8] == 3,
                                     n[8] >= 2});
  }
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    memory.thin.droplets.push_back({droplets[2 * i], droplets[2 * i + 1], volumes[i]});
  }
  tracker.restore(std::move(memory));
}

}  // namespace spindrift
