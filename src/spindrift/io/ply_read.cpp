#include <type_traits>

#include "spindrift/io/mesh_builder.hpp"
#include "spindrift/io/ply.hpp"
#include "spindrift/io/ply_bulk.hpp"
#include "spindrift/io/ply_header.hpp"
#include "spindrift/io/ply_rows.hpp"

namespace spindrift {

namespace {

template <class Rows>
class PlyReader {
 public:
  PlyReader(std::string_view bytes, const PlyHeader& header, const std::string& name)
      : header_(header), name_(name), rows_(bytes, header, name), builder_(name) {}

  MeshFile read() {
    for (const PlyElement& element : header_.elements) {
      if (element.name == "vertex") vertex_count_ = element.count;
    }
    for (const PlyElement& element : header_.elements) {
      if (element.properties.empty()) continue;
      check_room(element);
      if (element.name == "vertex") {
        read_vertices(element);
      } else if (element.name == "face") {
        read_faces(element);
      } else if (element.name == "tristrips") {
        read_strips(element);
      } else {
        skip_rows(element);
      }
    }
    if (!rows_.ended()) {
      builder_.note(rows_.bytes_left(), "byte", "bytes", "after the last element ignored");
    }
    return builder_.finish();
  }

 private:
  static constexpr bool kIsBinary = std::is_same_v<Rows, PlyBinaryRows>;

  // Refuses promises that the file cannot keep before memory is set aside for them.
  void check_room(const PlyElement& element) {
    const std::int64_t row_bytes = element.least_row_bytes(header_.format);
    const std::int64_t spare = kIsBinary ? 0 : 1;  // the last line end may be missing
    const std::int64_t most = (rows_.bytes_left() + spare) / row_bytes;
    if (element.count <= most) return;
    rows_.fail(rows_.position() + rows_.bytes_left(),
               fmt::format("the header promises {} {} elements, but the data ends after {}{}",
                           with_commas(element.count), in_quotes(element.name),
                           kIsBinary && !element.has_lists() ? "" : "at most ", with_commas(most)),
               "the file is cut off, or its header is wrong");
  }

  // Positions of three properties; -1 for each that is missing.
  static std::array<int, 3> find_three(const PlyElement& element,
                                       const std::array<const char*, 3>& names) {
    return {element.find(names[0]), element.find(names[1]), element.find(names[2])};
  }

  void read_vertices(const PlyElement& element) {
    check_vertex_count(element.count, {.file = name_});
    const std::array<int, 3> xyz = find_three(element, {"x", "y", "z"});
    const std::array<int, 3> velocity = find_three(element, {"vx", "vy", "vz"});
    for (int axis = 0; axis < 3; ++axis) check_coordinate_property(element, xyz[axis], "xyz"[axis]);
    const bool has_velocities = is_complete(element, velocity);
    std::vector<Vec3>& points = builder_.mesh().vertices;
    std::vector<Vec3>& velocities = builder_.velocities();
    points.resize(static_cast<std::size_t>(element.count));
    if (has_velocities) velocities.resize(points.size());

    std::int64_t row = 0;
    if constexpr (kIsBinary) {
      if (!element.has_lists()) {
        row = read_vectors_in_bulk(element, xyz, rows_, points);
        if (has_velocities) {
          row = std::min(row, read_vectors_in_bulk(element, velocity, rows_, velocities));
        }
        rows_.advance(row * element.least_row_bytes(header_.format));
      }
    }
    for (; row < element.count; ++row) {
      rows_.begin_row(element, row);
      for (int k = 0; k < static_cast<int>(element.properties.size()); ++k) {
        const PlyProperty& property = element.properties[k];
        if (double* const target = find_target(xyz, k, points[row])) {
          *target = rows_.coordinate(property);
        } else if (double* const other =
                       has_velocities ? find_target(velocity, k, velocities[row]) : nullptr) {
          *other = rows_.coordinate(property);
        } else {
          skip_property(property);
        }
      }
      rows_.end_row(element);
    }
  }

  void check_coordinate_property(const PlyElement& element, int property, char axis) {
    if (property >= 0 && !element.properties[property].is_list) return;
    fail_header(fmt::format("element 'vertex' has no {}property '{}'",
                            property < 0 ? "" : "scalar ", axis));
  }

  // Velocities are read if all three components are there.
  bool is_complete(const PlyElement& element, const std::array<int, 3>& properties) {
    int found = 0;
    for (const int property : properties) {
      if (property >= 0 && !element.properties[property].is_list) ++found;
    }
    if (found == 1 || found == 2) {
      builder_.note("velocities ignored: vx, vy and vz are not all there");
    }
    return found == 3;
  }

  static double* find_target(const std::array<int, 3>& properties, int k, Vec3& vector) {
    for (int axis = 0; axis < 3; ++axis) {
      if (properties[axis] == k) return &vector[axis];
    }
    return nullptr;
  }

  // The position of the list of vertex numbers.
  int find_index_list(const PlyElement& element) {
    for (const char* name : {"vertex_indices", "vertex_index"}) {
      const int list = element.find(name);
      if (list >= 0 && element.properties[list].is_list) return list;
    }
    fail_header(fmt::format("element {} has no list property 'vertex_indices' or 'vertex_index'",
                            in_quotes(element.name)));
  }

  void read_faces(const PlyElement& element) {
    if (element.count == 0) return;
    const int list = find_index_list(element);
    std::int64_t row = 0;
    if constexpr (kIsBinary) {
      std::vector<Triangle>& triangles = builder_.mesh().triangles;
      row = read_triangles_in_bulk(element, list, vertex_count_, rows_, triangles);
      rows_.advance(row * (element.least_row_bytes(header_.format) + 12));
    }
    for (; row < element.count; ++row) {
      read_list_row(element, list, row, false);
      builder_.add_face(corners_);
    }
  }

  // Every corner makes a triangle with the two before it, in alternating orientation; -1 begins a
  // new strip. Triangles that repeat a corner are how strips turn, and not worth a note.
  void read_strips(const PlyElement& element) {
    if (element.count == 0) return;
    const int list = find_index_list(element);
    for (std::int64_t row = 0; row < element.count; ++row) {
      read_list_row(element, list, row, true);
      std::size_t begin = 0;
      for (std::size_t k = 0; k < corners_.size(); ++k) {
        if (corners_[k] < 0) {
          begin = k + 1;
        } else if (k >= begin + 2) {
          const bool odd = (k - begin) % 2 != 0;
          const std::int32_t a = corners_[odd ? k - 1 : k - 2], b = corners_[odd ? k - 2 : k - 1];
          if (a == b || b == corners_[k] || corners_[k] == a) continue;
          builder_.mesh().triangles.push_back({a, b, corners_[k]});
        }
      }
    }
  }

  // Fills corners_ from the list at position `list` of one row.
  void read_list_row(const PlyElement& element, int list, std::int64_t row, bool breaks_allowed) {
    rows_.begin_row(element, row);
    for (int k = 0; k < static_cast<int>(element.properties.size()); ++k) {
      const PlyProperty& property = element.properties[k];
      if (k != list) {
        skip_property(property);
        continue;
      }
      corners_.clear();
      const std::int64_t count = list_count(property);
      for (std::int64_t i = 0; i < count; ++i) {
        const char* const at = rows_.position();
        const std::int64_t corner = rows_.item(property);
        const bool is_break = breaks_allowed && corner == -1;
        if (!is_break && (corner < 0 || corner >= vertex_count_)) {
          rows_.fail(at, fmt::format("vertex {} does not exist", corner),
                     corner_range(vertex_count_, 0));
        }
        corners_.push_back(static_cast<std::int32_t>(corner));
      }
    }
    rows_.end_row(element);
  }

  std::int64_t list_count(const PlyProperty& property) {
    const char* const at = rows_.position();
    const std::int64_t count = rows_.list_count(property);
    if (count < 0) rows_.fail(at, fmt::format("the length of the list is {}", count));
    return count;
  }

  void skip_property(const PlyProperty& property) {
    if (property.is_list) {
      rows_.skip_items(property, list_count(property));
    } else {
      rows_.skip_value(property);
    }
  }

  void skip_rows(const PlyElement& element) {
    builder_.note(element.count, in_quotes(element.name) + " element",
                  in_quotes(element.name) + " elements", "ignored");
    if constexpr (kIsBinary) {
      if (!element.has_lists()) {
        rows_.advance(element.count * element.least_row_bytes(header_.format));
        return;
      }
    }
    for (std::int64_t row = 0; row < element.count; ++row) {
      rows_.begin_row(element, row);
      for (const PlyProperty& property : element.properties) skip_property(property);
      rows_.end_row(element);
    }
  }

  [[noreturn]] void fail_header(std::string problem) {
    throw InputError({.file = name_}, std::move(problem));
  }

  const PlyHeader& header_;
  std::string name_;
  Rows rows_;
  MeshBuilder builder_;
  std::int64_t vertex_count_ = 0;
  std::vector<std::int32_t> corners_;
};

}  // namespace

MeshFile parse_ply(std::string_view bytes, const std::string& name) {
  if (bytes.empty()) throw InputError({.file = name}, "the file is empty");
  const PlyHeader header = parse_ply_header(bytes, name);
  if (header.format == PlyFormat::text) return PlyReader<PlyTextRows>(bytes, header, name).read();
  return PlyReader<PlyBinaryRows>(bytes, header, name).read();
}

}  // namespace spindrift
