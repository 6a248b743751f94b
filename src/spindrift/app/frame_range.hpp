// Frames on the command line: --frames A:B.
#pragma once

#include <string>

namespace spindrift::app {

struct FrameRange {
  int first = 0, last = 0;  // both count
};

// Throws InputError that says what to write.
[[nodiscard]] FrameRange parse_frames(const std::string& text);

}  // namespace spindrift::app
