#include "spindrift/io/extension.hpp"

#include <fmt/format.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/text.hpp"
#include "spindrift/io/text_cursor.hpp"

namespace spindrift {

void fail_extension(const std::filesystem::path& path, std::string_view action,
                    std::string_view kind, std::span<const std::string> known) {
  const std::string extension = path.extension().string();
  throw InputError(
      {.file = path.string()},
      extension.empty()
          ? fmt::format("cannot be {}: its name has no extension", action)
          : fmt::format("cannot be {}: {} is not {} we know", action, in_quotes(extension), kind),
      "use " + join_with_or(known));
}

}  // namespace spindrift
