// Keeps thin liquid from vanishing between the nodes of the lattice [Chentanez2007 §3.4.3].
//
// Contours erode what is a few voxels thick. So thin parts carry their volume in particles: what
// was below the surface when a part became thin, moved with the flow. After every step the volume
// that the new contour shows is compared with what the particles around carry, and the surface is
// offset by the difference: outwards where it shows too little, inwards where too much. Liquid that
// the contour has lost altogether flies on as droplets, with its volume, until it meets liquid or
// enough of it has come together to be seen.
//
// Differences from the paper. There particles grow in every step, and what they gain stays; here
// what a part shows is tied to what it carries, and only parts thinner than `thinness` show more:
// they grow, by the way they go instead of by the step, so liquid at rest does not grow, and many
// short steps do no more than a long one. Thin parts give volume to thicker ones near by, not
// radius.
#pragma once

#include <span>
#include <vector>

#include "spindrift/geometry/fields.hpp"
#include "spindrift/levelset/mesh_distance.hpp"
#include "spindrift/surface/thin_samples.hpp"

namespace spindrift {

// Lengths in voxels.
struct ThickeningParams {
  double thinness = 1.2;        // thinner parts are shown as thick as this, in time
  double small = 0.6;           // parts as thin give what they have to thicker ones near by
  double redistribution = 1.5;  // how near: 0 holds sheets together, 3 breaks them into drops
  double grow_big = 0.25;       // added to what is shown of the radius, in a step of eight voxels
  double grow_small = 0.15;     // the same of parts as thin as `small`
};

// In liquid thinner than kHeldThickness.
struct ThinParticle {
  Vec3 position = Vec3::Zero();  // m
  double volume = 0;             // m^3 that it carries
  double shown = 0;              // m^3 that the surface shows of it
  double radius = 0;             // m, half of the thickness that it would have
  double least_radius = 0;       // m, half of what it is shown as at least
  double offset = 0;             // m, outwards, of the surface around it
  Vec3 shift = Vec3::Zero();     // m, of the surface around it
  double body_offset = 0;        // m, outwards, because its body has too much
  double reach = 0;              // m, from it to where that surface is
  double area = 0;               // m^2, of that surface, as far as it is held
  std::int32_t body = -1;        // index of the component
  bool is_film = false;          // on a solid
  bool is_wedge = false;         // at the edge of thick liquid
};

// Liquid that no contour shows.
struct Droplet {
  Vec3 position = Vec3::Zero();  // m
  Vec3 velocity = Vec3::Zero();  // m/s
  double volume = 0;             // m^3
};

struct ThinLiquid {
  std::vector<ThinParticle> particles;
  std::vector<Droplet> droplets;

  // The middle of all that is thin, as it is shown, but for wedges: where the surface of thick
  // liquid meets a solid that leans over it, the mesh of that liquid is as it should be.
  [[nodiscard]] std::vector<MedialParticle> middles() const;
  [[nodiscard]] std::vector<double> held_areas(std::size_t bodies) const;  // m^2, of bodies
  [[nodiscard]] double carried() const;                                    // m^3, by particles
  [[nodiscard]] std::vector<double> carried(std::size_t bodies) const;     // m^3, in bodies
  [[nodiscard]] double shown() const;                                      // m^3, of that
  [[nodiscard]] double in_flight() const;                                  // m^3, in droplets
};

inline constexpr double kHeldThickness = 5.5;  // voxels

// Thin parts at the start, with all that the shape has there, whether its contour with the
// `distance` shows it or not. `nodes`: around the surface of the shape.
[[nodiscard]] ThinLiquid thin_start(std::span<const ThinSample> samples, const SampledField& nodes,
                                    const ScalarField& shape, const ScalarField& distance);

// Thin liquid after a step, before it is known what the contour shows.
struct MovedThinLiquid {
  ThinLiquid liquid;
  std::vector<double> ways;      // of the particles, m
  std::vector<Vec3> velocities;  // of the particles, m/s
  std::vector<double> held;      // of what bodies' particles carry, for droplets; empty: all
};
struct Flight {
  const VelocityField& velocity;
  Vec3 gravity = Vec3::Zero();       // of droplets
  const SolidsAt* solids = nullptr;  // at the end of the step; null: none
  double dt = 0;
};
[[nodiscard]] MovedThinLiquid moved_thin_liquid(ThinLiquid liquid, const Flight& flight,
                                                const Lattice& lattice);

// Droplets large enough to be seen, as balls.
[[nodiscard]] std::vector<MedialParticle> visible_droplets(std::span<const Droplet> droplets,
                                                           const Lattice& lattice);

// Liquid that begins to fly as a droplet, or ends to.
struct FlightChange {
  double volume = 0;  // m^3, of droplets: negative where they are taken up
  Vec3 place = Vec3::Zero();
  std::int32_t body = -1;  // that it leaves, by its index before the step
};

// What is thin now, with the volume that has come there: particles give what they carry to new ones
// within `reach`, voxels. Adds to `flights` what droplets get and give.
inline constexpr double kNextParticle = 1.5;
[[nodiscard]] ThinLiquid settled_thin_liquid(const MovedThinLiquid& moved,
                                             std::span<const ThinSample> samples,
                                             const ScalarField& distance, const Lattice& lattice,
                                             const ThickeningParams& params,
                                             double reach = kNextParticle,
                                             std::vector<FlightChange>* flights = nullptr);

// What happens to the thin parts of a body.
struct ThinChange {
  double share = 1;   // of what they carried, that they have
  double offset = 0;  // m, outwards, of their surface
};
void change_bodies(std::span<const ThinChange> changes, ThinLiquid& liquid);

// Moves the surface around thin parts by their own offsets, or by those of their bodies.
enum class ThinOffset { own, of_body };
void inflate_thin_parts(const ThinLiquid& liquid, ThinOffset which, BandDistance& distance);

}  // namespace spindrift
