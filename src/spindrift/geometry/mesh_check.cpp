#include "spindrift/geometry/mesh_check.hpp"

#include <algorithm>
#include <numeric>

#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/mesh_edges.hpp"
#include "spindrift/geometry/mesh_orientation.hpp"
#include "spindrift/geometry/mesh_weld.hpp"
#include "spindrift/geometry/predicates.hpp"
#include "spindrift/geometry/self_intersection.hpp"
#include "spindrift/geometry/triangle_bvh.hpp"
#include "spindrift/geometry/union_find.hpp"

namespace spindrift {

namespace {

class Checker {
 public:
  Checker(const TriangleMesh& mesh, const MeshCheckParams& params)
      : mesh_(mesh), params_(params), edges_(mesh), first_(coincident_vertex_map(mesh)) {
    joined_ = mesh;
    for (Triangle& triangle : joined_.triangles) {
      for (std::int32_t& v : triangle) v = first_[v];
    }
  }

  MeshReport run() {
    report_.vertices = mesh_.vertex_count();
    report_.triangles = mesh_.triangle_count();
    report_.box = bounds(mesh_);
    report_.area = surface_area(mesh_);
    report_.volume = enclosed_volume(mesh_);
    check_edges();
    check_vertices();
    check_triangles();
    check_components();
    if (params_.find_self_intersections) check_self_intersections();
    return std::move(report_);
  }

 private:
  void note(MeshDefect& defect, const Vec3& place) {
    ++defect.count;
    if (std::ssize(defect.places) < params_.max_places) defect.places.push_back(place);
  }

  [[nodiscard]] Vec3 middle_of(std::int64_t t) const {
    return (mesh_.corner(t, 0) + mesh_.corner(t, 1) + mesh_.corner(t, 2)) / 3;
  }

  void check_edges() {
    for (std::int64_t e = 0; e < edges_.edge_count(); ++e) {
      const auto uses = edges_.uses(e);
      if (uses[0].low == uses[0].high) continue;  // of a degenerate triangle, counted there
      const auto middle = [&] {
        return Vec3((mesh_.vertices[uses[0].low] + mesh_.vertices[uses[0].high]) / 2);
      };
      if (uses.size() == 1) note(report_.border_edges, middle());
      if (uses.size() > 2) note(report_.nonmanifold_edges, middle());
      if (edge_balance(uses) != 0) note(report_.unbalanced_edges, middle());
      if (uses.size() == 2 && uses[0].is_forward == uses[1].is_forward) {
        note(report_.flipped_edges, middle());
      }
    }
  }

  void check_vertices() {
    // Corners of one vertex that are joined over edges form a fan.
    UnionFind corners(3 * mesh_.triangle_count());
    const auto corner_at = [&](const EdgeUse& use, bool low) {
      return 3 * use.triangle + (low == use.is_forward ? use.side : (use.side + 1) % 3);
    };
    for (std::int64_t e = 0; e < edges_.edge_count(); ++e) {
      const auto uses = edges_.uses(e);
      for (const EdgeUse& use : uses.subspan(1)) {
        corners.unite(corner_at(uses[0], true), corner_at(use, true));
        corners.unite(corner_at(uses[0], false), corner_at(use, false));
      }
    }
    std::vector<std::int32_t> fans(mesh_.vertices.size(), 0);
    for (std::int32_t c = 0; c < 3 * mesh_.triangle_count(); ++c) {
      if (corners.find(c) == c) ++fans[mesh_.triangles[c / 3][c % 3]];
    }
    for (std::int32_t v = 0; v < mesh_.vertex_count(); ++v) {
      if (fans[v] > 1) note(report_.nonmanifold_vertices, mesh_.vertices[v]);
      if (fans[v] == 0) note(report_.unused_vertices, mesh_.vertices[v]);
      if (first_[v] != v) note(report_.coincident_vertices, mesh_.vertices[v]);
    }
  }

  void check_triangles() {
    for (std::int64_t t = 0; t < mesh_.triangle_count(); ++t) {
      if (are_collinear(mesh_.corner(t, 0), mesh_.corner(t, 1), mesh_.corner(t, 2))) {
        note(report_.degenerate_triangles, middle_of(t));
      }
    }
    for (const std::int32_t t : duplicate_triangles(joined_)) {
      note(report_.duplicate_triangles, middle_of(t));
    }
  }

  void check_components() {
    const EdgeComponents components = find_components(mesh_, edges_);
    report_.components = components.count;
    std::vector<std::int32_t> first(components.count, -1);
    for (std::int32_t t = 0; t < mesh_.triangle_count(); ++t) {
      std::int32_t& own = first[components.of_triangle[t]];
      if (own < 0) own = t;
    }
    for (const std::int32_t c : inside_out_components(mesh_, edges_, components)) {
      note(report_.inside_out_components, middle_of(first[c]));
    }
  }

  void check_self_intersections() {
    const SelfIntersections found = find_self_intersections(joined_, TriangleBvh(joined_),
                                                            {.max_examples = params_.max_places});
    report_.self_intersections.count = found.count;
    report_.self_intersections_capped = found.is_capped;
    for (const auto& pair : found.examples) {
      report_.self_intersections.places.push_back(middle_of(pair.first));
    }
  }

  const TriangleMesh& mesh_;
  const MeshCheckParams& params_;
  MeshEdges edges_;
  std::vector<std::int32_t> first_;  // of each vertex, the lowest one at its place
  // The mesh over these: triangles that meet in coincident vertices are neighbours, and triangles
  // on the same three places are copies, whatever their indices say.
  TriangleMesh joined_;
  MeshReport report_;
};

}  // namespace

MeshReport check_mesh(const TriangleMesh& mesh, const MeshCheckParams& params) {
  return Checker(mesh, params).run();
}

const std::vector<MeshDefectKind>& mesh_defect_kinds() {
  static const std::vector<MeshDefectKind> kinds = {
      {"border_edges", "open edge (used by one triangle)", "open edges (used by one triangle)",
       &MeshReport::border_edges},
      {"unbalanced_edges", "edge where inside and outside are not separated",
       "edges where inside and outside are not separated", &MeshReport::unbalanced_edges},
      {"nonmanifold_edges", "edge of more than two triangles", "edges of more than two triangles",
       &MeshReport::nonmanifold_edges},
      {"flipped_edges", "edge whose two triangles face opposite ways",
       "edges whose two triangles face opposite ways", &MeshReport::flipped_edges},
      {"nonmanifold_vertices", "vertex where surfaces only touch",
       "vertices where surfaces only touch", &MeshReport::nonmanifold_vertices},
      {"degenerate_triangles", "triangle without area", "triangles without area",
       &MeshReport::degenerate_triangles},
      {"duplicate_triangles", "repeated triangle", "repeated triangles",
       &MeshReport::duplicate_triangles},
      {"coincident_vertices", "vertex at the place of another", "vertices at the place of another",
       &MeshReport::coincident_vertices},
      {"unused_vertices", "vertex of no triangle", "vertices of no triangle",
       &MeshReport::unused_vertices},
      {"self_intersections", "pair of triangles that cross or touch",
       "pairs of triangles that cross or touch", &MeshReport::self_intersections},
      {"inside_out_components", "closed part that is inside out",
       "closed parts that are inside out", &MeshReport::inside_out_components}};
  return kinds;
}

}  // namespace spindrift
