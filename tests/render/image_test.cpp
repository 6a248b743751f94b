#include "spindrift/render/image.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/file.hpp"

#include "support/random.hpp"

namespace spindrift {
namespace {

class ImageFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("spindrift_image_test_" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

Image noise(int width, int height) {
  test::Random random(5);
  Image image(width, height);
  for (std::uint8_t& byte : image.bytes) byte = static_cast<std::uint8_t>(random.below(256));
  return image;
}

TEST_F(ImageFile, PngGivesBackEveryByte) {
  for (const auto& [width, height] : {std::pair{1, 1}, {37, 21}, {640, 3}}) {
    const Image image = noise(width, height);
    write_png(folder_ / "a.png", image);
    const Image back = read_png(folder_ / "a.png");
    EXPECT_EQ(back.width, width);
    EXPECT_EQ(back.height, height);
    EXPECT_EQ(back.bytes, image.bytes);
  }
}

TEST_F(ImageFile, PixelsAreRowsFromTheTop) {
  Image image(3, 2);
  image.set_pixel(2, 1, {7, 8, 9});
  EXPECT_EQ(image.pixel(2, 1), (Rgb{7, 8, 9}));
  EXPECT_EQ(image.bytes[15], 7);
}

TEST_F(ImageFile, BadFilesAreInputErrors) {
  EXPECT_THROW((void)read_png(folder_ / "none.png"), InputError);
  write_file(folder_ / "text.png", "not a picture");
  EXPECT_THROW((void)read_png(folder_ / "text.png"), InputError);
  write_png(folder_ / "a.png", noise(64, 64));
  const FileBytes whole = read_file(folder_ / "a.png");
  write_file(folder_ / "half.png", whole.view().substr(0, whole.size() / 2));
  EXPECT_THROW((void)read_png(folder_ / "half.png"), InputError);
}

TEST_F(ImageFile, AFolderThatIsNotThereIsASystemError) {
  EXPECT_THROW(write_png(folder_ / "none" / "a.png", noise(4, 4)), SystemError);
}

}  // namespace
}  // namespace spindrift
