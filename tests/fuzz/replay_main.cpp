// Feeds the files of a folder to a fuzzer's function, in the place of libFuzzer.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <vector>

#include "spindrift/core/file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argument_count, char** arguments) {
  if (argument_count != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", arguments[0]);
    return 2;
  }
  std::filesystem::path current = arguments[1];
  try {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(current)) {
      files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const std::filesystem::path& file : files) {
      current = file;
      // A crash inside ends the program: say before which file.
      std::printf("%s\n", file.c_str());
      std::fflush(stdout);
      spindrift::FileBytes bytes = spindrift::read_file(file);
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    }
    if (!files.empty()) return 0;
    std::fprintf(stderr, "%s: no files\n", current.c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", current.c_str(), error.what());
  }
  return 1;
}
