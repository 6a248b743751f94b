// A cache that is looked at, perhaps while a run writes to it: read again when it has changed.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "spindrift/cache/cache_reader.hpp"

namespace spindrift::app {

struct CacheSnapshot {
  CacheReader reader;
  std::string version;  // of the manifest: differs whenever it was written again
  std::string run;      // of the scene: differs if the cache was made anew
  std::string summary;  // JSON: what a page needs to know of the cache
};

class ViewedCache {
 public:
  // Throws InputError if the folder is not a cache.
  explicit ViewedCache(std::filesystem::path folder);

  // As it is now. Throws InputError if it is no cache any more.
  [[nodiscard]] std::shared_ptr<const CacheSnapshot> now();

  // Throws InputError if a path, links followed, is not inside the cache.
  void require_inside(const std::filesystem::path& path) const;

 private:
  std::filesystem::path folder_;
  std::mutex mutex_;
  std::shared_ptr<const CacheSnapshot> snapshot_;
};

// Differs whenever the file was replaced or written to. Throws InputError if there is none.
[[nodiscard]] std::string file_version(const std::filesystem::path& path);

// What a page needs to know: scene, domain, camera, obstacles with their poses, probes, frames.
[[nodiscard]] std::string cache_summary(const CacheReader& reader, const std::string& run);

}  // namespace spindrift::app
