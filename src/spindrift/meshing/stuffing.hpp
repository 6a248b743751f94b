// Isosurface stuffing: well-shaped tetrahedra from a signed distance or a closed mesh [Labelle &
// Shewchuk 2007; Chentanez 2007, section 3.3].
#pragma once

#include "spindrift/core/stats.hpp"
#include "spindrift/geometry/fields.hpp"
#include "spindrift/geometry/triangle_mesh.hpp"
#include "spindrift/mesh/labelled_cells.hpp"
#include "spindrift/mesh/tet_mesh.hpp"

namespace spindrift {

struct StuffingParams {
  double size = 0;       // m, side of the finest cells, which are those at the surface
  bool uniform = false;  // all cells are finest, also in the interior
  // m; cells inside are no larger than this. None: up to eight times `size`, which is the most.
  const ScalarField* sizing = nullptr;
  // Of the same sign as the distance and no more than it, in m, greater where that is not all it
  // could be: tells where the surface is not. None: the distance itself.
  const ScalarField* bound = nullptr;
  // Finest cells: how far vertices may be from where the distance is zero. 0: as close as rounding
  // allows, which takes many looks where the distance has kinks.
  double tolerance = 0;
  // Vertices where this is zero as well are within 1e-7 of it, whatever the tolerance. None: no
  // such.
  const ScalarField* exact = nullptr;
  bool keep_stages = false;   // for looking at them
  bool may_be_empty = false;  // an empty mesh, not an error, where nothing is inside
};

struct StuffingStage {
  std::string name;
  LabelledCells cells;
};

struct StuffingReport {
  Stats stats;                        // seconds of each stage
  std::vector<StuffingStage> stages;  // in order, if they are kept
};

// Fills the inside of `distance` in `box`. The field is negative inside, and in absolute value no
// more than the distance from the surface. Throws InputError where it cannot be meshed: nothing
// inside, a surface that leaves the box, a size for which memory does not suffice, values that are
// not finite.
[[nodiscard]] TetMesh stuff(const ScalarField& distance, const Box3& box,
                            const StuffingParams& params, StuffingReport* report = nullptr);

// Fills a closed mesh that faces outwards; where its parts overlap, their union. Much faster than
// through its distance. Throws InputError also if it is not closed.
[[nodiscard]] TetMesh stuff(const TriangleMesh& mesh, const StuffingParams& params,
                            StuffingReport* report = nullptr);

}  // namespace spindrift
