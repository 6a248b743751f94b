// spindrift info: what a cache holds, from its manifest and what was measured.
#include <map>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>

#include "spindrift/app/command_line.hpp"
#include "spindrift/app/output.hpp"
#include "spindrift/app/run_display.hpp"
#include "spindrift/cache/cache_reader.hpp"
#include "spindrift/cache/checkpoint.hpp"
#include "spindrift/core/text.hpp"

namespace spindrift::app {

namespace {

struct InfoOptions {
  std::string path;
  bool json = false;
};

std::int64_t bytes_in(const std::filesystem::path& folder) {
  std::int64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    std::error_code vanished;  // a run that goes on replaces files
    const std::uintmax_t size = entry.is_regular_file(vanished) ? entry.file_size(vanished) : 0;
    if (!vanished) bytes += static_cast<std::int64_t>(size);
  }
  return bytes;
}

struct MeanSize {
  std::int64_t bytes = 0, files = 0;
  [[nodiscard]] std::int64_t value() const { return files == 0 ? 0 : bytes / files; }
};

// Of the files of a frame, by their names, in bytes.
std::map<std::string, MeanSize> frame_sizes(const Manifest& manifest) {
  std::map<std::string, MeanSize> sizes;
  for (const FrameEntry& frame : manifest.frames) {
    for (const FrameFile& file : frame.files) {
      sizes[file.name].bytes += file.bytes;
      ++sizes[file.name].files;
    }
  }
  return sizes;
}

MeanSize checkpoint_size(const CacheLayout& layout, const std::vector<int>& frames) {
  MeanSize size;
  for (const int frame : frames) {
    std::error_code vanished;  // a run that goes on lets old ones go
    const std::uintmax_t bytes = std::filesystem::file_size(layout.checkpoint(frame), vanished);
    if (vanished) continue;
    size.bytes += static_cast<std::int64_t>(bytes);
    ++size.files;
  }
  return size;
}

// What the frames say of themselves.
std::vector<Json> parse_stats(const CacheReader& cache) {
  std::vector<Json> stats;
  for (const std::string& line : cache.stats()) {
    stats.push_back(Json::parse(line, nullptr, false));
    const Json& last = stats.back();
    if (last.is_object() && last.contains("seconds") && last["seconds"].contains("total")) continue;
    throw InputError(
        {.file = cache.layout().stats().string(), .line = static_cast<int>(stats.size())},
        "is not what spindrift run writes", "restore the file from a copy");
  }
  return stats;
}

int print_info(const InfoOptions& options) {
  const CacheReader cache(options.path);
  const Manifest& manifest = cache.manifest();
  const std::vector<Json> stats = parse_stats(cache);
  double seconds = 0;
  for (const Json& frame : stats) seconds += frame["seconds"]["total"].get<double>();
  const std::int64_t bytes = bytes_in(options.path);
  const bool is_complete = cache.frame_count() >= manifest.frames_asked;
  const std::vector<int> checkpoints = checkpoint_frames(cache.layout());
  const std::map<std::string, MeanSize> sizes = frame_sizes(manifest);
  const MeanSize checkpoint = checkpoint_size(cache.layout(), checkpoints);
  if (options.json) {
    Json frame_bytes = Json::object();
    for (const auto& [name, size] : sizes) frame_bytes[name] = size.value();
    print_json({{"kind", "cache"},
                {"folder", options.path},
                {"format", kCacheFormat},
                {"spindrift", manifest.version},
                {"scene", manifest.scene},
                {"fps", manifest.fps},
                {"frames_asked", manifest.frames_asked},
                {"frames_done", cache.frame_count()},
                {"complete", is_complete},
                {"branch_of", manifest.branch_of.empty() ? Json() : Json(manifest.branch_of)},
                {"checkpoint", !checkpoints.empty()},
                {"checkpoints", checkpoints},
                {"bytes", bytes},
                {"frame_bytes", frame_bytes},
                {"checkpoint_bytes", checkpoint.value()},
                {"seconds", seconds},
                {"last", stats.empty() ? Json() : stats.back()}});
    return 0;
  }
  print_line("{}: {}, by Spindrift {}", options.path, manifest.scene, manifest.version);
  print_line("  frames    {} of {}, {:.4g} a second", with_commas(cache.frame_count()),
             with_commas(manifest.frames_asked), manifest.fps);
  print_line("  size      {}", bytes_text(static_cast<double>(bytes)));
  for (const auto& [name, size] : sizes) {
    print_line("            {} a frame: {}", bytes_text(static_cast<double>(size.value())), name);
  }
  if (checkpoint.files > 0) {
    print_line("            {} a checkpoint", bytes_text(static_cast<double>(checkpoint.value())));
  }
  if (!manifest.branch_of.empty()) print_line("  branch    of {}", manifest.branch_of);
  if (!checkpoints.empty()) {
    print_line("  kept      checkpoints of {} {}", checkpoints.size() == 1 ? "frame" : "frames",
               fmt::join(checkpoints, ", "));
  }
  if (!stats.empty()) {
    print_line("  time      {}, {} a frame", duration_text(seconds),
               duration_text(seconds / static_cast<double>(stats.size())));
    print_line("  last      {}", frame_words(stats.back()));
  }
  if (!is_complete) {
    print_line("  verdict   not finished; spindrift run SCENE --out {} --resume continues it",
               options.path);
  } else {
    print_line("  verdict   complete");
  }
  return 0;
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* command = app.add_subcommand("info", "Say what a cache holds");
  command->add_option("CACHE", options->path, "The folder of a cache")
      ->required()
      ->option_text(" ");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([options, &action] {
    action = {[options] { return print_info(*options); }, {options->path}};
  });
}

}  // namespace spindrift::app
