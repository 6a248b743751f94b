// Pictures as a movie, by the program ffmpeg: H.264 in MP4, which browsers and players show.
//
//   MovieWriter movie("out.mp4", {.width = 960, .height = 540, .fps = 24});
//   for (...) movie.add(render(picture, params));
//   movie.finish();
#pragma once

#include <filesystem>
#include <memory>

#include "spindrift/render/image.hpp"

namespace spindrift {

// Written whole or not at all: without finish(), or if anything fails, nothing is left behind and
// what was there before stays.
class MovieWriter {
 public:
  struct Params {
    int width = 960, height = 540;  // pixels, even
    double fps = 24;                // pictures a second, above 0
  };

  // Throws InputError for odd sizes or a path that cannot be a file, SystemError if ffmpeg is not
  // installed.
  MovieWriter(const std::filesystem::path& path, const Params& params);
  ~MovieWriter();
  MovieWriter(const MovieWriter&) = delete;
  MovieWriter& operator=(const MovieWriter&) = delete;

  // Throws SystemError with what ffmpeg said, if it fails.
  void add(const Image& image);
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spindrift
