// spindrift run: from a scene to a cache of frames.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <memory>

#include <CLI/CLI.hpp>

#include "spindrift/app/command_line.hpp"
#include "spindrift/app/input_kind.hpp"
#include "spindrift/app/interrupt.hpp"
#include "spindrift/app/output.hpp"
#include "spindrift/app/run_display.hpp"
#include "spindrift/app/run_loop.hpp"
#include "spindrift/core/log.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/core/text.hpp"
#include "spindrift/scene/read.hpp"

namespace spindrift::app {

namespace {

struct RunOptions {
  std::string scene, out, frames;
  std::vector<std::string> overrides;
  bool resume = false, json = false;
};

struct FrameRange {
  int first = 0, last = 0;
};

FrameRange parse_frames(const std::string& text) {
  FrameRange range;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, range.first);
  if (first.ec == std::errc() && first.ptr != end && *first.ptr == ':') {
    const auto last = std::from_chars(first.ptr + 1, end, range.last);
    constexpr int kMost = 999'999'998;  // frames have folders of at most nine digits
    const bool is_range = range.first >= 0 && range.first <= range.last && range.last <= kMost;
    if (last.ec == std::errc() && last.ptr == end && is_range) return range;
  }
  throw InputError({.file = "--frames"}, fmt::format("'{}' is not a range of frames", text),
                   "write the first and the last one, e.g. 0:24");
}

// Frames follow from one another: there is no beginning in the middle.
void check_first_frame(const FrameRange& range, int next) {
  if (range.first == 0 || range.first == next) return;
  throw InputError(
      {.file = "--frames"}, fmt::format("cannot begin at frame {}", range.first),
      next == 0 ? fmt::format("write 0:{}; every frame needs those before it", range.last)
                : fmt::format("the next frame is {}: write {}:{}, or 0:{} for all up to the last",
                              next, next, std::max(next, range.last), range.last));
}

std::string shell_word(const std::string& word) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-+=:,./@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// The command that continues this one.
std::string resume_command(const RunOptions& options, const std::string& folder) {
  std::string text = fmt::format("spindrift run {} --out {} --resume", shell_word(options.scene),
                                 shell_word(folder));
  if (!options.frames.empty()) {
    text += fmt::format(" --frames 0:{}", parse_frames(options.frames).last);
  }
  for (const std::string& change : options.overrides) text += " --set " + shell_word(change);
  return text;
}

void warn_of_missing_outputs(const Scene& scene) {
  std::vector<std::string> missing;
  if (scene.output.mesh) missing.emplace_back("output.mesh");
  if (scene.output.levelset) missing.emplace_back("output.levelset");
  if (missing.empty()) return;
  log_warning("{} not written yet by this version of Spindrift: the cache will hold {}",
              missing.size() == 1 ? missing[0] + " is" : missing[0] + " and " + missing[1] + " are",
              scene.output.surface ? "surfaces only" : "no surfaces either");
}

class Run {
 public:
  Run(const RunOptions& options, const MakeSimulation& make_simulation)
      : options_(options), make_simulation_(make_simulation) {}

  int run() {
    const Scene scene = load_scene(options_.scene, options_.overrides);
    FrameRange range{0, scene.time.frames};
    if (!options_.frames.empty()) range = parse_frames(options_.frames);
    if (!options_.resume) check_first_frame(range, 0);
    folder_ = options_.out.empty() ? scene.name + ".cache" : options_.out;
    MeshLibrary library;
    const SceneShapes shapes = build_scene_shapes(scene, library);
    try {
      return fill_cache(scene, shapes, range);
    } catch (const Error& error) {
      rethrow_with_advice(error);
    }
  }

 private:
  int fill_cache(const Scene& scene, const SceneShapes& shapes, const FrameRange& range) {
    const CacheParams params{.version = SPINDRIFT_VERSION, .last_frame = range.last};
    CacheWriter cache = options_.resume ? CacheWriter::resume(folder_, scene, params)
                                        : CacheWriter::create(folder_, scene, params);
    frames_done_ = cache.next_frame();
    has_begun_ = true;
    check_first_frame(range, frames_done_);
    add_log_file(cache.layout().log());
    log_info("{}: {}, frames {} to {}", folder_, scene.name, frames_done_, range.last);
    log_debug("Spindrift {}, {}", SPINDRIFT_VERSION, count_of(thread_limit(), "thread", "threads"));
    warn_of_missing_outputs(scene);
    if (frames_done_ > range.last) {
      log_info("all frames up to {} are there already", range.last);
      return 0;
    }
    const InterruptGuard guard;
    RunDisplay display(range.last - frames_done_ + 1, options_.json);
    const auto make = [&] { return make_simulation_(scene, shapes); };
    const RunHooks hooks{.frame_done =
                             [&](const Json& stats) {
                               ++frames_done_;
                               display.frame_done(stats);
                               log_debug("{}", frame_words(stats));
                             },
                         .progress = [&](double frames) { display.progress(frames); },
                         .wants_stop = InterruptGuard::is_requested};
    const RunEnd end = run_frames(make, cache, scene, range.last, hooks);
    display.finish();
    if (end == RunEnd::done) return 0;
    log_warning("interrupted after frame {}; continue with: {}", frames_done_ - 1,
                resume_command(options_, folder_));
    return static_cast<int>(ErrorKind::interrupted);
  }

  // Says how to go on after what is no fault of the scene.
  [[noreturn]] void rethrow_with_advice(const Error& error) const {
    if (error.kind() == ErrorKind::bad_input || !has_begun_) throw;
    std::string advice = error.advice();
    if (!advice.empty()) advice += "; ";
    if (frames_done_ == 0) {
      advice += "no frame was finished";
    } else {
      advice += fmt::format("the checkpoint of frame {} is in {}: continue with {}",
                            frames_done_ - 1, CacheLayout{folder_}.checkpoints().string(),
                            resume_command(options_, folder_));
    }
    throw Error(error.kind(), error.location(), error.problem(), advice);
  }

  const RunOptions& options_;
  const MakeSimulation& make_simulation_;
  std::string folder_;
  int frames_done_ = 0;  // by this run and those before it
  bool has_begun_ = false;
};

}  // namespace

void add_run(CLI::App& app, Action& action, const MakeSimulation& make_simulation) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Simulate a scene, frame by frame, into a cache");
  command->add_option("SCENE", options->scene, "A scene (.toml)")->required()->option_text(" ");
  command
      ->add_option("--out", options->out,
                   "Folder of the cache (default: NAME.cache, by the name of the scene)")
      ->type_name("FOLDER");
  command
      ->add_option("--frames", options->frames,
                   "Make frames A to B (default: 0 to the scene's time.frames)")
      ->type_name("A:B");
  command
      ->add_option("--set", options->overrides,
                   "Change a key of the scene, e.g. resolution.cells=128")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_flag("--resume", options->resume, "Continue a cache that is not finished");
  command->add_flag("--json", options->json, "Print one JSON object a frame");
  command->callback([options, make_simulation, &action] {
    action = {[options, make_simulation] { return Run(*options, make_simulation).run(); },
              {options->scene}};
    if (!options->out.empty()) action.files.push_back(options->out);
  });
}

}  // namespace spindrift::app
