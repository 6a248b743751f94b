#include "spindrift/app/run_display.hpp"

#include <unistd.h>

#include "spindrift/core/log.hpp"
#include "spindrift/core/text.hpp"

namespace spindrift::app {

namespace {

ProgressStyle style_of(bool json) {
  return progress_style(json || !terminal_shows(LogLevel::info), ::isatty(STDERR_FILENO) != 0);
}

}  // namespace

RunDisplay::RunDisplay(int frames, bool json)
    : json_(json),
      frames_left_(frames),
      is_bar_(style_of(json) == ProgressStyle::bar),
      progress_(frames, {.style = style_of(json)}, write_to_terminal) {}

void RunDisplay::frame_done(const Json& stats) {
  if (json_) {
    print_json(stats);
    return;
  }
  // The bar is drawn again below the line.
  if (is_bar_) write_to_terminal("\r\x1b[K");
  print_text(frame_words(stats));
  --frames_left_;
  note_ = frames_left_ > 0 ? fmt::format("frame {}", stats["frame"].get<int>() + 1) : "";
}

void RunDisplay::progress(double frames) { progress_.update(frames, note_); }

void RunDisplay::finish() { progress_.finish(); }

std::string frame_words(const Json& stats) {
  return fmt::format(
      "frame {}: {:.4g} s, {}, {}, {}, {:.6g} m3 ({:+.3f} %), up to {:.3g} m/s, took {}",
      stats["frame"].get<int>(), stats["time"].get<double>(),
      count_of(stats["steps"].get<int>(), "step", "steps"),
      count_of(stats["tets"].get<std::int64_t>(), "tetrahedron", "tetrahedra"),
      count_of(stats["triangles"].get<std::int64_t>(), "triangle", "triangles"),
      stats["volume"].get<double>(), 100 * stats["volume_drift"].get<double>(),
      stats["max_speed"].get<double>(), duration_text(stats["seconds"]["total"].get<double>()));
}

}  // namespace spindrift::app
