// Cuts polygons into triangles without inventing vertices.
//
// A quad is cut along the diagonal that gives the better triangles. Larger polygons are projected
// to the plane of their area vector and lose one ear after the other, the best-shaped first
// [Meisters 1975]; vertices in the middle of a straight side are left to the ears beside them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "spindrift/geometry/triangle_mesh.hpp"

namespace spindrift {

// Keeps its buffers from polygon to polygon.
class PolygonCutter {
 public:
  // Cuts the polygon of n >= 3 corners into n - 2 triangles of corner numbers 0 .. n - 1, oriented
  // like the polygon. False if the polygon crosses itself, has no area, or is so intricate that
  // looking for ears would take too long; then the triangles still span the polygon's boundary, but
  // may overlap or be flat.
  [[nodiscard]] bool cut(std::span<const Vec3> corners, std::span<Triangle> triangles);

 private:
  struct Ear {
    double quality;
    std::int32_t corner;
    std::int32_t version;  // of the corner's neighbourhood when it was tested
    friend bool operator<(const Ear& a, const Ear& b) {
      return a.quality != b.quality ? a.quality < b.quality : a.corner > b.corner;
    }
  };

  // Fills unit_ with the corners moved and scaled into a unit box.
  void normalise(std::span<const Vec3> corners);
  [[nodiscard]] bool cut_quad(std::span<Triangle> triangles) const;
  void project(const Vec3& normal);
  [[nodiscard]] bool clip_ears(std::span<Triangle> triangles);
  void examine(std::int32_t corner);
  [[nodiscard]] bool is_convex(std::int32_t corner) const;
  [[nodiscard]] bool is_blocked(std::int32_t corner);
  void build_grid();
  [[nodiscard]] std::array<int, 2> cell_of(const Vec2& point) const;
  [[nodiscard]] std::int32_t next_ear();

  std::vector<Vec3> unit_;
  std::vector<Vec2> flat_;
  std::vector<std::int32_t> before_, after_, version_;
  std::vector<char> blocks_;  // 1: the corner is there and not convex, so no ear may cover it
  std::vector<Ear> ears_;     // heap; outdated entries are dropped when they come up
  // The corners by cells of a square grid: those of cell c are the items cell_begin_[c] and up.
  std::vector<std::int32_t> cell_begin_, cell_items_;
  int grid_side_ = 1;
  Vec2 grid_origin_, grid_scale_;
  std::int64_t looks_left_ = 0;
};

}  // namespace spindrift
