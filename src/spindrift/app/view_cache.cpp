#include "spindrift/app/view_cache.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/stat.h>

#include "spindrift/app/output.hpp"
#include "spindrift/core/error.hpp"
#include "spindrift/scene/scene_shapes.hpp"

namespace spindrift::app {

namespace {

Json pose_of(const ObstacleSpec& obstacle, double time) {
  const Placement placement = placement_at(obstacle, time);
  const Quat& q = placement.rotation;
  const Vec3& t = placement.translation;
  return {q.x(), q.y(), q.z(), q.w(), t.x(), t.y(), t.z()};
}

const char* kind_name(ProbeKind kind) {
  switch (kind) {
    case ProbeKind::height:
      return "height";
    case ProbeKind::pressure:
      return "pressure";
    case ProbeKind::velocity:
      break;
  }
  return "velocity";
}

Json domain_of(const Scene& scene) {
  Json open = Json::array();
  for (const Side side : scene.domain.sides) open.push_back(side == Side::open);
  Json domain = to_json(Box3(scene.domain.min, scene.domain.max));
  domain["open"] = open;
  return domain;
}

Json camera_of(const Scene& scene) {
  if (!scene.camera) return nullptr;
  return {{"eye", to_json(scene.camera->eye)},
          {"target", to_json(scene.camera->target)},
          {"fov", scene.camera->fov}};
}

Json probes_of(const Scene& scene) {
  Json probes = Json::array();
  for (const ProbeSpec& probe : scene.probes) {
    probes.push_back(
        {{"name", probe.name}, {"kind", kind_name(probe.kind)}, {"at", to_json(probe.at)}});
  }
  return probes;
}

// With the places of the obstacles that move; null for those that stay.
Json frame_of(const FrameEntry& frame, const Scene& scene) {
  Json files = Json::object();
  for (const FrameFile& file : frame.files) {
    files[file.name] = {{"bytes", file.bytes}, {"triangles", file.triangles}};
  }
  Json poses = Json::array();
  for (const ObstacleSpec& obstacle : scene.obstacles) {
    poses.push_back(obstacle.motion ? pose_of(obstacle, frame.time) : Json());
  }
  return {{"time", frame.time}, {"files", files}, {"poses", poses}};
}

}  // namespace

std::string file_version(const std::filesystem::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    throw InputError({.file = path.string()},
                     std::string("cannot be opened: ") + std::strerror(errno));
  }
  return fmt::format("{:x}-{:x}-{:x}-{:x}", info.st_ino, info.st_size, info.st_mtim.tv_sec,
                     info.st_mtim.tv_nsec);
}

std::string cache_summary(const CacheReader& reader, const std::string& run) {
  const Scene& scene = reader.scene();
  const Manifest& manifest = reader.manifest();
  Json frames = Json::array();
  for (const FrameEntry& frame : manifest.frames) frames.push_back(frame_of(frame, scene));
  const Json summary = {{"scene", manifest.scene},
                        {"spindrift", manifest.version},
                        {"run", run},
                        {"fps", manifest.fps},
                        {"frames_asked", manifest.frames_asked},
                        {"domain", domain_of(scene)},
                        {"camera", camera_of(scene)},
                        {"obstacles", scene.obstacles.size()},
                        {"probes", probes_of(scene)},
                        {"frames", frames}};
  return summary.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ViewedCache::ViewedCache(std::filesystem::path folder) : folder_(std::move(folder)) { (void)now(); }

std::shared_ptr<const CacheSnapshot> ViewedCache::now() {
  const CacheLayout layout{folder_};
  const std::lock_guard lock(mutex_);
  if (snapshot_ == nullptr) (void)read_manifest(folder_);  // says best what is not a cache
  require_inside(layout.manifest());
  require_inside(layout.scene());
  // Before the file is read: what is written in between is then read once more.
  std::string version = file_version(layout.manifest());
  if (snapshot_ != nullptr && snapshot_->version == version) return snapshot_;
  std::string run = file_version(layout.scene());
  CacheReader reader(folder_);
  std::string summary = cache_summary(reader, run);
  snapshot_ = std::make_shared<const CacheSnapshot>(
      CacheSnapshot{std::move(reader), std::move(version), std::move(run), std::move(summary)});
  return snapshot_;
}

void ViewedCache::require_inside(const std::filesystem::path& path) const {
  std::error_code failure;
  const auto root = std::filesystem::canonical(folder_, failure);
  if (failure) throw InputError({.file = folder_.string()}, "there is no such folder");
  const auto target = std::filesystem::weakly_canonical(path, failure);
  const auto way = target.lexically_relative(root);
  if (failure || way.empty() || *way.begin() == "..") {
    throw InputError({.file = path.string()}, "leads out of the cache",
                     "put the file itself into the cache, not a link");
  }
}

}  // namespace spindrift::app
