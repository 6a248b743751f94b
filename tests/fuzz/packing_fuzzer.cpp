// Packed arrays from any bytes: unpacked, or refused. The first byte chooses the size of a value,
// the next two how many there are. And all bytes come back from what they are packed to.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "spindrift/cache/packing.hpp"

namespace {

constexpr std::array<std::size_t, 6> kSizes = {1, 4, 8, 12, 16, 24};

void expect_back(std::string_view bytes, std::size_t value_bytes) {
  bytes = bytes.substr(0, bytes.size() / value_bytes * value_bytes);
  spindrift::Packer packer;
  std::string joined;
  for (const std::string_view part : packer.pack(bytes, value_bytes)) joined += part;
  std::string back(bytes.size(), '\0');
  if (!spindrift::unpack(joined, value_bytes, back.size(), back.data()) || back != bytes) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::size_t value_bytes = kSizes[data[0] % kSizes.size()];
  const std::size_t values = data[1] | std::size_t{data[2]} << 8;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 3, size - 3);
  std::string to(values * value_bytes, '\0');
  (void)spindrift::unpack(rest, value_bytes, to.size(), to.data());
  expect_back(rest, value_bytes);
  return 0;
}
