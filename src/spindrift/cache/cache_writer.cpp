#include "spindrift/cache/cache_writer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "spindrift/cache/scene_difference.hpp"
#include "spindrift/core/error.hpp"
#include "spindrift/core/file.hpp"
#include "spindrift/core/log.hpp"
#include "spindrift/io/ply.hpp"
#include "spindrift/scene/write.hpp"

namespace spindrift {

namespace {

// Of a folder, sorted; empty if it is not there.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> entries;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    entries.push_back(entry.path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

const std::filesystem::path& make_folder(const std::filesystem::path& folder) {
  make_folders(folder);
  return folder;
}

void remove_whole(const std::filesystem::path& path) {
  std::error_code failure;
  std::filesystem::remove_all(path, failure);
  if (failure) fail_on_file(path, "cannot be removed", failure.value());
}

// The number of a frame's folder; -1 for other names.
int frame_number(const std::filesystem::path& folder) {
  const std::string name = folder.filename().string();
  const bool is_number = name.size() >= 6 && name.size() <= 9 &&
                         name.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? std::stoi(name) : -1;
}

FrameFile write_surface(const std::filesystem::path& folder, const CacheFrame& frame) {
  const std::filesystem::path path = folder / kSurfaceFile;
  write_ply(path, *frame.surface, frame.velocities);
  FrameFile file;
  file.name = kSurfaceFile;
  file.bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
  file.vertices = frame.surface->vertex_count();
  file.triangles = frame.surface->triangle_count();
  return file;
}

}  // namespace

CacheWriter::CacheWriter(const std::filesystem::path& folder, const Scene& scene)
    : layout_{folder},
      lock_(make_folder(folder)),
      scene_text_(write_scene(scene)),
      scene_name_(scene.name),
      fps_(scene.time.fps),
      probes_(scene.probes) {}

CacheWriter CacheWriter::create(const std::filesystem::path& folder, const Scene& scene,
                                const CacheParams& params) {
  CacheWriter writer(folder, scene);
  if (writer.was_begun()) {
    throw InputError({.file = folder.string()}, "holds a cache already",
                     "continue it with --resume, or name another folder with --out");
  }
  writer.begin(params);
  return writer;
}

CacheWriter CacheWriter::resume(const std::filesystem::path& folder, const Scene& scene,
                                const CacheParams& params) {
  CacheWriter writer(folder, scene);
  if (!writer.was_begun()) {
    log_warning("{}: there is no cache to continue yet; starting at frame 0", folder.string());
    writer.begin(params);
    return writer;
  }
  writer.manifest_ = read_manifest(folder);
  writer.check_scene();
  writer.continue_from_checkpoint(params);
  return writer;
}

// Is there a manifest? If not, the folder must be empty, but for what a killed run leaves.
bool CacheWriter::was_begun() const {
  if (std::filesystem::exists(layout_.manifest())) return true;
  for (const std::filesystem::path& entry : entries_of(layout_.folder)) {
    if (is_left_over(entry)) continue;
    throw InputError(
        {.file = layout_.folder.string()},
        fmt::format("is neither empty nor a cache: it holds {}", entry.filename().string()),
        "name another folder with --out");
  }
  return false;
}

void CacheWriter::begin(const CacheParams& params) {
  manifest_.version = params.version;
  manifest_.scene = scene_name_;
  manifest_.fps = fps_;
  manifest_.frames_asked = params.last_frame + 1;
  remove_beyond_checkpoint();
  // First: from here on, --resume knows the folder for a cache.
  write_file(layout_.manifest(), write_manifest(manifest_));
  write_file(layout_.scene(), scene_text_);
  open_growing_files();
}

void CacheWriter::check_scene() const {
  const bool has_checkpoint = std::filesystem::exists(layout_.checkpoint());
  // A run that was killed at its very beginning.
  if (!std::filesystem::exists(layout_.scene()) && !has_checkpoint) return;
  const FileBytes known = read_file(layout_.scene());
  if (known.view() == scene_text_) return;
  const std::string difference = scene_difference(known.view(), scene_text_);
  throw InputError({.file = layout_.folder.string()},
                   "is the cache of another scene" + (difference.empty() ? "" : ": " + difference),
                   "continue with the same scene and --set, or name another folder with --out");
}

void CacheWriter::continue_from_checkpoint(const CacheParams& params) {
  const Location where{.file = layout_.checkpoint().string()};
  std::size_t frames = 0;
  if (std::filesystem::exists(layout_.checkpoint())) {
    checkpoint_.emplace(layout_.checkpoint());
    const CheckpointHead& head = checkpoint_->head();
    frames = static_cast<std::size_t>(head.frame) + 1;
    if (head.scene != scene_text_) {
      throw InputError(where, "is the checkpoint of another scene",
                       "run the scene from its start, with another --out");
    }
    if (frames > manifest_.frames.size() || head.probe_bytes.size() != probes_.size()) {
      throw InputError(where, "does not belong to the manifest of the cache",
                       "run the scene from its start, with another --out");
    }
  }
  // Before the first checkpoint there is no more than the first frame; it is not for us to remove
  // others.
  if (!checkpoint_ && manifest_.frames.size() > 1) {
    throw InputError(where, "is missing: there is nothing to continue from",
                     "run the scene from its start, with another --out");
  }
  if (manifest_.version != params.version) {
    log_warning("the cache was begun by Spindrift {}, this is {}: later frames may differ",
                manifest_.version, params.version);
  }
  manifest_.frames.resize(frames);
  manifest_.frames_asked = std::max(params.last_frame + 1, next_frame());
  // First: a reader must not look for lines that are cut off.
  write_file(layout_.manifest(), write_manifest(manifest_));
  open_growing_files();
  if (!std::filesystem::exists(layout_.scene())) write_file(layout_.scene(), scene_text_);
  remove_beyond_checkpoint();
}

void CacheWriter::remove_beyond_checkpoint() const {
  for (const auto& folder : {layout_.folder, layout_.checkpoints()}) {
    for (const std::filesystem::path& entry : entries_of(folder)) {
      if (is_left_over(entry)) remove_whole(entry);
    }
  }
  for (const std::filesystem::path& entry : entries_of(layout_.frames())) {
    if (frame_number(entry) >= next_frame()) remove_whole(entry);
  }
}

void CacheWriter::open_growing_files() {
  for (const auto& folder : {layout_.frames(), layout_.probes(), layout_.checkpoints()}) {
    make_folders(folder);
  }
  const CheckpointHead* head = checkpoint_ ? &checkpoint_->head() : nullptr;
  growing_.emplace_back(layout_.stats(), head ? head->stats_bytes : 0);
  for (std::size_t i = 0; i < probes_.size(); ++i) {
    growing_.emplace_back(layout_.probe(probes_[i].name), head ? head->probe_bytes[i] : 0);
    if (growing_.back().length() == 0) growing_.back().append(probe_header(probes_[i].kind));
  }
}

void CacheWriter::write_frame(const CacheFrame& frame) {
  SPINDRIFT_ASSERT(frame.number == next_frame());
  SPINDRIFT_ASSERT(frame.probes.empty() || frame.probes.size() == probes_.size());
  FrameEntry entry;
  entry.time = frame.time;
  if (frame.surface != nullptr) {
    const std::filesystem::path folder = layout_.frame(frame.number);
    make_folders(folder);
    entry.files.push_back(write_surface(folder, frame));
  }
  growing_.front().append(frame.stats + "\n");
  for (std::size_t i = 0; i < frame.probes.size(); ++i) {
    growing_[i + 1].append(probe_lines(probes_[i].kind, frame.probes[i]));
  }
  for (AppendFile& file : growing_) file.make_durable();
  manifest_.frames.push_back(std::move(entry));
  write_file(layout_.manifest(), write_manifest(manifest_));
}

void CacheWriter::write_checkpoint(StateWriter& state) {
  CheckpointHead head;
  head.frame = next_frame() - 1;
  head.scene = scene_text_;
  head.stats_bytes = growing_.front().length();
  for (std::size_t i = 1; i < growing_.size(); ++i)
    head.probe_bytes.push_back(growing_[i].length());
  spindrift::write_checkpoint(layout_.checkpoint(), head, state);
}

}  // namespace spindrift
