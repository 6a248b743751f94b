// spindrift mesh: fills a mesh file or a shape with tetrahedra, and says how good they are.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>

#include "spindrift/app/command_line.hpp"
#include "spindrift/app/input_kind.hpp"
#include "spindrift/app/output.hpp"
#include "spindrift/core/log.hpp"
#include "spindrift/core/text.hpp"
#include "spindrift/geometry/mesh_check.hpp"
#include "spindrift/geometry/mesh_repair.hpp"
#include "spindrift/geometry/mesh_shape.hpp"
#include "spindrift/io/tet_mesh_file.hpp"
#include "spindrift/io/vtu.hpp"
#include "spindrift/mesh/boundary.hpp"
#include "spindrift/mesh/quality_text.hpp"
#include "spindrift/meshing/boundary_tags.hpp"
#include "spindrift/meshing/obstacles.hpp"
#include "spindrift/meshing/stuffing.hpp"
#include "spindrift/render/outline.hpp"
#include "spindrift/render/render.hpp"
#include "spindrift/scene/mesh_library.hpp"
#include "spindrift/scene/read.hpp"

namespace spindrift::app {

namespace {

struct MeshOptions {
  std::string input, size, output, picture, stages;
  std::vector<std::string> obstacles;
  bool uniform = false, json = false;
};

double parse_cell_size(const std::string& text) {
  const Location where{.file = "--size"};
  constexpr const char* kAdvice = "write the side of the finest cells in metres, e.g. --size 0.05";
  if (text.empty()) throw InputError(where, "is missing", kAdvice);
  double size = 0;
  const char* end = text.data() + text.size();
  const auto [last, failure] = std::from_chars(text.data(), end, size);
  if (failure == std::errc() && last == end && std::isfinite(size) && size > 0) return size;
  throw InputError(where, fmt::format("'{}' is not a positive length", text), kAdvice);
}

// ---- Input

struct Solid {
  ShapePtr shape;
  TriangleMesh mesh;               // if it is one; it is filled faster than a shape
  double volume = 0;               // m^3; 0: not known
  std::vector<std::string> files;  // that it was read from
};

Solid read_solid(const std::string& path) {
  MeshFile file = read_mesh(path);
  for (const std::string& note : file.notes) log_info("{}: {}", path, note);
  for (const std::string& done : repair_mesh(file.mesh).sentences()) log_info("{}: {}", path, done);
  const MeshReport report = check_mesh(file.mesh, {.find_self_intersections = false});
  if (report.triangles == 0) {
    throw InputError({.file = path}, "nothing is left after safe repair",
                     "use a mesh that encloses a volume");
  }
  if (!report.is_closed()) {
    const MeshDefect& open = report.unbalanced_edges;
    throw InputError(
        {.file = path},
        fmt::format("is not closed: {} left after safe repair, the first at {}",
                    count_of(open.count, "open edge is", "open edges are"),
                    point_text(open.places.front())),
        fmt::format("close it in your modelling tool, or write the shape 'mesh = {{ file = \"{}\", "
                    "fill = \"winding\" }}' instead of the file",
                    path));
  }
  Solid solid;
  solid.shape = make_mesh_shape(file.mesh);
  solid.mesh = std::move(file.mesh);
  solid.volume = report.volume;
  solid.files = {path};
  return solid;
}

Solid parse_solid(const std::string& text) {
  MeshLibrary library;
  Solid solid;
  solid.shape = build_shape(parse_shape(text), library.loader());
  for (const auto& [path, loaded] : library.meshes()) {
    for (const std::string& note : loaded.notes) log_info("{}: {}", path, note);
    for (const std::string& done : loaded.repair.sentences()) log_info("{}: {}", path, done);
    solid.files.push_back(path);
  }
  return solid;
}

Solid make_solid(const std::string& input) {
  if (is_mesh_path(input)) return read_solid(input);
  if (input.find('=') != std::string::npos) return parse_solid(input);
  throw InputError({.file = input}, "is neither a mesh nor a shape",
                   "name a .obj, .ply, .off or .stl file, or write a shape such as "
                   "'sphere = { radius = 1 }'");
}

// One of all of them; none if there are none.
struct Obstacles {
  ShapePtr shape;
  std::vector<std::string> files;
};

Obstacles make_obstacles(const std::vector<std::string>& inputs) {
  Obstacles all;
  std::vector<ShapePtr> shapes;
  for (const std::string& input : inputs) {
    const Solid solid = make_solid(input);
    shapes.push_back(solid.shape);
    all.files.insert(all.files.end(), solid.files.begin(), solid.files.end());
  }
  if (!shapes.empty()) all.shape = make_union(std::move(shapes));
  return all;
}

// Two cells larger than the solid, so that its surface does not touch the sides.
Box3 box_around(const Solid& solid, double size) {
  const Location where{.file = "shape"};
  const Box3 box = solid.shape->bounds();
  if (box.isEmpty()) {
    throw InputError(where, "has no inside", "check its intersections and differences");
  }
  if (!box.min().allFinite() || !box.max().allFinite()) {
    throw InputError(where, "has no end", "intersect it with a box");
  }
  const Vec3 margin = Vec3::Constant(2 * size);
  return {box.min() - margin, box.max() + margin};
}

// ---- Output

void check_output(const std::string& output, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    if (!is_same_file(output, file)) continue;
    throw InputError({.file = output}, "is also the input", "name another file");
  }
}

void add_outlined(Picture& picture, const TriangleMesh& mesh, const Material& material) {
  OutlinedTriangles parts = outline_triangles(mesh);
  Material dark = material;
  dark.color *= 0.3;
  picture.items.push_back({.geometry = std::make_shared<const TriangleMesh>(std::move(parts.inner)),
                           .material = material});
  picture.items.push_back(
      {.geometry = std::make_shared<const TriangleMesh>(std::move(parts.rim)), .material = dark});
}

// The triangles of the outside whose faces have this tag. `boundary` ascends by side.
TriangleMesh tagged_part(const CutAway& rest, std::span<const TaggedFace> boundary, FaceTag tag) {
  TriangleMesh part;
  part.vertices = rest.outer.vertices;
  for (std::size_t i = 0; i < rest.outer_faces.size(); ++i) {
    const auto face =
        std::lower_bound(boundary.begin(), boundary.end(), rest.outer_faces[i],
                         [](const TaggedFace& a, FaceId side) { return a.side < side; });
    if (face->tag == tag) part.triangles.push_back(rest.outer.triangles[i]);
  }
  return part;
}

// The half towards the camera is taken away; where that was cut is in another colour. Faces towards
// air are blue, if it is known which.
void draw_cut_away(const std::string& path, const TetMesh& mesh,
                   std::span<const TaggedFace> boundary) {
  Box3 whole;
  for (const Vec3& v : mesh.vertices) whole.extend(v);
  const CutAway rest = cut_away(mesh, whole.center(), -Vec3::UnitY());
  Picture picture;
  if (boundary.empty()) {
    add_outlined(picture, rest.outer, solid_material());
  } else {
    Material blue = solid_material();
    blue.color = {0.008, 0.065, 0.20};
    add_outlined(picture, tagged_part(rest, boundary, FaceTag::air), blue);
    add_outlined(picture, tagged_part(rest, boundary, FaceTag::solid), solid_material());
  }
  add_outlined(picture, rest.cut, highlight_material());
  RenderParams params;
  params.quality = Quality::final;
  const Box3 box = bounds(picture);
  picture.floor = box.min().z();
  picture.camera = frame_camera(box, static_cast<double>(params.width) / params.height);
  write_png(path, render(picture, params));
}

struct MeshRun {
  TetQuality quality;
  double input_volume = 0;  // m^3; 0: not known
  double seconds = 0;       // of the mesher alone
  std::int64_t standard_tets = 0;
  StuffingReport report;
  bool has_obstacles = false;
  SnapReport snap;
  BoundaryTags tags;
  std::vector<std::string> files;  // written
};

void print_run_json(const MeshRun& run) {
  const TetQuality& quality = run.quality;
  Json object = {{"tets", quality.tets},
                 {"vertices", quality.vertices},
                 {"min_dihedral", quality.min_dihedral.value},
                 {"max_dihedral", quality.max_dihedral.value},
                 {"volume", quality.volume},
                 {"seconds", run.seconds},
                 {"peak_bytes", peak_bytes()},
                 {"min_dihedral_at", app::to_json(quality.min_dihedral.barycentre)},
                 {"max_dihedral_at", app::to_json(quality.max_dihedral.barycentre)},
                 {"dihedrals", quality.dihedrals}};
  if (run.has_obstacles) {
    object.update({{"snapped", run.snap.projected},
                   {"contact", run.snap.contact},
                   {"undone", run.snap.undone},
                   {"air_faces", run.tags.air_faces},
                   {"solid_faces", run.tags.solid_faces},
                   {"mixed_faces", run.tags.mixed.size()},
                   {"air_area", run.tags.air_area},
                   {"solid_area", run.tags.solid_area},
                   {"mixed_area", run.tags.mixed_area}});
  }
  print_json(object);
}

void print_obstacle_words(const MeshRun& run) {
  const SnapReport& snap = run.snap;
  const BoundaryTags& tags = run.tags;
  print_line("  snapped   {} to obstacles, {} to contact lines; {} left, to keep angles",
             count_of(snap.projected, "vertex", "vertices"), with_commas(snap.contact),
             with_commas(snap.undone));
  print_line("  air       {:.6g} m2, {}", tags.air_area, count_of(tags.air_faces, "face", "faces"));
  print_line("  solid     {:.6g} m2, {}", tags.solid_area,
             count_of(tags.solid_faces, "face", "faces"));
  if (tags.mixed.empty()) return;
  print_line("  mixed     {:.6g} m2, {} of the solid ones, between air and obstacles",
             tags.mixed_area, with_commas(std::ssize(tags.mixed)));
}

void print_run_words(const MeshOptions& options, const MeshRun& run) {
  const TetQuality& quality = run.quality;
  const auto tets = static_cast<double>(quality.tets);
  print_line("{}: {}, {}", options.input, count_of(quality.tets, "tetrahedron", "tetrahedra"),
             count_of(quality.vertices, "vertex", "vertices"));
  for (const std::string& line : quality_lines(quality, run.input_volume)) print_line("  {}", line);
  print_line("  standard  {:.1f} % of the tetrahedra have one of the lattice's shapes",
             100 * static_cast<double>(run.standard_tets) / tets);
  if (run.has_obstacles) print_obstacle_words(run);
  print_line("  time      {}, {} tetrahedra a second", duration_text(run.seconds),
             with_commas(std::llround(tets / std::max(run.seconds, 1e-6))));
  print_line("  memory    {} at the peak", bytes_text(static_cast<double>(peak_bytes())));
  for (const std::string& file : run.files) {
    const auto bytes = static_cast<double>(std::filesystem::file_size(file));
    print_line("  written   {}, {}", file, bytes_text(bytes));
  }
}

void make_folder(const std::string& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (std::filesystem::is_directory(folder)) return;
  throw InputError({.file = folder},
                   fmt::format("cannot be a folder: {}",
                               failure ? failure.message() : "there is a file of that name"),
                   "give --stages the name of a folder");
}

// What the mesher had after each stage, in files that sort by it.
std::vector<std::string> write_stages(const std::string& folder,
                                      const std::vector<StuffingStage>& stages) {
  std::vector<std::string> files;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::string name = fmt::format("{}_{}.vtu", i + 1, stages[i].name);
    files.push_back((std::filesystem::path(folder) / name).string());
    write_vtu(files.back(), stages[i].cells);
  }
  return files;
}

// Fills the solid, without the obstacles if there are any, and measures.
TetMesh fill(const Solid& solid, const Obstacles& obstacles, const StuffingParams& params,
             MeshRun& run) {
  run.has_obstacles = obstacles.shape != nullptr;
  const Box3 box = box_around(solid, params.size);
  TetMesh mesh;
  const Stopwatch watch;
  if (run.has_obstacles) {
    mesh = stuff(WithoutObstacles(*solid.shape, *obstacles.shape), box, params, &run.report);
    LiquidBoundary boundary =
        find_liquid_boundary(mesh, find_neighbors(mesh), *solid.shape, *obstacles.shape);
    run.snap = snap_to_obstacles(mesh, boundary, *solid.shape, *obstacles.shape);
    run.tags = tag_boundary(mesh, boundary, *solid.shape, *obstacles.shape);
  } else {
    mesh = solid.mesh.triangles.empty() ? stuff(*solid.shape, box, params, &run.report)
                                        : stuff(solid.mesh, params, &run.report);
    run.input_volume = solid.volume;
  }
  run.seconds = watch.seconds();
  for (const auto& phase : run.report.stats.phases()) {
    log_debug("{}: {:.3f} s", phase.name, phase.value);
  }
  run.quality = measure_quality(mesh);
  run.standard_tets = std::count_if(mesh.shapes.begin(), mesh.shapes.end(),
                                    [](ShapeCode code) { return code.is_standard(); });
  return mesh;
}

int make_mesh(const MeshOptions& options) {
  const double size = parse_cell_size(options.size);
  if (!options.output.empty()) require_tet_mesh_path(options.output);
  if (!options.picture.empty() && !has_extension(options.picture, ".png")) {
    throw InputError({.file = options.picture}, "is not a picture that can be written",
                     "give --picture a name that ends in .png");
  }
  const Solid solid = make_solid(options.input);
  const Obstacles obstacles = make_obstacles(options.obstacles);
  for (const std::string& output : {options.output, options.picture}) {
    if (output.empty()) continue;
    check_output(output, solid.files);
    check_output(output, obstacles.files);
  }

  if (!options.stages.empty()) make_folder(options.stages);

  MeshRun run;
  StuffingParams params;
  params.size = size;
  params.uniform = options.uniform;
  params.keep_stages = !options.stages.empty();
  const TetMesh mesh = fill(solid, obstacles, params, run);
  if (!options.stages.empty()) run.files = write_stages(options.stages, run.report.stages);
  if (!options.output.empty()) {
    write_tet_mesh(options.output, mesh, run.tags.faces);
    run.files.push_back(options.output);
  }
  if (!options.picture.empty()) {
    draw_cut_away(options.picture, mesh, run.tags.faces);
    run.files.push_back(options.picture);
  }
  options.json ? print_run_json(run) : print_run_words(options, run);
  return 0;
}

}  // namespace

void add_mesh(CLI::App& app, Action& action) {
  auto options = std::make_shared<MeshOptions>();
  CLI::App* command = app.add_subcommand("mesh", "Fill a mesh or a shape with tetrahedra");
  command
      ->add_option("INPUT", options->input,
                   "A closed mesh (.obj, .ply, .off, .stl), or a shape such as "
                   "'sphere = { radius = 1 }'")
      ->required()
      ->option_text(" ");
  command
      ->add_option("--size", options->size,
                   "Side of the finest cells, which are those at the surface, in metres")
      ->type_name("H");
  command
      ->add_option("--obstacle", options->obstacles,
                   "A mesh or a shape that INPUT, a liquid, is cut by and fits; once for each. "
                   "Boundary faces are tagged air or solid")
      ->type_name("FILE|SHAPE")
      ->expected(1)
      ->take_all();
  command->add_flag("--uniform", options->uniform,
                    "Finest cells everywhere (default: coarser inside)");
  command
      ->add_option("-o,--output", options->output,
                   "Where to write the mesh (.vtu: ParaView, .msh: Gmsh, .mesh: Medit)")
      ->type_name("FILE");
  command->add_option("--picture", options->picture, "Where to draw the mesh, cut open (.png)")
      ->type_name("FILE");
  command
      ->add_option("--stages", options->stages,
                   "Folder for what the mesher has after each stage (.vtu): octree, cut, warp, "
                   "vertices, tetrahedra")
      ->type_name("FOLDER");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([options, &action] {
    action = {[options] { return make_mesh(*options); }, {options->input}};
    for (const std::string& output : {options->output, options->picture, options->stages}) {
      if (!output.empty()) action.files.push_back(output);
    }
    action.files.insert(action.files.end(), options->obstacles.begin(), options->obstacles.end());
  });
}

}  // namespace spindrift::app
