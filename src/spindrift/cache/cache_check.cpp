#include "spindrift/cache/cache_check.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "spindrift/cache/checkpoint.hpp"
#include "spindrift/cache/probe_file.hpp"
#include "spindrift/core/error.hpp"
#include "spindrift/core/file.hpp"

namespace spindrift {

namespace {

class Checker {
 public:
  explicit Checker(const CacheReader& cache) : cache_(cache) {}

  CacheReport check() {
    for (int frame = 0; frame < cache_.frame_count(); ++frame) {
      if (cache_.frame(frame).files.empty()) continue;
      attempt([&] { (void)cache_.surface(frame); });
    }
    attempt([&] { check_stats(); });
    for (const ProbeSpec& probe : cache_.scene().probes) {
      attempt([&] { check_probe(probe); });
    }
    if (std::filesystem::exists(cache_.layout().checkpoint())) {
      attempt([&] { check_checkpoint(); });
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

  void check_stats() const {
    const std::vector<std::string> lines = cache_.stats();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto json = nlohmann::json::parse(lines[i], nullptr, false);
      const bool is_good = json.is_object() && json.contains("frame") && json["frame"] == i;
      if (is_good) continue;
      throw InputError({.file = cache_.layout().stats().string(), .line = static_cast<int>(i) + 1},
                       fmt::format("is not a JSON object of frame {}", i),
                       "restore the file from a copy");
    }
  }

  void check_probe(const ProbeSpec& probe) const {
    const std::filesystem::path path = cache_.layout().probe(probe.name);
    const FileBytes bytes = read_file(path);
    std::string header = probe_header(probe.kind);
    if (bytes.view().starts_with(header)) return;
    header.pop_back();
    throw InputError({.file = path.string(), .line = 1}, "does not begin with " + header,
                     "restore the file from a copy");
  }

  void check_checkpoint() {
    const std::filesystem::path path = cache_.layout().checkpoint();
    const Checkpoint checkpoint(path);
    report_.checkpoint_frame = checkpoint.head().frame;
    if (checkpoint.head().frame >= cache_.frame_count()) {
      throw InputError(
          {.file = path.string()},
          fmt::format("is of frame {}, which the manifest does not have", checkpoint.head().frame));
    }
    if (checkpoint.head().scene != read_file(cache_.layout().scene()).view()) {
      throw InputError({.file = path.string()}, "is the checkpoint of another scene");
    }
  }

  const CacheReader& cache_;
  CacheReport report_;
};

}  // namespace

CacheReport check_cache(const CacheReader& cache) { return Checker(cache).check(); }

}  // namespace spindrift
