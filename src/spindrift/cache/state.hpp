// The whole state of a simulation as named arrays, for checkpoints.
//
//   StateWriter state;                       const FileBytes bytes = read_file(path);
//   state.put("time", time);                 const StateReader state(bytes.view(), path);
//   state.put("surface.vertices", vertices); time = state.get<double>("time");
//   write_file(path, state.finish());        vertices = state.array<Vec3>("surface.vertices");
//
// docs/cache.md describes the bytes. Arrays are packed (packing.hpp) when the state is finished, so
// that putting them in is no more than a copy, or not even that (share()). A checksum follows every
// array and covers all before it: where a file is damaged is known to the array.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "spindrift/core/error.hpp"
#include "spindrift/core/file.hpp"
#include "spindrift/core/vec.hpp"

namespace spindrift {

// What this Spindrift writes and reads; anything else was made by another version of it.
inline constexpr std::uint32_t kStateFormat = 3;  // how arrays lie in the file
// What simulations put there. To be raised when that changes, and when a step does so that arrays
// of old checkpoints would no longer fit what is made from them.
inline constexpr std::uint32_t kStateContents = 5;

// Numbers in the file: they must never change their meaning.
enum class StateType : std::uint8_t {
  float64 = 1,
  float32 = 2,
  int32 = 3,
  int64 = 4,
  uint8 = 5,
  uint64 = 6,
  vec3 = 7,       // 3 float64
  vec3f = 8,      // 3 float32
  int32_x3 = 9,   // triangles, places on a lattice
  int32_x4 = 10,  // tetrahedra
};

// "float64", "int32_x3".
[[nodiscard]] const char* name_of(StateType type);

namespace detail {
template <class T>
inline constexpr StateType kStateType{};  // 0: not a type of states
template <>
inline constexpr StateType kStateType<double> = StateType::float64;
template <>
inline constexpr StateType kStateType<float> = StateType::float32;
template <>
inline constexpr StateType kStateType<std::int32_t> = StateType::int32;
template <>
inline constexpr StateType kStateType<std::int64_t> = StateType::int64;
template <>
inline constexpr StateType kStateType<std::uint8_t> = StateType::uint8;
template <>
inline constexpr StateType kStateType<std::uint64_t> = StateType::uint64;
template <>
inline constexpr StateType kStateType<Vec3> = StateType::vec3;
template <>
inline constexpr StateType kStateType<Vec3f> = StateType::vec3f;
template <>
inline constexpr StateType kStateType<std::array<std::int32_t, 3>> = StateType::int32_x3;
template <>
inline constexpr StateType kStateType<Vec3i> = StateType::int32_x3;
template <>
inline constexpr StateType kStateType<std::array<std::int32_t, 4>> = StateType::int32_x4;
}  // namespace detail

template <class T>
concept StateValue = detail::kStateType<T>
!= StateType{};

class StateWriter {
 public:
  // A value, or a contiguous container of them. A name may be used once.
  template <class T>
  void put(std::string_view name, const T& value) {
    if constexpr (StateValue<T>) {
      put_copy(name, std::span<const T>(&value, 1));
    } else {
      put_copy(name, std::span(std::data(value), std::size(value)));
    }
  }

  // Values that stay as they are as long as `owner` keeps them: they are not copied. They may be
  // read on another thread, in finish().
  template <class T>
  void share(std::string_view name, const T& values, std::shared_ptr<const void> owner) {
    const std::span all(std::data(values), std::size(values));
    add(name, type_of(all), all.size(), bytes_of(all), std::move(owner));
  }

  // Writes the bytes of the file, part after part. The writer is empty afterwards, and of no more
  // use.
  void finish(const std::function<void(std::string_view)>& write);
  // The same at once.
  [[nodiscard]] std::string finish();

 private:
  template <class T>
  static StateType type_of(std::span<const T> /*values*/) {
    static_assert(StateValue<T>);
    return detail::kStateType<T>;
  }
  template <class T>
  static std::string_view bytes_of(std::span<const T> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
  }
  template <class T>
  void put_copy(std::string_view name, std::span<const T> values) {
    copy(name, type_of(values), values.size(), bytes_of(values));
  }
  void copy(std::string_view name, StateType type, std::uint64_t count, std::string_view bytes);
  void add(std::string_view name, StateType type, std::uint64_t count, std::string_view bytes,
           std::shared_ptr<const void> owner);

  struct Array {
    std::string name;
    StateType type;
    std::uint64_t count;
    std::string_view bytes;
    std::shared_ptr<const void> owner;  // of the bytes
  };
  std::vector<Array> arrays_;
  std::map<std::string, bool, std::less<>> names_;
};

// Refers to bytes that must outlive it. All errors are InputError with the byte where they are.
class StateReader {
 public:
  // Checks everything: version, structure, checksums. `name` stands for the bytes in errors.
  explicit StateReader(std::string_view bytes, std::string name = "checkpoint");

  // Throws InputError if there is no such value, or it is an array, or of another type.
  template <StateValue T>
  [[nodiscard]] T get(std::string_view name) const {
    T value;
    copy(find(name, detail::kStateType<T>, 1), reinterpret_cast<char*>(&value));
    return value;
  }

  template <StateValue T>
  [[nodiscard]] std::vector<T> array(std::string_view name) const {
    const Record& record = find(name, detail::kStateType<T>, kAnyCount);
    std::vector<T> values(record.count);
    if (!values.empty()) copy(record, reinterpret_cast<char*>(values.data()));
    return values;
  }

  // For a simulation that cannot go on from what it found here.
  [[noreturn]] void fail_as_other_version(std::string problem, std::int64_t byte = -1) const;

 private:
  static constexpr std::uint64_t kAnyCount = ~std::uint64_t{0};

  struct Record {
    StateType type;
    std::uint64_t count;
    std::uint64_t begin;     // of the record, byte
    std::string_view bytes;  // as stored: packed, if that makes fewer
  };

  void copy(const Record& record, char* to) const;
  [[nodiscard]] const Record& find(std::string_view name, StateType type,
                                   std::uint64_t count) const;
  [[noreturn]] void fail(std::uint64_t byte, std::string problem) const;

  std::string name_;
  std::map<std::string_view, Record> records_;
};

}  // namespace spindrift
