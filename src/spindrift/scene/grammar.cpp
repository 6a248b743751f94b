// The grammar of scenes: every key with its type, unit, range and meaning.
#include "spindrift/scene/grammar.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

namespace spindrift {

// Found by the templates of grammar.hpp, and by nobody else.
static void describe(Visitor& v, TimeSettings& time) {
  v.number({"fps", "frames per second of the animation"}, time.fps, between(1e-3, 1e5, "1/s"));
  v.integer({"frames", "number of frames after the initial one; frame n is at n / fps"},
            time.frames, between(0, 1e6, ""));
  v.number({"cfl", "how far the liquid may travel in a step, in finest octants"}, time.cfl,
           above(0, "octants", 100));
  if (!v.has("max_step", true)) time.max_step = 1 / time.fps;
  v.number({.name = "max_step",
            .meaning = "longest step; steps also end at each frame",
            .default_text = "1 / fps"},
           time.max_step, above(0, "s", 1e3));
}

static void describe(Visitor& v, DomainSettings& domain) {
  vec3(v, {"min", "lower corner", true}, domain.min, {.range = any("m")});
  vec3(v, {"max", "upper corner", true}, domain.max, {.range = any("m")});
  require_order(v, domain.min, domain.max);
  v.table({.name = "sides", .meaning = "what closes each side of the box", .type = "sides"}, [&] {
    constexpr std::array<const char*, 6> kNames = {"x_min", "x_max", "y_min",
                                                   "y_max", "z_min", "z_max"};
    static const std::array<std::string, 2> kWords = {"wall", "open"};
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      choice(v, {kNames[i], "`wall` holds the liquid; through `open` it leaves, and is booked"},
             domain.sides[i], kWords);
    }
  });
}

static void describe(Visitor& v, ResolutionSettings& resolution, const DomainSettings& domain) {
  constexpr int kCoarsest = 4, kFinest = 1 << 16;  // octants along the longest side
  const auto cells = [&] {
    resolution.size.reset();
    if (!resolution.cells) resolution.cells.emplace();
    v.integer({"cells", "finest octants along the longest side of the domain"}, *resolution.cells,
              between(kCoarsest, kFinest, "octants"));
  };
  const auto size = [&] {
    resolution.cells.reset();
    if (!resolution.size) resolution.size.emplace();
    v.number({"size", "edge of a finest octant"}, *resolution.size, above(0, "m"));
    const double side = (domain.max - domain.min).maxCoeff();
    const double octants = side / *resolution.size;
    v.require(
        octants >= kCoarsest && octants <= kFinest, {"size"},
        fmt::format("size gives {:.3g} octants along the longest side", octants),
        fmt::format("write a length from {:.3g} to {:.3g} m", side / kFinest, side / kCoarsest));
  };
  v.one_of(std::array<Visitor::Alternative, 2>{{{"cells", resolution.cells.has_value(), cells},
                                                {"size", resolution.size.has_value(), size}}});
  v.integer({"surface", "the surface grid is this many times finer than the finest octants"},
            resolution.surface, between(1, 8, ""));
}

static void describe(Visitor& v, SolverSettings& solver) {
  static const std::array<std::string, 2> kWords = {"consistent", "two_point"};
  choice(v,
         {"projection",
          "pressure operator: `consistent` keeps pools at rest, `two_point` is the papers'"},
         solver.projection, kWords);
  v.number({"tolerance", "the pressure solve ends at this residual, relative to its start"},
           solver.tolerance, above(0, "", 0.1));
}

static void describe(Visitor& v, VolumeSettings& volume) {
  v.flag({"control", "steer the volume of each body of liquid back to what the ledger expects"},
         volume.control);
}

static void describe(Visitor& v, ThickeningSettings& t) {
  v.flag(
      {"enabled",
       "hold thin sheets, strands and drops: they carry their volume, and get cells of their own"},
      t.enabled);
  v.number({"redistribution",
            "how near thicker parts must be to take what small ones have; 0: thin sheets hold "
            "together; larger: they break up more easily"},
           t.redistribution, between(0, 3, "voxels"));
  v.number({"thinness", "thinner parts grow until they are shown as thick as this"}, t.thinness,
           between(0, 10, "voxels"));
  v.number({"small", "parts no thicker than this give what they carry to thicker ones near by"},
           t.small, between(0, 10, "voxels"));
  v.number({"grow_big",
            "by how much half the thickness of thin parts grows on a way of eight voxels, up to "
            "thinness"},
           t.grow_big, between(0, 1, "voxels"));
  v.number({"grow_small", "the same for small parts without thicker ones near by"}, t.grow_small,
           between(0, 1, "voxels"));
  v.number({"mesh_thinness", "where liquid is thinner than this, the mesh is thickened"},
           t.mesh_thinness, between(0, 10, "octants"));
  v.number({"mesh_radius", "half the thickness that the mesh has at least"}, t.mesh_radius,
           between(0, 10, "octants"));
  v.number({"mesh_support", "reach of one thickening particle of the mesh"}, t.mesh_support,
           above(0, "octants", 16));
}

static void describe(Visitor& v, BodySpec& body) {
  v.locate(body.location);
  shape(v, "the liquid at the start", body.shape);
  vec3(v, {"velocity", "its velocity at the start"}, body.velocity, {.range = any("m/s")});
}

static void describe(Visitor& v, LiquidSettings& liquid) {
  v.number({"density", "mass per volume"}, liquid.density, between(1e-3, 1e6, "kg/m³"));
  vec3(v, {"gravity", "acceleration of everything"}, liquid.gravity, {.range = any("m/s²")});
  list(v, {"body", "liquid that is there at the start"}, liquid.bodies);
}

static void describe(Visitor& v, ObstacleSpec& obstacle) {
  v.locate(obstacle.location);
  shape(v, "a solid that the liquid flows around, as drawn", obstacle.shape);
  const Key motion{.name = "motion",
                   .meaning = "how it moves from where it is drawn",
                   .default_text = "at rest",
                   .type = "motion"};
  optional(v, motion, obstacle.motion, [&](MotionSpec& spec) { table(v, motion, spec); });
}

static void describe(Visitor& v, SourceSpec& source) {
  v.locate(source.location);
  shape(v, "filled with liquid while the source is active; what that adds is booked", source.shape);
  vec3(v, {"velocity", "velocity of the liquid within"}, source.velocity, {.range = any("m/s")});
  v.number({"start", "active from this time"}, source.start, between(0, kLargestNumber, "s"));
  const Key stop{.name = "stop", .meaning = "active until this time", .default_text = "never"};
  optional(v, stop, source.stop,
           [&](double& time) { v.number(stop, time, between(0, kLargestNumber, "s")); });
  if (source.stop) {
    v.require(*source.stop > source.start, {"stop", "start"},
              fmt::format("stop is {}, not after start, which is {}", *source.stop, source.start),
              "write a later time, or leave stop out to pour for ever");
  }
}

static void describe(Visitor& v, SinkSpec& sink) {
  v.locate(sink.location);
  shape(v, "liquid that enters vanishes, and is booked", sink.shape);
}

static void describe(Visitor& v, ProbeSpec& probe, const DomainSettings& domain) {
  v.locate(probe.location);
  v.name({"name", "its file is probes/NAME.csv", true}, probe.name);
  static const std::array<std::string, 3> kWords = {"height", "pressure", "velocity"};
  choice(v, {"kind", "what it measures: `height` of the surface (m), `pressure` (Pa), `velocity`"},
         probe.kind, kWords);
  const std::size_t size = probe.kind == ProbeKind::height ? 2 : 3;
  v.vector({"at", "where: [x, y] for `height`, otherwise [x, y, z]", true},
           std::span(probe.at.data(), size), {.range = any("m"), .smallest_size = 2});
  bool is_inside = true;
  for (std::size_t i = 0; i < size; ++i) {
    is_inside &= probe.at[i] >= domain.min[i] && probe.at[i] <= domain.max[i];
  }
  v.require(is_inside, {"at"}, "at is outside the domain",
            "write a place between min and max of [domain]");
}

static void describe(Visitor& v, OutputSettings& output) {
  v.flag({"surface", "surface.ply: triangles with velocities"}, output.surface);
  v.flag({"mesh", "mesh.vtu: the tetrahedra with velocity and pressure"}, output.mesh);
  v.flag({"levelset", "surface.vdb: signed distance and velocity on grids"}, output.levelset);
}

static void describe(Visitor& v, CameraSettings& camera) {
  vec3(v, {"eye", "where the camera is", true}, camera.eye, {.range = any("m")});
  vec3(v, {"target", "what it looks at", true}, camera.target, {.range = any("m")});
  v.require((camera.eye - camera.target).norm() > kSmallestLength, {"target", "eye"},
            "target is the same point as eye", "write what the camera looks at");
  v.number({"fov", "vertical angle of view"}, camera.fov, between(1, 170, "degrees"));
}

static void describe_probes(Visitor& v, Scene& scene) {
  std::set<std::string> names;
  v.list({"probe", "a gauge, written at every step"}, 0, scene.probes.size(), [&](std::size_t i) {
    if (i == scene.probes.size()) scene.probes.emplace_back();
    ProbeSpec& probe = scene.probes[i];
    describe(v, probe, scene.domain);
    v.require(names.insert(probe.name).second, {"name"},
              fmt::format("another probe is called {} too", probe.name),
              "give each probe a name of its own");
  });
}

void describe(Visitor& v, Scene& scene) {
  v.locate(scene.location);
  int format = kSceneFormat;
  v.integer({"format", "version of the scene format", true}, format,
            between(kSceneFormat, kSceneFormat, ""));
  v.name({.name = "name",
          .meaning = "name of the scene; not inherited from `base`",
          .default_text = "the file's name"},
         scene.name);
  // Read before all else (layers.cpp), so that no scene holds it any more.
  std::optional<FileSpec> base;
  const Key base_key{.name = "base",
                     .meaning = "another scene file, relative to this one, that this one changes",
                     .default_text = "none"};
  optional(v, base_key, base, [&](FileSpec& file) { v.file(base_key, file); });

  table(v, {"time", "frames and steps"}, scene.time);
  table(v, {"domain", "the box in which everything happens", true}, scene.domain);
  v.table({"resolution", "how fine", true}, [&] { describe(v, scene.resolution, scene.domain); });
  table(v, {"solver", "pressure"}, scene.solver);
  table(v, {"volume", "the ledger of volume"}, scene.volume);
  table(v, {"thickening", "care for thin sheets and drops, with the paper's defaults"},
        scene.thickening);
  table(v, {"liquid", "what flows"}, scene.liquid);
  list(v, {"obstacle", "a solid, at rest or moving"}, scene.obstacles);
  list(v, {"source", "liquid that comes in"}, scene.sources);
  list(v, {"sink", "liquid that goes"}, scene.sinks);
  describe_probes(v, scene);
  table(v, {"output", "what each frame of the cache holds"}, scene.output);
  const Key camera{.name = "camera",
                   .meaning = "the view of preview pictures; z is up",
                   .default_text = "shows the whole domain"};
  optional(v, camera, scene.camera, [&](CameraSettings& spec) { table(v, camera, spec); });
}

}  // namespace spindrift
