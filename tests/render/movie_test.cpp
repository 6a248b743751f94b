#include "spindrift/render/movie.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/file.hpp"

#include "support/temporary_folder.hpp"

namespace spindrift {
namespace {

bool has_ffmpeg() { return std::system("ffmpeg -version >/dev/null 2>&1") == 0; }

std::string output_of(const std::string& line) {
  std::string text;
  std::FILE* pipe = ::popen(line.c_str(), "r");
  if (pipe == nullptr) return text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  ::pclose(pipe);
  return text;
}

Image plain(int width, int height, const Rgb& color) {
  Image image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) image.set_pixel(x, y, color);
  }
  return image;
}

std::size_t files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(Movie, HoldsEveryFrameInItsColour) {
  if (!has_ffmpeg()) GTEST_SKIP() << "ffmpeg is not installed";
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "it's a movie.mp4";
  const std::vector<Rgb> colors = {{200, 40, 30},   {30, 180, 60}, {30, 60, 200}, {128, 128, 128},
                                   {250, 250, 250}, {10, 10, 10},  {90, 20, 120}};
  {
    MovieWriter movie(path, {.width = 64, .height = 34, .fps = 30});
    for (const Rgb& color : colors) movie.add(plain(64, 34, color));
    EXPECT_FALSE(std::filesystem::exists(path)) << "it is there only when it is whole";
    movie.finish();
  }
  EXPECT_EQ(files_in(folder.path()), 1u);
  const std::string frames =
      output_of("ffmpeg -v error -i \"" + path.string() + "\" -f rawvideo -pix_fmt rgb24 -");
  const std::size_t bytes = 3 * 64 * 34;
  ASSERT_EQ(frames.size(), colors.size() * bytes);
  for (std::size_t i = 0; i < colors.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto byte = static_cast<unsigned char>(frames[i * bytes + bytes / 2 / 3 * 3 + k]);
      EXPECT_NEAR(byte, colors[i][k], 6) << "frame " << i << " channel " << k;
    }
  }
  const std::string rate = output_of(
      "ffprobe -v error -select_streams v -show_entries stream=r_frame_rate -of csv=p=0 \"" +
      path.string() + "\"");
  EXPECT_EQ(rate, "30/1\n");
}

TEST(Movie, NothingIsLeftOfOneThatIsNotFinished) {
  if (!has_ffmpeg()) GTEST_SKIP() << "ffmpeg is not installed";
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "a.mp4";
  write_file(path, "what was there");
  {
    MovieWriter movie(path, {.width = 32, .height = 32});
    movie.add(plain(32, 32, {1, 2, 3}));
  }
  EXPECT_EQ(files_in(folder.path()), 1u);
  EXPECT_EQ(read_file(path).view(), "what was there");
}

TEST(Movie, OddSizesAreRefused) {
  const test::TemporaryFolder folder;
  try {
    MovieWriter movie(folder.path() / "a.mp4", {.width = 33, .height = 20});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(error.advice().find("34x20"), std::string::npos) << error.advice();
  }
  EXPECT_EQ(files_in(folder.path()), 0u);
}

}  // namespace
}  // namespace spindrift
