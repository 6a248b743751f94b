// What changes a surface beside its motion: solids that it continues into, liquid that is put
// somewhere or taken away.
#pragma once

#include <span>
#include <vector>

#include "spindrift/levelset/surface_samples.hpp"
#include "spindrift/surface/tracker.hpp"

namespace spindrift {

// In solids the distance goes on as it is outside of them, linearly along their normals. All in
// lattice units.
class ContinuedIntoSolids {
 public:
  ContinuedIntoSolids(const SolidContinuation& solids, double spacing)
      : solids_(solids), spacing_(spacing) {}

  // Of a function that is known outside of solids.
  void evaluate(const NodeFunction& outside, std::span<const Vec3> points,
                std::span<float> values) const;

  // Of a shape that a liquid starts from. Where it ends at a solid, it goes on into it: its
  // distance near the solid is then that of its other sides.
  void start(const NodeFunction& shape, std::span<const Vec3> points,
             std::span<float> values) const;

  // Makes the distance before the step that of air in the solids of that time: liquid that leaves a
  // wall leaves air behind, not what it was continued by.
  void take_out_of_solids(std::span<const Vec3> points, std::span<float> values) const;

 private:
  // Of a shape outside of solids, without its sides that lie on them.
  void without_flush_sides(const NodeFunction& shape, std::span<const Vec3> points,
                           std::span<float> values) const;
  // Positive too deep in solids.
  void limit(std::span<const double> walls, std::span<float> values) const;

  SolidContinuation solids_;
  double spacing_;
};

// The function after the edits. Both in lattice units; keeps references to the arguments.
[[nodiscard]] NodeFunction edited(const NodeFunction& function,
                                  const std::vector<SurfaceEdit>& edits, const Lattice& lattice);

// What edits that add liquid change outside of solids, as far as later edits leave it, in blocks of
// the lattice: from the share of liquid in the cube around every node, a ramp of the distance.
[[nodiscard]] std::vector<EditedVolume> edited_volumes(const NodeFunction& before,
                                                       const std::vector<SurfaceEdit>& edits,
                                                       const SolidsAt* solids,
                                                       const Lattice& lattice);

}  // namespace spindrift
