#include "spindrift/mesh/mesh_check.hpp"

#include <algorithm>

#include "spindrift/geometry/mesh_edges.hpp"
#include "spindrift/geometry/union_find.hpp"
#include "spindrift/mesh/boundary.hpp"
#include "spindrift/mesh/tet_faces.hpp"

namespace spindrift {

namespace {

// An even number of exchanges sorts the corners. Two tetrahedra on either side of a face walk it in
// opposite directions: one evenly, one oddly.
bool is_even(const Triangle& t) {
  const int exchanges = (t[0] > t[1] ? 1 : 0) + (t[0] > t[2] ? 1 : 0) + (t[1] > t[2] ? 1 : 0);
  return exchanges % 2 == 0;
}

class Checker {
 public:
  Checker(const TetMesh& mesh, int max_places) : max_places_(max_places) {
    report_.vertices = mesh.vertex_count();
    report_.tets = mesh.tet_count();
    take_good_tets(mesh);
  }

  TetMeshReport run() {
    count_unused_vertices();
    check_faces();
    check_boundary();
    return std::move(report_);
  }

 private:
  void note(MeshDefect& defect, const Vec3& place) {
    ++defect.count;
    if (std::ssize(defect.places) < max_places_) defect.places.push_back(place);
  }

  void take_good_tets(const TetMesh& mesh) {
    mesh_.vertices = mesh.vertices;
    mesh_.tets.reserve(mesh.tets.size());
    const auto exists = [&](std::int32_t v) { return v >= 0 && v < mesh.vertex_count(); };
    for (const Tet& tet : mesh.tets) {
      Tet sorted = tet;
      std::sort(sorted.begin(), sorted.end());
      const bool repeats = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
      if (!repeats && std::all_of(tet.begin(), tet.end(), exists)) {
        mesh_.tets.push_back(tet);
        continue;
      }
      const auto found = std::find_if(tet.begin(), tet.end(), exists);
      note(report_.bad_tets, found == tet.end() ? Vec3(Vec3::Zero()) : mesh.vertices[*found]);
    }
  }

  void count_unused_vertices() {
    std::vector<char> is_used(mesh_.vertices.size(), 0);
    for (const Tet& tet : mesh_.tets) {
      for (const std::int32_t v : tet) is_used[v] = 1;
    }
    report_.unused_vertices = std::count(is_used.begin(), is_used.end(), 0);
  }

  [[nodiscard]] Vec3 middle_of(FaceId face) const {
    const Triangle t = face_corners(mesh_, face);
    return (mesh_.vertices[t[0]] + mesh_.vertices[t[1]] + mesh_.vertices[t[2]]) / 3;
  }

  void check_faces() {
    UnionFind sets(mesh_.tet_count());
    for_each_face(sorted_face_uses(mesh_), [&](std::span<const FaceUse> uses) {
      const FaceId first = uses.front().face(), last = uses.back().face();
      ++report_.faces;
      if (uses.size() == 1) boundary_.push_back(first);
      if (uses.size() > 2) note(report_.crowded_faces, middle_of(first));
      if (uses.size() == 2 &&
          is_even(face_corners(mesh_, first)) == is_even(face_corners(mesh_, last))) {
        note(report_.one_sided_faces, middle_of(first));
      }
      for (const FaceUse& use : uses) {
        sets.unite(static_cast<std::int32_t>(first >> 2),
                   static_cast<std::int32_t>(use.face() >> 2));
      }
    });
    for (std::int32_t t = 0; t < mesh_.tet_count(); ++t) {
      if (sets.find(t) == t) ++report_.components;
    }
  }

  void check_boundary() {
    report_.boundary_faces = std::ssize(boundary_);
    const TriangleMesh surface = surface_of(mesh_, boundary_).surface;
    const MeshEdges edges(surface);
    for (std::int64_t e = 0; e < edges.edge_count(); ++e) {
      const auto uses = edges.uses(e);
      if (edge_balance(uses) == 0) continue;
      note(report_.open_edges,
           (surface.vertices[uses[0].low] + surface.vertices[uses[0].high]) / 2);
    }
  }

  int max_places_;
  TetMesh mesh_;  // the good tetrahedra
  std::vector<FaceId> boundary_;
  TetMeshReport report_;
};

}  // namespace

TetMeshReport check_tets(const TetMesh& mesh, int max_places) {
  return Checker(mesh, max_places).run();
}

}  // namespace spindrift
