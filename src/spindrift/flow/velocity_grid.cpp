#include "spindrift/flow/velocity_grid.hpp"

#include <cmath>
#include <limits>

#include "spindrift/core/error.hpp"
#include "spindrift/core/simd.hpp"
#include "spindrift/flow/aggregate_keys.hpp"
#include "spindrift/flow/grid_layers.hpp"
#include "spindrift/levelset/block_finder.hpp"

namespace spindrift {
namespace {

// Of tetrahedra of the lattice in a cell.
constexpr double kTetsPerCell = 12;

// Of correcting the divergence; more change volumes by less than tracing does.
constexpr int kRounds = 4;

// Far enough for blocks to have keys, and for a cell to have an integer.
constexpr double kFarthest = 8.0 * (kBlockLimit - 4);

// Three numbers and the next. Through a pointer, since copies of bytes take a detour through
// memory.
Double4 load(const Vec3* from) {
  // Clang overlooks the alignment in an alias declaration.
  typedef double Anywhere __attribute__((vector_size(32), aligned(8), may_alias));  // NOLINT
  return *reinterpret_cast<const Anywhere*>(from);
}

// Looks up the blocks around a cell; neighbours in a batch mostly share them.
class CellReader {
 public:
  CellReader(const BlockSet& blocks, const Vec3* values) : finder_(blocks), values_(values) {}

  // The velocity at `s`, from 0 to 1 along each axis, in the cell above node `first`.
  Double4 read(const Vec3i& first, const Vec3& s) {
    const Vec3i block = block_of_node(first);
    if (block != block_) enter(block);
    const int x = first.x() & 7;
    const int y = first.y() & 7;
    const int z = first.z() & 7;
    if (x < 7 && y < 7 && z < 7) {
      const Vec3* from = corner(0);
      if (from == nullptr) return unknown();
      from += x | y << 3 | z << 6;
      return between(
          between(along_x(from, from + 1, s), along_x(from + 8, from + 9, s), s.y()),
          between(along_x(from + 64, from + 65, s), along_x(from + 72, from + 73, s), s.y()),
          s.z());
    }
    std::array<Double4, 4> rows;
    for (int row = 0; row < 4; ++row) {
      const int yr = y + (row & 1);
      const int zr = z + (row >> 1);
      const unsigned side = (yr > 7 ? 2U : 0U) | (zr > 7 ? 4U : 0U);
      const int offset = (yr & 7) << 3 | (zr & 7) << 6;
      const Vec3* low = corner(side);
      const Vec3* high = x < 7 ? low : corner(side | 1U);
      if (low == nullptr || high == nullptr) return unknown();
      rows[static_cast<std::size_t>(row)] =
          along_x(low + (offset | x), high + (offset | ((x + 1) & 7)), s);
    }
    return between(between(rows[0], rows[1], s.y()), between(rows[2], rows[3], s.y()), s.z());
  }

  static Double4 unknown() { return splat4(std::numeric_limits<double>::quiet_NaN()); }

 private:
  // A block at an offset of 0 or 1 along each axis from block_.
  struct Corner {
    const Vec3* values = nullptr;
    bool is_known = false;
  };

  static Double4 between(Double4 a, Double4 b, double s) { return a + splat4(s) * (b - a); }
  static Double4 along_x(const Vec3* a, const Vec3* b, const Vec3& s) {
    return between(load(a), load(b), s.x());
  }

  void enter(const Vec3i& block) {
    block_ = block;
    corners_.fill({});
  }

  const Vec3* corner(unsigned number) {
    Corner& c = corners_[number];
    if (!c.is_known) {
      c.is_known = true;
      const Vec3i offset(static_cast<int>(number & 1), static_cast<int>(number >> 1 & 1),
                         static_cast<int>(number >> 2));
      const std::int32_t found = finder_.find(block_ + offset);
      if (found >= 0) c.values = values_ + std::int64_t{found} * kBlockNodes;
    }
    return c.values;
  }

  BlockFinder finder_;
  const Vec3* values_;
  Vec3i block_ = Vec3i::Constant(2 * kBlockLimit);
  std::array<Corner, 8> corners_{};
};

// Where a point is among nodes, and the first corner of its cell.
struct CellPlace {
  Vec3 place, cell;
  bool is_in_reach;

  CellPlace(const Lattice& lattice, double per_metre, const Vec3& point)
      : place((point - lattice.origin) * per_metre),
        cell(std::floor(place.x()), std::floor(place.y()), std::floor(place.z())),
        // Not by the greatest of them, which may overlook what is not a number.
        is_in_reach((place.array().abs() < kFarthest).all()) {}
};

}  // namespace

bool find_cell(const Lattice& lattice, const Vec3& point, Vec3i& cell) {
  const CellPlace at(lattice, 1 / lattice.spacing, point);
  if (at.is_in_reach) cell = at.cell.cast<int>();
  return at.is_in_reach;
}

double finest_cell_size(const TetMesh& mesh, const CellMesh& cells) {
  if (mesh.lattice_size > 0) return mesh.lattice_size;
  return cells.volumes.empty() ? 1 : aggregate_side(cells.volumes, kTetsPerCell);
}

Lattice lattice_around(const TetMesh& mesh, const CellMesh& cells) {
  Lattice lattice;
  lattice.spacing = finest_cell_size(mesh, cells);
  if (!mesh.vertices.empty()) {
    lattice.origin =
        lattice.spacing * (mesh.vertices.front() / lattice.spacing).array().round().matrix();
  }
  return lattice;
}

GridPlaces::GridPlaces(const TetMesh& mesh, std::span<const BoundaryVertex> boundary_vertices,
                       LocatedNodes located)
    : nodes(std::move(located)),
      boundary(mesh, boundary_vertices, nodes.lattice, nodes.blocks, nodes_in_mesh(nodes)) {}

std::vector<VelocityGrid> velocity_grids(const TetMesh& mesh, const VertexVelocity& at_vertices,
                                         const GridPlaces& places,
                                         std::span<const VelocityGridParams> kinds,
                                         const SolidMotion& solids) {
  SPINDRIFT_ASSERT(!kinds.empty());
  const auto& [located, boundary] = places;
  Buffer<Vec3> fitted = at_vertices.values;
  for (const BoundaryVertex& at : at_vertices.boundary) {
    fitted[static_cast<std::size_t>(at.vertex)] = at.fitted;
  }
  const auto is_sharp = [&](std::size_t i) { return kinds[i].kind == GridKind::sharp; };
  std::vector<std::span<const Vec3>> fields;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    fields.emplace_back(is_sharp(i) ? fitted : at_vertices.values);
  }
  std::vector<GridNodes> grids = rasterise(mesh, fields, located);
  for (std::size_t i = 0; i < grids.size(); ++i) {
    if (is_sharp(i)) sharpen(grids[i]);
    boundary.continue_to(at_vertices.boundary, fields[i], is_sharp(i) ? kSharpRoom : 0, grids[i]);
  }
  std::vector<GridNodes*> twins;
  for (GridNodes& nodes : grids) twins.push_back(&nodes);
  add_layers(located.layers, twins);
  for (GridNodes& nodes : grids) forget_unknown(nodes);
  std::vector<SolidNode> in_solids;
  if (solids.distance != nullptr) in_solids = keep_out_of_solids(solids, twins);
  std::vector<VelocityGrid> result;
  for (std::size_t i = 0; i < grids.size(); ++i) {
    if (!kinds[i].divergence.empty()) {
      const std::vector<std::int64_t> in_outlets = nodes_inside(solids.outlets, grids[i]);
      correct_divergence({located.tets, in_solids, kinds[i].divergence, in_outlets}, kRounds,
                         grids[i]);
    }
    result.emplace_back(std::move(grids[i]));
  }
  return result;
}

void VelocityGrid::evaluate(std::span<const Vec3> points, std::span<Vec3> velocities) const {
  CellReader reader(nodes_.blocks, nodes_.values.data());
  const double per_metre = 1 / nodes_.lattice.spacing;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const CellPlace at(nodes_.lattice, per_metre, points[i]);
    const Double4 value = at.is_in_reach ? reader.read(at.cell.cast<int>(), at.place - at.cell)
                                         : CellReader::unknown();
    velocities[i] = {value[0], value[1], value[2]};
  }
}

}  // namespace spindrift
