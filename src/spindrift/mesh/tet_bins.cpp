#include "spindrift/mesh/tet_bins.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/levelset/block_numbers.hpp"

namespace spindrift {
namespace {

// No centre of a cell is closer to the faces of its brick, in cells.
constexpr double kMargin = 0.499;

constexpr std::int64_t kRanges = 16;  // of tetrahedra, for any number of threads

Box3 bounds_of(const TetMesh& mesh) {
  const Box3 box = parallel_reduce_chunks(
      mesh.vertex_count(), 1 << 16, Box3(),
      [&](std::int64_t begin, std::int64_t end) {
        Box3 part;
        for (std::int64_t v = begin; v < end; ++v) {
          part.extend(mesh.vertices[static_cast<std::size_t>(v)]);
        }
        return part;
      },
      [](const Box3& a, const Box3& b) { return a.merged(b); });
  SPINDRIFT_ASSERT(box.sizes().allFinite());
  return box;
}

double longest_edge(const TetMesh& mesh, std::int64_t tet) {
  double longest = 0;
  for (const auto& [a, b] : kTetEdges) {
    longest = std::max(longest, (mesh.corner(tet, a) - mesh.corner(tet, b)).squaredNorm());
  }
  return std::sqrt(longest);
}

// The median of the longest edges, from a thousand tetrahedra: that of the finest leaves in a
// graded mesh, which are the most.
double typical_edge(const TetMesh& mesh) {
  constexpr std::int64_t kSamples = 1001;
  std::vector<double> edges;
  const std::int64_t step = std::max<std::int64_t>(1, mesh.tet_count() / kSamples);
  for (std::int64_t t = 0; t < mesh.tet_count(); t += step) edges.push_back(longest_edge(mesh, t));
  const auto middle = edges.begin() + std::ssize(edges) / 2;
  std::nth_element(edges.begin(), middle, edges.end());
  return *middle;
}

CellGrid make_grid(const Box3& box, double size) {
  CellGrid grid;
  grid.size = size;
  grid.cells_per_metre = 1 / size;
  // Not a simple fraction: meshes whose faces lie in planes of a lattice would otherwise often have
  // them go through centres of cells, which the exact predicates then have to sort out.
  grid.origin = box.min() - size * Vec3(0.5728, 0.6183, 0.5319);
  grid.cell_count = (grid.coordinates(box.max()).array() + 1).floor();
  return grid;
}

// The bricks of consecutive tetrahedra.
struct Range {
  struct Entry {
    std::int32_t tet, brick;
  };
  BlockNumbers bricks;
  std::vector<Entry> entries;

  // Whether they were few enough.
  bool fill(const TetMesh& mesh, const TetNeighbors& neighbors, const CellGrid& grid,
            std::int64_t begin, std::int64_t end) {
    // Leaves as large as a brick touch six on average.
    const std::int64_t limit = 16 * (end - begin) + 4096;
    entries.reserve(static_cast<std::size_t>((end - begin) * 3 / 2));
    for (std::int64_t t = begin; t < end; ++t) {
      const LaneBox box = grid_box(grid, mesh, t);
      const auto& [n0, n1, n2, n3] = neighbors[static_cast<std::size_t>(t)];
      const bool is_at_boundary = (n0 | n1 | n2 | n3) < 0;
      const Double4 margin = splat4(is_at_boundary ? 0 : kMargin);
      const Vec3i low = block_of_node(whole_cells(box.min + margin));
      const Vec3i high = block_of_node(whole_cells(box.max - margin));
      if (low == high) {
        entries.push_back({static_cast<std::int32_t>(t), bricks.number(block_key(low))});
        continue;
      }
      const Vec3 span = ((high - low).array() + 1).max(0).cast<double>();
      if (static_cast<double>(entries.size()) + span.prod() > static_cast<double>(limit)) {
        return false;
      }
      for (int z = low.z(); z <= high.z(); ++z) {
        for (int y = low.y(); y <= high.y(); ++y) {
          for (int x = low.x(); x <= high.x(); ++x) {
            entries.push_back(
                {static_cast<std::int32_t>(t), bricks.number(block_key(Vec3i(x, y, z)))});
          }
        }
      }
    }
    return true;
  }
};

std::vector<Range> fill_ranges(const TetMesh& mesh, const TetNeighbors& neighbors,
                               const CellGrid& grid, bool& are_few) {
  const std::int64_t length = chunk_count(mesh.tet_count(), kRanges);
  std::vector<Range> ranges(static_cast<std::size_t>(chunk_count(mesh.tet_count(), length)));
  std::vector<char> was_filled(ranges.size());
  parallel_for_chunks(mesh.tet_count(), length, [&](std::int64_t begin, std::int64_t end) {
    const auto r = static_cast<std::size_t>(begin / length);
    was_filled[r] = ranges[r].fill(mesh, neighbors, grid, begin, end) ? 1 : 0;
  });
  are_few = std::find(was_filled.begin(), was_filled.end(), 0) == was_filled.end();
  return ranges;
}

// Moves what the ranges found to the bins.
void gather(const std::vector<Range>& ranges, TetBins& bins) {
  std::vector<std::uint64_t> keys;
  for (const Range& range : ranges) {
    keys.insert(keys.end(), range.bricks.keys.begin(), range.bricks.keys.end());
  }
  bins.bricks = BlockSet(std::move(keys));

  std::vector<std::vector<std::int32_t>> numbers(ranges.size());  // of the ranges' bricks
  std::vector<std::vector<std::int64_t>> places(ranges.size());
  const auto for_each_range = [&](const auto& work) {
    parallel_for_each(
        std::ssize(ranges), [&](std::int64_t r) { work(static_cast<std::size_t>(r)); }, 1);
  };
  for_each_range([&](std::size_t r) {
    for (const std::uint64_t key : ranges[r].bricks.keys) {
      numbers[r].push_back(bins.bricks.find(block_of_key(key)));
    }
    places[r].resize(numbers[r].size());
    for (const Range::Entry& entry : ranges[r].entries) {
      ++places[r][static_cast<std::size_t>(entry.brick)];
    }
  });
  bins.starts.assign(static_cast<std::size_t>(bins.bricks.size()) + 1, 0);
  const auto start_after = [&](std::int32_t brick) -> std::int64_t& {
    return bins.starts[static_cast<std::size_t>(brick) + 1];
  };
  // In each bin the ranges come one after the other.
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    for (std::size_t b = 0; b < numbers[r].size(); ++b) {
      std::int64_t& filled = start_after(numbers[r][b]);
      filled += std::exchange(places[r][b], filled);
    }
  }
  for (std::size_t b = 1; b < bins.starts.size(); ++b) bins.starts[b] += bins.starts[b - 1];
  bins.tets.resize(static_cast<std::size_t>(bins.starts.back()));
  for_each_range([&](std::size_t r) {
    for (std::size_t b = 0; b < numbers[r].size(); ++b) {
      places[r][b] += bins.starts[static_cast<std::size_t>(numbers[r][b])];
    }
    for (const Range::Entry& entry : ranges[r].entries) {
      const std::int64_t place = places[r][static_cast<std::size_t>(entry.brick)]++;
      bins.tets[static_cast<std::size_t>(place)] = entry.tet;
    }
  });
}

}  // namespace

TetBins bin_tets(const TetMesh& mesh, const TetNeighbors& neighbors) {
  TetBins bins;
  if (mesh.tets.empty()) return bins;
  const Box3 box = bounds_of(mesh);
  // Bricks are numbered from 0 to kBlockLimit - 1; and what is rounded must be less than a
  // millionth of a cell.
  const double greatest = box.min().cwiseAbs().cwiseMax(box.max().cwiseAbs()).maxCoeff();
  double size = std::max(
      {typical_edge(mesh), box.sizes().maxCoeff() / (4.0 * kBlockLimit), greatest * 0x1p-32});
  if (!(size > 0)) size = 1;  // all in one point, at the origin
  for (;; size *= 2) {
    bins.grid = make_grid(box, size);
    bool are_few = false;
    const std::vector<Range> ranges = fill_ranges(mesh, neighbors, bins.grid, are_few);
    if (!are_few) continue;
    gather(ranges, bins);
    return bins;
  }
}

}  // namespace spindrift
