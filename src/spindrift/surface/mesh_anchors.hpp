// Vertices of the mesher's lattice that thin liquid holds on to, so that it is meshed wherever it
// is.
//
// Isosurface stuffing fills what has vertices of its lattice inside, and moves those onto the
// surface that are too close to it: a sheet as thick as a cell may come out full of holes, and a
// film on a solid not at all. A vertex with a ball of kAnchorRadius around it in the liquid is
// never moved, and is a corner of tetrahedra in all directions. So each thin part that has no such
// vertex near by gets one: the vertex of which the most is in the liquid already, with its ball.
// Films on solids are offset there as well, so that tetrahedra reach from the ball to the solid.
// The paper thickens alike wherever liquid is thin, and leaves holes and films.
#pragma once

#include <span>
#include <vector>

#include "spindrift/geometry/fields.hpp"
#include "spindrift/levelset/lattice.hpp"
#include "spindrift/surface/medial_particles.hpp"
#include "spindrift/surface/offset_grid.hpp"

namespace spindrift {

struct MeshAnchor {
  Vec3 position = Vec3::Zero();  // m
  double offset = 0;  // m, outwards, of the surface around it; beside what is in the way alone
};

// Cells. Where the surface cuts edges of the lattice closer to an end than 0.285 of those of length
// 1 or 0.3986 of those of length 0.866, that end is moved.
inline constexpr double kAnchorRadius = 0.36;

// Half of a part's thickness from which on it needs no anchors, and half of a film's, cells: no
// point is farther than 0.56 from a vertex of the lattice.
inline constexpr double kAnchoredRadius = 0.92;
// How far around an anchor its offset is whole, and from where on there is none, cells.
inline constexpr double kAnchorWhole = 0.5;
inline constexpr double kAnchorNone = 1.2;

// `cells`: the corners of the mesher's finest cells; their centres are vertices, too. `offsets`: by
// which the liquid is thickened already, on the nodes of half cells. `in_the_way`: where no
// tetrahedra may be, as solids. No anchor has an offset greater than `most`, m.
[[nodiscard]] std::vector<MeshAnchor> mesh_anchors(const ScalarField& liquid,
                                                   std::span<const MedialParticle> thin,
                                                   const OffsetGrid& offsets,
                                                   std::span<const ScalarField* const> in_the_way,
                                                   const Lattice& cells, double most);

}  // namespace spindrift
