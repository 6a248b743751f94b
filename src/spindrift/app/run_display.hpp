// What `spindrift run` shows while it works: words or JSON on standard output, progress on standard
// error.
#pragma once

#include <string>

#include "spindrift/app/output.hpp"
#include "spindrift/core/progress.hpp"

namespace spindrift::app {

class RunDisplay {
 public:
  // `frames`: that this run is to make.
  RunDisplay(int frames, bool json);

  void frame_done(const Json& stats);
  void progress(double frames);
  // Leaves the terminal for other lines.
  void finish();

 private:
  bool json_;
  int frames_left_;
  bool is_bar_ = false;
  std::string note_;
  Progress progress_;
};

// "frame 12: 0.5 s, 7 steps, ...".
[[nodiscard]] std::string frame_words(const Json& stats);

}  // namespace spindrift::app
