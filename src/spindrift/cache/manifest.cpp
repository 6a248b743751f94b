#include "spindrift/cache/manifest.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "spindrift/cache/layout.hpp"
#include "spindrift/core/checksum.hpp"
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

constexpr const char* kRestore = "restore the file from a copy";
// Follows all that it is the sum of.
constexpr std::string_view kChecksumKey = ",\n  \"checksum\": \"";

std::uint64_t parse_checksum(const Json& json) {
  const auto text = json.get<std::string>();
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value, 16);
  if (text.size() != 16 || read.ec != std::errc() || read.ptr != end) {
    throw Json::type_error::create(302, fmt::format("'{}' is not a checksum", text), nullptr);
  }
  return value;
}

FrameFile parse_file(const std::string& name, const Json& json) {
  FrameFile file;
  file.name = name;
  file.bytes = json.at("bytes").get<std::int64_t>();
  if (json.contains("checksum")) file.checksum = parse_checksum(json["checksum"]);
  const bool is_surface = name == kSurfaceFile;
  if (is_surface || json.contains("vertices"))
    file.vertices = json.at("vertices").get<std::int64_t>();
  if (is_surface || json.contains("triangles"))
    file.triangles = json.at("triangles").get<std::int64_t>();
  if (json.contains("tets")) file.tets = json["tets"].get<std::int64_t>();
  return file;
}

// Only what has some is counted.
Json file_json(const FrameFile& file) {
  Json json = {{"bytes", file.bytes}};
  if (file.checksum) json["checksum"] = checksum_text(*file.checksum);
  const bool is_surface = file.name == kSurfaceFile;
  if (is_surface || file.vertices > 0) json["vertices"] = file.vertices;
  if (is_surface || file.triangles > 0) json["triangles"] = file.triangles;
  if (file.tets > 0) json["tets"] = file.tets;
  return json;
}

FrameEntry parse_frame(const Json& json, const Location& where) {
  FrameEntry entry;
  entry.time = json.at("time").get<double>();
  for (const auto& item : json.at("files").items()) {
    if (!is_plain_name(item.key())) {
      throw InputError(where, fmt::format("'{}' is not a file name", item.key()), kRestore);
    }
    entry.files.push_back(parse_file(item.key(), item.value()));
  }
  if (!json.contains("lines")) return entry;
  for (const auto& item : json["lines"].items()) {
    entry.lines.push_back({item.key(), item.value().at("bytes").get<std::int64_t>(),
                           parse_checksum(item.value().at("checksum"))});
  }
  return entry;
}

Json frame_json(std::size_t number, const FrameEntry& entry) {
  Json files = Json::object();
  for (const FrameFile& file : entry.files) files[file.name] = file_json(file);
  Json json = {{"frame", number}, {"time", entry.time}, {"files", files}};
  for (const FrameLines& lines : entry.lines) {
    json["lines"][lines.name] = {{"bytes", lines.bytes},
                                 {"checksum", checksum_text(lines.checksum)}};
  }
  return json;
}

// Throws what nlohmann's library throws where the text has another form.
Manifest parse_fields(const Json& json, const Location& where) {
  Manifest manifest;
  manifest.version = json.at("spindrift").get<std::string>();
  manifest.scene = json.at("scene").get<std::string>();
  manifest.fps = json.at("fps").get<double>();
  manifest.frames_asked = json.at("frames_asked").get<int>();
  if (!(manifest.fps > 0)) {
    throw InputError(where, fmt::format("fps is {}, and must be positive", manifest.fps), kRestore);
  }
  if (json.contains("scene_checksum")) {
    manifest.scene_checksum = parse_checksum(json["scene_checksum"]);
  }
  manifest.branch_of = json.value("branch_of", "");
  for (const Json& frame : json.at("frames")) {
    if (frame.at("frame").get<std::size_t>() != manifest.frames.size()) {
      throw InputError(where, fmt::format("frame {} is missing", manifest.frames.size()), kRestore);
    }
    manifest.frames.push_back(parse_frame(frame, where));
  }
  if (json.at("frames_done").get<std::size_t>() != manifest.frames.size()) {
    throw InputError(where, "frames_done is not the number of frames listed", kRestore);
  }
  return manifest;
}

// After all else, which says more about what is wrong.
void check_own_checksum(const Json& json, std::string_view text, const Location& where) {
  if (!json.contains("checksum")) return;
  const std::size_t end = text.rfind(kChecksumKey);
  if (end != std::string_view::npos &&
      checksum_of(text.substr(0, end)) == parse_checksum(json["checksum"])) {
    return;
  }
  throw InputError(where, "is damaged: its checksum is wrong", kRestore);
}

}  // namespace

const FrameFile* FrameEntry::find(std::string_view name) const {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const FrameFile& file) { return file.name == name; });
  return found == files.end() ? nullptr : &*found;
}

std::string write_manifest(const Manifest& manifest) {
  Json head = {
      {"format", kCacheFormat}, {"spindrift", manifest.version}, {"scene", manifest.scene}};
  if (manifest.scene_checksum) head["scene_checksum"] = checksum_text(*manifest.scene_checksum);
  if (!manifest.branch_of.empty()) head["branch_of"] = manifest.branch_of;
  head["fps"] = manifest.fps;
  head["frames_asked"] = manifest.frames_asked;
  head["frames_done"] = manifest.frames.size();
  // One line a frame, so that the text is easy to read and to search.
  std::string text = head.dump(2, ' ', false, Json::error_handler_t::replace);
  text.resize(text.size() - 2);  // the line end and the brace
  text += ",\n  \"frames\": [";
  for (std::size_t i = 0; i < manifest.frames.size(); ++i) {
    text += (i == 0 ? "\n    " : ",\n    ") + frame_json(i, manifest.frames[i]).dump();
  }
  text += manifest.frames.empty() ? "]" : "\n  ]";
  const std::uint64_t sum = checksum_of(text);
  return text.append(kChecksumKey) + checksum_text(sum) + "\"\n}\n";
}

Manifest parse_manifest(std::string_view text, const std::string& name) {
  const Location where{.file = name};
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    const auto byte = static_cast<std::int64_t>(error.byte);  // counted from 1
    throw InputError({.file = name, .byte = std::max<std::int64_t>(byte - 1, 0)},
                     "is damaged: this is not JSON", kRestore);
  }
  try {
    const int format = json.at("format").get<int>();
    if (format > kCacheFormat) {
      throw InputError(
          where, fmt::format("has format {}; this Spindrift reads up to {}", format, kCacheFormat),
          "use the Spindrift that made it, or a newer one");
    }
    if (format < 1) throw InputError(where, fmt::format("there is no format {}", format));
    Manifest manifest = parse_fields(json, where);
    check_own_checksum(json, text, where);
    return manifest;
  } catch (const Json::exception& error) {
    throw InputError(where, std::string("is damaged: ") + error.what(), kRestore);
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
