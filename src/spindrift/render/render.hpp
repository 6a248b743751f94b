// Preview pictures without a screen or graphics card: rays through an Embree tree, on all cores.
//
//   Picture picture;
//   picture.items.push_back({.geometry = mesh, .material = liquid_material()});
//   picture.camera = frame_camera(bounds(picture), 16.0 / 9);
//   picture.floor = bounds(picture).min().z();
//   write_png("out.png", render(picture, {.quality = Quality::final}));
//
// One sun with soft shadows, a sky with one bounce of light between surfaces, reflections on glossy
// materials. Liquids are clear: they mirror, bend and absorb light, and let it through to what lies
// in their shadow; what moves is blurred. Pictures are honest about meshes: facets look flat unless
// Item::smooth, nothing is hidden because it looks away, and inner sides of opaque triangles that
// face the camera are magenta. The picture has the same bits for any number of threads.
#pragma once

#include <functional>

#include "spindrift/render/image.hpp"
#include "spindrift/render/picture.hpp"

namespace spindrift {

enum class Quality {
  draft,  // 4 samples a pixel, 16 where they differ much, smoothed; faint reflections inside of
          // water are left out
  final,  // 32 samples a pixel
};

struct RenderParams {
  int width = 960, height = 540;  // pixels, 1 to 32767
  Quality quality = Quality::draft;
  bool mark_back_faces = true;  // show inner sides in magenta
  // Told the share of rays done, 0 to 1, rising; by one thread at a time.
  std::function<void(double)> progress = {};
  // Asked now and then, by any thread; true ends the work, with the picture unfinished.
  std::function<bool()> should_stop = {};
};

// Where the time went; the tree is the build of everything that rays meet.
struct RenderReport {
  double seconds_tree = 0, seconds_rays = 0, seconds_finish = 0;
  bool stopped = false;  // by RenderParams::should_stop
};

// A picture as light: linear, rows from the top.
struct LightImage {
  int width = 0, height = 0;
  std::vector<Vec3f> pixels;
};

// Throws InputError for a camera, size or colour that makes no picture; see also bounds(picture).
[[nodiscard]] LightImage render_light(const Picture& picture, const RenderParams& params,
                                      RenderReport* report = nullptr);
// Light to bytes: a filmic curve, sRGB, and dither against bands.
[[nodiscard]] Image develop(const LightImage& light);
// Both.
[[nodiscard]] Image render(const Picture& picture, const RenderParams& params,
                           RenderReport* report = nullptr);

}  // namespace spindrift
