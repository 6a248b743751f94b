#include "spindrift/render/render.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numbers>

#include <fmt/format.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/core/stats.hpp"
#include "spindrift/render/integrator.hpp"
#include "spindrift/render/lines.hpp"
#include "spindrift/render/ray_scene.hpp"
#include "spindrift/render/smooth_light.hpp"
#include "spindrift/render/studio.hpp"

namespace spindrift {

namespace {

using namespace render_detail;

constexpr int kTile = 16;  // pixels: neighbouring rays meet the same part of the tree

struct Effort {
  Integrator::SampleCount samples;
  int smooth_passes;  // see smooth_light
  bool draw_ways;     // see Integrator::Params
  int caustic_rays;
};

Effort effort_of(Quality quality) {
  return quality == Quality::draft ? Effort{{4, 16}, 3, false, 512}
                                   : Effort{{32, 32}, 2, true, 1024};
}

void check(const RenderParams& params) {
  constexpr int kMost = 32767;
  if (params.width < 1 || params.height < 1 || params.width > kMost || params.height > kMost) {
    throw InputError({.file = "--size"},
                     fmt::format("a picture cannot be {}x{}", params.width, params.height),
                     fmt::format("write a width and a height from 1 to {}", kMost));
  }
}

View view_of(const Camera& camera, const CameraAxes& axes, const LocalFrame& frame,
             const RenderParams& params) {
  const double half = std::tan(camera.fov_degrees * std::numbers::pi / 360);
  return {.eye = frame.to_local(camera.eye),
          .right = half * params.width / params.height * axes.right,
          .up = half * axes.up,
          .forward = axes.forward,
          .width = params.width,
          .height = params.height};
}

std::vector<Pixel> trace_pixels(const Integrator& integrator, const RenderParams& params,
                                const Integrator::SampleCount& samples, RenderReport& report) {
  const int width = params.width, height = params.height;
  std::vector<Pixel> pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  const int across = (width + kTile - 1) / kTile, down = (height + kTile - 1) / kTile;
  const std::int64_t tiles = std::int64_t{across} * down;
  std::mutex mutex;
  std::int64_t done = 0;
  std::atomic<bool> stopped = false;
  const auto trace_tile = [&](std::int64_t tile) {
    if (params.should_stop && !stopped && params.should_stop()) stopped = true;
    if (stopped) return;
    const int left = static_cast<int>(tile % across) * kTile;
    const int top = static_cast<int>(tile / across) * kTile;
    const Integrator::Area area{left, top, std::min(width, left + kTile),
                                std::min(height, top + kTile)};
    const std::vector<Pixel> traced = integrator.pixels(area, samples);
    auto from = traced.begin();
    for (int y = area.top; y < area.bottom; ++y, from += area.right - area.left) {
      std::copy(from, from + (area.right - area.left),
                pixels.begin() + static_cast<std::ptrdiff_t>(y) * width + area.left);
    }
    if (!params.progress) return;
    const std::lock_guard lock(mutex);
    params.progress(static_cast<double>(++done) / static_cast<double>(tiles));
  };
  parallel_for_each(tiles, trace_tile, 1);
  report.stopped = stopped;
  return pixels;
}

}  // namespace

LightImage render_light(const Picture& picture, const RenderParams& params, RenderReport* report) {
  check(params);
  const CameraAxes axes = camera_axes(picture.camera);
  const Effort effort = effort_of(params.quality);
  const int width = params.width, height = params.height;
  RenderReport times;

  Stopwatch tree_watch;
  const RayScene scene(picture);
  times.seconds_tree = tree_watch.seconds();

  Stopwatch ray_watch;
  const Studio studio(picture, axes);
  const View view = view_of(picture.camera, axes, scene.frame(), params);
  const Integrator integrator(picture, scene, studio, view,
                              {.mark_back_faces = params.mark_back_faces,
                               .draw_ways = effort.draw_ways,
                               .caustic_rays = effort.caustic_rays});
  std::vector<Pixel> pixels = trace_pixels(integrator, params, effort.samples, times);
  times.seconds_rays = ray_watch.seconds();

  Stopwatch finish_watch;
  smooth_light(pixels, width, height, effort.samples.least, effort.smooth_passes);
  if (picture.domain && !picture.domain->isEmpty()) {
    const Box3 box(scene.frame().to_local(picture.domain->min()),
                   scene.frame().to_local(picture.domain->max()));
    draw_box(box, view, 0.12f * studio.backdrop(), pixels);
  }
  LightImage image{width, height, std::vector<Vec3f>(pixels.size())};
  std::transform(pixels.begin(), pixels.end(), image.pixels.begin(),
                 [](const Pixel& pixel) { return pixel.light(); });
  times.seconds_finish = finish_watch.seconds();
  if (report != nullptr) *report = times;
  return image;
}

Image develop(const LightImage& light) {
  Image image(light.width, light.height);
  // Half a step of dither, the same in all channels, hides the bands that gentle gradients would
  // show.
  const auto develop_row = [&](std::int64_t row) {
    const int y = static_cast<int>(row);
    for (int x = 0; x < light.width; ++x) {
      const Vec3f& pixel = light.pixels[static_cast<std::size_t>(row) * light.width + x];
      const float dither =
          unit_float(hash(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(~y)));
      Rgb rgb;
      for (int k = 0; k < 3; ++k) {
        rgb[k] = static_cast<std::uint8_t>(255 * srgb_encode(tone(pixel[k])) + dither);
      }
      image.set_pixel(x, y, rgb);
    }
  };
  parallel_for_each(light.height, develop_row, 16);
  return image;
}

Image render(const Picture& picture, const RenderParams& params, RenderReport* report) {
  const LightImage light = render_light(picture, params, report);
  const Stopwatch watch;
  Image image = develop(light);
  if (report != nullptr) report->seconds_finish += watch.seconds();
  return image;
}

}  // namespace spindrift
