// Says where two resolved scenes differ, by the key.
#pragma once

#include <string>
#include <string_view>

namespace spindrift {

// Of two texts of write_scene(): "time.fps is 25, and was 24", "obstacle.1.shape is new"; empty if
// they say the same.
[[nodiscard]] std::string scene_difference(std::string_view before, std::string_view after);

}  // namespace spindrift
