// Particles of a frame as the page draws them.
#pragma once

#include <string>
#include <string_view>

namespace spindrift::app {

// "position" of the vertices of a binary PLY file, which need not have faces. Throws InputError if
// it is damaged.
[[nodiscard]] std::string points_pack(std::string_view bytes, const std::string& name);

}  // namespace spindrift::app
