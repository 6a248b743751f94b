#include "spindrift/io/ply_bulk.hpp"

#include <algorithm>

#include "spindrift/core/parallel.hpp"
#include "spindrift/io/coordinate.hpp"

namespace spindrift {

namespace {

constexpr std::int64_t kChunk = 4096;

// The first row of [0, count) at which check(begin, end), which is called for chunks, stops short.
template <class Check>
std::int64_t first_stop(std::int64_t count, const Check& check) {
  return parallel_reduce_chunks(
      count, kChunk, count,
      [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t stop = check(begin, end);
        return stop < end ? stop : count;
      },
      [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
}

}  // namespace

std::int64_t read_vectors_in_bulk(const PlyElement& element, const std::array<int, 3>& properties,
                                  const PlyBinaryRows& rows, std::span<Vec3> vectors) {
  const std::int64_t stride = element.least_row_bytes(PlyFormat::little_endian);
  std::array<const char*, 3> columns;
  for (int axis = 0; axis < 3; ++axis) {
    columns[axis] = rows.position() + element.offset_of(properties[axis]);
  }
  const auto read_chunk = [&](std::int64_t begin, std::int64_t end) {
    for (int axis = 0; axis < 3; ++axis) {
      const char* const column = columns[axis];
      with_type(element.properties[properties[axis]].type, [&](auto zero) {
        for (std::int64_t i = begin; i < end; ++i) {
          vectors[i][axis] =
              static_cast<double>(load<decltype(zero)>(column + i * stride, rows.order()));
        }
      });
    }
    std::int64_t i = begin;
    while (i < end && is_coordinate(vectors[i].x()) && is_coordinate(vectors[i].y()) &&
           is_coordinate(vectors[i].z())) {
      ++i;
    }
    return i;
  };
  return first_stop(std::ssize(vectors), read_chunk);
}

std::int64_t read_triangles_in_bulk(const PlyElement& element, int list, std::int64_t vertex_count,
                                    const PlyBinaryRows& rows, std::vector<Triangle>& triangles) {
  const PlyProperty& property = element.properties[list];
  const auto lists = std::count_if(element.properties.begin(), element.properties.end(),
                                   [](const PlyProperty& p) { return p.is_list; });
  if (lists != 1 || byte_size(property.count_type) != 1 || byte_size(property.type) != 4 ||
      is_float(property.type)) {
    return 0;
  }
  const std::int64_t stride = element.least_row_bytes(PlyFormat::little_endian) + 12;
  const std::int64_t count = std::min(element.count, rows.bytes_left() / stride);
  const char* const column = rows.position() + element.offset_of(list);
  const auto is_triangle = [&](std::int64_t i) { return column[i * stride] == 3; };
  if (count == 0 || !is_triangle(0)) return 0;

  const std::size_t before = triangles.size();
  triangles.resize(before + static_cast<std::size_t>(count));
  Triangle* const target = triangles.data() + before;
  const auto read_chunk = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      if (!is_triangle(i)) return i;
      for (int k = 0; k < 3; ++k) {
        // Negative numbers become large ones, and so are out of range as well.
        const auto corner = load<std::uint32_t>(column + i * stride + 1 + 4 * k, rows.order());
        if (corner >= static_cast<std::uint64_t>(vertex_count)) return i;
        target[i][k] = static_cast<std::int32_t>(corner);
      }
    }
    return end;
  };
  const std::int64_t read = first_stop(count, read_chunk);
  triangles.resize(before + static_cast<std::size_t>(read));
  return read;
}

}  // namespace spindrift
