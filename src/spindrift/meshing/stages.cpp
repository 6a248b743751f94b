#include "spindrift/meshing/stages.hpp"

namespace spindrift {
namespace {

void add_line(const Vec3& from, const Vec3& to, int label, LabelledCells& cells) {
  for (const Vec3& end : {from, to}) {
    cells.corners.push_back(static_cast<std::int32_t>(cells.points.size()));
    cells.points.push_back(end);
  }
  cells.labels.push_back(label);
}

void add_cube(const Octree& tree, const Vec3i& brick, const Vec3i& low, int side, int level,
              LabelledCells& cells) {
  // Round the lower square, then round the upper one.
  constexpr std::array<int, 8> kRound = {0, 1, 3, 2, 4, 5, 7, 6};
  for (const int k : kRound) {
    cells.corners.push_back(static_cast<std::int32_t>(cells.points.size()));
    const Vec3i corner = low + side * Vec3i(k & 1, k >> 1 & 1, k >> 2);
    cells.points.push_back(tree.position(brick, corner.cast<double>()));
  }
  cells.labels.push_back(level);
}

bool is_any_inside(const Octree& tree, const Brick& brick, const Vec3i& low, int side) {
  if (brick.surface < 0) return true;
  const SurfaceBrick& surface = tree.surface_bricks[static_cast<std::size_t>(brick.surface)];
  for (int z = low.z(); z < low.z() + side; z += 2) {
    for (int y = low.y(); y < low.y() + side; y += 2) {
      for (int x = low.x(); x < low.x() + side; x += 2) {
        const int node = node_in_block({x >> 1, y >> 1, z >> 1});
        const bool is_out =
            has_node(surface.outside[kCorners], node) && has_node(surface.outside[kCenters], node);
        if (!is_out) return true;
      }
    }
  }
  return false;
}

}  // namespace

LabelledCells octree_stage(const Octree& tree) {
  LabelledCells cells;
  cells.kind = CellKind::hexahedron;
  cells.label = "level";
  for (const Brick& brick : tree.bricks) {
    const auto add_leaf = [&](const Vec3i& low, int side) {
      if (!is_any_inside(tree, brick, low, side)) return;
      const int level = std::countr_zero(static_cast<unsigned>(side)) - 1;
      add_cube(tree, brick.place, low, side, level, cells);
    };
    for_each_larger_leaf(brick, add_leaf);
    for (int octant = 0; octant < 64; ++octant) {
      if ((brick.split2 >> octant & 1) == 0) continue;
      const Vec3i low = 4 * Vec3i(octant & 3, octant >> 2 & 3, octant >> 4);
      for (int k = 0; k < 8; ++k) add_leaf(low + 2 * Vec3i(k & 1, k >> 1 & 1, k >> 2), 2);
    }
  }
  return cells;
}

LabelledCells cut_stage(const Octree& tree, const CutEdges& cuts, const Buffer<double>& points) {
  LabelledCells cells;
  cells.kind = CellKind::line;
  cells.label = "short";
  for (const Brick& brick : tree.bricks) {
    if (brick.surface < 0) continue;
    const auto s = static_cast<std::size_t>(brick.surface);
    auto next = static_cast<std::size_t>(cuts.bricks[s].first);
    for_each_cut_edge(cuts.bricks[s], [&](int type, int node) {
      const Sublattice lattice = edge_owner_lattice(type);
      const Vec3 owner = node_units(lattice, node).cast<double>();
      const Vec3 vector = edge_vector(type).cast<double>();
      const bool starts_inside = has_node(tree.surface_bricks[s].inside[lattice], node);
      const Vec3 from = starts_inside ? owner : Vec3(owner + vector);
      add_line(tree.position(brick.place, from),
               tree.position(brick.place, owner + points[next++] * vector), type >= kShortEdges,
               cells);
    });
  }
  return cells;
}

LabelledCells warp_stage(const Octree& tree, const std::vector<std::vector<Warp>>& warps) {
  LabelledCells cells;
  cells.kind = CellKind::line;
  cells.label = "centre";
  for (const Brick& brick : tree.bricks) {
    if (brick.surface < 0) continue;
    for (const Warp& warp : warps[static_cast<std::size_t>(brick.surface)]) {
      const Vec3 from = node_units(warp.lattice, warp.node).cast<double>();
      add_line(tree.position(brick.place, from), tree.position(brick.place, warp.units),
               warp.lattice, cells);
    }
  }
  return cells;
}

LabelledCells vertex_stage(const MeshVertices& vertices, const Buffer<Vec3>& positions) {
  LabelledCells cells;
  cells.kind = CellKind::point;
  cells.label = "kind";
  cells.points.assign(positions.begin(), positions.end());
  cells.corners.resize(positions.size());
  cells.labels.resize(positions.size());
  constexpr int kCut = 2;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    cells.corners[v] = static_cast<std::int32_t>(v);
    cells.labels[v] = kCut;
  }
  for (const BrickVertices& brick : vertices.bricks) {
    auto next = static_cast<std::size_t>(brick.first);
    for (const Sublattice lattice : {kCorners, kCenters}) {
      for (int i = 0; i < brick.ranks[lattice].count; ++i) cells.labels[next++] = lattice;
    }
  }
  return cells;
}

LabelledCells tet_stage(const TetMesh& mesh) {
  LabelledCells cells;
  cells.kind = CellKind::tetrahedron;
  cells.label = "level";
  cells.points.assign(mesh.vertices.begin(), mesh.vertices.end());
  for (const Tet& tet : mesh.tets)
    cells.corners.insert(cells.corners.end(), tet.begin(), tet.end());
  for (const ShapeCode code : mesh.shapes) {
    cells.labels.push_back(code.is_standard() ? code.level() : -1);
  }
  return cells;
}

}  // namespace spindrift
