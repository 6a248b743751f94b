// Where liquid comes from and goes to: sources, sinks, open sides of the domain.
//
// Sources pour what their shape would if it moved on with their velocity: the area that they show
// in its direction, times the speed. A source in air does so by being filled in every step; what it
// could not pour that way, under water or out of a wall, comes as a divergence of its cells.
//
// What leaves through sinks and open sides is another file's business (sim/outflow).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "spindrift/bodies/solids.hpp"
#include "spindrift/mesh/cell_mesh.hpp"
#include "spindrift/scene/scene_shapes.hpp"
#include "spindrift/sim/ledger.hpp"
#include "spindrift/surface/tracker.hpp"

namespace spindrift {

class Openings {
 public:
  // Refers to all of its arguments.
  Openings(const Scene& scene, const SceneShapes& shapes, const Solids& solids);
  ~Openings();

  // Sources pour nothing while there is no room for it.
  void stop_sources(bool are_stopped) { are_stopped_ = are_stopped; }

  // What they do to the surface in the step from `time` on. `reached`: where liquid can get to.
  [[nodiscard]] std::vector<SurfaceEdit> edits(double time, double dt, const Box3& reached) const;

  // What comes in, given what filling the sources did. Keeps what they still have to pour.
  [[nodiscard]] std::vector<EditedVolume> inflow(std::span<const EditedVolume> filled, double time,
                                                 double dt);

  // Liquid in active sources moves with them; `change` is added to their velocity.
  void set_velocities(double time, const Vec3& change, const CellMesh& cells, std::span<Vec3> u,
                      std::span<double> z) const;
  // Adds to the cells' divergence, 1/s, what sources still have to pour, in a step of `dt`.
  void pour(double dt, const CellMesh& cells, std::span<double> divergence) const;

  // Where liquid vanishes; null if nowhere.
  [[nodiscard]] const ScalarField* outlets() const;

  static void book(std::span<const EditedVolume> changes, VolumeBook& book);

  // m^3 that each source still has to pour: all that is kept from step to step.
  [[nodiscard]] const std::vector<double>& owed() const { return owed_; }
  void restore(std::vector<double> owed) { owed_ = std::move(owed); }

 private:
  class BeyondSide;
  class Outlets;
  [[nodiscard]] Box3 source_box(std::size_t source) const;
  [[nodiscard]] bool is_active(std::size_t source, double time) const;

  const Scene& scene_;
  const SceneShapes& shapes_;
  const Solids& solids_;
  Box3 domain_;
  std::vector<std::unique_ptr<BeyondSide>> open_sides_;
  std::unique_ptr<Outlets> outlets_;
  std::vector<double> rates_;  // of the sources, m^3/s
  std::vector<double> owed_;
  bool are_stopped_ = false;
};

// The volume that a shape which moves with `velocity` newly covers in a second, m^3/s, outside of
// solids and in the domain.
[[nodiscard]] double pouring_rate(const Shape& shape, const Vec3& velocity, const Solids& solids,
                                  double time);

}  // namespace spindrift
