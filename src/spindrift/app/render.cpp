// spindrift render: a picture of a mesh, a scene or a shape.
#include "spindrift/render/render.hpp"

#include <charconv>
#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "spindrift/app/command_line.hpp"
#include "spindrift/app/input_kind.hpp"
#include "spindrift/app/output.hpp"
#include "spindrift/core/log.hpp"
#include "spindrift/core/progress.hpp"
#include "spindrift/core/stats.hpp"
#include "spindrift/core/text.hpp"
#include "spindrift/scene/read.hpp"
#include "spindrift/scene/scene_shapes.hpp"

namespace spindrift::app {

namespace {

struct RenderOptions {
  std::string input, output, camera, size = "960x540";
  Quality quality = Quality::draft;
  bool smooth = false;
  std::vector<std::string> overrides;
};

RenderParams parse_size(const std::string& text) {
  RenderParams params;
  const char* end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, params.width);
  if (width.ec == std::errc() && width.ptr != end && *width.ptr == 'x') {
    const auto height = std::from_chars(width.ptr + 1, end, params.height);
    if (height.ec == std::errc() && height.ptr == end && params.width > 0 && params.height > 0) {
      return params;
    }
  }
  throw InputError({.file = "--size"}, fmt::format("'{}' is not a picture size", text),
                   "write pixels as WIDTHxHEIGHT, e.g. 960x540");
}

// A picture without its camera, and the camera that its maker wished for.
struct View {
  Picture picture;
  CameraWish camera;
};

View view_of_mesh(const RenderOptions& options) {
  MeshFile file = read_mesh(options.input);
  for (const std::string& note : file.notes) log_info("{}: {}", options.input, note);
  View view;
  view.picture.items.push_back(
      {.geometry = std::make_shared<const TriangleMesh>(std::move(file.mesh)),
       .smooth = options.smooth});
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

View view_of_scene(const RenderOptions& options) {
  const Scene scene = load_scene(options.input, options.overrides);
  View view;
  ItemCollector items(options.smooth, view.picture.items);
  view.picture.domain = Box3(scene.domain.min, scene.domain.max);
  view.picture.floor = scene.domain.min.z();
  for (const BodySpec& body : scene.liquid.bodies) {
    items.add(body.shape, liquid_material());
  }
  for (const SourceSpec& source : scene.sources) {
    items.add(source.shape, highlight_material());
  }
  for (const ObstacleSpec& obstacle : scene.obstacles) {
    items.add(obstacle.shape, solid_material(), initial_placement(obstacle));
  }
  if (scene.camera) view.camera = {scene.camera->eye, scene.camera->target, scene.camera->fov};
  return view;
}

View view_of_shape(const RenderOptions& options) {
  View view;
  ItemCollector(options.smooth, view.picture.items)
      .add(parse_shape(options.input), solid_material());
  view.picture.floor = bounds(view.picture).min().z();
  return view;
}

View make_view(const RenderOptions& options) {
  if (is_scene_path(options.input)) return view_of_scene(options);
  refuse_overrides(options.overrides);
  if (is_mesh_path(options.input)) return view_of_mesh(options);
  if (options.input.find('=') != std::string::npos) return view_of_shape(options);
  throw InputError({.file = options.input}, "is neither a mesh, a scene nor a shape",
                   "name a .obj, .ply, .off, .stl or .toml file, or write a shape such as "
                   "'sphere = { radius = 1 }'");
}

// A draft is there at once; only final pictures are worth a bar.
ProgressStyle progress_style_of(Quality quality) {
  const bool is_wanted = quality == Quality::final && terminal_shows(LogLevel::info);
  return progress_style(!is_wanted, ::isatty(STDERR_FILENO) != 0);
}

void write_to_terminal(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

int render_picture(const RenderOptions& options) {
  if (!has_extension(options.output, ".png")) {
    throw InputError({.file = options.output}, "is not a picture that can be written",
                     "give --output a name that ends in .png");
  }
  RenderParams params = parse_size(options.size);
  params.quality = options.quality;
  CameraWish wish = options.camera.empty() ? CameraWish{} : parse_camera(options.camera);

  const Stopwatch watch;
  View view = make_view(options);
  if (options.camera.empty()) wish = view.camera;
  const double aspect = static_cast<double>(params.width) / params.height;
  view.picture.camera = complete_camera(wish, bounds(view.picture), aspect);
  const double seconds_loading = watch.seconds();
  RenderReport report;
  Progress progress(1, {.style = progress_style_of(params.quality)}, write_to_terminal);
  params.progress = [&](double share) { progress.update(share); };
  const Image image = render(view.picture, params, &report);
  progress.finish();
  write_png(options.output, image);
  log_debug("loading {}, tree {}, rays {}, finish {}", duration_text(seconds_loading),
            duration_text(report.seconds_tree), duration_text(report.seconds_rays),
            duration_text(report.seconds_finish));
  print_line("{}: {} x {} pixels in {}", options.output, params.width, params.height,
             duration_text(watch.seconds()));
  return 0;
}

}  // namespace

void add_render(CLI::App& app, Action& action) {
  auto options = std::make_shared<RenderOptions>();
  CLI::App* command = app.add_subcommand("render", "Make a picture of a mesh, a scene or a shape");
  command
      ->add_option("INPUT", options->input,
                   "A mesh (.obj, .ply, .off, .stl), a scene (.toml), or a shape such as "
                   "'sphere = { radius = 1 }'")
      ->required()
      ->option_text(" ");
  command->add_option("-o,--output", options->output, "Where to write the picture (.png)")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--camera", options->camera,
                   "eye=x,y,z:target=x,y,z:fov=degrees, each part optional (default: the scene's "
                   "camera, or a view of everything)")
      ->type_name("CAMERA");
  command->add_option("--quality", options->quality, "draft: at once; final: without noise")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Quality>{{"draft", Quality::draft}, {"final", Quality::final}}))
      ->option_text("draft|final");
  command->add_option("--size", options->size, "Pixels (default 960x540)")->type_name("WxH");
  command->add_flag("--smooth", options->smooth, "Shade meshes smoothly (default: flat facets)");
  command->add_option("--set", options->overrides, "Change a key of the scene")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->callback([options, &action] {
    action = {[options] { return render_picture(*options); }, {options->input, options->output}};
  });
}

}  // namespace spindrift::app
