// The faces of a tetrahedral mesh, each once, with what the finite-volume method needs of them.
//
// The geometry of a face between two tetrahedra of lattice shapes follows from their shapes and is
// looked up; only that of the other faces is kept [Chentanez 2007, section 3.3.2]. Barycentres are
// the means of three vertices.
#pragma once

#include "spindrift/mesh/tet_neighbors.hpp"

namespace spindrift {

struct FaceGeometry {
  double area;         // m^2
  Vec3 normal;         // out of the face's first tetrahedron
  double dual_length;  // m, between the barycentres of its tetrahedra; on the boundary, from the
                       // barycentre of its tetrahedron to its own
};

class MeshFaces {
 public:
  // The mesh must outlive the faces. `neighbors` as from find_neighbors().
  MeshFaces(const TetMesh& mesh, TetNeighbors neighbors);

  [[nodiscard]] std::int64_t count() const { return std::ssize(first_sides_); }
  [[nodiscard]] std::int64_t boundary_count() const { return boundary_count_; }
  [[nodiscard]] std::int64_t stored_count() const { return std::ssize(stored_); }

  // 4 tet + side, of the lower tetrahedron.
  [[nodiscard]] std::int32_t first_side(std::int64_t face) const {
    return first_sides_[static_cast<std::size_t>(face)];
  }
  // 4 tet + side of the other one; -1 on the boundary.
  [[nodiscard]] std::int32_t second_side(std::int64_t face) const {
    return neighbor(first_side(face));
  }
  [[nodiscard]] bool is_boundary(std::int64_t face) const { return second_side(face) < 0; }

  // The faces opposite a tetrahedron's vertices.
  [[nodiscard]] const std::array<std::int32_t, 4>& of_tet(std::int64_t tet) const {
    return of_tet_[static_cast<std::size_t>(tet)];
  }
  [[nodiscard]] const TetNeighbors& neighbors() const { return neighbors_; }

  [[nodiscard]] FaceGeometry geometry(std::int64_t face) const {
    const std::int32_t place = stored_places_[static_cast<std::size_t>(face)];
    return place >= 0 ? stored_[static_cast<std::size_t>(place)] : look_up(first_side(face));
  }
  [[nodiscard]] Vec3 barycentre(std::int64_t face) const;  // m

 private:
  [[nodiscard]] std::int32_t neighbor(std::int32_t side) const {
    return neighbors_[static_cast<std::size_t>(side >> 2)][static_cast<std::size_t>(side & 3)];
  }
  [[nodiscard]] bool is_standard(std::int32_t side) const {
    return side >= 0 && !mesh_->shapes.empty() &&
           mesh_->shapes[static_cast<std::size_t>(side >> 2)].is_standard();
  }
  [[nodiscard]] FaceGeometry look_up(std::int32_t side) const;

  const TetMesh* mesh_;
  TetNeighbors neighbors_;
  Buffer<std::int32_t> first_sides_;
  Buffer<std::int32_t> stored_places_;  // in `stored_`; -1: looked up
  Buffer<FaceGeometry> stored_;
  Buffer<std::array<std::int32_t, 4>> of_tet_;
  std::int64_t boundary_count_ = 0;
};

}  // namespace spindrift
