// Any text is either a scene or an InputError, and a scene survives being written and read.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "spindrift/core/error.hpp"
#include "spindrift/scene/build.hpp"
#include "spindrift/scene/read.hpp"
#include "spindrift/scene/write.hpp"

namespace {

using namespace spindrift;

// What the reader accepts must not trip the makers of shapes and motions.
void build_everything(const Scene& scene) {
  const LoadMesh stand_in = [](const MeshSpec&, const Placement& placement) {
    return make_placed(make_sphere(Vec3::Zero(), 1), placement);
  };
  for (const BodySpec& body : scene.liquid.bodies) (void)build_shape(body.shape, stand_in);
  for (const SourceSpec& source : scene.sources) (void)build_shape(source.shape, stand_in);
  for (const SinkSpec& sink : scene.sinks) (void)build_shape(sink.shape, stand_in);
  for (const ObstacleSpec& obstacle : scene.obstacles) {
    (void)build_shape(obstacle.shape, stand_in);
    if (obstacle.motion) (void)build_motion(*obstacle.motion).pose(1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Scene scene;
  try {
    scene = parse_scene({reinterpret_cast<const char*>(data), size}, "fuzz.toml");
  } catch (const InputError&) {
    return 0;
  }
  build_everything(scene);
  const std::string text = write_scene(scene);
  if (!(parse_scene(text, "again.toml") == scene)) std::abort();
  return 0;
}
