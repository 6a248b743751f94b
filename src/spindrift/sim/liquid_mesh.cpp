#include "spindrift/sim/liquid_mesh.hpp"

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/meshing/field_gradients.hpp"
#include "spindrift/meshing/stuffing.hpp"
#include "spindrift/meshing/surface_walk.hpp"

namespace spindrift {
namespace {

// Of vertices on the liquid's surface, in finest cells: contours are no better.
constexpr double kTolerance = 1e-4;

// How far below the liquid's surface a point lies, as a vector to the surface.
Vec3 depth_below(const ScalarField& liquid, const Vec3& point, double size) {
  FieldSample sample;
  sample_field(liquid, std::span(&point, 1), kDifferenceStep * size, std::span(&sample, 1));
  const double slope = sample.gradient.norm();
  if (!(sample.value < 0) || !(slope > 0)) return Vec3::Zero();
  return -sample.value / (slope * slope) * sample.gradient;
}

}  // namespace

void take_tags(std::span<const FaceTag> tags, LiquidMesh& mesh) {
  CellMesh& cells = mesh.cells;
  SPINDRIFT_ASSERT(tags.size() == cells.tags.size());
  mesh.released.clear();
  for (std::size_t f = 0; f < tags.size(); ++f) {
    if (cells.tags[f] == FaceTag::solid && tags[f] == FaceTag::air) {
      mesh.released.push_back(static_cast<std::int32_t>(f));
    }
    cells.tags[f] = tags[f];
  }
}

std::unique_ptr<LiquidMesh> mesh_liquid(const LiquidToMesh& fields, const ScalarField& solids,
                                        const Box3& box, double size, Stats& stats) {
  const ScalarField& liquid = fields.distance;
  auto made = std::make_unique<LiquidMesh>();
  {
    const auto phase = stats.measure("mesh: stuff");
    const WithoutObstacles bound(fields.bound, solids);
    made->tets = stuff(WithoutObstacles(liquid, solids), box,
                       {.size = size,
                        .bound = &bound,
                        .tolerance = kTolerance,
                        .exact = &solids,
                        .may_be_empty = true});
  }
  if (made->is_empty()) return made;
  TetNeighbors neighbors;
  {
    const auto phase = stats.measure("mesh: neighbours");
    neighbors = find_neighbors(made->tets);
  }
  BoundaryTags tags;
  {
    const auto phase = stats.measure("mesh: fit");
    LiquidBoundary boundary = find_liquid_boundary(made->tets, neighbors, liquid, solids);
    (void)snap_to_obstacles(made->tets, boundary, liquid, solids);
    tags = tag_boundary(made->tets, boundary, liquid, solids);
  }
  // As solid faces they would hold fronts that run along a solid.
  for (const std::int32_t i : tags.mixed) {
    tags.faces[static_cast<std::size_t>(i)].tag = FaceTag::air;
  }
  const auto phase = stats.measure("mesh: faces");
  made->faces = std::make_unique<MeshFaces>(made->tets, std::move(neighbors));
  made->cells = cell_mesh(made->tets, *made->faces, tags.faces);
  made->mixed.resize(tags.mixed.size());
  parallel_for_each(
      std::ssize(tags.mixed),
      [&](std::int64_t n) {
        const auto i = static_cast<std::size_t>(n);
        const std::int32_t side = tags.faces[static_cast<std::size_t>(tags.mixed[i])].side;
        const auto face = made->faces->of_tet(side >> 2)[static_cast<std::size_t>(side & 3)];
        made->mixed[i] = {face, depth_below(liquid, made->cells.face_centers[face], size)};
      },
      16);
  return made;
}

}  // namespace spindrift
