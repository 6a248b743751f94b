// Says where two resolved scenes differ, by the key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spindrift {

struct SceneChange {
  std::string key;            // "time.fps", "obstacle.1.shape"
  std::string before, after;  // as written; empty: the key is new, or gone

  // "time.fps is 25, and was 24", "obstacle.1.shape is new".
  [[nodiscard]] std::string text() const;
};

// Of two texts of write_scene(), in the order of the second.
[[nodiscard]] std::vector<SceneChange> scene_changes(std::string_view before,
                                                     std::string_view after);

// The first few changes in words; empty if there are none.
[[nodiscard]] std::string scene_difference(std::string_view before, std::string_view after);

}  // namespace spindrift
