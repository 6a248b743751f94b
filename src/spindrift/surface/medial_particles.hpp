// Particles in the middle of thin liquid [Chentanez2007 §3.4.1].
//
// From each vertex a ray goes along the inner normal until it leaves the liquid. Where that is
// close, the middle of the ray is taken for a point of the medial axis, unless the surface is much
// closer to it than the ray is long (the ray ran along an edge). Neighbours find the same places:
// one in each small cube is kept.
//
// The paper casts rays at triangles; here they are followed through the samples of the distance.
// Rays that end at a solid tell how thick a film on it is.
#pragma once

#include <span>
#include <vector>

#include "spindrift/bodies/solids.hpp"
#include "spindrift/core/buffer.hpp"
#include "spindrift/geometry/triangle_mesh.hpp"
#include "spindrift/levelset/cubic_sampler.hpp"
#include "spindrift/levelset/lattice.hpp"

namespace spindrift {

struct MedialParticle {
  Vec3 position = Vec3::Zero();  // m
  double radius = 0;             // m: half of the thickness, or all of it in a film on a solid
  Vec3 axis = Vec3::UnitZ();     // along which it is that thick; either way
  bool is_film = false;          // on a solid
};

struct MedialParams {
  double thinness = 1.2;  // voxels: thicker liquid gets no particles; at most 6
  double spacing = 0.6;   // voxels, the side of the cubes
};

// A surface with its distance, and the solids that it runs into; null: none.
struct ThinSurface {
  const TriangleMesh& mesh;
  std::span<const Vec3f> normals;
  const CubicSampler& distance;
  const SolidsAt* solids = nullptr;
};

// What a vertex's ray found.
struct MedialHit {
  std::size_t vertex = 0;
  MedialParticle particle;
};

struct MedialRays {
  std::vector<MedialHit> hits;  // one of a vertex at most; all have a radius
  // Of the vertices: there is thick liquid below, or the surface goes on in a solid there.
  std::vector<char> is_thick, is_in_solid;
};

[[nodiscard]] MedialRays medial_rays(const ThinSurface& surface, const Lattice& lattice,
                                     double thinness);

// The hits in each cube of `spacing` voxels, one cube after the other: those of cube c are
// order[starts[c]] and on.
struct HitCubes {
  Buffer<std::int32_t> order;
  std::vector<std::size_t> starts;
};
[[nodiscard]] HitCubes hits_by_cube(std::span<const MedialHit> hits, const Lattice& lattice,
                                    double spacing);

// The mean of the hits in each cube.
[[nodiscard]] std::vector<MedialParticle> mean_particles(std::span<const MedialHit> hits,
                                                         const HitCubes& cubes);

[[nodiscard]] std::vector<MedialParticle> medial_particles(const ThinSurface& surface,
                                                           const Lattice& lattice,
                                                           const MedialParams& params);

}  // namespace spindrift
