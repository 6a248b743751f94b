#include "spindrift/mesh/location_bricks.hpp"

#include <algorithm>
#include <cmath>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/mesh/tet_containment.hpp"

namespace spindrift {
namespace {

// In cells. Coordinates of the grid are off by less than a millionth.
constexpr double kSlack = 1e-3;

// Tetrahedra for each cell, at least; there are 12 in a cell of the body-centred lattice, and as
// many again touch it.
constexpr std::int64_t kTetsPerCell = 6;

int shift_for(std::int64_t tets) {
  int shift = 3;
  while (shift > 0 && tets >= kTetsPerCell << (3 * (4 - shift))) --shift;
  return shift;
}

int cell_number(const Vec3i& cell, int shift) {
  const int bits = 3 - shift;
  return cell.x() | cell.y() << bits | cell.z() << 2 * bits;
}

// Of a cell in a brick whose lowest corner is given in cells of the grid. The same to the last bit
// wherever it is asked for.
Vec3 center_of(const CellGrid& grid, const Vec3& brick_corner, const Vec3i& cell, int shift) {
  const double length = 1 << shift;
  return grid.point(brick_corner + length * (cell.cast<double>() + Vec3::Constant(0.5)));
}

// Visits the cells from `low` to `high`, both included.
template <class Visit>
void for_each_cell(const Vec3i& low, const Vec3i& high, const Visit& visit) {
  for (int z = low.z(); z <= high.z(); ++z) {
    for (int y = low.y(); y <= high.y(); ++y) {
      for (int x = low.x(); x <= high.x(); ++x) visit(Vec3i(x, y, z));
    }
  }
}

// One brick at a time.
class BrickBuilder {
 public:
  BrickBuilder(const TetMesh& mesh, const TetNeighbors& neighbors, const TetBins& bins)
      : mesh_(mesh), neighbors_(neighbors), bins_(bins) {}

  void build(std::int64_t number) {
    corner_ = bins_.bricks.first_node(number).cast<double>();
    const std::span<const std::int32_t> tets = bins_.bin(number);
    find_boundary(tets);
    shift = has_boundary() ? 0 : shift_for(std::ssize(tets));
    find_seeds(tets);
  }

  [[nodiscard]] bool has_boundary() const { return !touches_.empty(); }

  int shift = 0;
  std::vector<std::int32_t> seeds;
  // The faces of the cells one after the other, and where they start.
  std::vector<std::uint32_t> starts;
  std::vector<std::int32_t> faces;

 private:
  struct Touch {
    std::int32_t cell, face;
  };

  // From the corner of the brick, in cells of the grid.
  [[nodiscard]] Vec3 local(const Vec3& point) const {
    return bins_.grid.coordinates(point) - corner_;
  }

  void find_boundary(std::span<const std::int32_t> tets) {
    touches_.clear();
    for (const std::int32_t t : tets) {
      const auto& around = neighbors_[static_cast<std::size_t>(t)];
      if ((around[0] | around[1] | around[2] | around[3]) >= 0) continue;
      for (int side = 0; side < 4; ++side) {
        if (around[static_cast<std::size_t>(side)] < 0) add_face(t, side);
      }
    }
    if (!has_boundary()) return;
    starts.assign(kBlockNodes + 1, 0);
    for (const Touch& touch : touches_) ++starts[static_cast<std::size_t>(touch.cell) + 1];
    for (std::size_t c = 0; c < kBlockNodes; ++c) starts[c + 1] += starts[c];
    faces.resize(touches_.size());
    next_.assign(starts.begin(), starts.end());
    for (const Touch& touch : touches_) {
      faces[next_[static_cast<std::size_t>(touch.cell)]++] = touch.face;
    }
  }

  // The cells of its box that its plane goes through.
  void add_face(std::int32_t tet, int side) {
    const auto& corners = kTetFaces[static_cast<std::size_t>(side)];
    const Vec3 a = local(mesh_.corner(tet, corners[0]));
    const Vec3 b = local(mesh_.corner(tet, corners[1]));
    const Vec3 c = local(mesh_.corner(tet, corners[2]));
    const Vec3 min = a.cwiseMin(b).cwiseMin(c);
    const Vec3 max = a.cwiseMax(b).cwiseMax(c);
    if ((max.array() < 0).any() || (min.array() >= kBlockSide).any()) return;
    const Vec3i low = min.cwiseMax(0).cast<int>();
    const Vec3i high = max.cwiseMin(kBlockSide - 1).cast<int>();
    const Vec3 normal = (b - a).cross(c - a);
    // The second term: how much rounded corners turn the normal.
    const double extent = (max - min).maxCoeff() + 1;
    const double reach = (0.5 + kSlack) * normal.cwiseAbs().sum() + 1e-4 * extent * extent;
    const std::int32_t face = 4 * tet + side;
    for_each_cell(low, high, [&](const Vec3i& cell) {
      const Vec3 center = cell.cast<double>() + Vec3::Constant(0.5);
      if (std::abs(normal.dot(center - a)) > reach) return;
      touches_.push_back({node_in_block(cell), face});
    });
  }

  void find_seeds(std::span<const std::int32_t> tets) {
    const int side = kBlockSide >> shift;
    seeds.assign(static_cast<std::size_t>(side * side * side), -1);
    const Double4 scale = splat4(1.0 / (1 << shift));
    const Double4 first = lanes_of(corner_) * scale - splat4(0.5);
    const Double4 slack = splat4(kSlack);
    // Kept positive, where conversion rounds down.
    const auto in_brick = [&](Double4 cells) {
      return whole_cells(lane_min(lane_max(cells, splat4(0)), splat4(side)));
    };
    for (const std::int32_t t : tets) {
      // The cells whose centres are in its box.
      const LaneBox box = grid_box(bins_.grid, mesh_, t);
      const Vec3i low = in_brick(box.min * scale - first - slack);
      const Vec3i high = in_brick(box.max * scale - first + slack) - Vec3i::Ones();
      for_each_cell(low, high, [&](const Vec3i& cell) {
        std::int32_t& seed = seeds[static_cast<std::size_t>(cell_number(cell, shift))];
        if (seed >= 0) return;
        if (contains(mesh_, t, center_of(bins_.grid, corner_, cell, shift))) seed = t;
      });
    }
  }

  const TetMesh& mesh_;
  const TetNeighbors& neighbors_;
  const TetBins& bins_;
  Vec3 corner_ = Vec3::Zero();  // of the brick, in cells
  std::vector<Touch> touches_;
  std::vector<std::uint32_t> next_;
};

}  // namespace

// What consecutive bricks need.
struct LocationBricks::Part {
  std::vector<Brick> bricks;
  std::vector<std::int32_t> seeds, faces;
  std::vector<std::uint32_t> starts;

  void add(const BrickBuilder& builder) {
    Brick brick = {.first_seed = std::ssize(seeds), .shift = builder.shift};
    seeds.insert(seeds.end(), builder.seeds.begin(), builder.seeds.end());
    if (builder.has_boundary()) {
      brick.first_start = std::ssize(starts);
      for (const std::uint32_t start : builder.starts) {
        starts.push_back(start + static_cast<std::uint32_t>(faces.size()));
      }
      faces.insert(faces.end(), builder.faces.begin(), builder.faces.end());
    }
    bricks.push_back(brick);
  }
};

LocationBricks::LocationBricks(const TetMesh& mesh, const TetNeighbors& neighbors) {
  SPINDRIFT_ASSERT(neighbors.size() == mesh.tets.size());
  const TetBins bins = bin_tets(mesh, neighbors);
  grid_ = bins.grid;
  set_ = bins.bricks;
  constexpr std::int64_t kAtOnce = 16;
  std::vector<Part> parts(static_cast<std::size_t>(chunk_count(set_.size(), kAtOnce)));
  parallel_for_chunks(set_.size(), kAtOnce, [&](std::int64_t begin, std::int64_t end) {
    BrickBuilder builder(mesh, neighbors, bins);
    for (std::int64_t b = begin; b < end; ++b) {
      builder.build(b);
      parts[static_cast<std::size_t>(begin / kAtOnce)].add(builder);
    }
  });

  struct Offsets {
    std::size_t seeds = 0, starts = 0, faces = 0;
  };
  Offsets next;
  std::vector<Offsets> offsets;
  for (const Part& part : parts) {
    offsets.push_back(next);
    next.seeds += part.seeds.size();
    next.starts += part.starts.size();
    next.faces += part.faces.size();
  }
  bricks_.resize(static_cast<std::size_t>(set_.size()));
  seeds_.resize(next.seeds);
  starts_.resize(next.starts);
  faces_.resize(next.faces);
  parallel_for_each(
      std::ssize(parts),
      [&](std::int64_t p) {
        const Part& part = parts[static_cast<std::size_t>(p)];
        const Offsets& offset = offsets[static_cast<std::size_t>(p)];
        std::copy(part.seeds.begin(), part.seeds.end(), seeds_.begin() + offset.seeds);
        std::copy(part.faces.begin(), part.faces.end(), faces_.begin() + offset.faces);
        for (std::size_t i = 0; i < part.starts.size(); ++i) {
          starts_[offset.starts + i] = part.starts[i] + static_cast<std::uint32_t>(offset.faces);
        }
        for (std::size_t b = 0; b < part.bricks.size(); ++b) {
          Brick brick = part.bricks[b];
          brick.first_seed += static_cast<std::int64_t>(offset.seeds);
          if (brick.first_start >= 0) brick.first_start += static_cast<std::int64_t>(offset.starts);
          bricks_[static_cast<std::size_t>(kAtOnce * p) + b] = brick;
        }
      },
      1);
}

LocationBricks::Place LocationBricks::place_of(const Vec3& point, std::int32_t last) const {
  const Vec3 coordinates = grid_.coordinates(point);
  if (!grid_.has(coordinates)) return {};
  const Vec3i cell = coordinates.cast<int>();
  const Vec3i block = block_of_node(cell);
  const bool is_last = last >= 0 && set_.keys()[static_cast<std::size_t>(last)] == block_key(block);
  Place place = {.brick = is_last ? last : set_.find(block)};
  if (place.brick < 0) return place;
  const int shift = brick(place).shift;
  const Vec3i local((cell.x() & 7) >> shift, (cell.y() & 7) >> shift, (cell.z() & 7) >> shift);
  place.cell = cell_number(local, shift);
  return place;
}

Vec3i LocationBricks::cell_in_brick(const Place& place) const {
  const int bits = 3 - brick(place).shift;
  const int mask = (1 << bits) - 1;
  return {place.cell & mask, place.cell >> bits & mask, place.cell >> 2 * bits};
}

Vec3 LocationBricks::center(const Place& place) const {
  return center_of(grid_, set_.first_node(place.brick).cast<double>(), cell_in_brick(place),
                   brick(place).shift);
}

bool LocationBricks::touches(const Vec3& min, const Vec3& max, const Place& place) const {
  const int length = 1 << brick(place).shift;
  const Vec3i first = set_.first_node(place.brick) + length * cell_in_brick(place);
  const Vec3i low = grid_.cell(min);
  const Vec3i high = grid_.cell(max);
  return (high.array() >= first.array()).all() && (low.array() < first.array() + length).all();
}

std::int64_t LocationBricks::bytes() const {
  const auto size = [](const auto& all) {
    return std::ssize(all) * static_cast<std::int64_t>(sizeof(all[0]));
  };
  // The set keeps a key and two to four slots of four bytes for each brick.
  return size(bricks_) + size(seeds_) + size(starts_) + size(faces_) + 20 * set_.size();
}

}  // namespace spindrift
