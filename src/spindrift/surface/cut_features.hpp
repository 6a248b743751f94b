// The points of the cut surface's sharp edges and corners, one in each polygon that they run
// through.
//
// Where vertices lie on both sides of an edge of a solid, the planes through them meet in its
// point, in the least squares sense [Kobbelt et al. 2001, §4]. On a contact line the point lies on
// the liquid's surface and on the solid's at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spindrift/surface/cut_polygons.hpp"

namespace spindrift {

// Unit normals of those vertices that bent polygons have; of the function that the vertex lies on.
struct CutNormals {
  std::vector<std::int32_t> place;  // of each vertex; -1: has none
  std::vector<Vec3> normals;        // zero: not known

  // Whether an edge runs between two vertices of one kind.
  [[nodiscard]] bool are_across_edge(std::int32_t v, std::int32_t w) const;
};
[[nodiscard]] CutNormals find_cut_normals(std::span<const Vec3> positions,
                                          std::span<const SurfaceKind> kinds,
                                          std::span<const CutPolygon> polygons,
                                          const CutBounds& bounds);

struct CutFeature {
  Vec3 point = Vec3::Zero();
  bool exists = false;  // always in a mixed polygon
};
// For each polygon.
[[nodiscard]] std::vector<CutFeature> find_cut_features(std::span<const Vec3> positions,
                                                        std::span<const SurfaceKind> kinds,
                                                        std::span<const CutPolygon> polygons,
                                                        const CutNormals& normals,
                                                        const CutBounds& bounds);

}  // namespace spindrift
