// What the page of `spindrift view` may ask about a cache, and the answers.
//
//   /, /app.js, /app.css               the page itself
//   /api/cache                         scene, domain, camera, obstacles, probes, frames (JSON)
//   /api/stats                         what was measured, frame by frame (JSON)
//   /api/probes/NAME                   the CSV file of a probe
//   /api/obstacles                     their triangles, before their motion (view_surface.hpp)
//   /api/frames/N/surface, /velocity, /edges
//                                      of the liquid (view_surface.hpp)
//   /api/frames/N/cut?plane=x,y,z,d&by=size|angle|pressure|speed
//                                      the tetrahedra, cut open (view_tets.hpp)
//   /api/frames/N/particles            if the frame has any (view_particles.hpp)
//
// Paths are compared with these, never with the names of files. What is wrong is said as JSON
// {"problem", "advice"}.
#pragma once

#include <filesystem>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "spindrift/app/view_cache.hpp"
#include "spindrift/app/view_server.hpp"
#include "spindrift/app/view_tets.hpp"

namespace spindrift::app {

struct AnswerParams {
  bool only_loopback = true;           // refuse pages that call this machine by another name
  std::size_t most_bytes = 128 << 20;  // of answers that are kept for the next who asks
};

class ViewAnswers {
 public:
  // Throws InputError if the folder is not a cache.
  ViewAnswers(const std::filesystem::path& cache, const AnswerParams& params);

  // Never throws; from several threads at once.
  [[nodiscard]] Answer answer(const Question& question);

 private:
  using Bytes = std::shared_ptr<const std::string>;
  struct Kept {
    std::string tag;
    Bytes bytes;
  };
  struct KeptTets {
    std::string tag;
    std::shared_ptr<const TetView> view;
  };
  using Path = std::vector<std::string>;

  Answer route(const Question& question);
  Answer page_file(const std::string& name, const Question& question) const;
  Answer probe(const CacheSnapshot& cache, const std::string& name, const Question& question);
  Answer obstacles(const CacheSnapshot& cache, const Question& question);
  Answer frame(const CacheSnapshot& cache, const Path& path, const Question& question);
  Answer surface(const CacheSnapshot& cache, int frame, const std::string& what,
                 const Question& question);
  Answer cut(const CacheSnapshot& cache, int frame, const Question& question);
  Answer particles(const CacheSnapshot& cache, int frame, const Question& question);
  std::filesystem::path frame_file(const CacheSnapshot& cache, int frame, const char* name) const;
  std::shared_ptr<const TetView> tets(const std::filesystem::path& file, const std::string& tag);

  // The body of that tag, made if need be. One is made at a time: each uses all threads and much
  // memory, and clients that want the same share it.
  template <class Make>
  Answer made(const std::string& tag, const Question& question, const Make& make);

  ViewedCache cache_;
  AnswerParams params_;
  std::mutex work_;
  std::list<Kept> kept_;  // the latest first
  std::size_t kept_bytes_ = 0;
  std::optional<KeptTets> tets_;  // of the latest frame that was cut
};

}  // namespace spindrift::app
