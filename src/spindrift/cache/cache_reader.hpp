// Reads a cache: its scene, its frames, what was measured.
//
//   const CacheReader cache("dam.cache");
//   for (int frame = 0; frame < cache.frame_count(); ++frame) show(cache.surface(frame).mesh);
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "spindrift/cache/frame.hpp"
#include "spindrift/cache/layout.hpp"
#include "spindrift/cache/manifest.hpp"
#include "spindrift/core/file.hpp"
#include "spindrift/scene/scene.hpp"

namespace spindrift {

class CacheReader {
 public:
  // Throws InputError if the folder is not a cache, or one of a newer format.
  explicit CacheReader(const std::filesystem::path& folder);

  [[nodiscard]] const CacheLayout& layout() const { return layout_; }
  [[nodiscard]] const Manifest& manifest() const { return manifest_; }
  [[nodiscard]] const Scene& scene() const { return scene_; }

  // Frames that are there: from 0 on.
  [[nodiscard]] int frame_count() const { return static_cast<int>(manifest_.frames.size()); }

  // Throws InputError if there is no such frame, and says which there are.
  [[nodiscard]] const FrameEntry& frame(int number) const;

  // The bytes of a file of a frame, compared with the manifest. Throws InputError, which names the
  // frame, if it has none (and says which key of the scene makes it) or it is damaged.
  [[nodiscard]] FileBytes file(int number, const char* name) const;

  // Throws InputError too if the frame has none, or its file is damaged or not the manifest's.
  [[nodiscard]] CachedSurface surface(int number) const;

  // A JSON object for every frame that is there. Throws InputError if some are missing.
  [[nodiscard]] std::vector<std::string> stats() const;

 private:
  CacheLayout layout_;
  Manifest manifest_;
  Scene scene_;
};

// Is this a folder that holds a manifest?
[[nodiscard]] bool is_cache(const std::filesystem::path& folder);

}  // namespace spindrift
