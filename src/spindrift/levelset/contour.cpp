#include "spindrift/levelset/contour.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/levelset/contour_cells.hpp"
#include "spindrift/levelset/contour_table.hpp"
#include "spindrift/levelset/contour_vertices.hpp"

namespace spindrift {
namespace {

constexpr std::int64_t kChunk = 16;  // blocks

// Calls visit(k) for the bits of a word, ascending.
template <class Visit>
void for_each_bit(std::uint64_t word, const Visit& visit) {
  for (; word != 0; word &= word - 1) visit(std::countr_zero(word));
}

std::int64_t count_bits(const BlockMask& mask) {
  std::int64_t count = 0;
  for (const std::uint64_t word : mask) count += std::popcount(word);
  return count;
}

// What a block holds of the contour: the vertices on its edges, the triangles of its cells. Its
// vertices are numbered by slice, then axis, then node.
struct BlockSurface {
  std::array<BlockMask, 3> edges{};                    // along x, y, z: those with a vertex
  BlockMask cells{};                                   // those with triangles
  std::array<std::uint16_t, 3 * kBlockSide> before{};  // vertices before slice z, axis: 3 z + axis
  std::int32_t vertices = 0, triangles = 0;
  std::int64_t first_vertex = 0, first_triangle = 0;

  [[nodiscard]] bool is_empty() const { return vertices == 0; }
  [[nodiscard]] std::int32_t vertex(std::size_t z, std::size_t axis, int bit) const {
    const std::uint64_t lower = edges[axis][z] & ((std::uint64_t{1} << bit) - 1);
    return static_cast<std::int32_t>(first_vertex) + before[3 * z + axis] + std::popcount(lower);
  }
};

unsigned cell_pattern(const ReachingMask& inside, std::size_t z, int bit) {
  unsigned pattern = 0;
  for (unsigned k = 0; k < 8; ++k) {
    pattern |= static_cast<unsigned>(inside.words[z + (k >> 2)][k & 3] >> bit & 1) << k;
  }
  return pattern;
}

class Contouring {
 public:
  explicit Contouring(const SampledField& field)
      : field_(field), signs_(find_signs(field)), surfaces_(signs_.inside.size()) {}

  [[nodiscard]] Contour run() {
    Contour result;
    result.open_cells = find_crossings();
    if (result.open_cells > 0) drop_bare_edges();
    number(result);
    parallel_for_each(
        field_.blocks.size(),
        [&](std::int64_t b) {
          write_vertices(b, result);
          write_triangles(b, result.mesh.triangles.data());
        },
        kChunk);
    return result;
  }

 private:
  [[nodiscard]] BlockSurface& surface(std::int64_t b) {
    return surfaces_[static_cast<std::size_t>(b)];
  }
  [[nodiscard]] const BlockSet::Neighborhood& around(std::int64_t b) const {
    return signs_.around[static_cast<std::size_t>(b)];
  }

  // Fills the masks of all blocks; returns the number of open cells.
  std::int64_t find_crossings() {
    return parallel_reduce_chunks(
        field_.blocks.size(), kChunk, std::int64_t{0},
        [&](std::int64_t begin, std::int64_t end) {
          std::int64_t open = 0;
          for (std::int64_t b = begin; b < end; ++b) open += find_crossings_of(b);
          return open;
        },
        [](std::int64_t a, std::int64_t b) { return a + b; });
  }

  std::int64_t find_crossings_of(std::int64_t b) {
    std::int64_t open = 0;
    for_each_outer_block(around(b), [&](unsigned, const Octant& octant) {
      if (!has_both_signs(signs_, octant)) return;
      open += count_bits(
          crossed_cells(reaching_mask(signs_.inside, octant), reaching_mask(field_.known, octant))
              .open);
    });
    const Octant octant = octant_below(around(b), 0);
    if (!has_both_signs(signs_, octant)) return open;
    const ReachingMask inside = reaching_mask(signs_.inside, octant);
    const ReachingMask known = reaching_mask(field_.known, octant);
    const CrossedCells cells = crossed_cells(inside, known);
    surface(b).edges = crossed_edges(inside, known);
    surface(b).cells = cells.complete;
    for (std::size_t z = 0; z < kBlockSide; ++z) {
      for_each_bit(cells.complete[z], [&](int bit) {
        surface(b).triangles += table_.triangle_count(cell_pattern(inside, z, bit));
      });
    }
    return open + count_bits(cells.open);
  }

  // Takes edges away whose four cells are all left out.
  void drop_bare_edges() {
    parallel_for_each(
        field_.blocks.size(),
        [&](std::int64_t b) {
          for (int axis = 0; axis < 3; ++axis) {
            for (std::size_t z = 0; z < kBlockSide; ++z) {
              std::uint64_t& word = surface(b).edges[axis][z];
              for_each_bit(word, [&](int bit) {
                const int node = static_cast<int>(64 * z) + bit;
                if (!has_complete_cell(b, node, axis)) word &= ~(std::uint64_t{1} << bit);
              });
            }
          }
        },
        kChunk);
  }

  [[nodiscard]] bool has_complete_cell(std::int64_t b, int node, int axis) {
    for (int k = 0; k < 4; ++k) {
      Vec3i cell = node_offset(node);
      cell[(axis + 1) % 3] -= k & 1;
      cell[(axis + 2) % 3] -= k >> 1;
      const Vec3i step = block_of_node(cell);
      const std::int32_t block = around(b)[13 + step.x() + 3 * step.y() + 9 * step.z()];
      if (block >= 0 && has_node(surface(block).cells, node_in_block(cell))) return true;
    }
    return false;
  }

  void number(Contour& result) {
    std::int64_t vertices = 0, triangles = 0;
    for (BlockSurface& s : surfaces_) {
      s.vertices = 0;
      for (std::size_t z = 0; z < kBlockSide; ++z) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
          s.before[3 * z + axis] = static_cast<std::uint16_t>(s.vertices);
          s.vertices += std::popcount(s.edges[axis][z]);
        }
      }
      s.first_vertex = vertices;
      s.first_triangle = triangles;
      vertices += s.vertices;
      triangles += s.triangles;
    }
    SPINDRIFT_ASSERT(vertices <= std::numeric_limits<std::int32_t>::max());
    result.mesh.vertices.resize(static_cast<std::size_t>(vertices));
    result.normals.resize(static_cast<std::size_t>(vertices));
    result.mesh.triangles.resize(static_cast<std::size_t>(triangles));
  }

  void write_vertices(std::int64_t b, Contour& result) {
    const BlockSurface& s = surface(b);
    if (s.is_empty()) return;
    std::array<BlockEdge, 3 * kBlockNodes> edges;
    std::size_t count = 0;
    for (std::size_t z = 0; z < kBlockSide; ++z) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        for_each_bit(s.edges[axis][z], [&](int bit) {
          edges[count++] = {static_cast<std::int16_t>(64 * z + bit),
                            static_cast<std::int16_t>(axis)};
        });
      }
    }
    place_vertices(field_, b, around(b), {edges.data(), count},
                   result.mesh.vertices.data() + s.first_vertex,
                   result.normals.data() + s.first_vertex);
  }

  // The vertices on the edges of a block's cells, by the edge's lowest node: 9 nodes along each
  // axis. Only entries of edges with a vertex are set.
  struct VertexNumbers {
    static constexpr int kSide = kBlockSide + 1;
    static constexpr int kNodes = kSide * kSide * kSide;
    std::array<std::int32_t, 3 * kNodes> of;

    static constexpr int entry(int axis, int x, int y, int z) {
      return axis * kNodes + x + kSide * (y + kSide * z);
    }
  };

  void find_vertex_numbers(std::int64_t b, VertexNumbers& numbers) {
    const Octant octant = octant_below(around(b), 0);
    for (unsigned k = 0; k < 7; ++k) {  // no edge of these cells starts in the eighth block
      if (octant[k] < 0 || surface(octant[k]).is_empty()) continue;
      const BlockSurface& s = surface(octant[k]);
      const std::uint64_t columns = (k & 1) != 0 ? 0x0101010101010101u : ~std::uint64_t{0};
      const std::uint64_t rows = (k & 2) != 0 ? 0xffu : ~std::uint64_t{0};
      const std::size_t slices = (k & 4) != 0 ? 1 : kBlockSide;
      const int first = VertexNumbers::entry(0, 8 * (k & 1), 8 * (k >> 1 & 1), 8 * (k >> 2));
      for (std::size_t z = 0; z < slices; ++z) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
          for_each_bit(s.edges[axis][z] & columns & rows, [&](int bit) {
            const int entry = VertexNumbers::entry(static_cast<int>(axis), bit & 7, bit >> 3,
                                                   static_cast<int>(z));
            const int place = first + entry;
            numbers.of[static_cast<std::size_t>(place)] = s.vertex(z, axis, bit);
          });
        }
      }
    }
  }

  void write_triangles(std::int64_t b, Triangle* triangles) {
    static constexpr std::array<int, kCellEdges> kEntries = [] {
      std::array<int, kCellEdges> entries{};
      for (int edge = 0; edge < kCellEdges; ++edge) {
        const auto [axis, low] = cell_edge(edge);
        entries[edge] = VertexNumbers::entry(axis, low & 1, low >> 1 & 1, low >> 2);
      }
      return entries;
    }();
    const BlockSurface& s = surface(b);
    if (s.triangles == 0) return;
    VertexNumbers numbers;
    find_vertex_numbers(b, numbers);
    const ReachingMask inside = reaching_mask(signs_.inside, octant_below(around(b), 0));
    Triangle* out = triangles + s.first_triangle;
    for (std::size_t z = 0; z < kBlockSide; ++z) {
      for_each_bit(s.cells[z], [&](int bit) {
        const std::int32_t* cell =
            numbers.of.data() + VertexNumbers::entry(0, bit & 7, bit >> 3, static_cast<int>(z));
        for (const auto& [e0, e1, e2] : table_.triangles(cell_pattern(inside, z, bit))) {
          *out++ = {cell[kEntries[e0]], cell[kEntries[e1]], cell[kEntries[e2]]};
        }
      });
    }
  }

  const SampledField& field_;
  const ContourTable& table_ = ContourTable::get();
  FieldSigns signs_;
  std::vector<BlockSurface> surfaces_;
};

// The unknown corners of the open cells of the first block of an octant; `origin` is its first
// node.
void append_missing(const FieldSigns& signs, const SampledField& field, const Octant& octant,
                    const Vec3i& origin, std::vector<Vec3i>& nodes) {
  if (!has_both_signs(signs, octant)) return;
  const ReachingMask known = reaching_mask(field.known, octant);
  const BlockMask open = crossed_cells(reaching_mask(signs.inside, octant), known).open;
  for (std::size_t z = 0; z < kBlockSide; ++z) {
    for_each_bit(open[z], [&](int bit) {
      const unsigned corners = cell_pattern(known, z, bit);
      const Vec3i cell = origin + node_offset(static_cast<int>(64 * z) + bit);
      for (unsigned k = 0; k < 8; ++k) {
        if ((corners >> k & 1) != 0) continue;
        nodes.emplace_back(cell + Vec3i(int(k & 1), int(k >> 1 & 1), int(k >> 2)));
      }
    });
  }
}

bool is_before(const Vec3i& a, const Vec3i& b) {
  const std::uint64_t key_a = block_key(block_of_node(a)), key_b = block_key(block_of_node(b));
  return key_a != key_b ? key_a < key_b : node_in_block(a) < node_in_block(b);
}

}  // namespace

Contour contour(const SampledField& field) { return Contouring(field).run(); }

std::vector<Vec3i> missing_nodes(const SampledField& field) {
  const FieldSigns signs = find_signs(field);
  std::vector<Vec3i> nodes = parallel_reduce_chunks(
      field.blocks.size(), 64, std::vector<Vec3i>{},
      [&](std::int64_t begin, std::int64_t end) {
        std::vector<Vec3i> found;
        for (std::int64_t b = begin; b < end; ++b) {
          const BlockSet::Neighborhood& around = signs.around[static_cast<std::size_t>(b)];
          const Vec3i first_node = field.blocks.first_node(b);
          append_missing(signs, field, octant_below(around, 0), first_node, found);
          for_each_outer_block(around, [&](unsigned down, const Octant& octant) {
            const Vec3i below(int(down & 1), int(down >> 1 & 1), int(down >> 2));
            append_missing(signs, field, octant, first_node - kBlockSide * below, found);
          });
        }
        return found;
      },
      [](std::vector<Vec3i> all, const std::vector<Vec3i>& more) {
        all.insert(all.end(), more.begin(), more.end());
        return all;
      });
  std::sort(nodes.begin(), nodes.end(), is_before);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

}  // namespace spindrift
