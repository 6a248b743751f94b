// How much liquid there is in thin parts, place by place.
//
// A vertex stands for the liquid between its share of the surface, A, and the medial axis, l below
// it: A l in a sheet, A l / 2 in a strand, A l / 3 in a drop. Which of them it is shows in how the
// normals around are spread: with N the mean of n n^T over the surface there, the factor is tr(N^2)
// in all three, and in between for what is between them.
//
// A body that is thin all over has exactly the volume that its surface encloses.
#pragma once

#include <vector>

#include "spindrift/surface/liquid_components.hpp"
#include "spindrift/surface/medial_particles.hpp"

namespace spindrift {

struct ThinSample {
  MedialParticle particle;
  double area = 0;           // m^2, of the surface around it
  double volume = 0;         // m^3, below that
  double flatness = 1;       // tr(N^2): 1 in a sheet, 1/2 in a strand, 1/3 in a drop
  bool is_by_thick = false;  // thick liquid begins beside it
  // A film at the edge of thick liquid, whose surface meets the solid there at more than 60
  // degrees.
  bool is_wedge = false;
  bool is_cut_off = false;       // of no film, but so near a solid that part of it is in there
  bool is_of_thin_body = false;  // one that is thin all over, and touches no solid
  std::int32_t body = -1;        // index of the component
};

[[nodiscard]] std::vector<ThinSample> thin_samples(const ThinSurface& surface,
                                                   const LiquidComponents& components,
                                                   const Lattice& lattice,
                                                   const MedialParams& params);

}  // namespace spindrift
