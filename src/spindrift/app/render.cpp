// spindrift render: a picture of a mesh, a scene, a shape, or frames of a cache.
#include "spindrift/render/render.hpp"

#include <charconv>
#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "spindrift/app/command_line.hpp"
#include "spindrift/app/input_kind.hpp"
#include "spindrift/app/output.hpp"
#include "spindrift/app/render_input.hpp"
#include "spindrift/core/log.hpp"
#include "spindrift/core/progress.hpp"
#include "spindrift/core/stats.hpp"
#include "spindrift/core/text.hpp"

namespace spindrift::app {

namespace {

struct RenderOptions {
  std::string input, output, camera, size, sheet;
  int frame = -1;  // the last
  Quality quality = Quality::draft;
  bool smooth = false;
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

// A draft is there at once; only final pictures are worth a bar.
ProgressStyle progress_style_of(Quality quality) {
  const bool is_wanted = quality == Quality::final && terminal_shows(LogLevel::info);
  return progress_style(!is_wanted, ::isatty(STDERR_FILENO) != 0);
}

class Renderer {
 public:
  explicit Renderer(const RenderOptions& options) : options_(options) {
    if (!has_extension(options.output, ".png")) {
      throw InputError({.file = options.output}, "is not a picture that can be written",
                       "give --output a name that ends in .png");
    }
    std::string size = options.size;
    if (size.empty()) size = options.sheet.empty() ? "960x540" : "1920x1080";
    size_ = parse_extent(size, "--size", "a picture size",
                         "write pixels as WIDTHxHEIGHT, e.g. 960x540");
    if (!options.camera.empty()) wish_ = parse_camera(options.camera);
  }

  int render_picture() {
    const Stopwatch watch;
    Image image;
    if (std::filesystem::is_directory(options_.input)) {
      refuse_overrides(options_.overrides);
      const CacheReader cache(options_.input);
      image = options_.sheet.empty()
                  ? draw(view_of_frame(cache, chosen_frame(cache), options_.smooth), size_)
                  : draw_sheet(cache);
    } else {
      refuse_frames();
      image = draw(view_of(options_.input, options_.smooth, options_.overrides), size_);
    }
    write_png(options_.output, image);
    print_line("{}: {} x {} pixels in {}", options_.output, image.width, image.height,
               duration_text(watch.seconds()));
    return 0;
  }

 private:
  void refuse_frames() const {
    if (options_.frame < 0 && options_.sheet.empty()) return;
    throw InputError({.file = options_.sheet.empty() ? "--frame" : "--sheet"},
                     "only a cache has frames", "name the folder of a cache");
  }

  [[nodiscard]] int chosen_frame(const CacheReader& cache) const {
    return options_.frame >= 0 ? options_.frame : std::max(0, cache.frame_count() - 1);
  }

  // The whole picture has the size that was asked for; frames are evenly spaced, first to last.
  Image draw_sheet(const CacheReader& cache) {
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
      const Image image = draw(view_of_frame(cache, frame, options_.smooth), tile);
      const auto left = static_cast<int>(i % grid.width) * tile.width;
      const auto top = static_cast<int>(i / grid.width) * tile.height;
      for (int y = 0; y < tile.height; ++y) {
        for (int x = 0; x < tile.width; ++x) sheet.set_pixel(left + x, top + y, image.pixel(x, y));
      }
    }
    return sheet;
  }

  Image draw(View view, const Extent& size) {
    RenderParams params;
    params.width = size.width;
    params.height = size.height;
    params.quality = options_.quality;
    const double aspect = static_cast<double>(size.width) / size.height;
    view.picture.camera =
        complete_camera(wish_ ? *wish_ : view.camera, bounds(view.picture), aspect);
    RenderReport report;
    Progress progress(1, {.style = progress_style_of(params.quality)}, write_to_terminal);
    params.progress = [&](double share) { progress.update(share); };
    Image image = render(view.picture, params, &report);
    progress.finish();
    log_debug("tree {}, rays {}, finish {}", duration_text(report.seconds_tree),
              duration_text(report.seconds_rays), duration_text(report.seconds_finish));
    return image;
  }

  const RenderOptions& options_;
  Extent size_;
  std::optional<CameraWish> wish_;
};

}  // namespace

void add_render(CLI::App& app, Action& action) {
  auto options = std::make_shared<RenderOptions>();
  CLI::App* command = app.add_subcommand(
      "render", "Make a picture of a mesh, a scene, a shape, or frames of a cache");
  command
      ->add_option("INPUT", options->input,
                   "A mesh (.obj, .ply, .off, .stl), a scene (.toml), the folder of a cache, or a "
                   "shape such as 'sphere = { radius = 1 }'")
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
  command->add_flag("--smooth", options->smooth, "Shade meshes smoothly (default: flat facets)");
  command->add_option("--set", options->overrides, "Change a key of the scene")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->callback([options, &action] {
    action = {[options] { return Renderer(*options).render_picture(); },
              {options->input, options->output}};
  });
}

}  // namespace spindrift::app
