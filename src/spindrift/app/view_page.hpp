// The page of `spindrift view`, inside the program: made by scripts/build-viewer before the build.
#pragma once

#include <string>
#include <string_view>

namespace spindrift::app {

struct PageFile {
  std::string_view name, bytes;
  const char* type;
  std::string tag;  // differs if the bytes do
};

// Was the page there when this program was built?
[[nodiscard]] bool has_page();

// Null if the page has no file of that name.
[[nodiscard]] const PageFile* find_page_file(std::string_view name);

}  // namespace spindrift::app
