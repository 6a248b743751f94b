// Cuts polygons into triangles without inventing vertices.
//
// A quad is cut along the diagonal that gives the better triangles. Larger polygons are projected
// to the plane of their area vector and lose one ear after the other, the best-shaped first
// [Meisters 1975]; vertices in the middle of a straight side are left to the ears beside them.
#pragma once

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
  [[nodiscard]] bool is_blocked(std::int32_t corner);
  void set_blocker(std::int32_t corner, bool blocks);
  [[nodiscard]] std::int32_t next_ear();

  std::vector<Vec3> unit_;
  std::vector<Vec2> flat_;
  std::vector<std::int32_t> before_, after_, version_;
  std::vector<std::int32_t> blockers_;    // corners that are not convex
  std::vector<std::int32_t> blocker_at_;  // place in blockers_, -1: none
  std::vector<Ear> ears_;                 // heap; outdated entries are dropped when they come up
  std::int64_t tests_left_ = 0;
};

}  // namespace spindrift
