#include "spindrift/meshing/stuffing.hpp"

#include <cmath>

#include <fmt/format.h>

#include "spindrift/core/error.hpp"
#include "spindrift/meshing/emission.hpp"

namespace spindrift {

TetMesh stuff(const ScalarField& distance, const Box3& box, const StuffingParams& params,
              StuffingReport* report) {
  if (!(params.size > 0) || !std::isfinite(params.size)) {
    throw InputError({}, fmt::format("the size of cells is {} m", params.size),
                     "give a positive length");
  }
  if (box.isEmpty() || !box.sizes().allFinite()) {
    throw InputError({}, "the box in which to mesh is empty or infinite",
                     "cut the shape with a box");
  }
  StuffingReport unused;
  Stats& stats = (report != nullptr ? report : &unused)->stats;
  Octree tree;
  {
    const auto phase = stats.measure("octree");
    tree = build_octree(distance, box, params.size, params.uniform);
  }
  CutEdges all_cuts;
  Buffer<double> points;
  {
    const auto phase = stats.measure("cut");
    all_cuts = find_cut_edges(tree);
    points = find_cut_points(distance, tree, all_cuts);
  }
  std::vector<std::vector<Warp>> warps;
  {
    const auto phase = stats.measure("warp");
    warps = warp_vertices(tree, all_cuts, points);
  }
  TetMesh mesh;
  CutEdges cuts;
  MeshVertices vertices;
  {
    const auto phase = stats.measure("vertices");
    cuts = find_cut_edges(tree);
    vertices = number_vertices(tree, cuts);
    if (vertices.count == 0) {
      throw InputError({}, fmt::format("nothing is inside at cells of {} m", params.size),
                       "check that the surface faces outwards, or use smaller cells");
    }
    mesh.vertices = vertex_positions(tree, vertices, cuts, all_cuts, points, warps);
  }
  {
    const auto phase = stats.measure("tetrahedra");
    Emission emission = emit_tets(tree, vertices, cuts);
    mesh.tets = std::move(emission.tets);
    mesh.shapes = std::move(emission.shapes);
    mesh.lattice_size = params.size;
  }
  return mesh;
}

}  // namespace spindrift
