// A picture as bytes: 8-bit sRGB rows from the top, and PNG files of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace spindrift {

using Rgb = std::array<std::uint8_t, 3>;

struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> bytes;  // 3 a pixel, rows from the top, no padding

  Image() = default;
  Image(int columns, int rows)
      : width(columns),
        height(rows),
        bytes(3 * static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

  [[nodiscard]] Rgb pixel(int x, int y) const {
    const std::uint8_t* p = bytes.data() + offset(x, y);
    return {p[0], p[1], p[2]};
  }
  void set_pixel(int x, int y, const Rgb& rgb) {
    std::copy(rgb.begin(), rgb.end(), bytes.begin() + static_cast<std::ptrdiff_t>(offset(x, y)));
  }

 private:
  [[nodiscard]] std::size_t offset(int x, int y) const {
    return 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                static_cast<std::size_t>(x));
  }
};

// Written whole or not at all. Throws SystemError.
void write_png(const std::filesystem::path& path, const Image& image);

// Any PNG, converted to 8-bit RGB (transparency over black). Throws InputError if it is not a PNG
// or is damaged.
[[nodiscard]] Image read_png(const std::filesystem::path& path);

}  // namespace spindrift
