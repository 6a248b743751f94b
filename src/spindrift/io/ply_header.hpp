// The header of a PLY file: which elements follow, and how each of their rows is laid out.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spindrift {

// The properties that are read; an element may have each but once.
inline constexpr std::array<std::string_view, 8> kPlyNames = {
    "x", "y", "z", "vx", "vy", "vz", "vertex_indices", "vertex_index"};

enum class PlyFormat { text, little_endian, big_endian };

enum class PlyType { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

[[nodiscard]] int byte_size(PlyType type);
[[nodiscard]] inline bool is_float(PlyType type) {
  return type == PlyType::float32 || type == PlyType::float64;
}

struct PlyProperty {
  std::string name;
  PlyType type{};  // of the value, or of each item of a list
  bool is_list = false;
  PlyType count_type{};  // lists only; never a float
};

struct PlyElement {
  std::string name;
  std::int64_t count = 0;
  std::vector<PlyProperty> properties;

  // Position of a property, -1 if there is none of that name.
  [[nodiscard]] int find(std::string_view property) const;
  [[nodiscard]] bool has_lists() const;
  // Bytes that a row takes at least: binary, all lists empty; text, one digit and one separator a
  // value.
  [[nodiscard]] std::int64_t least_row_bytes(PlyFormat format) const;
  // Bytes of a binary row before the property at that position, all lists being empty.
  [[nodiscard]] std::int64_t offset_of(int property) const;
};

struct PlyHeader {
  PlyFormat format{};
  std::vector<PlyElement> elements;
  std::int64_t data_begin = 0;  // byte after the header
};

// Throws InputError with line and column if the header is not one that we understand.
[[nodiscard]] PlyHeader parse_ply_header(std::string_view bytes, const std::string& name);

}  // namespace spindrift
