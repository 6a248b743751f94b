// The files of a frame.
#pragma once

#include <filesystem>
#include <vector>

#include "spindrift/cache/frame.hpp"
#include "spindrift/cache/manifest.hpp"

namespace spindrift {

// Writes what the frame has into its folder, which is there. Throws SystemError.
[[nodiscard]] std::vector<FrameFile> write_frame_files(const std::filesystem::path& folder,
                                                       const CacheFrame& frame);

}  // namespace spindrift
