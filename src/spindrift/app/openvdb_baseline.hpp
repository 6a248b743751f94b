// OpenVDB's redistancing and contouring of a surface, to measure ours against.
#pragma once

#include <cstdint>
#include <optional>

#include "spindrift/geometry/triangle_mesh.hpp"
#include "spindrift/levelset/lattice.hpp"

namespace spindrift::app {

struct OpenVdbReport {
  double seconds_to_volume = 0;  // meshToVolume
  double seconds_to_mesh = 0;    // volumeToMesh
  std::int64_t triangles = 0;    // of its surface, quads counted twice
};

// The surface to a signed distance of single precision within `half_width` lattice units, and the
// distance back to a surface. Nothing in a build without OpenVDB.
[[nodiscard]] std::optional<OpenVdbReport> run_openvdb(const TriangleMesh& surface,
                                                       const Lattice& lattice, float half_width);

}  // namespace spindrift::app
