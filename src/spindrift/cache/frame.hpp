// What a frame of a cache holds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "spindrift/cache/probe_file.hpp"
#include "spindrift/geometry/triangle_mesh.hpp"
#include "spindrift/io/vdb.hpp"
#include "spindrift/levelset/lattice.hpp"
#include "spindrift/mesh/tet_mesh.hpp"

namespace spindrift {

struct CachedSurface {
  TriangleMesh mesh;
  std::vector<Vec3> velocities;  // of its vertices, m/s
};

// The inside of the liquid.
struct CachedMesh {
  TetMesh mesh;
  Buffer<double> pressure;  // of the tetrahedra, Pa
  Buffer<Vec3> velocity;    // of the tetrahedra, m/s
  Buffer<double> liquid;    // the share of a tetrahedron that has mass
};

// Its signed distance is measured from the surface, at the nodes of a lattice.
struct CachedLevelSet {
  Lattice lattice;
  VelocitySamples velocity;
};

struct CacheFrame {
  int number = 0;
  double time = 0;  // s
  std::optional<CachedSurface> surface = {};
  bool has_surface_file = true;  // the surface is written, not only measured from
  std::optional<CachedMesh> mesh = {};
  std::optional<CachedLevelSet> levelset = {};     // needs the surface
  std::string stats;                               // a JSON object, without the line end
  std::vector<std::vector<ProbeRow>> probes = {};  // since the last frame, in the scene's order
};

}  // namespace spindrift
