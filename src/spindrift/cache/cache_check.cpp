#include "spindrift/cache/cache_check.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "spindrift/cache/checkpoint.hpp"
#include "spindrift/cache/probe_file.hpp"
#include "spindrift/core/checksum.hpp"
#include "spindrift/core/error.hpp"
#include "spindrift/core/file.hpp"

namespace spindrift {

namespace {

constexpr const char* kRestore = "restore the file from a copy";

class Checker {
 public:
  explicit Checker(const CacheReader& cache) : cache_(cache) {}

  CacheReport check() {
    attempt([&] { check_scene(); });
    for (int frame = 0; frame < cache_.frame_count(); ++frame) {
      for (const FrameFile& file : cache_.frame(frame).files) {
        attempt([&] { check_file(frame, file.name); });
      }
    }
    attempt([&] { check_stats(); });
    for (const ProbeSpec& probe : cache_.scene().probes) {
      attempt([&] { check_probe(probe); });
    }
    for (const int frame : checkpoint_frames(cache_.layout())) {
      attempt([&] { check_checkpoint(frame); });
    }
    return std::move(report_);
  }

 private:
  template <class Task>
  void attempt(const Task& task) {
    ++report_.files;
    try {
      task();
    } catch (const Error& error) {
      report_.problems.emplace_back(error.what());
    }
  }

  void check_scene() const {
    const std::filesystem::path path = cache_.layout().scene();
    const std::optional<std::uint64_t> promised = cache_.manifest().scene_checksum;
    if (!promised || checksum_of(read_file(path).view()) == *promised) return;
    throw InputError({.file = path.string()}, "is damaged: its checksum is not the manifest's",
                     kRestore);
  }

  void check_file(int frame, const std::string& name) const {
    if (name == kSurfaceFile) {
      (void)cache_.surface(frame);
    } else {
      (void)cache_.file(frame, name.c_str());
    }
  }

  // What each frame added to a file that grows.
  void check_lines(const std::filesystem::path& path, const std::string& name) const {
    const FileBytes bytes = read_file(path);
    std::int64_t begin = 0;
    for (int frame = 0; frame < cache_.frame_count(); ++frame) {
      for (const FrameLines& lines : cache_.frame(frame).lines) {
        if (lines.name != name) continue;
        const bool is_there = lines.bytes >= begin && lines.bytes <= std::ssize(bytes.view());
        const std::string_view added =
            is_there ? bytes.view().substr(static_cast<std::size_t>(begin),
                                           static_cast<std::size_t>(lines.bytes - begin))
                     : std::string_view();
        if (!is_there || checksum_of(added) != lines.checksum) {
          throw InputError(
              {.file = path.string(), .byte = begin},
              fmt::format("frame {}: {}", frame,
                          is_there ? "its lines are damaged" : "its lines are missing"),
              kRestore);
        }
        begin = lines.bytes;
      }
    }
  }

  void check_stats() const {
    const std::vector<std::string> lines = cache_.stats();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto json = nlohmann::json::parse(lines[i], nullptr, false);
      const bool is_good = json.is_object() && json.contains("frame") && json["frame"] == i;
      if (is_good) continue;
      throw InputError({.file = cache_.layout().stats().string(), .line = static_cast<int>(i) + 1},
                       fmt::format("is not a JSON object of frame {}", i), kRestore);
    }
    if (cache_.frame_count() > 0) check_lines(cache_.layout().stats(), "stats.jsonl");
  }

  void check_probe(const ProbeSpec& probe) const {
    const std::filesystem::path path = cache_.layout().probe(probe.name);
    std::string header = probe_header(probe.kind);
    if (!read_file(path).view().starts_with(header)) {
      header.pop_back();
      throw InputError({.file = path.string(), .line = 1}, "does not begin with " + header,
                       kRestore);
    }
    check_lines(path, "probes/" + probe.name + ".csv");
  }

  void check_checkpoint(int frame) {
    const std::filesystem::path path = cache_.layout().checkpoint(frame);
    const Checkpoint checkpoint(path);
    if (frame >= cache_.frame_count()) {
      throw InputError({.file = path.string()},
                       fmt::format("is of frame {}, which the manifest does not have", frame));
    }
    if (checkpoint.head().scene != read_file(cache_.layout().scene()).view()) {
      throw InputError({.file = path.string()}, "is the checkpoint of another scene");
    }
    report_.checkpoints.push_back(frame);
  }

  const CacheReader& cache_;
  CacheReport report_;
};

}  // namespace

CacheReport check_cache(const CacheReader& cache) { return Checker(cache).check(); }

}  // namespace spindrift
