#include "spindrift/app/render_input.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "spindrift/app/input_kind.hpp"
#include "spindrift/core/log.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/scene/build.hpp"
#include "spindrift/scene/read.hpp"
#include "spindrift/scene/scene_shapes.hpp"

namespace spindrift::app {

namespace {

// How far vertices move while the shutter is open. Walls of the tank and the floor hold the liquid:
// what lies in them stays in them, so that it does not come off them for a moment.
std::vector<Vec3> motion_of(const TriangleMesh& mesh, std::vector<Vec3> velocities, double shutter,
                            const std::optional<Box3>& tank) {
  if (shutter <= 0 || velocities.empty()) return {};
  const double near = tank ? 1e-6 * tank->sizes().norm() : 0;
  parallel_for_each(mesh.vertex_count(), [&](std::int64_t v) {
    velocities[v] *= shutter;
    if (!tank) return;
    for (int k = 0; k < 3; ++k) {
      const double x = mesh.vertices[v][k];
      const bool on_wall = x <= tank->min()[k] + near || x >= tank->max()[k] - near;
      if (on_wall) velocities[v][k] = 0;
    }
  });
  return velocities;
}

View view_of_mesh(const std::string& input, const Looks& looks) {
  MeshFile file = read_mesh(input);
  for (const std::string& note : file.notes) log_info("{}: {}", input, note);
  View view;
  Item item{.geometry = {},
            .material = looks.water ? liquid_material() : solid_material(),
            .smooth = looks.smooth || looks.water};
  item.motion = motion_of(file.mesh, std::move(file.velocities), looks.shutter, {});
  item.geometry = std::make_shared<const TriangleMesh>(std::move(file.mesh));
  view.picture.items.push_back(std::move(item));
  view.picture.floor = bounds(view.picture).min().z();
  return view;
}

// Collects what a scene shows. Meshes are shown by their triangles: marching along their distance
// would take minutes. A union is shown by its parts, so that this holds inside it too.
class ItemCollector {
 public:
  ItemCollector(bool smooth, std::vector<Item>& items) : smooth_(smooth), items_(items) {}

  // `item` has all but its geometry.
  void add(const ShapeSpec& spec, Item item) {
    item.smooth = smooth_ || item.material.is_clear();
    const Placement own = to_placement(spec.placement);
    const auto* combined = std::get_if<CombinationSpec>(&spec.kind);
    if (const auto* mesh = std::get_if<MeshSpec>(&spec.kind)) {
      auto placed = std::make_shared<TriangleMesh>(library_.load(*mesh).mesh);
      for (Vec3& vertex : placed->vertices) vertex = own.apply(vertex);
      item.geometry = std::move(placed);
    } else if (combined != nullptr && combined->combination == Combination::unite &&
               own.is_identity()) {
      for (const ShapeSpec& part : combined->parts) add(part, item);
      return;
    } else {
      item.geometry = build_shape(spec, library_.loader());
    }
    items_.push_back(std::move(item));
  }

 private:
  bool smooth_;
  MeshLibrary library_;
  std::vector<Item>& items_;
};

// The tank, and the camera that looks at it.
View view_of_domain(const Scene& scene) {
  View view;
  view.picture.domain = Box3(scene.domain.min, scene.domain.max);
  view.picture.floor = scene.domain.min.z();
  if (scene.camera) view.camera = {scene.camera->eye, scene.camera->target, scene.camera->fov};
  return view;
}

// Where an obstacle goes from its place at `time`, while the shutter is open around that.
std::vector<Pose> path_of(const ObstacleSpec& obstacle, double time, double shutter) {
  if (!obstacle.motion || shutter <= 0) return {};
  const Motion motion = build_motion(*obstacle.motion);
  if (!motion.moves()) return {};
  const Pose middle = motion.pose(time);
  const auto at = [&](double part) {
    const Pose pose = motion.pose(time + (part - 0.5) * shutter);
    const Quat turn = pose.rotation * middle.rotation.conjugate();
    return Pose{turn, pose.translation - turn * middle.translation};
  };
  // Between poses points go straight: the more it turns, the more poses it takes to look round.
  constexpr double kMostTurn = 0.05;  // rad
  const double turned = at(0).rotation.angularDistance(Quat::Identity()) +
                        at(1).rotation.angularDistance(Quat::Identity());
  const int stretches =
      static_cast<int>(std::clamp(std::ceil(turned / kMostTurn), 1.0, Item::kMostPoses - 1.0));
  std::vector<Pose> path;
  for (int i = 0; i <= stretches; ++i) path.push_back(at(static_cast<double>(i) / stretches));
  return path;
}

void add_obstacles(ItemCollector& items, const Scene& scene, double time, double shutter) {
  for (const ObstacleSpec& obstacle : scene.obstacles) {
    items.add(obstacle.shape, {.geometry = {},
                               .material = solid_material(),
                               .placement = placement_at(obstacle, time),
                               .path = path_of(obstacle, time, shutter)});
  }
}

View view_of_scene(const std::string& input, const Looks& looks,
                   const std::vector<std::string>& overrides) {
  const Scene scene = load_scene(input, overrides);
  View view = view_of_domain(scene);
  ItemCollector items(looks.smooth, view.picture.items);
  for (const BodySpec& body : scene.liquid.bodies)
    items.add(body.shape, {.geometry = {}, .material = liquid_material()});
  for (const SourceSpec& source : scene.sources)
    items.add(source.shape, {.geometry = {}, .material = highlight_material()});
  add_obstacles(items, scene, 0, 0);
  return view;
}

View view_of_shape(const std::string& input, const Looks& looks) {
  View view;
  ItemCollector(looks.smooth, view.picture.items)
      .add(parse_shape(input),
           {.geometry = {}, .material = looks.water ? liquid_material() : solid_material()});
  view.picture.floor = bounds(view.picture).min().z();
  return view;
}

}  // namespace

View view_of(const std::string& input, const Looks& looks,
             const std::vector<std::string>& overrides) {
  if (is_scene_path(input)) return view_of_scene(input, looks, overrides);
  refuse_overrides(overrides);
  if (is_mesh_path(input)) return view_of_mesh(input, looks);
  if (input.find('=') != std::string::npos) return view_of_shape(input, looks);
  throw InputError({.file = input}, "is neither a mesh, a scene, a cache nor a shape",
                   "name a .obj, .ply, .off, .stl or .toml file or the folder of a cache, or write "
                   "a shape such as 'sphere = { radius = 1 }'");
}

View view_of_frame(const CacheReader& cache, int frame, const Looks& looks) {
  View view = view_of_domain(cache.scene());
  CachedSurface surface = cache.surface(frame);
  Item liquid{.geometry = {}, .material = liquid_material(), .smooth = true};
  liquid.motion =
      motion_of(surface.mesh, std::move(surface.velocities), looks.shutter, view.picture.domain);
  liquid.geometry = std::make_shared<const TriangleMesh>(std::move(surface.mesh));
  view.picture.items.push_back(std::move(liquid));
  ItemCollector items(looks.smooth, view.picture.items);
  add_obstacles(items, cache.scene(), cache.frame(frame).time, looks.shutter);
  return view;
}

}  // namespace spindrift::app
