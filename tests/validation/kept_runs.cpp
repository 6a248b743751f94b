#include "kept_runs.hpp"

#include <fstream>
#include <utility>

#include "spindrift/core/checksum.hpp"
#include "spindrift/core/file.hpp"

namespace spindrift::validation {
namespace {

// Calls visit(name, member) for all numbers of a run.
template <class Run, class Visit>
void for_each_number(Run& run, const Visit& visit) {
  visit("frames", run.frames);
  visit("steps", run.steps);
  visit("control", run.has_control);
  visit("leak", run.leak);
  visit("speed", run.speed);
  visit("drift", run.drift);
  visit("last_drift", run.last_drift);
  visit("energy", run.energy);
  visit("fullness", run.fullness);
  visit("seconds", run.seconds);
}

std::string checksum_of_program() {
  return checksum_text(checksum_of(read_file("/proc/self/exe").view()));
}

}  // namespace

KeptRuns::KeptRuns(std::filesystem::path folder) : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  std::filesystem::create_directories(folder_);
  program_ = checksum_of_program();
}

std::filesystem::path KeptRuns::path(std::uint64_t seed) const {
  return folder_ / fmt::format("seed_{:03}.txt", seed);
}

std::optional<test::RandomRun> KeptRuns::find(std::uint64_t seed) const {
  if (folder_.empty()) return std::nullopt;
  std::ifstream file(path(seed));
  std::string name;
  std::string program;
  if (!(file >> name >> program) || program != program_) return std::nullopt;
  test::RandomRun run;
  for_each_number(run, [&](const char*, auto& number) { file >> name >> number; });
  file >> name >> std::ws;
  if (!file) return std::nullopt;
  std::getline(file, run.trouble);
  if (run.trouble == "none") run.trouble.clear();
  return run;
}

void KeptRuns::keep(std::uint64_t seed, const test::RandomRun& run) const {
  if (folder_.empty()) return;
  std::string text = fmt::format("program {}\n", program_);
  for_each_number(run, [&](const char* name, const auto& number) {
    text += fmt::format("{} {}\n", name, +number);
  });
  text += fmt::format("trouble {}\n", run.trouble.empty() ? "none" : run.trouble);
  (void)write_file(path(seed), text);
}

}  // namespace spindrift::validation
