// Keeps thin liquid from vanishing between the nodes of the lattice [Chentanez2007 §3.4.3].
//
// Particles in the middle of thin parts are carried with the liquid, and the surface around them is
// united with the traced one. The traced distance alone erodes what is a few voxels thick, since it
// is interpolated across the kink in the middle; particles know how thick it was.
//
// Differences from the paper. Particles sit in all parts thinner than `held`, not only in those
// thinner than `thinness`, and keep their radius: the rest needs no growth. Only parts thinner than
// `thinness` grow, up to that, and by the way they go instead of by the step: liquid at rest does
// not grow, and many short steps do no more than a long one.
#pragma once

#include <span>
#include <vector>

#include "spindrift/geometry/fields.hpp"
#include "spindrift/surface/medial_particles.hpp"

namespace spindrift {

// Lengths in voxels.
struct ThickeningParams {
  double thinness = 1.2;        // thinner parts grow until they are as thick
  double small = 0.6;           // parts as thin give what they have to thicker ones near by
  double redistribution = 1.5;  // how near: 0 holds sheets together, 3 breaks them into drops
  double grow_big = 0.25;       // of the radius, in a step of eight voxels
  double grow_small = 0.15;
  double held = 3;  // thickness of parts that get particles
};

// What contours show too thin: a ball of 0.9 voxels' radius is measured as one of 0.7. Particles
// near those of the step before keep their radius, as far as that explains what was measured.
void remember_radii(std::span<const MedialParticle> before, const Lattice& lattice,
                    std::vector<MedialParticle>& particles);

// The particles of a surface after they went along `velocity` for `dt`.
[[nodiscard]] std::vector<MedialParticle> moved_particles(std::vector<MedialParticle> particles,
                                                          const Lattice& lattice,
                                                          const VelocityField& velocity, double dt,
                                                          const ThickeningParams& params);

// Reach of the particles' weights, voxels: farther than their radius and a cell's diagonal.
[[nodiscard]] double particle_reach(const ThickeningParams& params);

}  // namespace spindrift
