// spindrift run: from a scene to a cache of frames.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include "spindrift/app/command_line.hpp"
#include "spindrift/app/frame_range.hpp"
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
  std::string scene, out, frames, branch;
  std::vector<std::string> overrides;
  bool resume = false, json = false;
};

// Where --branch begins.
struct BranchPlace {
  std::string cache;
  int frame = 0;
};

BranchPlace parse_branch(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  BranchPlace place;
  if (colon != std::string::npos && colon > 0) {
    place.cache = text.substr(0, colon);
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + colon + 1, end, place.frame);
    if (read.ec == std::errc() && read.ptr == end && place.frame >= 0) return place;
  }
  throw InputError({.file = "--branch"}, fmt::format("'{}' names no frame of a cache", text),
                   "write the cache and the frame, e.g. dam_break.cache:24");
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
  // A branch has its scene with it, all changes made.
  const bool is_branch = !options.branch.empty();
  const std::string scene = is_branch ? CacheLayout{folder}.scene().string() : options.scene;
  std::string text =
      fmt::format("spindrift run {} --out {} --resume", shell_word(scene), shell_word(folder));
  if (!options.frames.empty()) {
    text += fmt::format(" --frames 0:{}", parse_frames(options.frames).last);
  }
  if (is_branch) return text;
  for (const std::string& change : options.overrides) text += " --set " + shell_word(change);
  return text;
}

void expect_outputs_can_be_written(const Scene& scene) {
  if (!scene.output.levelset || has_vdb()) return;
  throw InputError({.file = "output.levelset"}, "this Spindrift was built without OpenVDB",
                   "leave it out, or build with SPINDRIFT_OPENVDB=ON");
}

class Run {
 public:
  Run(const RunOptions& options, const MakeSimulation& make_simulation)
      : options_(options), make_simulation_(make_simulation) {}

  int run() {
    std::optional<Branch> branch;
    if (!options_.branch.empty()) {
      const BranchPlace place = parse_branch(options_.branch);
      branch.emplace(place.cache, place.frame);
    }
    const std::filesystem::path scene_path = options_.scene.empty()
                                                 ? branch->cache().layout().scene()
                                                 : std::filesystem::path(options_.scene);
    const Scene scene = load_scene(scene_path, options_.overrides);
    expect_outputs_can_be_written(scene);
    FrameRange range{0, scene.time.frames};
    if (!options_.frames.empty()) range = parse_frames(options_.frames);
    if (!options_.resume) check_first_frame(range, 0);
    folder_ = options_.out.empty() ? scene.name + ".cache" : options_.out;
    MeshLibrary library;
    const SceneShapes shapes = build_scene_shapes(scene, library);
    try {
      return fill_cache(scene, shapes, range, branch ? &*branch : nullptr);
    } catch (const Error& error) {
      rethrow_with_advice(error);
    }
  }

 private:
  CacheWriter open_cache(const Scene& scene, const CacheParams& params,
                         const Branch* branch) const {
    if (branch != nullptr) return CacheWriter::branch(folder_, scene, params, *branch);
    return options_.resume ? CacheWriter::resume(folder_, scene, params)
                           : CacheWriter::create(folder_, scene, params);
  }

  int fill_cache(const Scene& scene, const SceneShapes& shapes, const FrameRange& range,
                 const Branch* branch) {
    const CacheParams params{.version = SPINDRIFT_VERSION, .last_frame = range.last};
    CacheWriter cache = open_cache(scene, params, branch);
    frames_done_ = cache.next_frame();
    has_begun_ = true;
    check_first_frame(range, frames_done_);
    add_log_file(cache.layout().log());
    log_info("{}: {}, frames {} to {}", folder_, scene.name, frames_done_, range.last);
    log_debug("Spindrift {}, {}", SPINDRIFT_VERSION, count_of(thread_limit(), "thread", "threads"));
    if (frames_done_ > range.last) {
      log_info("all frames up to {} are there already", range.last);
      return 0;
    }
    const InterruptGuard guard;
    RunDisplay display(range.last - frames_done_ + 1, options_.json);
    const auto make = [&] { return make_simulation_(scene, shapes); };
    RunHooks hooks{.frame_done =
                       [&](const Json& stats) {
                         ++frames_done_;
                         display.frame_done(stats);
                         log_debug("{}", frame_words(stats));
                       },
                   .progress = [&](double frames) { display.progress(frames); },
                   .wants_stop = InterruptGuard::is_requested};
    MeshLibrary library;
    if (branch != nullptr) {
      log_info("branching from {}", branch->text());
      hooks.branch = [&](Simulation& simulation) {
        const Scene& old_scene = branch->cache().scene();
        simulation.branch(branch->checkpoint().state(), old_scene,
                          build_scene_shapes(old_scene, library));
      };
    }
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
    const CacheLayout layout{folder_};
    // Looked for: what went wrong may be that they were deleted.
    const std::vector<int> checkpoints = checkpoint_frames(layout);
    if (is_cache(folder_) && frames_done_ == 0) {
      advice += "no frame was finished";
    } else if (!is_cache(folder_) || checkpoints.empty()) {
      advice += "nothing is left to continue: run the scene from its start";
    } else {
      advice +=
          fmt::format("the checkpoint of frame {} is in {}: continue with {}", checkpoints.back(),
                      layout.checkpoints().string(), resume_command(options_, folder_));
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
  command
      ->add_option("SCENE", options->scene,
                   "A scene (.toml); with --branch, that of the cache if left out")
      ->option_text(" ");
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
  command
      ->add_option("--branch", options->branch,
                   "Begin a new cache at a frame of another one, with the changes of --set")
      ->type_name("CACHE:FRAME")
      ->excludes("--resume");
  command->add_flag("--json", options->json, "Print one JSON object a frame");
  command->callback([options, make_simulation, &action] {
    if (options->scene.empty() && options->branch.empty()) throw CLI::RequiredError("SCENE");
    action = {[options, make_simulation] { return Run(*options, make_simulation).run(); }, {}};
    if (!options->scene.empty()) action.files.push_back(options->scene);
    if (!options->out.empty()) action.files.push_back(options->out);
  });
}

}  // namespace spindrift::app
