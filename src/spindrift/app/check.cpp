// spindrift check: the doctor of scenes, meshes and caches.
#include <cmath>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>

#include "spindrift/app/command_line.hpp"
#include "spindrift/app/input_kind.hpp"
#include "spindrift/app/output.hpp"
#include "spindrift/cache/cache_check.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/core/text.hpp"
#include "spindrift/geometry/mesh_check.hpp"
#include "spindrift/geometry/mesh_repair.hpp"
#include "spindrift/scene/doctor.hpp"
#include "spindrift/scene/read.hpp"
#include "spindrift/sim/run_estimate.hpp"

namespace spindrift::app {

namespace {

struct CheckOptions {
  std::string path;
  std::vector<std::string> overrides;
  bool json = false;
};

constexpr int kGood = 0;
constexpr int kBad = static_cast<int>(ErrorKind::bad_input);

// ---- Meshes

struct MeshDiagnosis {
  MeshFile file;
  MeshReport before, after;  // repair; `after` without self-intersections
  RepairReport repair;

  [[nodiscard]] bool is_usable() const { return after.is_closed(); }
  [[nodiscard]] bool is_empty() const { return after.triangles == 0; }
  [[nodiscard]] const char* verdict() const {
    if (is_empty()) return "empty";
    if (!is_usable()) return "open";
    return repair.changed_anything() ? "closed after repair" : "closed";
  }
};

MeshDiagnosis diagnose(const std::string& path) {
  MeshDiagnosis diagnosis;
  diagnosis.file = read_mesh(path);
  diagnosis.before = check_mesh(diagnosis.file.mesh);
  TriangleMesh repaired = diagnosis.file.mesh;
  diagnosis.repair = repair_mesh(repaired);
  diagnosis.after = check_mesh(repaired, {.find_self_intersections = false});
  return diagnosis;
}

Json to_json(const MeshReport& report) {
  Json defects = Json::object();
  for (const MeshDefectKind& kind : mesh_defect_kinds()) {
    const MeshDefect& defect = report.*kind.defect;
    if (defect.count == 0) continue;
    Json places = Json::array();
    for (const Vec3& place : defect.places) places.push_back(app::to_json(place));
    defects[kind.name] = {{"count", defect.count}, {"places", places}};
  }
  return {{"vertices", report.vertices},
          {"triangles", report.triangles},
          {"components", report.components},
          {"box", app::to_json(report.box)},
          {"area", report.area},
          {"volume", report.volume},
          {"closed", report.is_closed()},
          {"manifold", report.is_manifold()},
          {"defects", defects}};
}

void print_mesh_json(const std::string& path, const MeshDiagnosis& diagnosis) {
  Json json = {{"kind", "mesh"}, {"file", path}, {"ok", diagnosis.is_usable()}};
  json["verdict"] = diagnosis.verdict();
  json["notes"] = diagnosis.file.notes;
  json.update(to_json(diagnosis.before));
  json["self_intersections_capped"] = diagnosis.before.self_intersections_capped;
  json["repair"] = diagnosis.repair.sentences();
  json["after_repair"] = to_json(diagnosis.after);
  print_json(json);
}

void print_mesh_words(const std::string& path, const MeshDiagnosis& diagnosis) {
  const MeshReport& report = diagnosis.before;
  print_line("{}: {}, {}, {}", path, count_of(report.triangles, "triangle", "triangles"),
             count_of(report.vertices, "vertex", "vertices"),
             count_of(report.components, "part", "parts"));
  print_line("  size      {}, from {} to {}", size_text(report.box.sizes()),
             point_text(report.box.min()), point_text(report.box.max()));
  print_line("  area      {:.4g} m2", report.area);
  if (diagnosis.is_usable()) {
    print_line("  volume    {:.4g} m3{}", diagnosis.after.volume,
               report.self_intersections.count > 0 ? "; where parts overlap, counted twice" : "");
  }
  for (const std::string& note : diagnosis.file.notes) print_line("  note      {}", note);
  for (const MeshDefectKind& kind : mesh_defect_kinds()) {
    const MeshDefect& defect = report.*kind.defect;
    if (defect.count == 0) continue;
    const bool is_capped =
        kind.defect == &MeshReport::self_intersections && report.self_intersections_capped;
    print_line("  found     {}{}, {} {}", is_capped ? "at least " : "",
               count_of(defect.count, kind.singular, kind.plural),
               defect.count == 1 ? "at" : "the first at", point_text(defect.places.front()));
  }
  if (report.self_intersections_capped && report.self_intersections.count == 0) {
    print_line("  note      too many triangles lie about each other to say whether any cross");
  }
  for (const std::string& sentence : diagnosis.repair.sentences()) {
    print_line("  repaired  {}", sentence);
  }
  if (diagnosis.is_usable()) {
    print_line("  verdict   {}: usable in a scene", diagnosis.verdict());
    return;
  }
  if (diagnosis.is_empty()) {
    print_line("  verdict   empty: nothing is left after safe repair; it encloses no volume");
    return;
  }
  const MeshDefect& open = diagnosis.after.unbalanced_edges;
  print_line("  verdict   open: {} left after safe repair, the first at {}",
             count_of(open.count, "edge is", "edges are"), point_text(open.places.front()));
  print_line("            close it, or write fill = \"winding\" beside its file in the scene");
}

int check_mesh_file(const CheckOptions& options) {
  const MeshDiagnosis diagnosis = diagnose(options.path);
  options.json ? print_mesh_json(options.path, diagnosis)
               : print_mesh_words(options.path, diagnosis);
  return diagnosis.is_usable() ? kGood : kBad;
}

// ---- Scenes

const char* word_of(Severity severity) {
  return severity == Severity::warning ? "warning" : "note";
}

std::int64_t warning_count(const SceneReport& report) {
  return std::count_if(report.findings.begin(), report.findings.end(),
                       [](const Finding& f) { return f.severity == Severity::warning; });
}

Vec3 cell_counts(const Scene& scene) {
  return (scene.domain.max - scene.domain.min) / cell_size(scene);
}

// As long as one would say it.
std::string duration_text(double seconds) {
  if (seconds < 100) return fmt::format("{:.2g} s", seconds);
  if (seconds < 100 * 60) return fmt::format("{:.2g} min", seconds / 60);
  return fmt::format("{:.2g} h", seconds / 3600);
}

Json to_json(const RunEstimate& estimate) {
  return {{"tets", std::llround(estimate.tets)},   {"triangles", std::llround(estimate.triangles)},
          {"steps", std::llround(estimate.steps)}, {"peak_bytes", estimate.peak_bytes},
          {"seconds", estimate.seconds},           {"threads", thread_limit()}};
}

void print_scene_json(const std::string& path, const Scene& scene, const SceneReport& report,
                      const RunEstimate& estimate) {
  Json findings = Json::array();
  for (const Finding& finding : report.findings) {
    Json json = {{"severity", word_of(finding.severity)}};
    json.update(app::to_json(finding.location));
    json["problem"] = finding.problem;
    if (!finding.advice.empty()) json["advice"] = finding.advice;
    findings.push_back(json);
  }
  print_json({{"kind", "scene"},
              {"file", path},
              {"ok", true},
              {"name", scene.name},
              {"frames", scene.time.frames},
              {"seconds", scene.time.frames / scene.time.fps},
              {"domain", app::to_json(Box3(scene.domain.min, scene.domain.max))},
              {"cell_size", cell_size(scene)},
              {"cells", app::to_json(cell_counts(scene))},
              {"bodies", scene.liquid.bodies.size()},
              {"obstacles", scene.obstacles.size()},
              {"sources", scene.sources.size()},
              {"sinks", scene.sinks.size()},
              {"probes", scene.probes.size()},
              {"liquid_volume", report.liquid_volume},
              {"estimate", to_json(estimate)},
              {"warnings", warning_count(report)},
              {"findings", findings}});
}

void print_scene_words(const std::string& path, const Scene& scene, const SceneReport& report,
                       const RunEstimate& estimate) {
  const Vec3 cells = cell_counts(scene);
  print_line("{}: {}", path, scene.name);
  print_line("  time      {} at {:.4g} per second: {:.4g} s",
             count_of(scene.time.frames, "frame", "frames"), scene.time.fps,
             scene.time.frames / scene.time.fps);
  print_line("  domain    {}, {:.0f} x {:.0f} x {:.0f} finest cells of {:.4g} mm",
             size_text(scene.domain.max - scene.domain.min), cells.x(), cells.y(), cells.z(),
             1000 * cell_size(scene));
  print_line("  liquid    {}, about {:.3g} m3 ({:.3g} kg)",
             count_of(std::ssize(scene.liquid.bodies), "body", "bodies"), report.liquid_volume,
             report.liquid_volume * scene.liquid.density);
  print_line("  also      {}, {}, {}, {}",
             count_of(std::ssize(scene.obstacles), "obstacle", "obstacles"),
             count_of(std::ssize(scene.sources), "source", "sources"),
             count_of(std::ssize(scene.sinks), "sink", "sinks"),
             count_of(std::ssize(scene.probes), "probe", "probes"));
  print_line(
      "  estimate  about {:.1f} GB and {} with {}: up to {:.2g} M tetrahedra and {:.2g} M "
      "triangles, {:.0f} steps",
      1e-9 * static_cast<double>(estimate.peak_bytes), duration_text(estimate.seconds),
      count_of(thread_limit(), "thread", "threads"), 1e-6 * estimate.tets,
      1e-6 * estimate.triangles, estimate.steps);
  for (const Finding& finding : report.findings) {
    print_line("  {:<9} {}: {}{}{}", word_of(finding.severity), finding.location.text(),
               finding.problem, finding.advice.empty() ? "" : "; ", finding.advice);
  }
  print_line(
      "  verdict   {}",
      warning_count(report) == 0
          ? "ready"
          : fmt::format("ready, with {}", count_of(warning_count(report), "warning", "warnings")));
}

int check_scene_file(const CheckOptions& options) {
  const Scene scene = load_scene(options.path, options.overrides);
  MeshLibrary library;
  const SceneShapes shapes = build_scene_shapes(scene, library);
  const SceneReport report = examine_scene(scene, shapes, library);
  const RunEstimate estimate = estimate_run(scene, shapes, thread_limit());
  options.json ? print_scene_json(options.path, scene, report, estimate)
               : print_scene_words(options.path, scene, report, estimate);
  return kGood;
}

// ---- Caches

int check_cache_folder(const CheckOptions& options) {
  const CacheReader cache(options.path);
  const CacheReport report = check_cache(cache);
  const bool is_whole = report.problems.empty();
  if (options.json) {
    print_json({{"kind", "cache"},
                {"file", options.path},
                {"ok", is_whole},
                {"name", cache.manifest().scene},
                {"frames_asked", cache.manifest().frames_asked},
                {"frames_done", cache.frame_count()},
                {"checkpoint_frame",
                 report.checkpoints.empty() ? Json() : Json(report.checkpoints.back())},
                {"checkpoints", report.checkpoints},
                {"files", report.files},
                {"problems", report.problems}});
    return is_whole ? kGood : kBad;
  }
  print_line("{}: {}, {} of {} done", options.path, cache.manifest().scene,
             with_commas(cache.frame_count()),
             count_of(cache.manifest().frames_asked, "frame", "frames"));
  for (const std::string& problem : report.problems) print_line("  found     {}", problem);
  if (report.checkpoints.empty()) {
    print_line("  note      no whole checkpoint is left: it can be neither continued nor branched");
  }
  print_line("  verdict   {}",
             is_whole ? fmt::format("whole: {} read", count_of(report.files, "file", "files"))
                      : "damaged");
  return is_whole ? kGood : kBad;
}

int check(const CheckOptions& options) {
  if (std::filesystem::is_directory(options.path)) {
    refuse_overrides(options.overrides);
    return check_cache_folder(options);
  }
  if (is_mesh_path(options.path)) {
    refuse_overrides(options.overrides);
    return check_mesh_file(options);
  }
  if (is_scene_path(options.path)) return check_scene_file(options);
  throw InputError({.file = options.path}, "is neither a scene, a mesh nor a cache",
                   "name a .toml, .obj, .ply, .off or .stl file, or the folder of a cache");
}

// With --json a refusal is an object on standard output too, for scripts.
int check_and_say(const CheckOptions& options) {
  try {
    return check(options);
  } catch (const Error& error) {
    if (options.json) {
      print_json({{"file", options.path}, {"ok", false}, {"error", app::to_json(error)}});
    }
    throw;
  }
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command =
      app.add_subcommand("check", "Examine a scene, a mesh or a cache before using it");
  command
      ->add_option("FILE", options->path,
                   "A scene (.toml), a mesh (.obj, .ply, .off, .stl) or the folder of a cache")
      ->required()
      ->option_text(" ");
  command
      ->add_option("--set", options->overrides,
                   "Change a key of the scene, e.g. resolution.cells=128")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([options, &action] {
    action = {[options] { return check_and_say(*options); }, {options->path}};
  });
}

}  // namespace spindrift::app
