#include "spindrift/cache/packing.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <new>

#include <zstd.h>

#include "spindrift/cache/byte_planes.hpp"
#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/io/byte_order.hpp"

namespace spindrift {

namespace {

// Packed on its own, so that threads share the work.
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
// Below 0, zstd looks less for what repeats. A liquid's state (a flowing dam break at 204 cells)
// has little of that: -4 makes the whole 3 % smaller, and takes a tenth more time.
constexpr int kLevel = -12;
constexpr std::size_t kLengthBytes = 4;

std::size_t chunk_bytes(std::size_t value_bytes) { return kChunkBytes / value_bytes * value_bytes; }

// What a thread needs to pack chunks. Kept as long as the thread: new memory would take as long to
// touch for the first time as packing takes.
class ChunkPacker {
 public:
  // Into `to`, which has room_for() the bytes. How many it were.
  std::size_t pack(std::string_view bytes, std::size_t value_bytes, char* to) {
    split_bytes(bytes.data(), bytes.size() / value_bytes, value_bytes, split_.get());
    const std::size_t length =
        ZSTD_compressCCtx(context_.get(), to + kLengthBytes, ZSTD_compressBound(bytes.size()),
                          split_.get(), bytes.size(), kLevel);
    SPINDRIFT_ASSERT(ZSTD_isError(length) == 0);
    store(to, static_cast<std::uint32_t>(length), ByteOrder::little);
    return kLengthBytes + length;
  }

  static std::size_t room_for(std::size_t bytes) {
    return kLengthBytes + ZSTD_compressBound(bytes);
  }

  static ChunkPacker& of_this_thread() {
    thread_local ChunkPacker packer;
    return packer;
  }

 private:
  ChunkPacker()
      : split_(std::make_unique_for_overwrite<char[]>(kChunkBytes)),
        context_(ZSTD_createCCtx(), &ZSTD_freeCCtx) {
    if (!context_) throw std::bad_alloc();
  }

  std::unique_ptr<char[]> split_;
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_;
};

bool unpack_chunk(std::string_view packed, std::size_t value_bytes, std::size_t size, char* to) {
  std::string split(size, '\0');
  const std::size_t length =
      ZSTD_decompress(split.data(), split.size(), packed.data(), packed.size());
  if (ZSTD_isError(length) != 0 || length != size) return false;
  join_bytes(split.data(), size / value_bytes, value_bytes, to);
  return true;
}

}  // namespace

const std::vector<std::string_view>& Packer::pack(std::string_view bytes, std::size_t value_bytes) {
  SPINDRIFT_ASSERT(bytes.size() % value_bytes == 0);
  const std::size_t chunk = chunk_bytes(value_bytes);
  const std::size_t room = ChunkPacker::room_for(std::min(chunk, bytes.size()));
  parts_.resize((bytes.size() + chunk - 1) / chunk);
  if (memory_.size() < parts_.size() * room) {
    memory_ = Buffer<char>();  // nothing in it is worth moving
    memory_.resize(parts_.size() * room);
  }
  parallel_for_each(
      std::ssize(parts_),
      [&](std::int64_t i) {
        const auto c = static_cast<std::size_t>(i);
        char* const to = memory_.data() + c * room;
        parts_[c] = {to, ChunkPacker::of_this_thread().pack(bytes.substr(c * chunk, chunk),
                                                            value_bytes, to)};
      },
      1);
  return parts_;
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
