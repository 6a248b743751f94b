// Progress with an estimate of the time left, for a person at a terminal or a log that is read
// later.
//
//   Progress progress(frames, {.style = progress_style(json, ::isatty(2))},
//                     [](std::string_view text) { std::fwrite(...stderr...); });
//   for (...) progress.update(done, "frame 12");
//   progress.finish();
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace spindrift {

enum class ProgressStyle {
  bar,     // one line, redrawn in place with a carriage return
  lines,   // now and then a whole line: for log files and pipes
  silent,  // nothing: standard output carries JSON, and so does not want company
};

[[nodiscard]] ProgressStyle progress_style(bool json, bool is_terminal);

class Progress {
 public:
  struct Params {
    ProgressStyle style = ProgressStyle::bar;
    double bar_interval = 0.1;    // s between redraws
    double line_interval = 30.0;  // s between lines
    int width = 30;               // characters of the bar
  };
  using Write = std::function<void(std::string_view)>;
  using Clock = std::function<double()>;  // s, steady; replaced in tests

  Progress(double total, Params params, Write write, Clock clock = {});
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `done` of the total; `note` is shown behind the bar. Nothing is drawn after finish().
  void update(double done, std::string_view note = {});

  // Draws the last state and ends the line. Called by the destructor if not before.
  void finish();

  // Seconds left, from a rate that forgets the far past; negative: not known yet.
  [[nodiscard]] double seconds_left() const;

 private:
  void draw(double now);

  double total_;
  Params params_;
  Write write_;
  Clock clock_;
  double start_ = 0, done_ = 0;
  double rate_time_ = 0, rate_done_ = 0;  // where the rate was last measured
  double rate_ = 0;                       // smoothed, per second; 0: not known yet
  double last_drawn_ = -1e300;
  std::size_t last_length_ = 0;
  std::string note_;
  bool finished_ = false, drawn_ = false, end_drawn_ = false;
};

}  // namespace spindrift
