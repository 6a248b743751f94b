#include "spindrift/core/progress.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "spindrift/core/text.hpp"

namespace spindrift {

namespace {

double steady_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

// After this many seconds a new speed counts for 63 % of the estimate.
constexpr double kMemorySeconds = 20.0;

}  // namespace

ProgressStyle progress_style(bool json, bool is_terminal) {
  if (json) return ProgressStyle::silent;
  return is_terminal ? ProgressStyle::bar : ProgressStyle::lines;
}

Progress::Progress(double total, Params params, Write write, Clock clock)
    : total_(total),
      params_(params),
      write_(std::move(write)),
      clock_(clock ? std::move(clock) : Clock(steady_seconds)) {
  start_ = rate_time_ = clock_();
  // Lines begin only after a first interval: a short job needs none before its end.
  if (params_.style == ProgressStyle::lines) last_drawn_ = start_;
}

Progress::~Progress() { finish(); }

void Progress::update(double done, std::string_view note) {
  if (finished_) return;
  const double now = clock_();
  const double elapsed = now - rate_time_;
  done_ = std::max(done_, done);
  if (done_ > rate_done_ && elapsed > 0) {
    const double speed = (done_ - rate_done_) / elapsed;
    const double weight = 1 - std::exp(-elapsed / kMemorySeconds);
    // Early on the plain mean is the better estimate: it weighs all that is known equally.
    const double mean = done_ / (now - start_);
    rate_ = now - start_ < kMemorySeconds || rate_ == 0 ? mean : rate_ + weight * (speed - rate_);
    rate_time_ = now;
    rate_done_ = done_;
  }
  note_ = note;
  const double interval =
      params_.style == ProgressStyle::bar ? params_.bar_interval : params_.line_interval;
  if (now - last_drawn_ >= interval) draw(now);
}

void Progress::finish() {
  if (finished_) return;
  finished_ = true;
  if (params_.style == ProgressStyle::bar && drawn_) {
    draw(clock_());
    write_("\n");
  } else if (params_.style == ProgressStyle::lines && !end_drawn_) {
    draw(clock_());
  }
}

double Progress::seconds_left() const {
  return rate_ > 0 ? std::max(0.0, total_ - done_) / rate_ : -1;
}

void Progress::draw(double now) {
  if (params_.style == ProgressStyle::silent) return;
  last_drawn_ = now;
  drawn_ = true;
  end_drawn_ = done_ >= total_;
  const double share = total_ > 0 ? std::clamp(done_ / total_, 0.0, 1.0) : 1.0;
  std::string tail = fmt::format("{:3.0f} %", std::floor(100 * share));
  if (end_drawn_) {
    tail += fmt::format(", took {}", duration_text(now - start_));
  } else if (seconds_left() >= 0) {
    tail += fmt::format(", {} left", duration_text(seconds_left()));
  }
  if (!note_.empty()) tail += ", " + note_;
  if (params_.style == ProgressStyle::lines) {
    write_(tail + "\n");
    return;
  }
  const int filled = static_cast<int>(share * params_.width);
  std::string line = "[" + std::string(static_cast<std::size_t>(filled), '#') +
                     std::string(static_cast<std::size_t>(params_.width - filled), '.') + "] " +
                     tail;
  const std::size_t length = line.size();
  if (length < last_length_) line.append(last_length_ - length, ' ');  // wipe the longer old line
  last_length_ = length;
  write_("\r" + line);
}

}  // namespace spindrift
