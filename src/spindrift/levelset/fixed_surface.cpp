#include "spindrift/levelset/fixed_surface.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/levelset/block_set.hpp"

namespace spindrift {
namespace {

constexpr int kCoordinateBits = 30;  // sums fit in 32 bits, products of differences in 64
constexpr int kFinestBits = 20;      // a millionth of a lattice unit

Box3 lattice_bounds(const TriangleMesh& mesh, const Lattice& lattice) {
  constexpr std::int64_t kChunk = 1 << 15;
  const Box3 box = parallel_reduce_chunks(
      mesh.vertex_count(), kChunk, Box3(),
      [&](std::int64_t begin, std::int64_t end) {
        Box3 part;
        for (std::int64_t v = begin; v < end; ++v) {
          const Vec3& p = mesh.vertices[static_cast<std::size_t>(v)];
          // An AlignedBox would skip what is not a number.
          if (!p.allFinite()) {
            throw InputError({}, "the surface has coordinates that are not finite");
          }
          part.extend(p);
        }
        return part;
      },
      [](const Box3& a, const Box3& b) { return a.merged(b); });
  if (box.isEmpty()) return box;
  return {lattice.to_lattice(box.min()), lattice.to_lattice(box.max())};
}

Vec3 difference(const FixedPoint& a, const FixedPoint& b) {
  return {static_cast<double>(b[0] - a[0]), static_cast<double>(b[1] - a[1]),
          static_cast<double>(b[2] - a[2])};
}

double length(const FixedPoint& a, const FixedPoint& b) { return difference(a, b).norm(); }

// Halves every edge longer than `longest` until none is left. Whether and where an edge is halved
// depends on its ends alone, so that triangles on both sides agree and the surface stays closed.
class EdgeHalving {
 public:
  EdgeHalving(FixedSurface& surface, double longest) : surface_(surface), longest_(longest) {}

  void run() {
    std::vector<Triangle> todo(surface_.triangles.begin(), surface_.triangles.end());
    surface_.halved_normals.assign(surface_.normals.begin(), surface_.normals.end());
    std::vector<Triangle>& done = surface_.halved_triangles;
    while (!todo.empty()) {
      const Triangle t = todo.back();
      todo.pop_back();
      int k = 0;
      while (k < 3 && !is_long(t[k], t[(k + 1) % 3])) ++k;
      if (k == 3) {
        done.push_back(t);
        continue;
      }
      // The longest one, so that triangles stay well shaped.
      for (int other = k + 1; other < 3; ++other) {
        if (edge_length(t, other) > edge_length(t, k)) k = other;
      }
      const Triangle turned = {t[k], t[(k + 1) % 3], t[(k + 2) % 3]};
      if (is_sliver(turned)) {
        cut_into_strip(turned, todo);
        continue;
      }
      const std::int32_t middle = midpoint(turned[0], turned[1]);
      todo.push_back({middle, turned[1], turned[2]});
      todo.push_back({turned[0], middle, turned[2]});
    }
    surface_.triangles = surface_.halved_triangles;
    surface_.normals = surface_.halved_normals;
  }

 private:
  double edge_length(const Triangle& t, int k) const { return between(t[k], t[(k + 1) % 3]); }
  Vec3 vector(std::int32_t from, std::int32_t to) const {
    return difference(surface_.points[static_cast<std::size_t>(from)],
                      surface_.points[static_cast<std::size_t>(to)]);
  }
  double between(std::int32_t a, std::int32_t b) const { return vector(a, b).norm(); }
  bool is_long(std::int32_t a, std::int32_t b) const { return between(a, b) > longest_; }

  // Whether the last corner of a triangle is close to its first edge, the longest one.
  bool is_sliver(const Triangle& t) const {
    const Vec3 along = vector(t[0], t[1]);
    return along.cross(vector(t[0], t[2])).norm() <= longest_ / 2 * along.norm();
  }

  // Halved one by one, slivers would become as many triangles as their length to the power of 1.6.
  // Here all edges are cut to pieces first, then both sides of the sliver joined.
  void cut_into_strip(const Triangle& t, std::vector<Triangle>& strip) {
    near_.assign(1, t[0]);
    add_pieces(t[0], t[1], near_);
    far_.assign(1, t[0]);
    add_pieces(t[0], t[2], far_);
    add_pieces(t[2], t[1], far_);
    const Vec3 along = vector(t[0], t[1]);
    std::size_t i = 0, j = 0;
    while (i + 1 < near_.size() || j + 1 < far_.size()) {
      const bool goes_near = j + 1 == far_.size() ||
                             (i + 1 < near_.size() && vector(t[0], near_[i + 1]).dot(along) <=
                                                          vector(t[0], far_[j + 1]).dot(along));
      const Triangle next = {near_[i], goes_near ? near_[i + 1] : far_[j + 1], far_[j]};
      ++(goes_near ? i : j);
      // At both ends the sides meet.
      if (next[0] != next[1] && next[1] != next[2] && next[2] != next[0]) strip.push_back(next);
    }
  }

  // The points after `a` on the way to `b`, which is the last.
  void add_pieces(std::int32_t a, std::int32_t b, std::vector<std::int32_t>& points) {
    if (is_long(a, b)) {
      const std::int32_t middle = midpoint(a, b);
      add_pieces(a, middle, points);
      add_pieces(middle, b, points);
    } else {
      points.push_back(b);
    }
  }

  std::int32_t midpoint(std::int32_t a, std::int32_t b) {
    const auto key = static_cast<std::uint64_t>(std::min(a, b)) << 32 |
                     static_cast<std::uint64_t>(std::max(a, b));
    const auto [place, is_new] =
        midpoints_.try_emplace(key, static_cast<std::int32_t>(surface_.points.size()));
    if (is_new) {
      const FixedPoint p = surface_.points[static_cast<std::size_t>(a)];
      const FixedPoint q = surface_.points[static_cast<std::size_t>(b)];
      surface_.points.push_back({(p[0] + q[0]) / 2, (p[1] + q[1]) / 2, (p[2] + q[2]) / 2});
      std::vector<Vec3f>& normals = surface_.halved_normals;
      if (!normals.empty()) {
        const Vec3f sum =
            normals[static_cast<std::size_t>(a)] + normals[static_cast<std::size_t>(b)];
        normals.push_back(sum.squaredNorm() > 0 ? Vec3f(sum.normalized()) : sum);
      }
    }
    return place->second;
  }

  FixedSurface& surface_;
  double longest_;
  std::vector<std::int32_t> near_, far_;  // the sides of a sliver
  std::unordered_map<std::uint64_t, std::int32_t> midpoints_;
};

double longest_edge(const FixedSurface& surface) {
  constexpr std::int64_t kChunk = 1 << 15;
  return parallel_reduce_chunks(
      std::ssize(surface.triangles), kChunk, 0.0,
      [&](std::int64_t begin, std::int64_t end) {
        double longest = 0;
        for (std::int64_t t = begin; t < end; ++t) {
          for (int k = 0; k < 3; ++k) {
            longest =
                std::max(longest, length(surface.corner(t, k), surface.corner(t, (k + 1) % 3)));
          }
        }
        return longest;
      },
      [](double a, double b) { return std::max(a, b); });
}

}  // namespace

FixedSurface fixed_surface(const TriangleMesh& mesh, std::span<const Vec3f> normals,
                           const Lattice& lattice) {
  FixedSurface surface;
  const Box3 box = lattice_bounds(mesh, lattice);
  if (box.isEmpty()) return surface;
  const double extent = box.sizes().maxCoeff();
  constexpr double kFarthest = 8.0 * (kBlockLimit - 4);
  if (extent > FixedSurface::kGreatestExtent || box.min().minCoeff() < -kFarthest ||
      box.max().maxCoeff() > kFarthest) {
    throw InputError({}, "the surface is more than a million voxels across or away from the origin",
                     "use larger voxels, or bring the surface closer");
  }
  surface.base = kBlockSide * block_of_node(Vec3i(box.min().array().floor().cast<int>()));
  // A block may come before the lowest point, hence the addition.
  const double span = extent + kBlockSide + 1;
  surface.bits = std::min(kFinestBits, kCoordinateBits - 1 - std::ilogb(span));

  const double scale = std::ldexp(1.0, surface.bits);
  surface.points.resize(mesh.vertices.size());
  parallel_for_each(mesh.vertex_count(), [&](std::int64_t v) {
    const Vec3 p = lattice.to_lattice(mesh.vertices[static_cast<std::size_t>(v)]);
    FixedPoint& fixed = surface.points[static_cast<std::size_t>(v)];
    for (int axis = 0; axis < 3; ++axis) {
      const double c = (p[axis] - surface.base[axis]) * scale;
      fixed[static_cast<std::size_t>(axis)] =
          static_cast<std::int32_t>(std::max(0.0, std::floor(c + 0.5)));
    }
  });
  surface.triangles = mesh.triangles;
  surface.normals = normals;
  const double longest = FixedSurface::kLongestEdge * scale;
  if (longest_edge(surface) > longest) EdgeHalving(surface, longest).run();
  return surface;
}

}  // namespace spindrift
