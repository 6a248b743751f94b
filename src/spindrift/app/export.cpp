// spindrift export: the frames of a cache as files of other programs.
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>

#include "spindrift/app/command_line.hpp"
#include "spindrift/app/frame_range.hpp"
#include "spindrift/app/output.hpp"
#include "spindrift/cache/cache_reader.hpp"
#include "spindrift/core/text.hpp"
#include "spindrift/io/obj.hpp"
#include "spindrift/io/ply.hpp"
#include "spindrift/io/pvd.hpp"
#include "spindrift/io/usda.hpp"

namespace spindrift::app {

namespace {

struct ExportOptions {
  std::string cache, format, folder, frames;
  bool json = false;
};

class Exporter {
 public:
  Exporter(const ExportOptions& options, const CacheReader& cache)
      : cache_(cache), folder_(options.folder), range_{0, cache.frame_count() - 1} {
    if (!options.frames.empty()) range_ = parse_frames(options.frames);
    // Before anything is written: the last one is there, then all are.
    (void)cache.frame(range_.last);
  }

  // The files that were written, and those that belong to no single frame last.
  std::vector<std::filesystem::path> run(const std::string& format) {
    expect_frames_have(file_for(format));
    make_folders(folder_);
    if (format == "usda") {
      write_stage();
      return std::move(files_);
    }
    for (int frame = range_.first; frame <= range_.last; ++frame) write_frame(frame, format);
    if (format == "vtu") write_series();
    return std::move(files_);
  }

 private:
  static const char* file_for(const std::string& format) {
    if (format == "vtu") return kMeshFile;
    return format == "vdb" ? kLevelSetFile : kSurfaceFile;
  }

  // A missing file is said before the first one is written, not after the hundredth.
  void expect_frames_have(const char* name) const {
    for (int frame = range_.first; frame <= range_.last; ++frame) {
      if (cache_.frame(frame).find(name) == nullptr) (void)cache_.file(frame, name);
    }
  }

  std::filesystem::path path_of(int frame, const std::string& extension) const {
    return folder_ / fmt::format("{}.{:06}.{}", cache_.manifest().scene, frame, extension);
  }

  void write_frame(int frame, const std::string& format) {
    const std::filesystem::path path = path_of(frame, format);
    if (format == "obj") {
      const CachedSurface surface = cache_.surface(frame);
      write_obj(path, surface.mesh, surface.velocities);
    } else {
      // The cache holds these as others read them.
      write_file(path, cache_.file(frame, file_for(format)).view());
    }
    files_.push_back(path);
  }

  void write_series() {
    std::vector<PvdStep> steps;
    for (int frame = range_.first; frame <= range_.last; ++frame) {
      steps.push_back({cache_.frame(frame).time, path_of(frame, "vtu").filename().string()});
    }
    files_.push_back(folder_ / (cache_.manifest().scene + ".pvd"));
    write_pvd(files_.back(), steps);
  }

  void write_stage() {
    files_.push_back(folder_ / (cache_.manifest().scene + ".usda"));
    UsdaStage stage;
    stage.name = cache_.manifest().scene;
    stage.fps = cache_.manifest().fps;
    stage.first = range_.first;
    stage.last = range_.last;
    stage.surface = [&](int frame) {
      CachedSurface surface = cache_.surface(frame);
      return MeshFile{std::move(surface.mesh), std::move(surface.velocities), {}};
    };
    write_usda(files_.back(), stage);
  }

  const CacheReader& cache_;
  std::filesystem::path folder_;
  FrameRange range_;
  std::vector<std::filesystem::path> files_;
};

int export_cache(const ExportOptions& options) {
  const CacheReader cache(options.cache);
  const auto files = Exporter(options, cache).run(options.format);
  std::int64_t bytes = 0;
  for (const auto& file : files)
    bytes += static_cast<std::int64_t>(std::filesystem::file_size(file));
  if (options.json) {
    Json names = Json::array();
    for (const auto& file : files) names.push_back(file.string());
    print_json(
        {{"cache", options.cache}, {"to", options.format}, {"bytes", bytes}, {"files", names}});
    return 0;
  }
  print_line("{}: {}, {}, the last {}", options.folder,
             count_of(std::ssize(files), "file", "files"), bytes_text(static_cast<double>(bytes)),
             files.back().filename().string());
  return 0;
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command =
      app.add_subcommand("export", "Write the frames of a cache as files for other programs");
  command->add_option("CACHE", options->cache, "The folder of a cache")
      ->required()
      ->option_text(" ");
  command->add_option("--to", options->format, "ply, obj, vtu, vdb or usda")
      ->required()
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"ply", "obj", "vtu", "vdb", "usda"}));
  command->add_option("-o,--out", options->folder, "Folder for the files")
      ->required()
      ->type_name("FOLDER");
  command->add_option("--frames", options->frames, "Only frames A to B (default: all)")
      ->type_name("A:B");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([options, &action] {
    action = {[options] { return export_cache(*options); }, {options->cache, options->folder}};
  });
}

}  // namespace spindrift::app
