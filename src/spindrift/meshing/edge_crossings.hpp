// Where the triangles of a surface cross the edges of the lattice.
#pragma once

#include <span>
#include <vector>

#include "spindrift/levelset/triangle_bins.hpp"
#include "spindrift/meshing/cut_edges.hpp"

namespace spindrift {

// Works on one brick after the other, and reuses its memory.
class EdgeCrossings {
 public:
  // A surface in half cells, and its bins.
  EdgeCrossings(const FixedSurface& surface, const TriangleBins& bins)
      : surface_(surface), bins_(bins) {}

  // points[i]: how far along the brick's cut edge i, from 0 at its owner to 1, it enters the
  // surface, seen from its end outside. Where rounding hides the crossing because an end lies on
  // the surface: that end. Throws InputError where there is no crossing: the surface is open.
  void find(const Vec3i& place, const BrickCuts& cuts, const SurfaceBrick& signs,
            std::span<double> points);

 private:
  // Of a triangle, from the surface's base: coordinates along an edge are rounded alike for every
  // brick.
  using Corners = std::array<FixedPoint, 3>;
  struct Crossing {
    double at;          // from 0 at the edge's owner to 1
    int change;         // of the winding number, from the owner on
    std::int32_t next;  // crossing of the same edge; -1: none
  };

  void gather(const Vec3i& place);
  void gather_bin(std::int32_t bin, const Vec3i& offset);
  [[nodiscard]] Corners corners(std::int32_t triangle) const;
  void cross_rows(const Corners& corners, int axis);
  void cross_diagonals(const Corners& corners, int sign_y, int sign_z);
  void add(int type, const Vec3i& owner, double at, int change);
  [[nodiscard]] double choose(std::int32_t first, bool owner_is_inside);
  [[nodiscard]] double end_on_surface(const Vec3i& from, const Vec3i& to) const;

  const FixedSurface& surface_;
  const TriangleBins& bins_;
  const BrickCuts* cuts_ = nullptr;
  Vec3i first_ = Vec3i::Zero();  // the brick's first corner, from the base of the surface
  std::vector<std::int32_t> triangles_;
  std::vector<std::int32_t> heads_;  // the last crossing of each edge; -1: none
  std::vector<Crossing> crossings_;
  std::vector<Crossing> of_edge_;
};

}  // namespace spindrift
