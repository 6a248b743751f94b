// The inside of a signed distance.
#pragma once

#include <array>

#include "spindrift/geometry/fields.hpp"
#include "spindrift/levelset/block_set.hpp"
#include "spindrift/meshing/edge_roots.hpp"
#include "spindrift/meshing/volume.hpp"

namespace spindrift {

// Both fields are negative inside and in absolute value no more than the distance from the surface;
// `bound` says where it is not. They and the grid are kept by reference.
class DistanceVolume final : public Volume {
 public:
  DistanceVolume(const ScalarField& distance, const ScalarField& bound, const BrickGrid& grid,
                 bool uniform, const RootTolerance& tolerance)
      : distance_(distance), bound_(bound), grid_(grid), uniform_(uniform), tolerance_(tolerance) {}

  // From large cubes to small ones.
  [[nodiscard]] std::vector<Vec3i> bricks_at_surface() override;
  // A vertex closer to the surface than a ten-millionth of a cell is neither inside nor outside.
  void classify(Octree& tree) override;
  // Roots of the field, to within the tolerance, or a hundred-millionth of a cell.
  [[nodiscard]] Buffer<double> cut(const Octree& tree, const CutEdges& cuts) override;

 private:
  using BrickValues = std::array<std::array<float, kBlockNodes>, 2>;  // of corners and centres

  const ScalarField& distance_;
  const ScalarField& bound_;
  const BrickGrid& grid_;
  bool uniform_;
  RootTolerance tolerance_;
  Buffer<BrickValues> values_;  // of the surface bricks, in cells
};

}  // namespace spindrift
