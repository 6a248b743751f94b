// Arrays of numbers for a page: a JSON object that says what follows, then the arrays.
//
//   Pack pack;
//   const std::size_t positions = pack.declare<float>("position", 3, count);
//   pack.lay_out({{"triangles", 12}});
//   fill(pack.array<float>(positions));
//   send(std::move(pack).take());
//
// The bytes: "SPDV", the length of the JSON text as uint32, the text, filled up with spaces so that
// arrays begin at multiples of 8. The text is {"about": {...}, "arrays": [{"name", "type",
// "components", "rows", "offset"}]}, offsets counted from the end of the text. Little endian.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "spindrift/app/output.hpp"

namespace spindrift::app {

class Pack {
 public:
  // An array of rows of `components` numbers; returns its number.
  template <class T>
  std::size_t declare(std::string name, int components, std::int64_t rows) {
    arrays_.push_back({std::move(name), type_name<T>(), components, rows, end_});
    const std::int64_t bytes = rows * components * std::int64_t{sizeof(T)};
    end_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return arrays_.size() - 1;
  }

  // After all arrays were declared.
  void lay_out(const Json& about);

  template <class T>
  [[nodiscard]] std::span<T> array(std::size_t number) {
    const Array& array = arrays_[number];
    return {reinterpret_cast<T*>(bytes_.data() + begin_ + array.offset),
            static_cast<std::size_t>(array.rows * array.components)};
  }

  [[nodiscard]] std::string take() && { return std::move(bytes_); }

 private:
  static constexpr std::int64_t kAlignment = 8;

  struct Array {
    std::string name;
    const char* type;
    int components;
    std::int64_t rows, offset;
  };

  // As JavaScript calls its arrays.
  template <class T>
  static constexpr const char* type_name() {
    if constexpr (std::is_same_v<T, float>) return "Float32Array";
    if constexpr (std::is_same_v<T, std::uint32_t>) return "Uint32Array";
    if constexpr (std::is_same_v<T, std::int8_t>) return "Int8Array";
  }

  std::vector<Array> arrays_;
  std::int64_t begin_ = 0, end_ = 0;
  std::string bytes_;
};

}  // namespace spindrift::app
