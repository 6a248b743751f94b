// spindrift render: a picture of a mesh, a scene, a shape, or frames of a cache; or a movie of
// them.
#include "spindrift/render/render.hpp"

#include <charconv>
#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "spindrift/app/command_line.hpp"
#include "spindrift/app/frame_range.hpp"
#include "spindrift/app/input_kind.hpp"
#include "spindrift/app/interrupt.hpp"
#include "spindrift/app/output.hpp"
#include "spindrift/app/render_input.hpp"
#include "spindrift/core/log.hpp"
#include "spindrift/core/progress.hpp"
#include "spindrift/core/stats.hpp"
#include "spindrift/core/text.hpp"
#include "spindrift/render/movie.hpp"

namespace spindrift::app {

namespace {

struct RenderOptions {
  std::string input, output, camera, size, sheet, frames;
  int frame = -1;  // the last
  Quality quality = Quality::draft;
  bool smooth = false, water = false;
  std::optional<double> shutter;  // part of a frame
  std::vector<std::string> overrides;
};

struct Extent {
  int width = 0, height = 0;
};

// Two positive numbers around an x. `what` they are and `advice` are for the error at `option`.
Extent parse_extent(const std::string& text, const char* option, const char* what,
                    const char* advice) {
  Extent extent;
  const char* end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, extent.width);
  if (width.ec == std::errc() && width.ptr != end && *width.ptr == 'x') {
    const auto height = std::from_chars(width.ptr + 1, end, extent.height);
    if (height.ec == std::errc() && height.ptr == end && extent.width > 0 && extent.height > 0) {
      return extent;
    }
  }
  throw InputError({.file = option}, fmt::format("'{}' is not {}", text, what), advice);
}

// A draft is there at once; only final pictures and movies are worth a bar.
ProgressStyle bar_if(bool is_worth) {
  const bool is_wanted = is_worth && terminal_shows(LogLevel::info);
  return progress_style(!is_wanted, ::isatty(STDERR_FILENO) != 0);
}

constexpr double kUsualShutter = 0.5;  // of a frame: 180 degrees, as film cameras have it
constexpr double kUsualFps = 24;       // of a mesh, which does not say

class Renderer {
 public:
  explicit Renderer(const RenderOptions& options)
      : options_(options), is_movie_(has_extension(options.output, ".mp4")) {
    if (!is_movie_ && !has_extension(options.output, ".png")) {
      throw InputError({.file = options.output}, "is not a picture or movie that can be written",
                       "give --output a name that ends in .png or .mp4");
    }
    if (!is_movie_ && !options.frames.empty()) {
      throw InputError({.file = "--frames"}, "is for movies",
                       "choose one frame with --frame, or give --output a name that ends in .mp4");
    }
    if (is_movie_ && (options.frame >= 0 || !options.sheet.empty())) {
      throw InputError({.file = options.sheet.empty() ? "--frame" : "--sheet"}, "is for pictures",
                       "choose frames of a movie with --frames A:B");
    }
    std::string size = options.size;
    if (size.empty()) size = options.sheet.empty() ? "960x540" : "1920x1080";
    size_ = parse_extent(size, "--size", "a picture size",
                         "write pixels as WIDTHxHEIGHT, e.g. 960x540");
    if (!options.camera.empty()) wish_ = parse_camera(options.camera);
  }

  int run() {
    const bool is_cache_folder = std::filesystem::is_directory(options_.input);
    if (options_.water && (is_cache_folder || is_scene_path(options_.input))) {
      throw InputError({.file = "--water"}, "is for meshes and shapes",
                       "leave it out: the liquid of scenes and caches is always water");
    }
    if (!is_cache_folder) {
      refuse_frames();
      const Looks looks = looks_at(kUsualFps, 0);
      return render_picture(
          [&] { return draw(view_of(options_.input, looks, options_.overrides), size_); });
    }
    refuse_overrides(options_.overrides);
    const CacheReader cache(options_.input);
    const Looks looks = looks_at(cache.manifest().fps, kUsualShutter);
    if (is_movie_) return render_movie(cache, looks);
    return render_picture([&] {
      return options_.sheet.empty() ? draw(view_of_frame(cache, chosen_frame(cache), looks), size_)
                                    : draw_sheet(cache, looks);
    });
  }

 private:
  template <class Make>
  int render_picture(const Make& make) {
    const Stopwatch watch;
    const Image image = make();
    write_png(options_.output, image);
    print_line("{}: {} x {} pixels in {}", options_.output, image.width, image.height,
               duration_text(watch.seconds()));
    return 0;
  }

  int render_movie(const CacheReader& cache, const Looks& looks) {
    FrameRange range{0, std::max(0, cache.frame_count() - 1)};
    if (!options_.frames.empty()) range = parse_frames(options_.frames);
    (void)cache.frame(range.last);  // the last one is there, then all are
    const int count = range.last - range.first + 1;
    const Stopwatch watch;
    const InterruptGuard guard(kLeavingMovie);  // before there is a file to leave behind
    MovieWriter movie(options_.output,
                      {.width = size_.width, .height = size_.height, .fps = cache.manifest().fps});
    Progress progress(count, {.style = bar_if(true)}, write_to_terminal);
    for (int frame = range.first; frame <= range.last; ++frame) {
      RenderReport report;
      const auto tell = [&](double share) {
        progress.update(frame - range.first + share, fmt::format("frame {}", frame));
      };
      const Image image = draw(view_of_frame(cache, frame, looks), size_, tell, &report);
      if (report.stopped || InterruptGuard::is_requested()) {
        return static_cast<int>(ErrorKind::interrupted);
      }
      movie.add(image);
    }
    movie.finish();
    progress.finish();
    print_line("{}: {} of {} x {} pixels in {}", options_.output,
               count_of(count, "frame", "frames"), size_.width, size_.height,
               duration_text(watch.seconds()));
    return 0;
  }

  [[nodiscard]] Looks looks_at(double fps, double usual_shutter) const {
    return {.smooth = options_.smooth,
            .water = options_.water,
            .shutter = options_.shutter.value_or(usual_shutter) / fps};
  }

  void refuse_frames() const {
    if (options_.frame < 0 && options_.sheet.empty() && !is_movie_) return;
    const char* what = options_.sheet.empty() ? "--frame" : "--sheet";
    throw InputError({.file = is_movie_ ? options_.output : what}, "only a cache has frames",
                     "name the folder of a cache");
  }

  [[nodiscard]] int chosen_frame(const CacheReader& cache) const {
    return options_.frame >= 0 ? options_.frame : std::max(0, cache.frame_count() - 1);
  }

  // The whole picture has the size that was asked for; frames are evenly spaced, first to last.
  Image draw_sheet(const CacheReader& cache, const Looks& looks) {
    const Extent grid = parse_extent(options_.sheet, "--sheet", "a number of columns and rows",
                                     "write COLUMNSxROWS, e.g. 4x3");
    const Extent tile{size_.width / grid.width, size_.height / grid.height};
    if (tile.width == 0 || tile.height == 0) {
      throw InputError({.file = "--sheet"}, "has more frames than the picture has pixels",
                       "write fewer, or a larger --size");
    }
    constexpr int kMost = 32767;  // as for any picture
    if (size_.width > kMost || size_.height > kMost) {
      throw InputError({.file = "--size"}, "is too large", "write at most 32767 pixels a side");
    }
    Image sheet(size_.width, size_.height);
    const std::int64_t tiles = std::int64_t{grid.width} * grid.height;
    for (std::int64_t i = 0; i < tiles; ++i) {
      const std::int64_t last = std::max(0, cache.frame_count() - 1);
      const auto frame =
          static_cast<int>(tiles == 1 ? last : (i * last + (tiles - 1) / 2) / (tiles - 1));
      const Image image = draw(view_of_frame(cache, frame, looks), tile);
      const auto left = static_cast<int>(i % grid.width) * tile.width;
      const auto top = static_cast<int>(i / grid.width) * tile.height;
      for (int y = 0; y < tile.height; ++y) {
        for (int x = 0; x < tile.width; ++x) sheet.set_pixel(left + x, top + y, image.pixel(x, y));
      }
    }
    return sheet;
  }

  // With a bar of its own, for one picture.
  Image draw(View view, const Extent& size) {
    Progress progress(1, {.style = bar_if(options_.quality == Quality::final)}, write_to_terminal);
    RenderReport report;
    Image image = draw(
        std::move(view), size, [&](double share) { progress.update(share); }, &report);
    progress.finish();
    return image;
  }

  Image draw(View view, const Extent& size, const std::function<void(double)>& progress,
             RenderReport* report) {
    RenderParams params;
    params.width = size.width;
    params.height = size.height;
    params.quality = options_.quality;
    params.progress = progress;
    params.should_stop = InterruptGuard::is_requested;
    const double aspect = static_cast<double>(size.width) / size.height;
    view.picture.camera =
        complete_camera(wish_ ? *wish_ : view.camera, bounds(view.picture), aspect);
    Image image = render(view.picture, params, report);
    log_debug("tree {}, rays {}, finish {}", duration_text(report->seconds_tree),
              duration_text(report->seconds_rays), duration_text(report->seconds_finish));
    return image;
  }

  static constexpr std::string_view kLeavingMovie =
      "\ninterrupted: no movie is written; once more ends at once\n";

  const RenderOptions& options_;
  bool is_movie_;
  Extent size_;
  std::optional<CameraWish> wish_;
};

}  // namespace

void add_render(CLI::App& app, Action& action) {
  auto options = std::make_shared<RenderOptions>();
  CLI::App* command = app.add_subcommand(
      "render", "Make a picture of a mesh, a scene, a shape or frames of a cache, or a movie");
  command
      ->add_option("INPUT", options->input,
                   "A mesh (.obj, .ply, .off, .stl), a scene (.toml), the folder of a cache, or a "
                   "shape such as 'sphere = { radius = 1 }'")
      ->required()
      ->option_text(" ");
  command
      ->add_option("-o,--output", options->output,
                   "Where to write the picture (.png) or movie (.mp4)")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--camera", options->camera,
                   "eye=x,y,z:target=x,y,z:fov=degrees, each part optional (default: the scene's "
                   "camera, or a view of everything)")
      ->type_name("CAMERA");
  command->add_option("--quality", options->quality, "draft: in seconds; final: without noise")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Quality>{{"draft", Quality::draft}, {"final", Quality::final}}))
      ->option_text("draft|final");
  command->add_option("--size", options->size, "Pixels (default 960x540; with --sheet 1920x1080)")
      ->type_name("WxH");
  command->add_option("--frame", options->frame, "Frame of a cache (default: the last)")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--sheet", options->sheet,
                   "Frames of a cache, from the first to the last, in columns and rows")
      ->type_name("CxR")
      ->excludes("--frame");
  command->add_option("--frames", options->frames, "Frames A to B of a movie (default: all)")
      ->type_name("A:B");
  command
      ->add_option("--shutter", options->shutter,
                   "Part of a frame over which motion is blurred (default: 0.5 for caches, 0 for "
                   "meshes, whose frames are taken to be 1/24 s)")
      ->type_name("PART")
      ->check(CLI::Range(0.0, 1.0));
  command->add_flag("--water", options->water, "Show a mesh or a shape as water");
  command->add_flag("--smooth", options->smooth, "Shade meshes smoothly (default: flat facets)");
  command->add_option("--set", options->overrides, "Change a key of the scene")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->callback([options, &action] {
    action = {[options] { return Renderer(*options).run(); }, {options->input, options->output}};
  });
}

}  // namespace spindrift::app
