// Preview pictures without a screen or graphics card: rays through an Embree tree, on all cores.
//
//   Picture picture;
//   picture.items.push_back({.geometry = mesh, .material = liquid_material()});
//   picture.camera = frame_camera(bounds(picture), 16.0 / 9);
//   picture.floor = bounds(picture).min().z();
//   write_png("out.png", render(picture, {.quality = Quality::final}));
//
// One sun with soft shadows, a sky with one bounce of light between surfaces, reflections on glossy
// materials. Pictures are honest about meshes: facets look flat unless Item::smooth, nothing is
// hidden because it looks away, and inner sides of triangles that face the camera are magenta.
// The picture has the same bits for any number of threads.
#pragma once

#include <functional>

#include "spindrift/render/image.hpp"
#include "spindrift/render/picture.hpp"

namespace spindrift {

enum class Quality {
  draft,  // 4 samples a pixel, smoothed
  final,  // 32 samples a pixel
};

struct RenderParams {
  int width = 960, height = 540;  // pixels, 1 to 32767
  Quality quality = Quality::draft;
  bool mark_back_faces = true;  // show inner sides in magenta
  // Told the share of rays done, 0 to 1, rising; by one thread at a time.
  std::function<void(double)> progress = {};
};

// Where the time went; the tree is the build of everything that rays meet.
struct RenderReport {
  double seconds_tree = 0, seconds_rays = 0, seconds_finish = 0;
};

// Throws InputError for a camera, size or colour that makes no picture; see also bounds(picture).
[[nodiscard]] Image render(const Picture& picture, const RenderParams& params,
                           RenderReport* report = nullptr);

}  // namespace spindrift
