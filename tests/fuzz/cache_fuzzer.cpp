// Caches from any bytes: read and checked, or refused. The input is cut at lines "%%" into the
// manifest, the surface of frame 0, stats.jsonl, a probe's file and a checkpoint; a part that is
// missing is a file that is missing.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include <unistd.h>

#include "spindrift/cache/cache_check.hpp"
#include "spindrift/cache/cache_reader.hpp"
#include "spindrift/core/error.hpp"
#include "spindrift/core/file.hpp"

namespace {

constexpr std::string_view kCut = "\n%%\n";

// Where files cost nothing; one folder for each process.
const std::filesystem::path& folder() {
  static const std::filesystem::path path = [] {
    const auto base = std::filesystem::exists("/dev/shm") ? std::filesystem::path("/dev/shm")
                                                          : std::filesystem::temp_directory_path();
    std::filesystem::path made =
        base / ("spindrift-cache-fuzzer-" + std::to_string(static_cast<long>(::getpid())));
    std::filesystem::create_directories(made / "frames/000000");
    std::filesystem::create_directories(made / "probes");
    std::filesystem::create_directories(made / "checkpoint");
    spindrift::write_file(made / "scene.toml",
                          "format = 1\nname = \"small\"\n[domain]\nmin = [0, 0, 0]\nmax = [2, 1, "
                          "1]\n[resolution]\ncells = 8\n[[probe]]\nname = \"gauge\"\nat = [1, "
                          "0.5]\n");
    std::atexit([] { std::filesystem::remove_all(folder()); });
    return made;
  }();
  return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  for (const char* name : {"manifest.json", "frames/000000/surface.ply", "stats.jsonl",
                           "probes/gauge.csv", "checkpoint/000000.bin"}) {
    const std::filesystem::path path = folder() / name;
    std::filesystem::remove(path);
    if (rest.data() == nullptr) continue;
    const std::size_t end = rest.find(kCut);
    spindrift::write_file(path, rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + kCut.size());
  }
  try {
    const spindrift::CacheReader cache(folder());
    (void)spindrift::check_cache(cache);
    for (int frame = 0; frame < cache.frame_count(); ++frame) {
      try {
        (void)cache.surface(frame);
      } catch (const spindrift::InputError&) {
      }
    }
  } catch (const spindrift::InputError&) {
  }
  return 0;
}
