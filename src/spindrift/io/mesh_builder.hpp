// Collects the vertices and faces of a file and makes a mesh of triangles from them: what all
// formats have in common.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spindrift/core/error.hpp"
#include "spindrift/core/text.hpp"
#include "spindrift/io/mesh_file.hpp"

namespace spindrift {

// As many as a Triangle can number.
inline constexpr std::int64_t kMostVertices = std::numeric_limits<std::int32_t>::max();

// "the file has 8 vertices, numbered 0 to 7": the advice to a corner number out of range.
[[nodiscard]] std::string corner_range(std::int64_t vertex_count, std::int64_t first);

// Throws InputError if a file promises or holds too many vertices.
void check_vertex_count(std::int64_t count, const Location& where);

class MeshBuilder {
 public:
  explicit MeshBuilder(std::string name) : name_(std::move(name)) {}

  // Adds a polygon by its vertices' numbers, which need not be known yet. Corners that repeat the
  // one before are dropped; a face that has fewer than three left is left out.
  void add_face(std::span<const std::int32_t> corners);

  // Notes "<count> <singular or plural> <what was done>", unless the count is 0.
  void note(std::int64_t count, std::string_view singular, std::string_view plural,
            std::string_view done);
  void note(std::string text) { file_.notes.push_back(std::move(text)); }

  // Direct access, for readers that fill whole arrays. All corner numbers must be in range when
  // finish() is called.
  [[nodiscard]] TriangleMesh& mesh() { return file_.mesh; }
  [[nodiscard]] std::vector<Vec3>& velocities() { return file_.velocities; }

  // Cuts the polygons and returns it all. Throws InputError if there is no triangle.
  [[nodiscard]] MeshFile finish();

 private:
  // A face with more than three corners; its triangles are filled in when all vertices are known.
  struct Polygon {
    std::int64_t first_corner;
    std::int64_t first_triangle;
    std::int64_t corner_count;
  };

  void add_polygon(std::span<const std::int32_t> corners);
  [[nodiscard]] std::int64_t cut_polygons();
  void drop_degenerate();

  std::string name_;
  MeshFile file_;
  std::vector<std::int32_t> corners_;
  std::vector<Polygon> polygons_;
  std::vector<std::int32_t> distinct_;  // scratch
  std::int64_t left_out_ = 0;
};

}  // namespace spindrift
