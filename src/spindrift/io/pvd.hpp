// PVD: ParaView's list of the files of a time series.
#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace spindrift {

struct PvdStep {
  double time = 0;   // s
  std::string file;  // relative to the list
};

void write_pvd(const std::filesystem::path& path, std::span<const PvdStep> steps);

}  // namespace spindrift
