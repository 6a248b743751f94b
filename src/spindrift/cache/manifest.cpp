#include "spindrift/cache/manifest.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "spindrift/cache/layout.hpp"
#include "spindrift/core/error.hpp"
#include "spindrift/core/file.hpp"

namespace spindrift {

namespace {

using Json = nlohmann::ordered_json;

// A file name and nothing else: frames must not lead out of their folder.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

FrameFile parse_file(const std::string& name, const Json& json) {
  FrameFile file;
  file.name = name;
  file.bytes = json.at("bytes").get<std::int64_t>();
  file.vertices = json.at("vertices").get<std::int64_t>();
  file.triangles = json.at("triangles").get<std::int64_t>();
  return file;
}

// Throws what nlohmann's library throws where the text has another form.
Manifest parse_fields(const Json& json, const Location& where) {
  Manifest manifest;
  manifest.version = json.at("spindrift").get<std::string>();
  manifest.scene = json.at("scene").get<std::string>();
  manifest.fps = json.at("fps").get<double>();
  manifest.frames_asked = json.at("frames_asked").get<int>();
  for (const Json& frame : json.at("frames")) {
    FrameEntry entry;
    if (frame.at("frame").get<std::size_t>() != manifest.frames.size()) {
      throw InputError(where, fmt::format("frame {} is missing", manifest.frames.size()),
                       "restore the file from a copy");
    }
    entry.time = frame.at("time").get<double>();
    for (const auto& item : frame.at("files").items()) {
      if (!is_plain_name(item.key())) {
        throw InputError(where, fmt::format("'{}' is not a file name", item.key()),
                         "restore the file from a copy");
      }
      entry.files.push_back(parse_file(item.key(), item.value()));
    }
    manifest.frames.push_back(std::move(entry));
  }
  if (json.at("frames_done").get<std::size_t>() != manifest.frames.size()) {
    throw InputError(where, "frames_done is not the number of frames listed",
                     "restore the file from a copy");
  }
  return manifest;
}

}  // namespace

const FrameFile* FrameEntry::find(std::string_view name) const {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const FrameFile& file) { return file.name == name; });
  return found == files.end() ? nullptr : &*found;
}

std::string write_manifest(const Manifest& manifest) {
  const Json head = {{"format", kCacheFormat},
                     {"spindrift", manifest.version},
                     {"scene", manifest.scene},
                     {"fps", manifest.fps},
                     {"frames_asked", manifest.frames_asked},
                     {"frames_done", manifest.frames.size()}};
  // One line a frame, so that the text is easy to read and to search.
  std::string text = head.dump(2);
  text.resize(text.size() - 2);  // the line end and the brace
  text += ",\n  \"frames\": [";
  for (std::size_t i = 0; i < manifest.frames.size(); ++i) {
    Json files = Json::object();
    for (const FrameFile& file : manifest.frames[i].files) {
      files[file.name] = {
          {"bytes", file.bytes}, {"vertices", file.vertices}, {"triangles", file.triangles}};
    }
    const Json frame = {{"frame", i}, {"time", manifest.frames[i].time}, {"files", files}};
    text += (i == 0 ? "\n    " : ",\n    ") + frame.dump();
  }
  return text + (manifest.frames.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

Manifest parse_manifest(std::string_view text, const std::string& name) {
  const Location where{.file = name};
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    const auto byte = static_cast<std::int64_t>(error.byte);  // counted from 1
    throw InputError({.file = name, .byte = std::max<std::int64_t>(byte - 1, 0)},
                     "is damaged: this is not JSON", "restore the file from a copy");
  }
  try {
    const int format = json.at("format").get<int>();
    if (format > kCacheFormat) {
      throw InputError(
          where, fmt::format("has format {}; this Spindrift reads up to {}", format, kCacheFormat),
          "use the Spindrift that made it, or a newer one");
    }
    if (format < 1) throw InputError(where, fmt::format("there is no format {}", format));
    return parse_fields(json, where);
  } catch (const Json::exception& error) {
    throw InputError(where, std::string("is damaged: ") + error.what(),
                     "restore the file from a copy");
  }
}

Manifest read_manifest(const std::filesystem::path& cache) {
  const CacheLayout layout{cache};
  std::error_code failure;
  if (!std::filesystem::is_directory(cache, failure)) {
    throw InputError(
        {.file = cache.string()},
        std::filesystem::exists(cache, failure) ? "is not a folder" : "there is no such folder",
        "name the folder of a cache");
  }
  if (!std::filesystem::exists(layout.manifest(), failure)) {
    throw InputError({.file = cache.string()}, "is not a cache: it has no manifest.json",
                     "name a folder that spindrift run has made");
  }
  return parse_manifest(read_file(layout.manifest()).view(), layout.manifest().string());
}

}  // namespace spindrift
