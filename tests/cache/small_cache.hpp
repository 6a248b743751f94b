// A cache small enough to be made hundreds of times, and a simulation that fills it.
#pragma once

#include <cmath>
#include <map>

#include "spindrift/cache/cache_writer.hpp"
#include "spindrift/core/file.hpp"
#include "spindrift/scene/read.hpp"

#include "support/meshes.hpp"

namespace spindrift::test {

inline Scene small_scene(const std::string& more = {}) {
  return parse_scene(
      "format = 1\nname = \"small\"\n[domain]\nmin = [0, 0, 0]\nmax = [2, 1, 1]\n[resolution]\n"
      "cells = 8\n[[probe]]\nname = \"gauge\"\nat = [1, 0.5]\n[[probe]]\nname = \"flow\"\n"
      "kind = \"velocity\"\nat = [1, 0.5, 0.5]\n" +
          more,
      "small.toml");
}

inline CacheParams params_to(int last_frame) {
  return {.version = "0.1.0", .last_frame = last_frame};
}

// A number that never repeats: whoever restores it inexactly goes another way.
class LogisticMap {
 public:
  void restore(const StateReader& state) { x_ = state.get<double>("x"); }
  void save(StateWriter& state) const { state.put("x", x_); }

  // Writes frames up to `last`, with checkpoints.
  void fill(CacheWriter& cache, int last) {
    if (const auto checkpoint = cache.take_checkpoint()) restore(checkpoint->state());
    for (int frame = cache.next_frame(); frame <= last; ++frame) {
      std::vector<std::vector<ProbeRow>> probes(2);
      for (int step = 0; frame > 0 && step < 3; ++step) {
        x_ = 3.9 * x_ * (1 - x_);
        probes[0].push_back({frame + step / 3.0, {x_, 0, 0}});
        probes[1].push_back({frame + step / 3.0, {x_, -x_, 1}});
      }
      cache.write_frame({.number = frame,
                         .time = frame / 24.0,
                         .surface = CachedSurface{cube({0, 0, 0}, {x_, 1, 1}),
                                                  std::vector<Vec3>(8, Vec3(x_, 0, 0))},
                         .stats = fmt::format("{{\"frame\":{},\"x\":{}}}", frame, x_),
                         .probes = probes});
      StateWriter state;
      save(state);
      cache.write_checkpoint(state);
    }
  }

 private:
  double x_ = 0.3;
};

// Every file of a folder, by its path there.
inline std::map<std::string, std::string> contents_of(const std::filesystem::path& folder) {
  std::map<std::string, std::string> contents;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = std::filesystem::relative(entry.path(), folder).string();
    contents[name] = entry.is_directory() ? "folder" : std::string(read_file(entry.path()).view());
  }
  return contents;
}

}  // namespace spindrift::test
