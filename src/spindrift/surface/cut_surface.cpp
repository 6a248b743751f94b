#include "spindrift/surface/cut_surface.hpp"

#include "spindrift/levelset/contour.hpp"
#include "spindrift/surface/cut_creases.hpp"
#include "spindrift/surface/cut_features.hpp"
#include "spindrift/surface/cut_polygons.hpp"
#include "spindrift/surface/cut_samples.hpp"
#include "spindrift/surface/cut_vertices.hpp"

namespace spindrift {
namespace {

// The blocks of the samples, and those that its contour needs beyond them.
BlockSet with_missing_blocks(const SampledField& field) {
  std::vector<std::uint64_t> keys(field.blocks.keys().begin(), field.blocks.keys().end());
  for (const Vec3i& node : missing_nodes(field)) keys.push_back(block_key(block_of_node(node)));
  return BlockSet(std::move(keys));
}

}  // namespace

CutSurface cut_surface(const TriangleMesh& surface, const BandDistance& liquid,
                       const ScalarField& solid, const Box3& box) {
  const CutBounds functions(liquid, solid);
  const Box3 touched = box.intersection(bounds(surface));
  CutSamples samples = cut_samples(liquid, functions, cut_blocks(liquid, solid, touched));
  Contour contoured = contour(samples.field);
  while (contoured.open_cells > 0) {
    samples = cut_samples(liquid, functions, with_missing_blocks(samples.field));
    contoured = contour(samples.field);
  }
  CutSurface cut;
  cut.mesh = std::move(contoured.mesh);
  std::vector<Vec3>& positions = cut.mesh.vertices;
  const CutVertices vertices = place_cut_vertices(samples, functions, positions);
  const std::vector<CutPolygon> polygons = find_cut_polygons(cut.mesh, samples, vertices);
  const CutNormals normals = find_cut_normals(positions, vertices.kinds, polygons, functions);
  const std::vector<CutFeature> features =
      find_cut_features(positions, vertices.kinds, polygons, normals, functions);
  make_creases(polygons, features, normals, vertices.kinds, cut);
  return cut;
}

}  // namespace spindrift
