// What changes a surface beside its motion: solids that it continues into, liquid that is put
// somewhere or taken away.
#pragma once

#include <span>
#include <vector>

#include "spindrift/levelset/surface_samples.hpp"
#include "spindrift/surface/tracker.hpp"

namespace spindrift {

// In solids the surface is what it is outside of them, along their normals. Two halves around the
// evaluation of a function in lattice units:
//
//   const std::vector<double> walls = continued.move_out(points);
//   f(points, values);
//   continued.limit(walls, values);
class ContinuedIntoSolids {
 public:
  ContinuedIntoSolids(const SolidContinuation& solids, double spacing)
      : solids_(solids), spacing_(spacing) {}

  // Points in solids, to where the function is to be looked up instead. Returns the solids'
  // distances from the points as they were, m.
  [[nodiscard]] std::vector<double> move_out(std::span<Vec3> points) const;

  // All of it, for a shape that a liquid starts from. Where the shape ends at a solid, it goes on
  // into it: its distance near the solid is then that of its other sides.
  void start(const NodeFunction& shape, std::span<const Vec3> points,
             std::span<float> values) const;

  // Positive too deep in solids.
  void limit(std::span<const double> walls, std::span<float> values) const;

 private:
  SolidContinuation solids_;
  double spacing_;
};

// The function after the edits. Both in lattice units; keeps references to the arguments.
[[nodiscard]] NodeFunction edited(const NodeFunction& function,
                                  const std::vector<SurfaceEdit>& edits, const Lattice& lattice);

// What the edits change outside of solids, in blocks of the lattice: from the share of liquid in
// the cube around every node, a ramp of the distance.
[[nodiscard]] std::vector<EditedVolume> edited_volumes(const NodeFunction& before,
                                                       const SurfaceChanges& changes,
                                                       const Lattice& lattice);

}  // namespace spindrift
