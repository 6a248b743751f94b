#include "spindrift/cache/packing.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include <zstd.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/io/byte_order.hpp"

namespace spindrift {

namespace {

// Packed on its own, so that threads share the work.
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
// Of 1 to 19. On a liquid's state, 3 makes files 1 % smaller than 1 in twice the time.
constexpr int kLevel = 1;
constexpr std::size_t kLengthBytes = 4;

std::size_t chunk_bytes(std::size_t value_bytes) { return kChunkBytes / value_bytes * value_bytes; }

// The first bytes of all values, then the second ones, and so on.
void split_values(const char* from, std::size_t values, std::size_t value_bytes, char* to) {
  for (std::size_t byte = 0; byte < value_bytes; ++byte) {
    for (std::size_t i = 0; i < values; ++i) *to++ = from[i * value_bytes + byte];
  }
}

void join_values(const char* from, std::size_t values, std::size_t value_bytes, char* to) {
  for (std::size_t byte = 0; byte < value_bytes; ++byte) {
    for (std::size_t i = 0; i < values; ++i) to[i * value_bytes + byte] = *from++;
  }
}

std::string pack_chunk(std::string_view bytes, std::size_t value_bytes) {
  std::string split(bytes.size(), '\0');
  split_values(bytes.data(), bytes.size() / value_bytes, value_bytes, split.data());
  std::string packed(kLengthBytes + ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t length =
      ZSTD_compress(packed.data() + kLengthBytes, packed.size() - kLengthBytes, split.data(),
                    split.size(), kLevel);
  SPINDRIFT_ASSERT(ZSTD_isError(length) == 0);
  store(packed.data(), static_cast<std::uint32_t>(length), ByteOrder::little);
  packed.resize(kLengthBytes + length);
  return packed;
}

bool unpack_chunk(std::string_view packed, std::size_t value_bytes, std::size_t size, char* to) {
  std::string split(size, '\0');
  const std::size_t length =
      ZSTD_decompress(split.data(), split.size(), packed.data(), packed.size());
  if (ZSTD_isError(length) != 0 || length != size) return false;
  join_values(split.data(), size / value_bytes, value_bytes, to);
  return true;
}

}  // namespace

std::string pack(std::string_view bytes, std::size_t value_bytes) {
  SPINDRIFT_ASSERT(bytes.size() % value_bytes == 0);
  const std::size_t chunk = chunk_bytes(value_bytes);
  std::vector<std::string> chunks((bytes.size() + chunk - 1) / chunk);
  parallel_for_each(
      std::ssize(chunks),
      [&](std::int64_t i) {
        const auto c = static_cast<std::size_t>(i);
        chunks[c] = pack_chunk(bytes.substr(c * chunk, chunk), value_bytes);
      },
      1);
  std::string packed;
  for (const std::string& part : chunks) packed += part;
  return packed;
}

bool unpack(std::string_view packed, std::size_t value_bytes, std::size_t size, char* to) {
  const std::size_t chunk = chunk_bytes(value_bytes);
  std::vector<std::string_view> chunks;
  while (!packed.empty()) {
    if (packed.size() < kLengthBytes) return false;
    const auto length = load<std::uint32_t>(packed.data(), ByteOrder::little);
    packed.remove_prefix(kLengthBytes);
    if (length > packed.size()) return false;
    chunks.push_back(packed.substr(0, length));
    packed.remove_prefix(length);
  }
  if (chunks.size() != (size + chunk - 1) / chunk) return false;
  std::atomic<bool> is_good = true;
  parallel_for_each(
      std::ssize(chunks),
      [&](std::int64_t i) {
        const std::size_t at = static_cast<std::size_t>(i) * chunk;
        const std::string_view part = chunks[static_cast<std::size_t>(i)];
        if (!unpack_chunk(part, value_bytes, std::min(chunk, size - at), to + at)) is_good = false;
      },
      1);
  return is_good;
}

}  // namespace spindrift
