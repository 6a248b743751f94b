// What isosurface stuffing asks of a volume: on which side the vertices of the lattice are, and
// where the surface cuts its edges.
#pragma once

#include <vector>

#include "spindrift/core/buffer.hpp"
#include "spindrift/core/vec.hpp"

namespace spindrift {

struct CutEdges;
struct Octree;

// Bricks of 8 cells a side; only those from `low` to `high` are looked at.
struct BrickGrid {
  Vec3 origin = Vec3::Zero();  // m, the first corner of brick 0, 0, 0
  double size = 0;             // m, side of a cell
  Vec3i low = Vec3i::Zero(), high = Vec3i::Zero();

  [[nodiscard]] double brick_side() const { return 8 * size; }
  [[nodiscard]] bool has(const Vec3i& brick) const {
    return (brick.array() >= low.array()).all() && (brick.array() <= high.array()).all();
  }
};

// Asked in this order, once each.
class Volume {
 public:
  virtual ~Volume() = default;

  // The bricks with vertices that lie on the surface or have a cut edge, and perhaps more, each
  // once.
  [[nodiscard]] virtual std::vector<Vec3i> bricks_at_surface() = 0;
  // Tells which corners and centres of the surface bricks are inside and which outside.
  virtual void classify(Octree& tree) = 0;
  // How far along each cut edge the surface is, from 0 at its owner to 1 at the other end.
  [[nodiscard]] virtual Buffer<double> cut(const Octree& tree, const CutEdges& cuts) = 0;
};

}  // namespace spindrift
