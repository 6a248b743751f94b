// What isosurface stuffing has done after each of its stages, to be looked at.
#pragma once

#include "spindrift/mesh/labelled_cells.hpp"
#include "spindrift/meshing/mesh_vertices.hpp"

namespace spindrift {

// The leaves, by level: 0 for the finest.
[[nodiscard]] LabelledCells octree_stage(const Octree& tree);

// From the inside end of each cut edge to where it is cut: 0 for a long edge, 1 for a short one.
// Before vertices are moved.
[[nodiscard]] LabelledCells cut_stage(const Octree& tree, const CutEdges& cuts,
                                      const Buffer<double>& points);

// From the place of each moved vertex to where it went: 0 for a corner, 1 for a centre.
[[nodiscard]] LabelledCells warp_stage(const Octree& tree,
                                       const std::vector<std::vector<Warp>>& warps);

// The vertices of the mesh: 0 for a corner, 1 for a centre, 2 for a cut point.
[[nodiscard]] LabelledCells vertex_stage(const MeshVertices& vertices,
                                         const Buffer<Vec3>& positions);

// The mesh: the level of the leaf for tetrahedra with shapes of the lattice, -1 for the others.
[[nodiscard]] LabelledCells tet_stage(const TetMesh& mesh);

}  // namespace spindrift
