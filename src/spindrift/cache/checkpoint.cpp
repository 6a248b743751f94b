#include "spindrift/cache/checkpoint.hpp"

namespace spindrift {

namespace {

CheckpointHead read_head(const StateReader& state, const std::filesystem::path& path) {
  CheckpointHead head;
  head.frame = state.get<std::int32_t>("cache.frame");
  const std::vector<std::uint8_t> scene = state.array<std::uint8_t>("cache.scene");
  head.scene.assign(scene.begin(), scene.end());
  head.stats_bytes = state.get<std::int64_t>("cache.stats_bytes");
  head.probe_bytes = state.array<std::int64_t>("cache.probe_bytes");
  if (head.frame < 0) {
    throw InputError({.file = path.string()}, "is damaged: its frame is negative",
                     "run the scene from its start");
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
  write_file(path, state.finish());
}

}  // namespace spindrift
