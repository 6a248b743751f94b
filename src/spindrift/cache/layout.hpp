// Where things are in the folder of a cache.
#pragma once

#include <filesystem>
#include <string>

#include <fmt/format.h>

namespace spindrift {

struct CacheLayout {
  std::filesystem::path folder;

  [[nodiscard]] std::filesystem::path manifest() const { return folder / "manifest.json"; }
  [[nodiscard]] std::filesystem::path scene() const { return folder / "scene.toml"; }
  [[nodiscard]] std::filesystem::path stats() const { return folder / "stats.jsonl"; }
  [[nodiscard]] std::filesystem::path log() const { return folder / "log.txt"; }
  [[nodiscard]] std::filesystem::path checkpoints() const { return folder / "checkpoint"; }
  [[nodiscard]] std::filesystem::path checkpoint(int frame) const {
    return checkpoints() / fmt::format("{:06}.bin", frame);
  }
  [[nodiscard]] std::filesystem::path probes() const { return folder / "probes"; }
  [[nodiscard]] std::filesystem::path probe(const std::string& name) const {
    return probes() / (name + ".csv");
  }
  [[nodiscard]] std::filesystem::path frames() const { return folder / "frames"; }
  [[nodiscard]] std::filesystem::path frame(int number) const {
    return frames() / fmt::format("{:06}", number);
  }
};

inline constexpr const char* kSurfaceFile = "surface.ply";
inline constexpr const char* kMeshFile = "mesh.vtu";
inline constexpr const char* kLevelSetFile = "surface.vdb";
inline constexpr const char* kParticlesFile = "particles.ply";

// The number of a frame's folder or checkpoint, by its name; -1 for other names.
[[nodiscard]] int frame_number(const std::string& name);

}  // namespace spindrift
