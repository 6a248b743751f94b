#include "spindrift/render/movie.hpp"

#include <string>

#include <fmt/format.h>

#include "spindrift/core/child_process.hpp"
#include "spindrift/core/error.hpp"
#include "spindrift/core/file.hpp"

namespace spindrift {

namespace {

void check(const MovieWriter::Params& params) {
  SPINDRIFT_ASSERT(params.fps > 0);
  if (params.width % 2 == 0 && params.height % 2 == 0 && params.width > 0 && params.height > 0) {
    return;
  }
  throw InputError(
      {.file = "--size"},
      fmt::format("a movie cannot be {}x{}: both must be even", params.width, params.height),
      fmt::format("write {}x{}", (params.width + 1) / 2 * 2, (params.height + 1) / 2 * 2));
}

std::vector<std::string> arguments(const MovieWriter::Params& params, const std::string& output) {
  const std::string size = fmt::format("{}x{}", params.width, params.height);
  return {"ffmpeg", "-hide_banner", "-loglevel", "error", "-xerror", "-y",
          // Our pictures, as they are.
          "-f", "rawvideo", "-pix_fmt", "rgb24", "-video_size", size, "-framerate",
          fmt::format("{}", params.fps), "-i", "pipe:0", "-an",
          // Colours as players take them for granted, and said so in the file.
          "-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p", "-color_primaries",
          "bt709", "-color_trc", "iec61966-2-1", "-colorspace", "bt709", "-color_range", "tv",
          // Good enough that what one sees is the render's.
          "-c:v", "libx264", "-preset", "medium", "-crf", "18", "-movflags", "+faststart", "-f",
          "mp4", "file:" + output};
}

}  // namespace

struct MovieWriter::State {
  std::filesystem::path path;
  Params params;
  AtomicFile file;
  ChildProcess encoder;

  State(const std::filesystem::path& where, const Params& what)
      : path(where),
        params(what),
        file(where),
        encoder(arguments(what, file.temporary()),
                "install it (apt-get install ffmpeg), or write pictures (.png)") {}

  [[noreturn]] void fail() const {
    std::string said = encoder.messages();
    while (!said.empty() && said.back() == '\n') said.pop_back();
    throw SystemError({.file = path.string()},
                      said.empty() ? "ffmpeg failed and did not say why" : "ffmpeg failed: " + said,
                      "check the space on that disk, and that 'ffmpeg -encoders' lists libx264");
  }
};

MovieWriter::MovieWriter(const std::filesystem::path& path, const Params& params) {
  check(params);
  state_ = std::make_unique<State>(path, params);
}

MovieWriter::~MovieWriter() = default;

void MovieWriter::add(const Image& image) {
  SPINDRIFT_ASSERT(image.width == state_->params.width && image.height == state_->params.height);
  const std::string_view bytes(reinterpret_cast<const char*>(image.bytes.data()),
                               image.bytes.size());
  if (state_->encoder.write(bytes)) return;
  (void)state_->encoder.finish();
  state_->fail();
}

void MovieWriter::finish() {
  // Some of its versions say that the disk is full, and that all is well.
  if (!state_->encoder.finish() || !state_->encoder.messages().empty()) state_->fail();
  state_->file.commit();
}

}  // namespace spindrift
