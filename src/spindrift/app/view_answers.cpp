#include "spindrift/app/view_answers.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <new>

#include <fmt/format.h>

#include "spindrift/app/output.hpp"
#include "spindrift/app/view_obstacles.hpp"
#include "spindrift/app/view_page.hpp"
#include "spindrift/app/view_particles.hpp"
#include "spindrift/app/view_surface.hpp"
#include "spindrift/core/error.hpp"
#include "spindrift/core/file.hpp"
#include "spindrift/core/log.hpp"

namespace spindrift::app {

namespace {

constexpr const char* kPackType = "application/octet-stream";
constexpr std::size_t kLongestPath = 200;

std::shared_ptr<const std::string> shared(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

Answer problem_answer(int status, const std::string& problem, const std::string& advice = {}) {
  const Json json = {{"problem", problem}, {"advice", advice}};
  return {.status = status,
          .body = shared(json.dump(-1, ' ', false, Json::error_handler_t::replace))};
}

Answer not_found() { return problem_answer(404, "there is nothing here"); }

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

template <class Number>
std::optional<Number> parse_number(const std::string& text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (text.empty() || result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

// "127.0.0.1", "localhost" or "[::1]", with or without a port. A page elsewhere that lets its name
// point to this machine would have another.
bool is_loopback_name(const std::string& host) {
  const std::size_t colon = host.rfind(':');
  const bool has_port = colon != std::string::npos && host.back() != ']';
  const std::string name = has_port ? host.substr(0, colon) : host;
  return name == "127.0.0.1" || name == "localhost" || name == "[::1]";
}

struct Plane {
  Vec3 normal = Vec3::UnitX();
  double offset = 0;
};

std::optional<Plane> parse_plane(const std::string& text) {
  const std::vector<std::string> parts = split(text, ',');
  if (parts.size() != 4) return std::nullopt;
  std::array<double, 4> numbers{};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto number = parse_number<double>(parts[i]);
    if (!number || !std::isfinite(*number)) return std::nullopt;
    numbers[i] = *number;
  }
  return Plane{{numbers[0], numbers[1], numbers[2]}, numbers[3]};
}

std::optional<TetMeasure> parse_measure(const std::string& text) {
  for (std::size_t i = 0; i < kTetMeasures.size(); ++i) {
    if (text == kTetMeasures[i]) return static_cast<TetMeasure>(i);
  }
  return std::nullopt;
}

std::string stats_json(const CacheReader& reader) {
  std::string text = "[";
  for (const std::string& line : reader.stats()) {
    if (text.size() > 1) text += ",\n";
    text += Json::accept(line) ? line : "null";
  }
  return text + "]";
}

Answer unchanged(const std::string& tag) { return {.status = 304, .body = nullptr, .tag = tag}; }

// Whole lines only: a run may be writing the last.
std::string whole_lines(std::string_view text) {
  const std::size_t end = text.rfind('\n');
  return std::string(text.substr(0, end == std::string_view::npos ? 0 : end + 1));
}

}  // namespace

ViewAnswers::ViewAnswers(const std::filesystem::path& cache, const AnswerParams& params)
    : cache_(cache), params_(params) {}

Answer ViewAnswers::answer(const Question& question) {
  try {
    if (params_.only_loopback && !is_loopback_name(question.host)) {
      return problem_answer(
          403, "this server answers on this machine only",
          "open the address that spindrift view printed, or start it with --host");
    }
    return route(question);
  } catch (const Error& error) {
    log_debug("{}: {}", question.path, error.what());
    return problem_answer(500, error.what());
  } catch (const std::bad_alloc&) {
    return problem_answer(500, "out of memory", "close other programs, or look at a smaller cache");
  } catch (const std::exception& error) {
    log_error("{}: {}", question.path, error.what());
    return problem_answer(500, std::string("internal error: ") + error.what());
  }
}

Answer ViewAnswers::route(const Question& question) {
  if (question.path.size() > kLongestPath || !question.path.starts_with('/')) return not_found();
  const Path path = split(question.path.substr(1), '/');
  if (path.size() == 1) return page_file(path[0], question);
  if (path[0] != "api") return not_found();
  const std::shared_ptr<const CacheSnapshot> cache = cache_.now();
  if (path.size() == 2 && path[1] == "cache") {
    const std::string tag = fmt::format("\"{}\"", cache->version);
    if (question.if_none_match == tag) return unchanged(tag);
    return {.body = std::shared_ptr<const std::string>(cache, &cache->summary), .tag = tag};
  }
  if (path.size() == 2 && path[1] == "stats") {
    cache_.require_inside(cache->reader.layout().stats());
    return made(fmt::format("\"stats-{}\"", cache->version), question,
                [&] { return stats_json(cache->reader); });
  }
  if (path.size() == 2 && path[1] == "obstacles") return obstacles(*cache, question);
  if (path.size() == 3 && path[1] == "probes") return probe(*cache, path[2], question);
  if (path.size() == 4 && path[1] == "frames") return frame(*cache, path, question);
  return not_found();
}

template <class Make>
Answer ViewAnswers::made(const std::string& tag, const Question& question, const Make& make) {
  if (question.if_none_match == tag) return unchanged(tag);
  const std::lock_guard lock(work_);
  for (auto kept = kept_.begin(); kept != kept_.end(); ++kept) {
    if (kept->tag != tag) continue;
    kept_.splice(kept_.begin(), kept_, kept);
    return {.body = kept_.front().bytes, .tag = tag};
  }
  const Bytes bytes = shared(make());
  kept_.push_front({tag, bytes});
  kept_bytes_ += bytes->size();
  while (kept_bytes_ > params_.most_bytes) {
    kept_bytes_ -= kept_.back().bytes->size();
    kept_.pop_back();
  }
  return {.body = bytes, .tag = tag};
}

Answer ViewAnswers::page_file(const std::string& name, const Question& question) const {
  const PageFile* file = find_page_file(name.empty() ? "index.html" : name);
  if (file == nullptr) return not_found();
  const std::string tag = fmt::format("\"{}\"", file->tag);
  if (question.if_none_match == tag) return unchanged(tag);
  return {.type = file->type, .body = shared(std::string(file->bytes)), .tag = tag};
}

Answer ViewAnswers::probe(const CacheSnapshot& cache, const std::string& name,
                          const Question& question) {
  for (const ProbeSpec& probe : cache.reader.scene().probes) {
    if (probe.name != name) continue;
    const std::filesystem::path path = cache.reader.layout().probe(probe.name);
    cache_.require_inside(path);
    Answer answer = made(fmt::format("\"probe-{}\"", file_version(path)), question,
                         [&] { return whole_lines(read_file(path).view()); });
    answer.type = "text/csv";
    return answer;
  }
  return problem_answer(404, "the scene has no such probe");
}

Answer ViewAnswers::obstacles(const CacheSnapshot& cache, const Question& question) {
  Answer answer = made(fmt::format("\"obstacles-{}\"", cache.run), question, [&] {
    const Scene& scene = cache.reader.scene();
    // Halves of space end a little outside of the domain.
    Box3 room(scene.domain.min, scene.domain.max);
    const Vec3 margin = 0.02 * room.sizes();
    room = Box3(room.min() - margin, room.max() + margin);
    MeshLibrary library;
    std::vector<TriangleMesh> meshes;
    for (const ObstacleSpec& obstacle : scene.obstacles) {
      meshes.push_back(triangles_of(obstacle.shape, room, library));
    }
    return meshes_pack(meshes);
  });
  answer.type = kPackType;
  return answer;
}

Answer ViewAnswers::frame(const CacheSnapshot& cache, const Path& path, const Question& question) {
  const auto number = path[2].size() <= 9 ? parse_number<int>(path[2]) : std::nullopt;
  if (!number || *number < 0) return not_found();
  if (*number >= cache.reader.frame_count()) {
    return problem_answer(404, fmt::format("frame {} is not there", *number),
                          fmt::format("the cache has {}", cache.reader.frame_count()));
  }
  if (path[3] == "surface" || path[3] == "velocity" || path[3] == "edges") {
    return surface(cache, *number, path[3], question);
  }
  if (path[3] == "cut") return cut(cache, *number, question);
  if (path[3] == "particles") return particles(cache, *number, question);
  return not_found();
}

std::filesystem::path ViewAnswers::frame_file(const CacheSnapshot& cache, int frame,
                                              const char* name) const {
  const std::filesystem::path path = cache.reader.layout().frame(frame) / name;
  cache_.require_inside(path);
  return path;
}

Answer ViewAnswers::surface(const CacheSnapshot& cache, int frame, const std::string& what,
                            const Question& question) {
  if (cache.reader.frame(frame).find(kSurfaceFile) == nullptr) {
    return problem_answer(404, fmt::format("frame {} has no surface", frame),
                          "run the scene with output.surface = true");
  }
  const std::string version = file_version(frame_file(cache, frame, kSurfaceFile));
  Answer answer = made(fmt::format("\"{}-{}\"", what, version), question, [&] {
    const CachedSurface read = cache.reader.surface(frame);
    if (what == "velocity") return velocity_pack(read);
    return what == "edges" ? edges_pack(read.mesh) : surface_pack(read.mesh);
  });
  answer.type = kPackType;
  return answer;
}

std::shared_ptr<const TetView> ViewAnswers::tets(const std::filesystem::path& file,
                                                 const std::string& tag) {
  if (!tets_ || tets_->tag != tag) {
    tets_.reset();  // before the next is read: there is room for one
    const FileBytes bytes = read_file(file);
    tets_ = KeptTets{tag, std::make_shared<const TetView>(parse_vtu(bytes.view(), file.string()))};
  }
  return tets_->view;
}

Answer ViewAnswers::cut(const CacheSnapshot& cache, int frame, const Question& question) {
  if (cache.reader.frame(frame).find(kMeshFile) == nullptr) {
    return problem_answer(404, fmt::format("frame {} has no tetrahedra", frame),
                          "run the scene with output.mesh = true");
  }
  const auto plane = question.query.find("plane");
  const auto by = question.query.find("by");
  const auto cut_plane = plane == question.query.end() ? Plane{} : parse_plane(plane->second);
  const auto measure = by == question.query.end() ? TetMeasure::size : parse_measure(by->second);
  if (!cut_plane || !measure) {
    return problem_answer(400, "this is no plane, or no measure",
                          "write plane=x,y,z,d&by=size, angle, pressure or speed");
  }
  const std::filesystem::path file = frame_file(cache, frame, kMeshFile);
  const std::string version = file_version(file);
  const Vec3& n = cut_plane->normal;
  const std::string tag = fmt::format("\"cut-{}-{},{},{},{}-{}\"", version, n.x(), n.y(), n.z(),
                                      cut_plane->offset, static_cast<int>(*measure));
  Answer answer =
      made(tag, question, [&] { return tets(file, version)->cut(n, cut_plane->offset, *measure); });
  answer.type = kPackType;
  return answer;
}

Answer ViewAnswers::particles(const CacheSnapshot& cache, int frame, const Question& question) {
  if (cache.reader.frame(frame).find(kParticlesFile) == nullptr) {
    return problem_answer(404, fmt::format("frame {} has no particles", frame));
  }
  const std::filesystem::path file = frame_file(cache, frame, kParticlesFile);
  Answer answer = made(fmt::format("\"particles-{}\"", file_version(file)), question, [&] {
    const FileBytes bytes = read_file(file);
    return points_pack(bytes.view(), file.string());
  });
  answer.type = kPackType;
  return answer;
}

}  // namespace spindrift::app
