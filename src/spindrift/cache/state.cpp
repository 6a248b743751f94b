#include "spindrift/cache/state.hpp"

#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "spindrift/cache/packing.hpp"
#include "spindrift/core/buffer.hpp"
#include "spindrift/core/checksum.hpp"
#include "spindrift/io/byte_order.hpp"

namespace spindrift {

namespace {

static_assert(std::endian::native == std::endian::little,
              "states are copied as they lie in memory");

constexpr std::string_view kMagic = "SPNDSTAT";
constexpr std::size_t kHeaderBytes = 8 + 4 + 4;  // magic, format, contents
constexpr std::size_t kRecordBytes =
    4 + 4 + 8 + 8;  // length of the name, type, count, stored bytes
constexpr std::size_t kChecksumBytes = 8;
// More than zstd makes of zeros.
constexpr std::uint64_t kMostPacked = 1 << 16;  // times
constexpr std::uint64_t kMostUnpacked = std::uint64_t{1} << 48;
constexpr StateType kEnd{};  // closes the file: a record without name and values

// 0 for what is not a type.
std::uint64_t byte_size(StateType type) {
  switch (type) {
    case StateType::uint8:
      return 1;
    case StateType::float32:
    case StateType::int32:
      return 4;
    case StateType::float64:
    case StateType::int64:
    case StateType::uint64:
      return 8;
    case StateType::vec3f:
    case StateType::int32_x3:
      return 12;
    case StateType::int32_x4:
      return 16;
    case StateType::vec3:
      return 24;
  }
  return 0;
}

// Of `length` bytes that follow what has the sum `before`.
DealtSum sum_after(std::uint64_t before, std::size_t length) {
  return DealtSum(add_word(before, length));
}

std::uint64_t add_bytes(std::uint64_t sum, std::string_view bytes) {
  DealtSum words = sum_after(sum, bytes.size());
  words.add(bytes);
  return words.value();
}

// Memory that is touched for the first time costs more than what is copied into it, but less in
// large pages.
void reserve_large(std::string& bytes, std::size_t size) {
  bytes.reserve(size);
  if (size >= detail::kHugeBytes) ask_for_huge_pages(bytes.data(), size);
}

template <class T>
void append(std::string& bytes, T value) {
  std::array<char, sizeof(T)> stored;
  store(stored.data(), value, ByteOrder::little);
  bytes.append(stored.data(), stored.size());
}

std::size_t size_of(const std::vector<std::string_view>& parts) {
  std::size_t bytes = 0;
  for (const std::string_view part : parts) bytes += part.size();
  return bytes;
}

std::string header() {
  std::string bytes(kMagic);
  append(bytes, kStateFormat);
  append(bytes, kStateContents);
  return bytes;
}

}  // namespace

const char* name_of(StateType type) {
  switch (type) {
    case StateType::float64:
      return "float64";
    case StateType::float32:
      return "float32";
    case StateType::int32:
      return "int32";
    case StateType::int64:
      return "int64";
    case StateType::uint8:
      return "uint8";
    case StateType::uint64:
      return "uint64";
    case StateType::vec3:
      return "vec3";
    case StateType::vec3f:
      return "vec3f";
    case StateType::int32_x3:
      return "int32_x3";
    case StateType::int32_x4:
      return "int32_x4";
  }
  return "unknown";
}

void StateWriter::copy(std::string_view name, StateType type, std::uint64_t count,
                       std::string_view bytes) {
  const auto own = std::make_shared<std::string>();
  reserve_large(*own, bytes.size());
  *own = bytes;
  add(name, type, count, *own, own);
}

void StateWriter::add(std::string_view name, StateType type, std::uint64_t count,
                      std::string_view bytes, std::shared_ptr<const void> owner) {
  SPINDRIFT_ASSERT(names_.emplace(name, true).second);
  arrays_.push_back({std::string(name), type, count, bytes, std::move(owner)});
}

void StateWriter::finish(const std::function<void(std::string_view)>& write) {
  const std::string head = header();
  std::uint64_t checksum = add_bytes(0, head);
  write(head);
  arrays_.push_back({{}, kEnd, 0, {}, {}});
  // Its memory is kept for the next checkpoint of the thread that writes them.
  thread_local Packer packer;
  for (Array& array : arrays_) {
    const std::shared_ptr<const void> owner = std::move(array.owner);  // let go when it is written
    const std::string_view plain = array.bytes;
    std::vector<std::string_view> parts;
    if (!plain.empty()) parts = packer.pack(plain, byte_size(array.type));
    if (size_of(parts) >= plain.size()) parts = {plain};
    const std::uint64_t stored = size_of(parts);
    std::string record;
    append(record, static_cast<std::uint32_t>(array.name.size()));
    append(record, static_cast<std::uint32_t>(array.type));
    append(record, array.count);
    append(record, stored);
    record += array.name;
    DealtSum sum = sum_after(checksum, record.size() + stored);
    sum.add(record);
    write(record);
    for (const std::string_view part : parts) {
      sum.add(part);
      write(part);
    }
    checksum = sum.value();
    std::string end;
    append(end, checksum);
    write(end);
  }
  arrays_.clear();
}

std::string StateWriter::finish() {
  std::string file;
  finish([&](std::string_view part) { file += part; });
  return file;
}

StateReader::StateReader(std::string_view bytes, std::string name) : name_(std::move(name)) {
  if (!bytes.starts_with(kMagic.substr(0, bytes.size()))) fail(0, "is not a checkpoint");
  if (bytes.size() < kHeaderBytes) fail(bytes.size(), "is cut off");
  const auto format = load<std::uint32_t>(bytes.data() + kMagic.size(), ByteOrder::little);
  const auto contents = load<std::uint32_t>(bytes.data() + kMagic.size() + 4, ByteOrder::little);
  if (format != kStateFormat || contents != kStateContents) {
    fail_as_other_version(
        fmt::format("was made by another version of Spindrift: it has format {}.{}, this one reads "
                    "{}.{}",
                    format, contents, kStateFormat, kStateContents),
        kMagic.size());
  }
  std::uint64_t checksum = add_bytes(0, bytes.substr(0, kHeaderBytes));
  for (std::uint64_t at = kHeaderBytes;;) {
    // Sizes are compared with what is left, never added up: they may be anything.
    const std::string_view left = bytes.substr(at);
    if (left.size() < kRecordBytes + kChecksumBytes) fail(bytes.size(), "is cut off");
    const auto name_bytes = load<std::uint32_t>(left.data(), ByteOrder::little);
    const auto type_number = load<std::uint32_t>(left.data() + 4, ByteOrder::little);
    const auto count = load<std::uint64_t>(left.data() + 8, ByteOrder::little);
    const auto stored = load<std::uint64_t>(left.data() + 16, ByteOrder::little);
    const auto type = static_cast<StateType>(type_number);
    const std::uint64_t size = type_number > 0xff ? 0 : byte_size(type);
    const bool is_end = type_number == 0 && name_bytes == 0 && count == 0 && stored == 0;
    if (size == 0 && !is_end) fail(at, fmt::format("is damaged: there is no type {}", type_number));
    std::uint64_t room = left.size() - kRecordBytes - kChecksumBytes;
    if (name_bytes > room || stored > room - name_bytes) {
      fail(bytes.size(), "is cut off or damaged: an array is longer than the file");
    }
    const std::uint64_t record_bytes = kRecordBytes + name_bytes + stored;
    checksum = add_bytes(checksum, left.substr(0, record_bytes));
    if (load<std::uint64_t>(left.data() + record_bytes, ByteOrder::little) != checksum) {
      fail(at, "is damaged: the checksum of the array that begins here is wrong");
    }
    at += record_bytes + kChecksumBytes;
    if (is_end) {
      if (at != bytes.size()) fail(at, "is damaged: there is something behind its end");
      return;
    }
    const Record record{type, count, at - record_bytes - kChecksumBytes,
                        left.substr(kRecordBytes + name_bytes, stored)};
    // A count that no packing explains must not ask for memory.
    if (count > kMostUnpacked / size || count * size / kMostPacked > stored) {
      fail(record.begin, "is damaged: an array has too many values");
    }
    if (!records_.emplace(left.substr(kRecordBytes, name_bytes), record).second) {
      fail(record.begin, "is damaged: two arrays have the same name");
    }
  }
}

const StateReader::Record& StateReader::find(std::string_view name, StateType type,
                                             std::uint64_t count) const {
  const auto found = records_.find(name);
  if (found == records_.end()) {
    fail_as_other_version(fmt::format("has no '{}'", name));
  }
  const Record& record = found->second;
  if (record.type != type) {
    fail(record.begin,
         fmt::format("'{}' is of type {}, not {}", name, name_of(record.type), name_of(type)));
  }
  if (count != kAnyCount && record.count != count) {
    fail(record.begin, fmt::format("'{}' has {} values, not {}", name, record.count, count));
  }
  return record;
}

void StateReader::copy(const Record& record, char* to) const {
  const std::uint64_t value_bytes = byte_size(record.type);
  const std::uint64_t size = record.count * value_bytes;
  if (record.bytes.size() == size) {
    if (size > 0) std::memcpy(to, record.bytes.data(), size);
  } else if (!unpack(record.bytes, value_bytes, size, to)) {
    fail(record.begin, "is damaged: the array that begins here cannot be unpacked");
  }
}

void StateReader::fail_as_other_version(std::string problem, std::int64_t byte) const {
  throw InputError({.file = name_, .byte = byte}, std::move(problem),
                   "continue with the Spindrift that made it, or run the scene from its start with "
                   "another --out");
}

void StateReader::fail(std::uint64_t byte, std::string problem) const {
  throw InputError({.file = name_, .byte = static_cast<std::int64_t>(byte)}, std::move(problem),
                   "run the scene from its start, or use a copy of the file");
}

}  // namespace spindrift
