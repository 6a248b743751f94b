#include "spindrift/render/image.hpp"

#include <cstring>
#include <limits>
#include <string>

#include <png.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/file.hpp"

namespace spindrift {

namespace {

// libpng's simplified interface: errors come back as values instead of long jumps over destructors.
class PngControl {
 public:
  PngControl() {
    std::memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
  }
  ~PngControl() { png_image_free(&image); }
  PngControl(const PngControl&) = delete;
  PngControl& operator=(const PngControl&) = delete;

  png_image image;
};

}  // namespace

void write_png(const std::filesystem::path& path, const Image& image) {
  SPINDRIFT_ASSERT(image.width > 0 && image.height > 0);
  SPINDRIFT_ASSERT(image.bytes.size() == 3 * static_cast<std::size_t>(image.width) *
                                             static_cast<std::size_t>(image.height));
  PngControl png;
  png.image.width = static_cast<png_uint_32>(image.width);
  png.image.height = static_cast<png_uint_32>(image.height);
  png.image.format = PNG_FORMAT_RGB;
  const auto fail = [&] {
    throw SystemError({.file = path.string()},
                      std::string("cannot be encoded as PNG: ") + png.image.message,
                      "make the picture smaller");
  };
  // An upper bound on the compressed size: one pass of compression instead of two.
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png.image);
  std::string file(size, '\0');
  if (png_image_write_to_memory(&png.image, file.data(), &size, 0, image.bytes.data(), 0,
                                nullptr) == 0) {
    fail();
  }
  write_file(path, std::string_view(file).substr(0, size));
}

Image read_png(const std::filesystem::path& path) {
  const FileBytes file = read_file(path);
  PngControl png;
  const auto fail = [&] {
    throw InputError({.file = path.string()},
                     std::string("is not a readable PNG picture: ") + png.image.message,
                     "make the file again");
  };
  if (png_image_begin_read_from_memory(&png.image, file.view().data(), file.size()) == 0) fail();
  png.image.format = PNG_FORMAT_RGB;
  constexpr png_uint_32 kMost = std::numeric_limits<std::int16_t>::max();
  if (png.image.width > kMost || png.image.height > kMost) {
    throw InputError({.file = path.string()}, "is wider or taller than 32767 pixels",
                     "make it smaller");
  }
  Image image(static_cast<int>(png.image.width), static_cast<int>(png.image.height));
  const png_color black{0, 0, 0};
  if (png_image_finish_read(&png.image, &black, image.bytes.data(), 0, nullptr) == 0) fail();
  return image;
}

}  // namespace spindrift
