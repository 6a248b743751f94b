#include "spindrift/levelset/mesh_distance.hpp"

#include "spindrift/core/error.hpp"
#include "spindrift/levelset/fixed_surface.hpp"
#include "spindrift/levelset/prism_raster.hpp"
#include "spindrift/levelset/triangle_bins.hpp"
#include "spindrift/levelset/winding_rows.hpp"

namespace spindrift {

BandDistance mesh_distance(const TriangleMesh& mesh, std::span<const Vec3f> normals,
                           const Lattice& lattice, const DistanceParams& params) {
  SPINDRIFT_ASSERT(params.band >= 1 && params.band <= 7);
  const FixedSurface surface = fixed_surface(mesh, normals, lattice);
  const TriangleBins bins = bin_triangles(surface);
  BandDistance distance;
  distance.band = params.band;
  distance.field = unknown_field(lattice, blocks_within(bins, params.band));
  const InsideNodes inside = inside_nodes(surface, bins, distance.field.blocks);
  distance.open_rows = inside.open_rows;
  rasterise_prisms(surface, bins, inside, params.band, distance.field);
  return distance;
}

}  // namespace spindrift
