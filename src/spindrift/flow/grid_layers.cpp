#include "spindrift/flow/grid_layers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "spindrift/core/parallel.hpp"

namespace spindrift {
namespace {

// Of the distance of nodes, for slopes of distances.
constexpr double kSlopeStep = 0.25;

// Nodes as close to a solid as this, in cells, lie in it: walls often fit the lattice.
constexpr double kOnSolid = 1e-3;
// Liquid meets a solid if as large a part of its velocity goes into it. Continued along a curved
// wall that the mesh resolves, velocities go into it by a tenth or two.
constexpr double kMeets = 0.3;

// A block and a rim of one node around it.
constexpr int kRimmed = kBlockSide + 2;

// Which nodes are known: a row along x for every y and z, bit 0 for the rim.
using RimmedRows = std::array<std::uint16_t, kRimmed * kRimmed>;

// Which entry of a Neighborhood a coordinate from 0 to 9 is in, and the coordinate there.
struct RimPlace {
  int side;
  int at;
};
constexpr RimPlace rim_place(int c) {
  return c == 0 ? RimPlace{0, 7} : c == 9 ? RimPlace{2, 0} : RimPlace{1, c - 1};
}

RimmedRows rimmed_rows(const GridNodes& nodes, const BlockSet::Neighborhood& around) {
  RimmedRows rows;
  const auto bits = [&](int side, int y, int z) -> unsigned {
    const std::int32_t block = around[static_cast<std::size_t>(side)];
    if (block < 0) return 0;
    const BlockMask& mask = nodes.known[static_cast<std::size_t>(block)];
    return static_cast<unsigned>(mask[static_cast<std::size_t>(z)] >> (8 * y)) & 0xffU;
  };
  for (int z = 0; z < kRimmed; ++z) {
    const RimPlace pz = rim_place(z);
    for (int y = 0; y < kRimmed; ++y) {
      const RimPlace py = rim_place(y);
      const int side = 3 * py.side + 9 * pz.side;
      rows[static_cast<std::size_t>(y + kRimmed * z)] = static_cast<std::uint16_t>(
          bits(side, py.at, pz.at) >> 7 | bits(side + 1, py.at, pz.at) << 1 |
          (bits(side + 2, py.at, pz.at) & 1U) << 9);
    }
  }
  return rows;
}

// All places along an axis.
constexpr std::array<RimPlace, kRimmed> kRimPlaces = [] {
  std::array<RimPlace, kRimmed> places{};
  for (int c = 0; c < kRimmed; ++c) places[static_cast<std::size_t>(c)] = rim_place(c);
  return places;
}();

// Among all nodes, of one at a place with a rim, from 0 to 9 along each axis.
std::size_t index_at(const BlockSet::Neighborhood& around, const Vec3i& place) {
  const RimPlace x = kRimPlaces[static_cast<std::size_t>(place.x())];
  const RimPlace y = kRimPlaces[static_cast<std::size_t>(place.y())];
  const RimPlace z = kRimPlaces[static_cast<std::size_t>(place.z())];
  const std::int64_t block = around[static_cast<std::size_t>(x.side + 3 * y.side + 9 * z.side)];
  return static_cast<std::size_t>(block * kBlockNodes + (x.at | y.at << 3 | z.at << 6));
}

bool is_known(const RimmedRows& rows, const Vec3i& place) {
  return (rows[static_cast<std::size_t>(place.y() + kRimmed * place.z())] >> place.x() & 1) != 0;
}

// The known nodes around a node, with weights by the inverse squares of their distances.
struct KnownAround {
  std::array<std::size_t, 26> nodes;
  std::array<double, 26> weights;
  std::size_t count = 0;
  double total = 0;

  KnownAround(const BlockSet::Neighborhood& around, const RimmedRows& rows, const Vec3i& node) {
    constexpr std::array<double, 4> kWeights = {0, 1, 1.0 / 2, 1.0 / 3};
    for (int dz = 0; dz < 3; ++dz) {
      for (int dy = 0; dy < 3; ++dy) {
        unsigned row =
            rows[static_cast<std::size_t>(node.y() + dy + kRimmed * (node.z() + dz))] >> node.x() &
            7U;
        for (; row != 0; row &= row - 1) {
          const int dx = std::countr_zero(row);
          weights[count] = kWeights[static_cast<std::size_t>((dx != 1) + (dy != 1) + (dz != 1))];
          total += weights[count];
          nodes[count++] = index_at(around, node + Vec3i(dx, dy, dz));
        }
      }
    }
  }

  [[nodiscard]] Vec3 mean(const Buffer<Vec3>& values) const {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < count; ++i) sum += weights[i] * values[nodes[i]];
    return sum / total;
  }
};

BlockMask unknown_nodes(const BlockMask& known) {
  BlockMask result;
  for (std::size_t z = 0; z < known.size(); ++z) result[z] = ~known[z];
  return result;
}

// Outward normals of solids at nodes of one block that are in them.
struct SolidNodes {
  std::vector<int> nodes;
  std::vector<Vec3> points, normals;
};

void find_solid_nodes(const ScalarField& distance, const GridNodes& nodes, std::int64_t block,
                      SolidNodes& found) {
  found.nodes.clear();
  found.points.clear();
  const Vec3i first = nodes.blocks.first_node(block);
  std::vector<int> candidates;
  std::vector<Vec3> points;
  for_each_node(nodes.known[static_cast<std::size_t>(block)], [&](int k) {
    candidates.push_back(k);
    points.push_back(nodes.lattice.position(Vec3i(first + node_offset(k))));
  });
  std::vector<double> values(points.size());
  distance.evaluate(points, values);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!(values[i] < kOnSolid * nodes.lattice.spacing)) continue;
    found.nodes.push_back(candidates[i]);
    found.points.push_back(points[i]);
  }
  const double step = kSlopeStep * nodes.lattice.spacing;
  std::vector<Vec3> probes;
  for (const Vec3& point : found.points) {
    for (int axis = 0; axis < 3; ++axis) {
      probes.emplace_back(point + step * Vec3::Unit(axis));
      probes.emplace_back(point - step * Vec3::Unit(axis));
    }
  }
  std::vector<double> probed(probes.size());
  distance.evaluate(probes, probed);
  found.normals.resize(found.points.size());
  for (std::size_t i = 0; i < found.normals.size(); ++i) {
    const double* d = &probed[6 * i];
    const Vec3 slope(d[0] - d[1], d[2] - d[3], d[4] - d[5]);
    const double length = slope.norm();
    found.normals[i] = length > 0 ? Vec3(slope / length) : Vec3::Zero();
  }
}

}  // namespace

void sharpen(GridNodes& nodes) { sharpen(nodes.known, neighborhoods(nodes.blocks), nodes); }

void sharpen(const NodeSet& which, std::span<const BlockSet::Neighborhood> around,
             GridNodes& nodes) {
  Buffer<Vec3> sharpened(nodes.values.size());
  sharpened.back() = nodes.values.back();
  parallel_for_each(
      nodes.blocks.size(),
      [&](std::int64_t block) {
        const auto b = static_cast<std::size_t>(block);
        if (!has_any(which[b])) return;
        const RimmedRows rows = rimmed_rows(nodes, around[b]);
        for_each_node(which[b], [&](int k) {
          const Vec3i place = node_offset(k) + Vec3i::Ones();
          const auto value_at = [&](const Vec3i& at) -> const Vec3& {
            return nodes.values[index_at(around[b], at)];
          };
          const Vec3& here = value_at(place);
          Vec3 bend = Vec3::Zero();
          for (int axis = 0; axis < 3; ++axis) {
            const Vec3i before = place - Vec3i::Unit(axis);
            const Vec3i after = place + Vec3i::Unit(axis);
            if (!is_known(rows, before) || !is_known(rows, after)) continue;
            bend += (value_at(before) - here) + (value_at(after) - here);
          }
          sharpened[static_cast<std::size_t>(block * kBlockNodes + k)] = here - bend / 12;
        });
      },
      16);
  nodes.values = std::move(sharpened);
}

void add_layers(int count, TwinGrids grids) {
  const GridNodes& first = *grids.front();
  const std::vector<BlockSet::Neighborhood> around = neighborhoods(first.blocks);
  for (int layer = 0; layer < count; ++layer) {
    NodeSet added = grown(first.known, around);
    for_each_word(added, first.known, [](std::uint64_t& x, std::uint64_t y) { x &= ~y; });
    set_to_means(added, around, grids);
    for (GridNodes* grid : grids) {
      for_each_word(grid->known, added, [](std::uint64_t& x, std::uint64_t y) { x |= y; });
    }
  }
}

void set_to_means(const NodeSet& which, std::span<const BlockSet::Neighborhood> around,
                  TwinGrids grids) {
  const GridNodes& first = *grids.front();
  parallel_for_each(
      first.blocks.size(),
      [&](std::int64_t block) {
        const auto b = static_cast<std::size_t>(block);
        if (!has_any(which[b])) return;
        const RimmedRows rows = rimmed_rows(first, around[b]);
        for_each_node(which[b], [&](int k) {
          const KnownAround known(around[b], rows, node_offset(k));
          for (GridNodes* grid : grids) {
            grid->values[static_cast<std::size_t>(block * kBlockNodes + k)] =
                known.mean(grid->values);
          }
        });
      },
      16);
}

void forget_unknown(GridNodes& nodes) {
  parallel_for_each(
      nodes.blocks.size(),
      [&](std::int64_t block) {
        for_each_node(unknown_nodes(nodes.known[static_cast<std::size_t>(block)]), [&](int k) {
          nodes.values[static_cast<std::size_t>(block * kBlockNodes + k)].setConstant(
              std::numeric_limits<double>::quiet_NaN());
        });
      },
      16);
}

std::vector<SolidNode> keep_out_of_solids(const SolidMotion& solids, TwinGrids grids) {
  const GridNodes& nodes = *grids.front();
  const double half_diagonal =
      (0.5 * std::sqrt(3) * (kBlockSide - 1) + kOnSolid) * nodes.lattice.spacing;
  std::vector<std::vector<SolidNode>> of_blocks(static_cast<std::size_t>(nodes.blocks.size()));
  parallel_for_chunks(nodes.blocks.size(), 16, [&](std::int64_t begin, std::int64_t end) {
    SolidNodes found;
    std::vector<Vec3> motion;
    for (std::int64_t block = begin; block < end; ++block) {
      const Vec3 center = nodes.lattice.position(
          Vec3(nodes.blocks.first_node(block).cast<double>().array() + 0.5 * (kBlockSide - 1)));
      double depth = 0;
      solids.distance->evaluate({&center, 1}, {&depth, 1});
      if (depth > half_diagonal) continue;
      find_solid_nodes(*solids.distance, nodes, block, found);
      motion.assign(found.points.size(), Vec3::Zero());
      if (solids.velocity != nullptr) solids.velocity->evaluate(found.points, motion);
      for (std::size_t i = 0; i < found.nodes.size(); ++i) {
        const std::int64_t place = block * kBlockNodes + found.nodes[i];
        const Vec3& normal = found.normals[i];
        const Vec3 relative = nodes.values[static_cast<std::size_t>(place)] - motion[i];
        of_blocks[static_cast<std::size_t>(block)].push_back(
            {place, normal, relative.dot(normal) < -kMeets * relative.norm()});
        for (GridNodes* grid : grids) {
          Vec3& u = grid->values[static_cast<std::size_t>(place)];
          u -= std::min(0.0, (u - motion[i]).dot(normal)) * normal;
        }
      }
    }
  });
  std::vector<SolidNode> all;
  for (const auto& part : of_blocks) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::vector<std::int64_t> nodes_inside(const ScalarField* field, const GridNodes& nodes) {
  std::vector<std::int64_t> inside;
  if (field == nullptr) return inside;
  std::vector<std::vector<std::int64_t>> of_blocks(static_cast<std::size_t>(nodes.blocks.size()));
  parallel_for_each(
      nodes.blocks.size(),
      [&](std::int64_t block) {
        const Vec3i first = nodes.blocks.first_node(block);
        for_each_node(nodes.known[static_cast<std::size_t>(block)], [&](int k) {
          const Vec3 point = nodes.lattice.position(Vec3i(first + node_offset(k)));
          double value = 0;
          field->evaluate({&point, 1}, {&value, 1});
          if (value < 0) {
            of_blocks[static_cast<std::size_t>(block)].push_back(block * kBlockNodes + k);
          }
        });
      },
      16);
  for (const auto& part : of_blocks) inside.insert(inside.end(), part.begin(), part.end());
  return inside;
}

}  // namespace spindrift
