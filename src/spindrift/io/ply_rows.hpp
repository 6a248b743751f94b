// The rows of a PLY file's elements, read value by value: one class for text and one for binary,
// with the same functions.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "spindrift/core/text.hpp"
#include "spindrift/io/byte_order.hpp"
#include "spindrift/io/ply_header.hpp"
#include "spindrift/io/text_cursor.hpp"

namespace spindrift {

// Calls visit(T{}) with the C++ type of a PLY type.
template <class Visit>
decltype(auto) with_type(PlyType type, const Visit& visit) {
  switch (type) {
    case PlyType::int8:
      return visit(std::int8_t{});
    case PlyType::uint8:
      return visit(std::uint8_t{});
    case PlyType::int16:
      return visit(std::int16_t{});
    case PlyType::uint16:
      return visit(std::uint16_t{});
    case PlyType::int32:
      return visit(std::int32_t{});
    case PlyType::uint32:
      return visit(std::uint32_t{});
    case PlyType::float32:
      return visit(float{});
    case PlyType::float64:
      break;
  }
  return visit(double{});
}

// "the header promises 8 'vertex' elements, but the data ends after 5".
[[nodiscard]] inline std::string cut_off_problem(const PlyElement& element, std::int64_t complete) {
  return fmt::format("the header promises {} {} elements, but the data ends after {}",
                     with_commas(element.count), in_quotes(element.name), with_commas(complete));
}

class PlyTextRows {
 public:
  PlyTextRows(std::string_view bytes, const PlyHeader& header, const std::string& name)
      : cursor_(bytes, name, {}) {
    cursor_.move_to(bytes.data() + header.data_begin);
  }

  void begin_row(const PlyElement& element, std::int64_t row) {
    if (cursor_.text_ended())
      fail(position(), cut_off_problem(element, row), "the file is cut off");
  }
  void end_row(const PlyElement& element) {
    if (!cursor_.line_ended()) {
      fail(position(),
           fmt::format("more values than element {} has properties", in_quotes(element.name)));
    }
    cursor_.skip_line();
  }
  double coordinate(const PlyProperty& property) { return cursor_.coordinate(property.name); }
  std::int64_t item(const PlyProperty&) { return cursor_.integer("the item of the list"); }
  std::int64_t list_count(const PlyProperty&) { return cursor_.integer("the length of the list"); }
  void skip_value(const PlyProperty& property) {
    if (cursor_.word().empty()) {
      fail(position(), fmt::format("the line ends before {}", property.name));
    }
  }
  void skip_items(const PlyProperty& property, std::int64_t count) {
    for (std::int64_t k = 0; k < count; ++k) skip_value(property);
  }
  // Where the next value begins.
  [[nodiscard]] const char* position() { return cursor_.next_position(); }
  [[nodiscard]] std::int64_t bytes_left() const { return cursor_.bytes_left(); }
  [[nodiscard]] bool ended() { return cursor_.text_ended(); }
  [[noreturn]] void fail(const char* at, std::string problem, std::string advice = {}) const {
    cursor_.fail(at, std::move(problem), std::move(advice));
  }

 private:
  TextCursor cursor_;
};

class PlyBinaryRows {
 public:
  PlyBinaryRows(std::string_view bytes, const PlyHeader& header, std::string name)
      : begin_(bytes.data()),
        at_(bytes.data() + header.data_begin),
        end_(bytes.data() + bytes.size()),
        order_(header.format == PlyFormat::big_endian ? ByteOrder::big : ByteOrder::little),
        name_(std::move(name)) {}

  void begin_row(const PlyElement& element, std::int64_t row) {
    element_ = &element;
    row_ = row;
  }
  void end_row(const PlyElement&) {}
  double coordinate(const PlyProperty& property) {
    const char* const from = at_;
    const double value = number<double>(property.type);
    if (!is_coordinate(value)) {
      fail(from, not_a_coordinate(fmt::format("{} of element {} {}", property.name,
                                              in_quotes(element_->name), row_),
                                  value));
    }
    return value;
  }
  std::int64_t item(const PlyProperty& property) {
    const char* const from = at_;
    if (!is_float(property.type)) return number<std::int64_t>(property.type);
    const double value = number<double>(property.type);
    if (!(std::abs(value) < 1e15) || value != std::floor(value)) {
      fail(from, fmt::format("the item of the list is {}, not a whole number", value));
    }
    return static_cast<std::int64_t>(value);
  }
  std::int64_t list_count(const PlyProperty& property) {
    return number<std::int64_t>(property.count_type);
  }
  void skip_value(const PlyProperty& property) { step(byte_size(property.type)); }
  void skip_items(const PlyProperty& property, std::int64_t count) {
    if (count > bytes_left() / byte_size(property.type)) fail_cut_off();
    at_ += count * byte_size(property.type);
  }
  [[nodiscard]] const char* position() const { return at_; }
  [[nodiscard]] std::int64_t bytes_left() const { return end_ - at_; }
  [[nodiscard]] bool ended() const { return at_ == end_; }
  [[nodiscard]] ByteOrder order() const { return order_; }
  // Steps over bytes that are known to be there.
  void advance(std::int64_t bytes) { at_ += bytes; }
  [[noreturn]] void fail(const char* at, std::string problem, std::string advice = {}) const {
    throw InputError({.file = name_, .byte = at - begin_}, std::move(problem), std::move(advice));
  }

 private:
  const char* step(std::int64_t bytes) {
    if (bytes > bytes_left()) fail_cut_off();
    at_ += bytes;
    return at_ - bytes;
  }
  template <class Result>
  Result number(PlyType type) {
    const char* const from = step(byte_size(type));
    return with_type(
        type, [&](auto zero) { return static_cast<Result>(load<decltype(zero)>(from, order_)); });
  }
  [[noreturn]] void fail_cut_off() const {
    fail(end_, cut_off_problem(*element_, row_), "the file is cut off");
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  ByteOrder order_;
  std::string name_;
  const PlyElement* element_ = nullptr;
  std::int64_t row_ = 0;
};

}  // namespace spindrift
