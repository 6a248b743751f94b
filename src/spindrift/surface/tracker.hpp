// The liquid's surface as it moves.
//
// A tracker owns the surface and its signed distance, and carries both along a velocity. The
// surface continues into solids; what solids cut away is another step's business.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "spindrift/bodies/solids.hpp"
#include "spindrift/core/stats.hpp"
#include "spindrift/geometry/fields.hpp"
#include "spindrift/geometry/triangle_mesh.hpp"
#include "spindrift/surface/liquid_components.hpp"
#include "spindrift/surface/specks.hpp"
#include "spindrift/surface/thin_liquid.hpp"

namespace spindrift {

// Solids, which the surface continues into: so that the line where liquid, air and solid meet stays
// sharp when they are cut away.
struct SolidContinuation {
  const SolidsAt* solids = nullptr;  // at the end of the step; null: none
  double depth = 0;                  // m; farther in there is no liquid
  // m: in solids there is what there is so far outside of them. Liquid that comes so close to a
  // solid touches it.
  double margin = 0;
  // At the beginning of the step; null: as at its end. What comes out of them is air.
  const SolidsAt* before = nullptr;
};

// Liquid that is put somewhere, or taken away.
struct SurfaceEdit {
  enum class Kind { add, remove };
  Kind kind = Kind::add;
  const ScalarField* shape = nullptr;  // m, negative inside; no more than the distance
  Box3 box;                            // of the shape, or where it matters to the surface
  std::uint32_t tag = 0;               // for the report
};

// How much an edit changed in one place.
struct EditedVolume {
  std::uint32_t tag = 0;      // of the edit
  double volume = 0;          // m^3; negative: taken away
  Vec3 place = Vec3::Zero();  // its middle, m
};

struct SurfaceChanges {
  SolidContinuation solids;
  std::vector<SurfaceEdit> edits;  // in this order, after the motion
  // What goes through those of them that take liquid away, from where, as far as it is known.
  std::span<const EditedVolume> outflow;
  std::optional<ThickeningParams> thickening;
  Vec3 gravity = Vec3::Zero();  // m/s^2, of droplets that no contour shows
  // Of what the thin parts of bodies carry, by their index before the step, what droplets that come
  // off take along: estimates may be of more than there is. Empty: all.
  std::span<const double> held;
};

// What one step did.
struct TrackerReport {
  std::int64_t nodes = 0;             // lattice nodes that were traced back
  std::int64_t triangles = 0;         // of the new surface
  SpeckReport specks;                 // what was removed from it
  double thin_carried = 0;            // m^3, by particles in thin liquid
  double thin_shown = 0;              // m^3, that the surface shows of it
  double in_flight = 0;               // m^3, in droplets that it does not show
  std::vector<FlightChange> flights;  // what droplets get from bodies and give them
  std::vector<EditedVolume> taken;    // droplets, by edits that take liquid away
  std::vector<EditedVolume> edited;   // by edits that add liquid
  Stats stats;                        // seconds of each phase
};

class Tracker {
 public:
  virtual ~Tracker() = default;

  // Moves the surface along `velocity`, taken as constant in time, for `dt` seconds. Throws Error
  // of kind `numerical`, and changes nothing, if the velocity carries the surface out of all
  // bounds.
  virtual TrackerReport advance(const VelocityField& velocity, double dt,
                                const SurfaceChanges& changes) = 0;
  TrackerReport advance(const VelocityField& velocity, double dt) {
    return advance(velocity, dt, {});
  }

  // Closed, oriented outwards, manifold.
  [[nodiscard]] virtual const TriangleMesh& surface() const = 0;

  // Unit normals of the surface's vertices.
  [[nodiscard]] virtual std::span<const Vec3f> normals() const = 0;

  // The separate bodies of liquid.
  [[nodiscard]] virtual const LiquidComponents& components() const = 0;

  // The surface's vertices, by where they are.
  [[nodiscard]] virtual const VertexGrid& vertices() const = 0;

  // Signed distance to the surface, m: within the band around it; beyond, a bound with the right
  // sign.
  [[nodiscard]] virtual const ScalarField& distance() const = 0;
};

}  // namespace spindrift
