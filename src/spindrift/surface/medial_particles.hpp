// Particles in the middle of thin liquid [Chentanez2007 §3.4.1].
//
// From each vertex a ray goes along the inner normal until it leaves the liquid. Where that is
// close, the middle of the ray is taken for a point of the medial axis, unless the surface is much
// closer to it than the ray is long (the ray ran along an edge). Neighbours find the same places:
// one in each small cube is kept.
//
// The paper casts rays at triangles; here they are followed through the samples of the distance.
#pragma once

#include <span>
#include <vector>

#include "spindrift/geometry/triangle_mesh.hpp"
#include "spindrift/levelset/cubic_sampler.hpp"
#include "spindrift/levelset/lattice.hpp"

namespace spindrift {

struct MedialParticle {
  Vec3 position = Vec3::Zero();  // m
  double radius = 0;             // m, half of the thickness
  Vec3 axis = Vec3::UnitZ();     // along which it is that thick; either way
};

struct MedialParams {
  double thinness = 1.2;  // voxels: thicker liquid gets no particles; at most 6
  double spacing = 0.6;   // voxels, the side of the cubes
};

[[nodiscard]] std::vector<MedialParticle> medial_particles(const TriangleMesh& surface,
                                                           std::span<const Vec3f> normals,
                                                           const CubicSampler& distance,
                                                           const Lattice& lattice,
                                                           const MedialParams& params);

}  // namespace spindrift
