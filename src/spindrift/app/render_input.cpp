#include "spindrift/app/render_input.hpp"

#include <memory>

#include "spindrift/app/input_kind.hpp"
#include "spindrift/core/log.hpp"
#include "spindrift/scene/read.hpp"
#include "spindrift/scene/scene_shapes.hpp"

namespace spindrift::app {

namespace {

View view_of_mesh(const std::string& input, bool smooth) {
  MeshFile file = read_mesh(input);
  for (const std::string& note : file.notes) log_info("{}: {}", input, note);
  View view;
  view.picture.items.push_back(
      {.geometry = std::make_shared<const TriangleMesh>(std::move(file.mesh)), .smooth = smooth});
  view.picture.floor = bounds(view.picture).min().z();
  return view;
}

// Collects what a scene shows. Meshes are shown by their triangles: marching along their distance
// would take minutes. A union is shown by its parts, so that this holds inside it too.
class ItemCollector {
 public:
  ItemCollector(bool smooth, std::vector<Item>& items) : smooth_(smooth), items_(items) {}

  void add(const ShapeSpec& spec, const Material& material, const Placement& placement = {}) {
    Item item;
    item.material = material;
    item.placement = placement;
    item.smooth = smooth_;
    const Placement own = to_placement(spec.placement);
    const auto* combined = std::get_if<CombinationSpec>(&spec.kind);
    if (const auto* mesh = std::get_if<MeshSpec>(&spec.kind)) {
      auto placed = std::make_shared<TriangleMesh>(library_.load(*mesh).mesh);
      for (Vec3& vertex : placed->vertices) vertex = own.apply(vertex);
      item.geometry = std::move(placed);
    } else if (combined != nullptr && combined->combination == Combination::unite &&
               own.is_identity()) {
      for (const ShapeSpec& part : combined->parts) add(part, material, placement);
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

void add_obstacles(ItemCollector& items, const Scene& scene, double time) {
  for (const ObstacleSpec& obstacle : scene.obstacles) {
    items.add(obstacle.shape, solid_material(), placement_at(obstacle, time));
  }
}

View view_of_scene(const std::string& input, bool smooth,
                   const std::vector<std::string>& overrides) {
  const Scene scene = load_scene(input, overrides);
  View view = view_of_domain(scene);
  ItemCollector items(smooth, view.picture.items);
  for (const BodySpec& body : scene.liquid.bodies) items.add(body.shape, liquid_material());
  for (const SourceSpec& source : scene.sources) items.add(source.shape, highlight_material());
  add_obstacles(items, scene, 0);
  return view;
}

View view_of_shape(const std::string& input, bool smooth) {
  View view;
  ItemCollector(smooth, view.picture.items).add(parse_shape(input), solid_material());
  view.picture.floor = bounds(view.picture).min().z();
  return view;
}

}  // namespace

View view_of(const std::string& input, bool smooth, const std::vector<std::string>& overrides) {
  if (is_scene_path(input)) return view_of_scene(input, smooth, overrides);
  refuse_overrides(overrides);
  if (is_mesh_path(input)) return view_of_mesh(input, smooth);
  if (input.find('=') != std::string::npos) return view_of_shape(input, smooth);
  throw InputError({.file = input}, "is neither a mesh, a scene, a cache nor a shape",
                   "name a .obj, .ply, .off, .stl or .toml file or the folder of a cache, or write "
                   "a shape such as 'sphere = { radius = 1 }'");
}

View view_of_frame(const CacheReader& cache, int frame, bool smooth) {
  View view = view_of_domain(cache.scene());
  view.picture.items.push_back(
      {.geometry = std::make_shared<const TriangleMesh>(cache.surface(frame).mesh),
       .material = liquid_material(),
       .smooth = true});
  ItemCollector items(smooth, view.picture.items);
  add_obstacles(items, cache.scene(), cache.frame(frame).time);
  return view;
}

}  // namespace spindrift::app
