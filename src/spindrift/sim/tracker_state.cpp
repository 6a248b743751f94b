#include "spindrift/sim/tracker_state.hpp"

#include <algorithm>

#include "spindrift/core/error.hpp"

namespace spindrift {

void save_tracker(const ContouringTracker& tracker, StateWriter& state) {
  const ContouringTracker::Memory memory = tracker.memory();
  state.put("surface.vertices", memory.surface.vertices);
  state.put("surface.triangles", memory.surface.triangles);
  state.put("surface.normals", memory.normals);
  state.put("components.of_vertex", memory.components.of_vertex);
  state.put("components.next_id", memory.components.next_id);
  std::vector<std::int64_t> numbers;
  std::vector<double> sizes;
  for (const LiquidComponent& component : memory.components.components) {
    numbers.insert(numbers.end(), {component.id, component.pockets});
    sizes.insert(sizes.end(), {component.volume, component.area});
  }
  state.put("components.numbers", numbers);
  state.put("components.sizes", sizes);
  state.put("components.offsets", memory.offsets);
  std::vector<Vec3> places;
  std::vector<double> radii;
  for (const MedialParticle& particle : memory.particles) {
    places.push_back(particle.position);
    radii.push_back(particle.radius);
  }
  state.put("particles.positions", places);
  state.put("particles.radii", radii);
}

void restore_tracker(const StateReader& state, ContouringTracker& tracker) {
  ContouringTracker::Memory memory;
  memory.surface.vertices = state.array<Vec3>("surface.vertices");
  memory.surface.triangles = state.array<Triangle>("surface.triangles");
  memory.normals = state.array<Vec3f>("surface.normals");
  memory.components.of_vertex = state.array<std::int32_t>("components.of_vertex");
  memory.components.next_id = state.get<std::int64_t>("components.next_id");
  const std::vector<std::int64_t> numbers = state.array<std::int64_t>("components.numbers");
  const std::vector<double> sizes = state.array<double>("components.sizes");
  memory.offsets = state.array<double>("components.offsets");
  const std::vector<Vec3> places = state.array<Vec3>("particles.positions");
  const std::vector<double> radii = state.array<double>("particles.radii");
  const auto vertices = static_cast<std::int32_t>(memory.surface.vertices.size());
  const auto components = static_cast<std::int32_t>(numbers.size() / 2);
  const bool fits =
      places.size() == radii.size() && memory.normals.size() == memory.surface.vertices.size() &&
      memory.components.of_vertex.size() == memory.surface.vertices.size() &&
      sizes.size() == numbers.size() && numbers.size() % 2 == 0 &&
      (memory.offsets.empty() || memory.offsets.size() == numbers.size() / 2) &&
      std::all_of(memory.surface.triangles.begin(), memory.surface.triangles.end(),
                  [&](const Triangle& t) {
                    return std::all_of(t.begin(), t.end(),
                                       [&](std::int32_t v) { return v >= 0 && v < vertices; });
                  }) &&
      std::all_of(memory.components.of_vertex.begin(), memory.components.of_vertex.end(),
                  [&](std::int32_t c) { return c >= -1 && c < components; });
  if (!fits) state.fail_as_other_version("the arrays of its surface do not fit together");
  for (std::size_t c = 0; c < numbers.size() / 2; ++c) {
    LiquidComponent component;
    component.id = numbers[2 * c];
    component.pockets = numbers[2 * c + 1];
    component.volume = sizes[2 * c];
    component.area = sizes[2 * c + 1];
    memory.components.components.push_back(component);
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    memory.particles.push_back({places[i], radii[i]});
  }
  tracker.restore(std::move(memory));
}

}  // namespace spindrift
