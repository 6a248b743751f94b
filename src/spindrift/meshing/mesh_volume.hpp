// The inside of a closed triangle mesh.
//
// No distance is measured: winding numbers along the rows of the lattice tell which vertices are
// inside (winding_rows.hpp), and every triangle is asked which edges of the lattice it crosses, and
// where. Both are decided in integers, so that a cut edge has a crossing except where a vertex lies
// on the surface.
#pragma once

#include "spindrift/levelset/winding_rows.hpp"
#include "spindrift/meshing/volume.hpp"

namespace spindrift {

class MeshVolume final : public Volume {
 public:
  // Throws InputError if the mesh is too large for the memory, or not closed: here if a row of the
  // lattice passes through a hole, in cut() if another edge does. It must outlive the volume.
  MeshVolume(const TriangleMesh& mesh, const BrickGrid& grid, bool uniform);

  [[nodiscard]] std::vector<Vec3i> bricks_at_surface() override { return bricks_; }
  void classify(Octree& tree) override;
  // To within a millionth of a cell, or where that is more, a few billionths of the mesh's extent:
  // coordinates have 30 bits. Where an edge is crossed several times, the crossing closest
  // to its end outside.
  [[nodiscard]] Buffer<double> cut(const Octree& tree, const CutEdges& cuts) override;

 private:
  FixedSurface surface_;  // in half cells
  TriangleBins bins_;
  std::vector<Vec3i> bricks_;
  BlockSet blocks_;  // eight for each brick
  InsideNodes inside_;
};

}  // namespace spindrift
