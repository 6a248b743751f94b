#include "spindrift/cache/checkpoint.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace spindrift {

namespace {

CheckpointHead read_head(const StateReader& state, const std::filesystem::path& path) {
  CheckpointHead head;
  head.frame = state.get<std::int32_t>("cache.frame");
  const std::vector<std::uint8_t> scene = state.array<std::uint8_t>("cache.scene");
  head.scene.assign(scene.begin(), scene.end());
  head.stats_bytes = state.get<std::int64_t>("cache.stats_bytes");
  head.probe_bytes = state.array<std::int64_t>("cache.probe_bytes");
  const auto fail = [&](std::string problem) {
    throw InputError({.file = path.string()}, std::move(problem), "run the scene from its start");
  };
  if (head.frame != frame_number(path.stem().string())) {
    fail(fmt::format("is of frame {}, not of that which it is named by", head.frame));
  }
  if (head.stats_bytes < 0 || std::any_of(head.probe_bytes.begin(), head.probe_bytes.end(),
                                          [](std::int64_t bytes) { return bytes < 0; })) {
    fail("is damaged: files have negative lengths");
  }
  return head;
}

}  // namespace

Checkpoint::Checkpoint(const std::filesystem::path& path)
    : bytes_(read_file(path)),
      state_(bytes_.view(), path.string()),
      head_(read_head(state_, path)) {}

void write_checkpoint(const std::filesystem::path& path, const CheckpointHead& head,
                      StateWriter& state) {
  state.put("cache.frame", static_cast<std::int32_t>(head.frame));
  state.put("cache.scene", std::vector<std::uint8_t>(head.scene.begin(), head.scene.end()));
  state.put("cache.stats_bytes", head.stats_bytes);
  state.put("cache.probe_bytes", head.probe_bytes);
  AtomicFile file(path, AtomicFile::Stamp::none);
  state.finish([&](std::string_view part) { file.write(part); });
  (void)file.commit();
}

int frame_number(const std::string& name) {
  const bool is_number = name.size() >= 6 && name.size() <= 9 &&
                         name.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? std::stoi(name) : -1;
}

std::vector<int> checkpoint_frames(const CacheLayout& layout) {
  std::vector<int> frames;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(layout.checkpoints(), failure)) {
    if (entry.path().extension() != ".bin") continue;
    const int frame = frame_number(entry.path().stem().string());
    if (frame >= 0) frames.push_back(frame);
  }
  std::sort(frames.begin(), frames.end());
  return frames;
}

bool keeps_checkpoint(int frame, int last) {
  if (frame > last - kRecentCheckpoints) return true;
  int stride = 1;
  while (last / stride >= kSpreadCheckpoints) stride *= 2;
  return frame % stride == 0;
}

}  // namespace spindrift
