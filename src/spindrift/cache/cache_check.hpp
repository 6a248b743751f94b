// Is a cache whole? Every file that it promises is read, and compared with the manifest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spindrift/cache/cache_reader.hpp"

namespace spindrift {

struct CacheReport {
  std::vector<std::string> problems;  // each with its file and what to do; none: the cache is whole
  std::int64_t files = 0;             // read
  std::vector<int> checkpoints;       // frames whose checkpoints are whole
};

[[nodiscard]] CacheReport check_cache(const CacheReader& cache);

}  // namespace spindrift
