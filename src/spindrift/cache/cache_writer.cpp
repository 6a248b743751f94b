#include "spindrift/cache/cache_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "spindrift/cache/frame_files.hpp"
#include "spindrift/cache/scene_difference.hpp"
#include "spindrift/core/error.hpp"
#include "spindrift/core/file.hpp"
#include "spindrift/core/log.hpp"
#include "spindrift/core/wait.hpp"
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

// For a folder that is being deleted.
constexpr double kMostSeconds = 2;

bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

const std::filesystem::path& made(const std::filesystem::path& folder) {
  make_folders(folder);
  return folder;
}

// Only this one: a cache that is gone is not made again.
void make_folder_in_place(const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::create_directory(folder, failure);
  if (failure) fail_on_file(folder, "cannot be made", failure.value());
  make_names_durable(folder.parent_path());
}

void remove_whole(const std::filesystem::path& path) {
  std::error_code failure;
  std::filesystem::remove_all(path, failure);
  if (failure) fail_on_file(path, "cannot be removed", failure.value());
}

}  // namespace

CacheWriter::CacheWriter(const std::filesystem::path& folder, const Scene& scene)
    : layout_{folder},
      lock_(made(folder)),
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

CacheWriter CacheWriter::branch(const std::filesystem::path& folder, const Scene& scene,
                                const CacheParams& params, const Branch& from) {
  from.expect_continues_as(scene);
  CacheWriter writer(folder, scene);
  if (writer.was_begun()) {
    throw InputError({.file = folder.string()}, "holds a cache already",
                     "name another folder with --out");
  }
  writer.manifest_.branch_of = from.text();
  writer.begin(params);
  writer.copy_frames(from);
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
  manifest_.scene_checksum = checksum_of(scene_text_);
  manifest_.fps = fps_;
  manifest_.frames_asked = params.last_frame + 1;
  remove_beyond_checkpoint();
  // First: from here on, --resume knows the folder for a cache.
  write_manifest_file();
  write_file(layout_.scene(), scene_text_);
  open_growing_files();
}

void CacheWriter::write_manifest_file() const {
  write_file(layout_.manifest(), write_manifest(manifest_));
}

void CacheWriter::copy_frames(const Branch& from) {
  manifest_.frames = from.frames(probes_);
  for (std::size_t i = 0; i < manifest_.frames.size(); ++i) {
    const int number = static_cast<int>(i);
    make_folders(layout_.frame(number));
    for (const FrameFile& file : manifest_.frames[i].files) {
      write_file(layout_.frame(number) / file.name,
                 from.cache().file(number, file.name.c_str()).view());
    }
  }
  growing_.clear();
  write_file(layout_.stats(), from.stats());
  for (const ProbeSpec& probe : probes_) {
    write_file(layout_.probe(probe.name), from.probe(probe));
  }
  growing_.push_back({"stats.jsonl", AppendFile(layout_.stats(), std::ssize(from.stats()))});
  for (const ProbeSpec& probe : probes_) {
    growing_.push_back({"probes/" + probe.name + ".csv",
                        AppendFile(layout_.probe(probe.name), std::ssize(from.probe(probe)))});
  }
  must_write_manifest_ = true;
}

void CacheWriter::check_scene() const {
  const bool has_checkpoint = !checkpoint_frames(layout_).empty();
  // A run that was killed at its very beginning.
  if (!std::filesystem::exists(layout_.scene()) && !has_checkpoint) return;
  const FileBytes known = read_file(layout_.scene());
  if (known.view() == scene_text_) return;
  const std::string difference = scene_difference(known.view(), scene_text_);
  throw InputError({.file = layout_.folder.string()},
                   "is the cache of another scene" + (difference.empty() ? "" : ": " + difference),
                   "continue with the same scene and --set, or name another folder with --out");
}

// The newest that is whole: damage costs a frame, not the run.
void CacheWriter::choose_checkpoint() {
  std::vector<int> frames = checkpoint_frames(layout_);
  // The manifest names a frame before it has a checkpoint: those beyond it were removed, and came
  // back with a power cut.
  while (frames.size() > 1 && frames.back() >= next_frame()) frames.pop_back();
  std::optional<InputError> damage;  // of the newest
  for (auto frame = frames.rbegin(); frame != frames.rend() && !checkpoint_; ++frame) {
    try {
      checkpoint_.emplace(layout_.checkpoint(*frame));
    } catch (const InputError& error) {
      if (!damage) damage = error;
    }
  }
  if (!damage) return;
  if (!checkpoint_) throw *damage;
  log_warning("{}; continuing from frame {}", damage->what(), checkpoint_->head().frame);
}

void CacheWriter::continue_from_checkpoint(const CacheParams& params) {
  choose_checkpoint();
  std::size_t frames = 0;
  if (checkpoint_) {
    const CheckpointHead& head = checkpoint_->head();
    const Location where{.file = layout_.checkpoint(head.frame).string()};
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
  const Location where{.file = layout_.checkpoints().string()};
  if (!checkpoint_ && !manifest_.branch_of.empty()) {
    throw InputError(where, fmt::format("the branch of {} was never begun", manifest_.branch_of),
                     "delete the folder, and run with --branch once more");
  }
  // Before the first checkpoint there is no more than the first frame; it is not for us to remove
  // others.
  if (!checkpoint_ && manifest_.frames.size() > 1) {
    throw InputError(where, "no checkpoint is left: there is nothing to continue from",
                     "run the scene from its start, with another --out");
  }
  if (manifest_.version != params.version) {
    log_warning("the cache was begun by Spindrift {}, this is {}: later frames may differ",
                manifest_.version, params.version);
  }
  manifest_.frames.resize(frames);
  manifest_.frames_asked = std::max(params.last_frame + 1, next_frame());
  // First: a reader must not look for lines that are cut off.
  write_manifest_file();
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
    if (frame_number(entry.filename().string()) >= next_frame()) remove_whole(entry);
  }
  for (const int frame : checkpoint_frames(layout_)) {
    if (frame >= next_frame()) remove_whole(layout_.checkpoint(frame));
  }
}

void CacheWriter::open_growing_files() {
  for (const auto& folder : {layout_.frames(), layout_.probes(), layout_.checkpoints()}) {
    make_folders(folder);
  }
  const CheckpointHead* head = checkpoint_ ? &checkpoint_->head() : nullptr;
  growing_.clear();
  growing_.push_back({"stats.jsonl", AppendFile(layout_.stats(), head ? head->stats_bytes : 0)});
  for (std::size_t i = 0; i < probes_.size(); ++i) {
    const std::string& name = probes_[i].name;
    growing_.push_back({"probes/" + name + ".csv",
                        AppendFile(layout_.probe(name), head ? head->probe_bytes[i] : 0)});
    if (growing_.back().file.length() == 0) growing_.back().append(probe_header(probes_[i].kind));
  }
}

// Deleting a folder takes a while: what is written meanwhile must not bring parts of it back.
void CacheWriter::expect_in_place() const {
  lock_.expect_in_place();
  for (const auto& part : {layout_.manifest(), layout_.scene(), layout_.stats(), layout_.frames(),
                           layout_.checkpoints()}) {
    if (!is_there(part)) fail_being_deleted();
  }
}

// Once that has come to its end, so that no one is told to continue from what is just going.
void CacheWriter::fail_being_deleted() const {
  (void)wait_until([&] { return !is_there(layout_.folder); }, kMostSeconds);
  lock_.fail_gone();
}

// Writes; where that fails because the folder is gone, says so.
template <class Write>
void CacheWriter::in_folder(const Write& write) const {
  expect_in_place();
  try {
    write();
  } catch (const SystemError& error) {
    expect_in_place();
    // What was to be written may be the first that was deleted: the rest follows.
    const std::string missing = std::generic_category().message(ENOENT);
    if (error.problem().find(missing) != std::string::npos) {
      const auto look = [&] {
        expect_in_place();
        return false;
      };
      (void)wait_until(look, kMostSeconds);
    }
    throw;
  }
}

void CacheWriter::write_frame(const CacheFrame& frame) {
  SPINDRIFT_ASSERT(frame.number == next_frame());
  SPINDRIFT_ASSERT(frame.probes.empty() || frame.probes.size() == probes_.size());
  in_folder([&] {
    FrameEntry entry;
    entry.time = frame.time;
    if ((frame.surface && frame.has_surface_file) || frame.mesh || frame.levelset) {
      const std::filesystem::path folder = layout_.frame(frame.number);
      make_folder_in_place(folder);
      entry.files = write_frame_files(folder, frame);
    }
    growing_.front().append(frame.stats + "\n");
    for (std::size_t i = 0; i < frame.probes.size(); ++i) {
      growing_[i + 1].append(probe_lines(probes_[i].kind, frame.probes[i]));
    }
    for (Growing& growing : growing_) {
      growing.file.make_durable();
      entry.lines.push_back({growing.name, growing.file.length(), growing.added.value()});
      growing.added = {};
    }
    manifest_.frames.push_back(std::move(entry));
    write_manifest_file();
  });
}

void CacheWriter::write_checkpoint(StateWriter& state) {
  in_folder([&] {
    if (std::exchange(must_write_manifest_, false)) write_manifest_file();
    CheckpointHead head;
    head.frame = next_frame() - 1;
    head.scene = scene_text_;
    head.stats_bytes = growing_.front().file.length();
    for (std::size_t i = 1; i < growing_.size(); ++i) {
      head.probe_bytes.push_back(growing_[i].file.length());
    }
    spindrift::write_checkpoint(layout_.checkpoint(head.frame), head, state);
    for (const int frame : checkpoint_frames(layout_)) {
      if (!keeps_checkpoint(frame, head.frame)) remove_whole(layout_.checkpoint(frame));
    }
  });
}

}  // namespace spindrift
