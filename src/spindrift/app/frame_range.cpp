#include "spindrift/app/frame_range.hpp"

#include <charconv>

#include <fmt/format.h>

#include "spindrift/core/error.hpp"

namespace spindrift::app {

FrameRange parse_frames(const std::string& text) {
  FrameRange range;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, range.first);
  if (first.ec == std::errc() && first.ptr != end && *first.ptr == ':') {
    const auto last = std::from_chars(first.ptr + 1, end, range.last);
    constexpr int kMost = 999'999'998;  // frames have folders of at most nine digits
    const bool is_range = range.first >= 0 && range.first <= range.last && range.last <= kMost;
    if (last.ec == std::errc() && last.ptr == end && is_range) return range;
  }
  throw InputError({.file = "--frames"}, fmt::format("'{}' is not a range of frames", text),
                   "write the first and the last one, e.g. 0:24");
}

}  // namespace spindrift::app
