// A scene with all that a liquid keeps referring to.
//
//   test::SceneRun run(toml);
//   const FrameReport report = run.liquid.advance_frame();
#pragma once

#include <string>
#include <utility>

#include "spindrift/scene/read.hpp"
#include "spindrift/sim/liquid.hpp"

namespace spindrift::test {

struct SceneRun {
  explicit SceneRun(const std::string& toml, const LiquidParams& params = {})
      : SceneRun(parse_scene(toml, "test"), params) {}
  explicit SceneRun(Scene scene_in, const LiquidParams& params = {})
      : scene(std::move(scene_in)),
        shapes(build_scene_shapes(scene, library)),
        liquid(scene, shapes, params) {}
  // With a liquid of a shape that scenes do not know in place of their one body.
  SceneRun(Scene scene_in, ShapePtr body, const LiquidParams& params = {})
      : scene(std::move(scene_in)),
        shapes(with_body(build_scene_shapes(scene, library), std::move(body))),
        liquid(scene, shapes, params) {}

  Scene scene;
  MeshLibrary library;
  SceneShapes shapes;
  Liquid liquid;

 private:
  static SceneShapes with_body(SceneShapes shapes_in, ShapePtr body) {
    shapes_in.bodies = {std::move(body)};
    return shapes_in;
  }
};

}  // namespace spindrift::test
