#include "spindrift/meshing/stuffing.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "spindrift/core/error.hpp"
#include "spindrift/meshing/distance_volume.hpp"
#include "spindrift/meshing/emission.hpp"
#include "spindrift/meshing/mesh_volume.hpp"
#include "spindrift/meshing/stages.hpp"

namespace spindrift {
namespace {

constexpr double kMostBricks = (1 << 20) - 2;  // across, that have keys
// A fixed surface has coordinates in half cells.
constexpr double kMostBricksOfMesh = FixedSurface::kGreatestExtent / kBrickUnits;

// Two cells more than the box on every side: vertices there tell whether the surface leaves it.
BrickGrid grid_around(const Box3& box, double size, double most_bricks) {
  if (!(size > 0) || !std::isfinite(size)) {
    throw InputError({}, fmt::format("the size of cells is {} m", size), "give a positive length");
  }
  if (box.isEmpty() || !box.sizes().allFinite()) {
    throw InputError({}, "the box in which to mesh is empty or infinite",
                     "cut the shape with a box");
  }
  BrickGrid grid;
  grid.origin = box.min();
  grid.size = size;
  const Vec3 extent = (box.sizes().array() + 2 * size) / grid.brick_side();
  if (extent.maxCoeff() > most_bricks) {
    throw InputError(
        {}, fmt::format("what to mesh is more than {:.0f} cells across", kBlockSide * most_bricks),
        "use larger cells");
  }
  grid.low = Vec3i::Constant(-1);
  grid.high = extent.array().ceil().cast<int>().max(0) - 1;
  return grid;
}

Box3 expect_bounds(const TriangleMesh& mesh) {
  if (mesh.triangles.empty()) {
    throw InputError({}, "the mesh has no triangles", "use a mesh that encloses a volume");
  }
  const auto is_finite = [](const Vec3& v) { return v.allFinite(); };
  if (!std::all_of(mesh.vertices.begin(), mesh.vertices.end(), is_finite)) {
    throw InputError({}, "the mesh has coordinates that are not finite", "remove those vertices");
  }
  return bounds(mesh);
}

TetMesh stuff(Volume& volume, const BrickGrid& grid, const StuffingParams& params,
              StuffingReport& report) {
  Stats& stats = report.stats;
  const auto keep = [&](const char* name, const auto& make_cells) {
    if (params.keep_stages) report.stages.push_back({name, make_cells()});
  };
  Octree tree;
  {
    const auto phase = stats.measure("octree");
    tree = build_octree(volume, grid, {.uniform = params.uniform, .sizing = params.sizing});
  }
  keep("octree", [&] { return octree_stage(tree); });
  CutEdges all_cuts;
  Buffer<double> points;
  {
    const auto phase = stats.measure("cut");
    all_cuts = find_cut_edges(tree);
    points = volume.cut(tree, all_cuts);
  }
  keep("cut", [&] { return cut_stage(tree, all_cuts, points); });
  std::vector<std::vector<Warp>> warps;
  {
    const auto phase = stats.measure("warp");
    warps = warp_vertices(tree, all_cuts, points);
  }
  keep("warp", [&] { return warp_stage(tree, warps); });
  TetMesh mesh;
  CutEdges cuts;
  MeshVertices vertices;
  {
    const auto phase = stats.measure("vertices");
    cuts = find_cut_edges(tree);
    vertices = number_vertices(tree, cuts);
    if (vertices.count == 0) {
      if (params.may_be_empty) return {};
      throw InputError(
          {}, fmt::format("nothing is inside at cells of {} m", params.size),
          "check that the surface faces outwards and no obstacle covers it, or use smaller "
          "cells");
    }
    mesh.vertices = vertex_positions(tree, vertices, cuts, all_cuts, points, warps);
  }
  keep("vertices", [&] { return vertex_stage(vertices, mesh.vertices); });
  {
    const auto phase = stats.measure("tetrahedra");
    Emission emission = emit_tets(tree, vertices, cuts);
    mesh.tets = std::move(emission.tets);
    mesh.shapes = std::move(emission.shapes);
    mesh.lattice_size = params.size;
  }
  keep("tetrahedra", [&] { return tet_stage(mesh); });
  return mesh;
}

}  // namespace

TetMesh stuff(const ScalarField& distance, const Box3& box, const StuffingParams& params,
              StuffingReport* report) {
  const BrickGrid grid = grid_around(box, params.size, kMostBricks);
  const ScalarField& bound = params.bound != nullptr ? *params.bound : distance;
  DistanceVolume volume(distance, bound, grid, params.uniform, {params.tolerance, params.exact});
  StuffingReport unused;
  return stuff(volume, grid, params, report != nullptr ? *report : unused);
}

TetMesh stuff(const TriangleMesh& mesh, const StuffingParams& params, StuffingReport* report) {
  const BrickGrid grid = grid_around(expect_bounds(mesh), params.size, kMostBricksOfMesh);
  StuffingReport unused;
  StuffingReport& used = report != nullptr ? *report : unused;
  std::optional<MeshVolume> volume;
  {
    const auto phase = used.stats.measure("triangles");
    volume.emplace(mesh, grid, params.uniform);
  }
  return stuff(*volume, grid, params, used);
}

}  // namespace spindrift
