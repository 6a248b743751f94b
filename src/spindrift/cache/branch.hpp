// Where one cache branches off from another: a frame of which the checkpoint is kept.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "spindrift/cache/cache_reader.hpp"
#include "spindrift/cache/checkpoint.hpp"

namespace spindrift {

class Branch {
 public:
  // Throws InputError if the cache has no such frame, or not its checkpoint: it says which it has.
  Branch(const std::filesystem::path& cache, int frame);

  [[nodiscard]] const CacheReader& cache() const { return cache_; }
  [[nodiscard]] int frame() const { return checkpoint_.head().frame; }
  [[nodiscard]] const Checkpoint& checkpoint() const { return checkpoint_; }

  // "dam.cache:12".
  [[nodiscard]] std::string text() const;

  // Throws InputError that names the keys which a branch must not change: those that say where the
  // samples of the surface are, and when frames are.
  void expect_continues_as(const Scene& scene) const;

  // What is kept of the cache: its frames up to the branch, for a scene with these probes, and the
  // files that grow. A probe that is new has only its header.
  [[nodiscard]] std::vector<FrameEntry> frames(std::span<const ProbeSpec> probes) const;
  [[nodiscard]] const std::string& stats() const { return stats_; }
  [[nodiscard]] std::string probe(const ProbeSpec& probe) const;

 private:
  CacheReader cache_;
  Checkpoint checkpoint_;
  std::string stats_;
};

}  // namespace spindrift
