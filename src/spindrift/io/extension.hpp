// What is said of a file whose name ends in none of the extensions that fit.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace spindrift {

// "a.fbx: cannot be `action`: '.fbx' is not `kind` we know; use `known`".
[[noreturn]] void fail_extension(const std::filesystem::path& path, std::string_view action,
                                 std::string_view kind, std::span<const std::string> known);

}  // namespace spindrift
