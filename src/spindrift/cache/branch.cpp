#include "spindrift/cache/branch.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "spindrift/cache/probe_file.hpp"
#include "spindrift/cache/scene_difference.hpp"
#include "spindrift/core/checksum.hpp"
#include "spindrift/core/error.hpp"
#include "spindrift/scene/write.hpp"

namespace spindrift {

namespace {

Checkpoint open_checkpoint(const CacheReader& cache, int frame) {
  (void)cache.frame(frame);  // says which frames there are
  const std::vector<int> kept = checkpoint_frames(cache.layout());
  if (std::find(kept.begin(), kept.end(), frame) == kept.end()) {
    throw InputError({.file = cache.layout().folder.string()},
                     fmt::format("the checkpoint of frame {} is not kept", frame),
                     kept.empty() ? "run the scene again up to that frame"
                                  : fmt::format("branch at one of {}; or run the scene again up to "
                                                "that frame, which keeps its checkpoint",
                                                fmt::join(kept, ", ")));
  }
  Checkpoint checkpoint(cache.layout().checkpoint(frame));
  if (checkpoint.head().probe_bytes.size() != cache.scene().probes.size()) {
    throw InputError({.file = cache.layout().checkpoint(frame).string()},
                     "is the checkpoint of another scene", "branch at another frame");
  }
  return checkpoint;
}

std::string first_bytes(const std::filesystem::path& path, std::int64_t count) {
  const FileBytes bytes = read_file(path);
  if (std::ssize(bytes.view()) < count) {
    throw InputError({.file = path.string(), .byte = std::ssize(bytes.view())},
                     fmt::format("ends here, but {} bytes were written", count),
                     "restore it from a copy");
  }
  return std::string(bytes.view().substr(0, static_cast<std::size_t>(count)));
}

}  // namespace

Branch::Branch(const std::filesystem::path& cache, int frame)
    : cache_(cache),
      checkpoint_(open_checkpoint(cache_, frame)),
      stats_(first_bytes(cache_.layout().stats(), checkpoint_.head().stats_bytes)) {}

std::string Branch::text() const {
  return fmt::format("{}:{}", cache_.layout().folder.string(), frame());
}

void Branch::expect_continues_as(const Scene& scene) const {
  std::vector<std::string> fixed;
  for (const SceneChange& change : scene_changes(write_scene(cache_.scene()), write_scene(scene))) {
    const bool is_fixed = change.key == "time.fps" || change.key.starts_with("domain.m") ||
                          change.key.starts_with("resolution.");
    if (is_fixed) fixed.push_back(change.text());
  }
  if (fixed.empty()) return;
  throw InputError({.file = text()},
                   fmt::format("a branch cannot change this: {}", fmt::join(fixed, "; ")),
                   "leave it as it is, or run the scene from its start");
}

std::string Branch::probe(const ProbeSpec& probe) const {
  const std::vector<ProbeSpec>& old = cache_.scene().probes;
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (old[i].name != probe.name || old[i].kind != probe.kind) continue;
    return first_bytes(cache_.layout().probe(probe.name), checkpoint_.head().probe_bytes[i]);
  }
  return probe_header(probe.kind);
}

std::vector<FrameEntry> Branch::frames(std::span<const ProbeSpec> probes) const {
  const std::vector<FrameEntry>& all = cache_.manifest().frames;
  std::vector<FrameEntry> kept(all.begin(), all.begin() + frame() + 1);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    std::vector<FrameLines> lines;
    const auto keep = [&](const std::string& name, const std::string& otherwise) {
      const auto found = std::find_if(kept[i].lines.begin(), kept[i].lines.end(),
                                      [&](const FrameLines& old) { return old.name == name; });
      if (found != kept[i].lines.end()) {
        lines.push_back(*found);
      } else if (!kept[i].lines.empty()) {
        lines.push_back({name, std::ssize(otherwise), checksum_of(i == 0 ? otherwise : "")});
      }
    };
    keep("stats.jsonl", "");
    for (const ProbeSpec& each : probes) keep("probes/" + each.name + ".csv", probe(each));
    kept[i].lines = std::move(lines);
  }
  return kept;
}

}  // namespace spindrift
