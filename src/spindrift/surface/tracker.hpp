// The liquid's surface as it moves.
//
// A tracker owns the surface and its signed distance, and carries both along a velocity. The
// surface continues into solids; what solids cut away is another step's business.
#pragma once

#include <cstdint>
#include <span>

#include "spindrift/core/stats.hpp"
#include "spindrift/geometry/fields.hpp"
#include "spindrift/geometry/triangle_mesh.hpp"
#include "spindrift/surface/liquid_components.hpp"
#include "spindrift/surface/specks.hpp"

namespace spindrift {

// What one step did.
struct TrackerReport {
  std::int64_t nodes = 0;      // lattice nodes that were traced back
  std::int64_t triangles = 0;  // of the new surface
  SpeckReport specks;          // what was removed from it
  Stats stats;                 // seconds of each phase
};

class Tracker {
 public:
  virtual ~Tracker() = default;

  // Moves the surface along `velocity`, taken as constant in time, for `dt` seconds. Throws Error
  // of kind `numerical`, and changes nothing, if the velocity carries the surface out of all
  // bounds.
  virtual TrackerReport advance(const VelocityField& velocity, double dt) = 0;

  // Closed, oriented outwards, manifold.
  [[nodiscard]] virtual const TriangleMesh& surface() const = 0;

  // Unit normals of the surface's vertices.
  [[nodiscard]] virtual std::span<const Vec3f> normals() const = 0;

  // The separate bodies of liquid.
  [[nodiscard]] virtual const LiquidComponents& components() const = 0;

  // Signed distance to the surface, m: within the band around it; beyond, a bound with the right
  // sign.
  [[nodiscard]] virtual const ScalarField& distance() const = 0;
};

}  // namespace spindrift
