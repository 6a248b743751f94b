// A liquid's mesh made to fit obstacles [Chentanez 2007, section 3.3.1].
//
//   TetMesh mesh = stuff(WithoutObstacles(liquid, obstacle), box, params);
//   const TetNeighbors neighbors = find_neighbors(mesh);
//   LiquidBoundary boundary = find_liquid_boundary(mesh, neighbors, liquid, obstacle);
//   const SnapReport report = snap_to_obstacles(mesh, boundary, liquid, obstacle);
//   const BoundaryTags tags = tag_boundary(mesh, boundary, liquid, obstacle);
//
// All fields are signed distances, negative inside, and in absolute value no more than the true
// one. Several obstacles are one field, their minimum.
#pragma once

#include <cstdint>
#include <span>

#include "spindrift/geometry/fields.hpp"
#include "spindrift/meshing/liquid_boundary.hpp"

namespace spindrift {

// The liquid where no obstacle is: what to mesh. The fields must outlive it.
class WithoutObstacles final : public ScalarField {
 public:
  WithoutObstacles(const ScalarField& liquid, const ScalarField& obstacle)
      : liquid_(liquid), obstacle_(obstacle) {}
  void evaluate(std::span<const Vec3> points, std::span<double> values) const override;

 private:
  const ScalarField& liquid_;
  const ScalarField& obstacle_;
};

struct SnapParams {
  // How far a surface may be from the vertices that are put onto it, in finest cells; the paper's
  // eighth.
  double reach = 0.125;
  // How far vertices of faces between both surfaces may go to the contact curve, in finest cells;
  // 0: such faces stay. The paper leaves them, a strip of up to a cell along every contact line.
  double contact_reach = 1;
  // No move may leave a tetrahedron with a dihedral angle outside of these, in degrees: the bounds
  // of stuffing itself.
  double min_dihedral = 10.7, max_dihedral = 164.8;
};

struct SnapReport {
  std::int64_t projected = 0;     // vertices put onto the obstacle
  std::int64_t contact = 0;       // put onto the curve where the liquid's surface meets it
  std::int64_t undone = 0;        // left where they were, to keep tetrahedra well shaped
  std::int64_t touched_tets = 0;  // with moved vertices
  double min_dihedral = 180, max_dihedral = 0;  // of those, in degrees
};

// Moves vertices of the boundary that are near the obstacle onto it, and those that are near the
// liquid's surface too onto the curve where the two meet: orthogonal projection alone would take
// them off the surface, and with them the faces of a level pool. Where the surfaces do not meet
// nearby but face each other, projection closes the gap between them. What faces are left between
// both surfaces have vertices moved to the contact curve from farther away, along either surface.
//
// Tetrahedra with moved vertices lose their shape codes; `boundary` knows afterwards where vertices
// lie. The same bits for any number of threads.
SnapReport snap_to_obstacles(TetMesh& mesh, LiquidBoundary& boundary, const ScalarField& liquid,
                             const ScalarField& obstacle, const SnapParams& params = {});

}  // namespace spindrift
