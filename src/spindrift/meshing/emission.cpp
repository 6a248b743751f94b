#include "spindrift/meshing/emission.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/morton.hpp"
#include "spindrift/meshing/padded_signs.hpp"
#include "spindrift/meshing/stencils.hpp"

namespace spindrift {
namespace {

// The cells of a brick in Morton order.
std::array<std::int16_t, kBlockNodes> cells_in_order() {
  std::array<std::int16_t, kBlockNodes> cells;
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<std::int16_t>(i);
  std::sort(cells.begin(), cells.end(),
            [](int a, int b) { return morton_key(node_offset(a)) < morton_key(node_offset(b)); });
  return cells;
}

// Numbers and signs of the corners or centres of a brick, and of those one beyond it.
class LocalVertices {
 public:
  static constexpr int kSide = kBlockSide + 1;
  [[nodiscard]] static int place(const Vec3i& at) {
    return at.x() + kSide * (at.y() + kSide * at.z());
  }

  void fill(const MeshVertices& vertices, const Brick& brick, Sublattice lattice,
            const PaddedSigns& signs) {
    for (int z = 0; z < kSide; ++z) {
      for (int y = 0; y < kSide; ++y) {
        const int first = place({0, y, z});
        const unsigned in = static_cast<unsigned>(signs.inside[lattice].row(y, z)) >> 1;
        const unsigned out = static_cast<unsigned>(signs.outside[lattice].row(y, z)) >> 1;
        for (int x = 0; x < kSide; ++x) {
          const unsigned is_in = in >> x & 1;
          const unsigned is_out = out >> x & 1;
          sign_[static_cast<std::size_t>(first + x)] =
              static_cast<std::uint8_t>(1 + is_in - is_out);
        }
        const int step = 3 * (y >> 3) + 9 * (z >> 3);
        const int row = 8 * (y & 7) + 64 * (z & 7);
        fill_row(vertices, brick.around[static_cast<std::size_t>(13 + step)], lattice, row,
                 kBlockSide, first);
        fill_row(vertices, brick.around[static_cast<std::size_t>(14 + step)], lattice, row, 1,
                 first + kBlockSide);
      }
    }
  }

  [[nodiscard]] std::int32_t id(int where) const { return id_[static_cast<std::size_t>(where)]; }
  [[nodiscard]] int sign(int where) const { return sign_[static_cast<std::size_t>(where)]; }

 private:
  void fill_row(const MeshVertices& vertices, std::int32_t brick, Sublattice lattice, int row,
                int count, int to) {
    if (brick < 0) return;
    const BrickVertices& own = vertices.bricks[static_cast<std::size_t>(brick)];
    const BlockMask& present = own.present[lattice];
    std::int32_t next = own.first + own.ranks[lattice].rank(present, row) +
                        (lattice == kCenters ? own.ranks[kCorners].count : 0);
    const std::uint64_t bits = present[static_cast<std::size_t>(row >> 6)] >> (row & 63);
    for (int x = 0; x < count; ++x) {
      id_[static_cast<std::size_t>(to + x)] = next;
      next += static_cast<std::int32_t>(bits >> x & 1);
    }
  }

  static constexpr std::size_t kCount = std::size_t{kSide} * kSide * kSide;
  std::array<std::int32_t, kCount> id_;
  std::array<std::uint8_t, kCount> sign_;
};

// Where the next cell along an axis and the corners between are, from the place of a cell.
struct SquarePlaces {
  explicit SquarePlaces(int axis) : next(LocalVertices::place(Vec3i::Unit(axis))) {
    for (int k = 0; k < 4; ++k) {
      corners[static_cast<std::size_t>(k)] = LocalVertices::place(square_corner(axis, k) / 2);
    }
  }
  int next;
  std::array<int, 4> corners{};
};

// Emits the tetrahedra of bricks, one after the other.
class BrickEmission {
 public:
  BrickEmission(const Octree& tree, const MeshVertices& vertices, const CutEdges& cuts)
      : tree_(tree), vertices_(vertices), cuts_(cuts), table_(StencilTable::instance()) {}

  void run(std::int64_t b) {
    brick_ = &tree_.bricks[static_cast<std::size_t>(b)];
    own_ = &vertices_.bricks[static_cast<std::size_t>(b)];
    if (brick_->split2 != 0) emit_finest();
    for_each_larger_leaf(*brick_, [&](const Vec3i& low, int side) { emit_leaf(low, side); });
  }

  // What was emitted so far.
  [[nodiscard]] Buffer<Tet> take_tets() {
    tets_.resize(count_);
    return std::move(tets_);
  }
  [[nodiscard]] Buffer<ShapeCode> take_shapes() {
    shapes_.resize(count_);
    return std::move(shapes_);
  }

 private:
  void push(const Tet& tet, ShapeCode shape) {
    if (count_ == tets_.size()) {
      tets_.resize(std::max<std::size_t>(1 << 14, 2 * count_));
      shapes_.resize(tets_.size());
    }
    tets_[count_] = tet;
    shapes_[count_++] = shape;
  }

  // A tetrahedron of a leaf: `low` is its first corner, `side` its length, in half cells.
  void push_shape(int number, const Vec3i& low, int side) {
    const LatticeShape& shape = shapes_of_lattice_.shape(number);
    Tet tet{};
    for (std::size_t k = 0; k < 4; ++k) tet[k] = vertex(low + side / 2 * shape.corners[k]);
    push(tet, {number, std::countr_zero(static_cast<unsigned>(side)) - 1});
  }

  // Finest cells.
  void emit_finest();
  void emit_between(const Vec3i& cell, int axis);
  void emit_cut(const Vec3i& cell, int axis, int k, const std::array<int, 4>& signs,
                const std::array<std::int32_t, 4>& ids);
  [[nodiscard]] std::int32_t cut_vertex(const Vec3i& cell, const LatticeEdge& edge) const;
  void emit_half_pyramids(const Vec3i& low, int side, int axis, bool up);

  // Larger leaves.
  void emit_leaf(const Vec3i& low, int side);
  void emit_pair(const Vec3i& low, int side, int axis);
  void emit_quadrisected(const Vec3i& low, int side, int axis, bool up);

  enum class Neighbor { none, smaller, same, larger };
  [[nodiscard]] Neighbor neighbor(const Vec3i& low, int side, int axis, bool up) const;

  // The vertex at a place, in half cells from the brick's first corner; -1: there is none.
  [[nodiscard]] std::int32_t vertex(const Vec3i& units) const;

  [[nodiscard]] bool is_inside(const Vec3i& units) const {
    if (brick_->surface < 0) return true;
    const SurfaceBrick& surface = tree_.surface_bricks[static_cast<std::size_t>(brick_->surface)];
    return has_node(surface.inside[units.x() & 1],
                    node_in_block({units.x() >> 1, units.y() >> 1, units.z() >> 1}));
  }

  const Octree& tree_;
  const MeshVertices& vertices_;
  const CutEdges& cuts_;
  const StencilTable& table_;
  const LatticeShapes& shapes_of_lattice_ = LatticeShapes::instance();
  const Brick* brick_ = nullptr;
  const BrickVertices* own_ = nullptr;
  Buffer<Tet> tets_;
  Buffer<ShapeCode> shapes_;
  std::size_t count_ = 0;
  LocalVertices corners_, centers_;
  PaddedMask fine_;
};

std::int32_t BrickEmission::vertex(const Vec3i& units) const {
  const auto [b, lattice, node] = site_at(*brick_, units);
  if (b < 0) return -1;
  const BrickVertices& brick = vertices_.bricks[static_cast<std::size_t>(b)];
  if (!has_node(brick.present[lattice], node)) return -1;
  return brick.first + brick.ranks[lattice].rank(brick.present[lattice], node) +
         (lattice == kCenters ? brick.ranks[kCorners].count : 0);
}

void BrickEmission::emit_finest() {
  static const std::array<std::int16_t, kBlockNodes> kOrder = cells_in_order();
  const PaddedSigns signs(tree_, *brick_);
  corners_.fill(vertices_, *brick_, kCorners, signs);
  centers_.fill(vertices_, *brick_, kCenters, signs);
  fine_ = PaddedMask([&](std::size_t k) -> const BlockMask& {
    const std::int32_t neighbor = brick_->around[k];
    return neighbor < 0 ? kNoNodes : vertices_.bricks[static_cast<std::size_t>(neighbor)].fine;
  });
  for (const std::int16_t number : kOrder) {
    if (!has_node(own_->fine, number)) continue;
    const Vec3i cell = node_offset(number);
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3i next = cell + Vec3i::Unit(axis);
      if (fine_.has(next.x(), next.y(), next.z())) {
        emit_between(cell, axis);
      } else {
        emit_half_pyramids(2 * cell, 2, axis, true);
      }
      const Vec3i before = cell - Vec3i::Unit(axis);
      if (!fine_.has(before.x(), before.y(), before.z())) {
        emit_half_pyramids(2 * cell, 2, axis, false);
      }
    }
  }
}

// The four tetrahedra around the edge from a cell's centre to the next.
void BrickEmission::emit_between(const Vec3i& cell, int axis) {
  static const std::array<SquarePlaces, 3> kSquares = {SquarePlaces(0), SquarePlaces(1),
                                                       SquarePlaces(2)};
  const SquarePlaces& square = kSquares[static_cast<std::size_t>(axis)];
  const int c0 = LocalVertices::place(cell);
  const int c1 = c0 + square.next;
  std::array<int, 5> v;
  int all = centers_.sign(c0) & centers_.sign(c1);
  int any = centers_.sign(c0) | centers_.sign(c1);
  for (std::size_t k = 0; k < 4; ++k) {
    v[k] = c0 + square.corners[k];
    all &= corners_.sign(v[k]);
    any |= corners_.sign(v[k]);
  }
  v[4] = v[0];
  if ((any & kInside) == 0) return;
  for (std::size_t k = 0; k < 4; ++k) {
    if ((all & kInside) != 0) {
      push({centers_.id(c0), centers_.id(c1), corners_.id(v[k]), corners_.id(v[k + 1])},
           {LatticeShapes::pair(axis, static_cast<int>(k), LatticeShapes::kWhole), 0});
    } else {
      emit_cut(cell, axis, static_cast<int>(k),
               {centers_.sign(c0), centers_.sign(c1), corners_.sign(v[k]), corners_.sign(v[k + 1])},
               {centers_.id(c0), centers_.id(c1), corners_.id(v[k]), corners_.id(v[k + 1])});
    }
  }
}

void BrickEmission::emit_cut(const Vec3i& cell, int axis, int k, const std::array<int, 4>& signs,
                             const std::array<std::int32_t, 4>& ids) {
  const int pattern = signs[0] + 3 * signs[1] + 9 * signs[2] + 27 * signs[3];
  const Stencil& stencil = table_.stencil(axis, k, pattern);
  std::array<std::int32_t, 10> vertex;
  std::copy(ids.begin(), ids.end(), vertex.begin());
  for (int e = 0; e < 6; ++e) {
    const auto [a, b] = kTetEdges[static_cast<std::size_t>(e)];
    const int between = signs[static_cast<std::size_t>(a)] - signs[static_cast<std::size_t>(b)];
    if (std::abs(between) == kInside - kOutside) {
      vertex[static_cast<std::size_t>(4 + e)] = cut_vertex(cell, table_.edge(axis, k, e));
    }
  }
  for (int t = 0; t < stencil.count; ++t) {
    const auto& tet = stencil.tets[static_cast<std::size_t>(t)];
    push({vertex[tet[0]], vertex[tet[1]], vertex[tet[2]], vertex[tet[3]]}, {});
  }
}

std::int32_t BrickEmission::cut_vertex(const Vec3i& cell, const LatticeEdge& edge) const {
  const Vec3i at = cell + edge.owner;
  const std::int32_t b = brick_at(*brick_, 2 * at);
  const std::int32_t surface = tree_.bricks[static_cast<std::size_t>(b)].surface;
  const BrickCuts& cuts = cuts_.bricks[static_cast<std::size_t>(surface)];
  const std::int64_t number = cuts.number(edge.type, node_in_block(at)) - cuts.first;
  return vertices_.bricks[static_cast<std::size_t>(b)].first_cut +
         static_cast<std::int32_t>(number);
}

// A leaf beside one of twice its size: its centre over its own square, cut by the diagonal from the
// middle of the large face. That is the corner in the middle of the leaf's parent.
void BrickEmission::emit_half_pyramids(const Vec3i& low, int side, int axis, bool up) {
  if (!is_inside(low.array() + side / 2)) return;
  if (neighbor(low, side, axis, up) != Neighbor::larger) return;
  const auto is_lower = [&](int other) { return low[(axis + other) % 3] / side % 2 == 0; };
  const int middle = is_lower(1) + 2 * is_lower(2);
  for (const int half : {0, 1}) {
    push_shape(LatticeShapes::half_pyramid(axis, up, middle, half), low, side);
  }
}

BrickEmission::Neighbor BrickEmission::neighbor(const Vec3i& low, int side, int axis,
                                                bool up) const {
  Vec3i at = low;
  at[axis] += up ? side : -side;
  const std::int32_t n = brick_at(*brick_, at);
  if (n < 0) return Neighbor::none;
  const Brick& brick = tree_.bricks[static_cast<std::size_t>(n)];
  at = {at.x() & 15, at.y() & 15, at.z() & 15};
  const auto octant = [&](int octant_side, int across) {
    return at.x() / octant_side + across * (at.y() / octant_side) +
           across * across * (at.z() / octant_side);
  };
  const bool in_8 = brick.split8;
  const bool in_4 = (brick.split4 >> octant(8, 2) & 1) != 0;
  const bool in_2 = (brick.split2 >> octant(4, 4) & 1) != 0;
  const int leaf = !in_8 ? 16 : !in_4 ? 8 : !in_2 ? 4 : 2;
  return leaf == side ? Neighbor::same : leaf < side ? Neighbor::smaller : Neighbor::larger;
}

void BrickEmission::emit_leaf(const Vec3i& low, int side) {
  if (!is_inside(low.array() + side / 2)) return;
  for (int axis = 0; axis < 3; ++axis) {
    for (const bool up : {false, true}) {
      switch (neighbor(low, side, axis, up)) {
        case Neighbor::none:
          break;
        case Neighbor::larger:
          emit_half_pyramids(low, side, axis, up);
          break;
        case Neighbor::smaller:
          emit_quadrisected(low, side, axis, up);
          break;
        case Neighbor::same:
          if (up) emit_pair(low, side, axis);
          break;
      }
    }
  }
}

// Two leaves of the same size: four tetrahedra, each halved if its edge of the square is.
void BrickEmission::emit_pair(const Vec3i& low, int side, int axis) {
  for (int k = 0; k < 4; ++k) {
    const Vec3i ends = square_corner(axis, k) + square_corner(axis, (k + 1) % 4);
    if (vertex(low + side / 4 * ends) < 0) {
      push_shape(LatticeShapes::pair(axis, k, LatticeShapes::kWhole), low, side);
    } else {
      push_shape(LatticeShapes::pair(axis, k, LatticeShapes::kFirstHalf), low, side);
      push_shape(LatticeShapes::pair(axis, k, LatticeShapes::kSecondHalf), low, side);
    }
  }
}

// A leaf beside four of half its size.
void BrickEmission::emit_quadrisected(const Vec3i& low, int side, int axis, bool up) {
  // Round the middle of the face, seen from the leaf.
  for (int i = 0; i < 4; ++i) {
    const int k = up ? i : 3 - i;
    for (const int half : {0, 1}) {
      push_shape(LatticeShapes::quarter(axis, up, k, half), low, side);
    }
  }
}

}  // namespace

Emission emit_tets(const Octree& tree, const MeshVertices& vertices, const CutEdges& cuts) {
  constexpr std::int64_t kBricksAtOnce = 32;
  const std::int64_t bricks = std::ssize(tree.bricks);
  struct Part {
    Buffer<Tet> tets;
    Buffer<ShapeCode> shapes;
    std::int64_t first = 0;
  };
  std::vector<Part> parts(static_cast<std::size_t>(chunk_count(bricks, kBricksAtOnce)));
  parallel_for_chunks(bricks, kBricksAtOnce, [&](std::int64_t begin, std::int64_t end) {
    BrickEmission emission(tree, vertices, cuts);
    for (std::int64_t b = begin; b < end; ++b) emission.run(b);
    Part& part = parts[static_cast<std::size_t>(begin / kBricksAtOnce)];
    part.tets = emission.take_tets();
    part.shapes = emission.take_shapes();
  });
  Emission result;
  std::int64_t count = 0;
  for (Part& part : parts) {
    part.first = count;
    count += std::ssize(part.tets);
  }
  // Faces are numbered by 4 tet + k.
  if (count > std::numeric_limits<std::int32_t>::max() / 4) {
    throw InputError({}, "the mesh would have more than five hundred million tetrahedra",
                     "use larger cells");
  }
  result.tets.resize(static_cast<std::size_t>(count));
  result.shapes.resize(static_cast<std::size_t>(count));
  parallel_for_each(
      std::ssize(parts),
      [&](std::int64_t p) {
        const Part& part = parts[static_cast<std::size_t>(p)];
        std::copy(part.tets.begin(), part.tets.end(), result.tets.begin() + part.first);
        std::copy(part.shapes.begin(), part.shapes.end(), result.shapes.begin() + part.first);
      },
      1);
  return result;
}

}  // namespace spindrift
