// What is wrong with a triangle mesh: counts, and the first places of each kind.
#pragma once

#include <string>
#include <vector>

#include "spindrift/geometry/triangle_mesh.hpp"

namespace spindrift {

struct MeshCheckParams {
  bool find_self_intersections = true;  // the slow part: about 1 s per million triangles
  int max_places = 5;                   // per kind of defect
};

struct MeshDefect {
  std::int64_t count = 0;
  std::vector<Vec3> places;
};

struct MeshReport {
  std::int64_t vertices = 0, triangles = 0;
  std::int32_t components = 0;  // connected over edges
  Box3 box;
  double area = 0;    // m^2
  double volume = 0;  // m^3, signed; meaningful if is_closed()

  MeshDefect border_edges;       // used by one triangle: a hole or a rim
  MeshDefect unbalanced_edges;   // not walked equally often both ways: open, or flipped triangles
  MeshDefect nonmanifold_edges;  // used by more than two triangles
  MeshDefect flipped_edges;      // two triangles walk it the same way: one of them is inside out
  MeshDefect nonmanifold_vertices;   // two or more fans of triangles meet in it
  MeshDefect degenerate_triangles;   // without area
  MeshDefect duplicate_triangles;    // same three vertices as an earlier one
  MeshDefect coincident_vertices;    // same position as an earlier one
  MeshDefect unused_vertices;        // of no triangle
  MeshDefect self_intersections;     // pairs of triangles that cross, touch or overlap
  MeshDefect inside_out_components;  // closed, but with negative volume and not inside another one

  bool self_intersections_capped = false;  // their count ended early: there may be more

  // Bounds a solid: inside and outside are defined everywhere.
  [[nodiscard]] bool is_closed() const { return triangles > 0 && unbalanced_edges.count == 0; }
  [[nodiscard]] bool is_manifold() const {
    return nonmanifold_edges.count == 0 && nonmanifold_vertices.count == 0;
  }
};

[[nodiscard]] MeshReport check_mesh(const TriangleMesh& mesh, const MeshCheckParams& params = {});

// One name for each kind of defect, for reports: ("border_edges", &MeshReport::border_edges), ...
struct MeshDefectKind {
  const char* name;
  const char *singular, *plural;  // "open edge", "open edges"
  MeshDefect MeshReport::*defect;
};
[[nodiscard]] const std::vector<MeshDefectKind>& mesh_defect_kinds();

}  // namespace spindrift
