#include "spindrift/surface/medial_particles.hpp"

#include <algorithm>
#include <cmath>

#include "spindrift/core/parallel.hpp"
#include "spindrift/levelset/block_order.hpp"
#include "spindrift/levelset/block_set.hpp"

namespace spindrift {
namespace {

// Rays start this deep, and go on in steps of the distance, but of no less than a quarter. Voxels.
constexpr double kStart = 0.2;
constexpr double kLeastStep = 0.25;
// Between nodes on both sides of the medial axis the distance is interpolated across a kink: up to
// so many voxels too small.
constexpr double kKink = 0.375;
// A middle that is closer to the surface than this share of half the ray is not on the axis.
constexpr double kLeastShare = 0.8;
// A ball of liquid deep below the surface takes rays as far as it reaches, if what it misses of
// their start is no longer than this, or filled by another ball. Rays that end sooner than the
// second length are followed step by step from the start.
constexpr double kMissed = 0.45;
constexpr double kShort = 0.6;
// Rays that are too long come from thick liquid if they get as deep as this share of half the
// longest; the others run along a sheet, from its rim.
constexpr double kThickShare = 0.7;
constexpr std::int64_t kRaysAtOnce = 1024;
// Of vertices that follow each other, and are mostly close: solids far from so many are looked for
// once.
constexpr std::size_t kVerticesTogether = 32;

// A ray from the surface inwards; lengths in voxels.
struct Ray {
  std::size_t vertex = 0;
  Vec3 start, direction;  // m, of a voxel's length
  double latest = 0;      // where it has left the liquid at the latest; 0: not known
  double ball = 0;        // the middle of a ball in the liquid, and its radius; 0: none is known
  double ball_radius = 0;
  double way = kStart;
  double inside = 0;      // the last place in liquid
  double inside_phi = 0;  // and the distance there
  double deepest = 0;     // the largest of these, below the surface
  double thickness = 0;   // once it has left the liquid
  bool is_film = false;   // and come to a solid
};

// Liquid outside of solids, in lattice units.
class LiquidAt {
 public:
  LiquidAt(const CubicSampler& distance, const SolidsAt* solids, double spacing)
      : distance_(distance), solids_(solids), spacing_(spacing) {}

  [[nodiscard]] double band() const { return distance_.band(); }
  // Of the liquid alone.
  [[nodiscard]] const CubicSampler& distance() const { return distance_; }

  void evaluate(std::span<const Vec3> points, std::vector<float>& values,
                std::vector<char>& is_solid) const {
    values.resize(points.size());
    is_solid.assign(points.size(), 0);
    distance_.evaluate(points, std::span<float>(values));
    if (solids_ == nullptr) return;
    std::vector<double> walls(points.size());
    solids_->evaluate(points, std::span<double>(walls));
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto depth = static_cast<float>(-walls[i] / spacing_);
      if (depth <= values[i]) continue;
      values[i] = depth;
      is_solid[i] = 1;
    }
  }

 private:
  const CubicSampler& distance_;
  const SolidsAt* solids_;
  double spacing_;
};

// Without the rays from surfaces of thick liquid: one look at half of the longest ray. Where the
// surface is nowhere closer to that place than it should be, the ray does not leave the liquid.
// Where that is in the air, it has left the liquid before it comes as near to it as the surface is;
// else there is a ball in the liquid.
std::vector<Ray> without_thick(std::vector<Ray> rays, const LiquidAt& liquid, double longest,
                               std::span<char> is_thick) {
  constexpr double kRoom = 0.05;  // for how inexact distances are between nodes
  const double half = longest / 2 + kRoom;
  if (half > liquid.band() - kRoom) return rays;
  std::vector<Vec3> points;
  for (const Ray& ray : rays) points.push_back(ray.start + half * ray.direction);
  std::vector<float> values;
  std::vector<char> is_solid;
  liquid.evaluate(points, values, is_solid);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rays.size(); ++i) {
    if (double{values[i]} > kRoom - half) {
      Ray& ray = rays[kept++] = rays[i];
      if (values[i] > 0) {
        ray.latest = std::max(0.0, half - double{values[i]});
      } else {
        ray.ball = half;
        ray.ball_radius = -double{values[i]};
      }
    } else {
      is_thick[rays[i].vertex] = 1;
    }
  }
  rays.resize(kept);
  return rays;
}

// Where next to look for a ball that takes a ray further, or for one between it and the start; 0:
// in no place.
double next_look(const Ray& ray) {
  if (ray.ball_radius > 0) return (ray.ball - ray.ball_radius) / 2;
  return ray.latest >= kShort ? ray.latest / 2 : 0;
}

void go_on_from_ball(Ray& ray) {
  ray.inside = ray.ball;
  ray.inside_phi = -ray.ball_radius;
  ray.deepest = ray.ball_radius;
  ray.way = ray.ball + std::max(kLeastStep, ray.ball_radius);
}

// Most rays need no steps but the last ones: what is before is in one ball or two.
void look_for_balls(std::vector<Ray>& rays, const LiquidAt& liquid) {
  std::vector<std::size_t> pending;
  for (std::size_t i = 0; i < rays.size(); ++i) {
    if (rays[i].ball_radius > 0 && rays[i].ball - rays[i].ball_radius <= kMissed) {
      go_on_from_ball(rays[i]);
    } else if (next_look(rays[i]) > 0) {
      pending.push_back(i);
    }
  }
  std::vector<Vec3> points;
  std::vector<float> values;
  std::vector<char> is_solid;
  while (!pending.empty()) {
    points.clear();
    for (const std::size_t i : pending) {
      points.push_back(rays[i].start + next_look(rays[i]) * rays[i].direction);
    }
    liquid.evaluate(points, values, is_solid);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < pending.size(); ++k) {
      Ray& ray = rays[pending[k]];
      const double place = next_look(ray);
      const double depth = -double{values[k]};
      if (ray.ball_radius > 0) {
        // A second ball, or none.
        if (depth >= place - kMissed / 2) go_on_from_ball(ray);
      } else if (depth > 0) {
        ray.ball = place;
        ray.ball_radius = depth;
        if (place - depth <= kMissed) {
          go_on_from_ball(ray);
        } else {
          pending[kept++] = pending[k];
        }
      } else {
        ray.latest = place + depth;
        if (next_look(ray) > 0) pending[kept++] = pending[k];
      }
    }
    pending.resize(kept);
  }
}

// Follows all rays until they leave the liquid or are too long; returns those that left it.
std::vector<Ray> thin_rays(std::vector<Ray> rays, const LiquidAt& liquid, double longest,
                           std::span<char> is_thick) {
  std::vector<Ray> thin;
  std::vector<Vec3> points;
  std::vector<float> values;
  std::vector<char> is_solid;
  while (!rays.empty()) {
    points.clear();
    for (const Ray& ray : rays) points.push_back(ray.start + ray.way * ray.direction);
    liquid.evaluate(points, values, is_solid);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) {
      Ray ray = rays[i];
      const double phi = values[i];
      if (phi >= 0) {
        if (ray.inside > 0) {
          const double share = ray.inside_phi / (ray.inside_phi - phi);
          ray.thickness = ray.inside + share * (ray.way - ray.inside);
        } else {
          ray.thickness = kStart / 2;  // somewhere before the first look
        }
        ray.is_film = is_solid[i] != 0;
        if (ray.thickness <= longest) {
          thin.push_back(ray);
        } else if (ray.deepest > kThickShare * longest / 2) {
          is_thick[ray.vertex] = 1;
        }
        continue;
      }
      ray.inside = ray.way;
      ray.inside_phi = phi;
      ray.way += std::max(kLeastStep, -phi);
      ray.deepest = std::max(ray.deepest, -phi);
      // A sphere that reaches beyond half of the longest ray holds no thin liquid around it.
      const bool has_left = -phi > longest / 2 || ray.inside >= longest;
      if (!has_left) rays[kept++] = ray;
      if (has_left && ray.deepest > kThickShare * longest / 2) is_thick[ray.vertex] = 1;
    }
    rays.resize(kept);
  }
  return thin;
}

// The distances of vertices from solids; of those that are farther than `far`, a bound above that.
void find_walls(const SolidsAt& solids, std::span<const Vec3> vertices, double far,
                std::span<double> walls) {
  for (std::size_t first = 0; first < vertices.size(); first += kVerticesTogether) {
    const std::size_t count = std::min(kVerticesTogether, vertices.size() - first);
    const std::span<const Vec3> some = vertices.subspan(first, count);
    Box3 box;
    for (const Vec3& vertex : some) box.extend(vertex);
    const double least = solids.distance(box.center()) - box.diagonal().norm() / 2;
    if (least > far) {
      std::fill_n(walls.begin() + static_cast<std::ptrdiff_t>(first), count, least);
    } else {
      solids.evaluate(some, walls.subspan(first, count));
    }
  }
}

// Cubes begin beside the nodes: surfaces often lie along the lattice, and rounding would say in
// which cube particles are.
std::uint64_t cube_key(const Vec3& position, const Lattice& lattice, double side) {
  constexpr double kBeside = 0.37;
  const Vec3 place = lattice.to_lattice(position) + Vec3::Constant(kBeside);
  return block_key((place / side).array().floor().cast<int>());
}

// Whether the middle of a ray is known to be deep enough to lie on the axis: distances change no
// faster than places do.
bool is_known_to_be_on_axis(const Ray& ray) {
  const double half = ray.thickness / 2;
  return ray.ball_radius > 0 &&
         ray.ball_radius - std::abs(half - ray.ball) >= kLeastShare * half - kKink;
}

// The rays whose middle lies on the axis of the liquid as it goes on in solids: what lies beside a
// wall is as thick as what lies farther off.
std::vector<Ray> rays_through_axis(const std::vector<Ray>& rays, const CubicSampler& distance) {
  std::vector<Vec3> middles;
  for (const Ray& ray : rays) {
    if (is_known_to_be_on_axis(ray)) continue;
    middles.push_back(ray.start + ray.thickness / 2 * ray.direction);
  }
  std::vector<float> depths(middles.size());
  distance.evaluate(middles, std::span<float>(depths));
  std::vector<Ray> through;
  std::size_t looked_at = 0;
  for (const Ray& ray : rays) {
    if (is_known_to_be_on_axis(ray) ||
        kKink - double{depths[looked_at++]} >= kLeastShare * ray.thickness / 2) {
      through.push_back(ray);
    }
  }
  return through;
}

std::vector<MedialHit> hits_of(std::vector<Ray> rays, const LiquidAt& liquid,
                               const Lattice& lattice, double thinness, std::span<char> is_thick) {
  rays = without_thick(std::move(rays), liquid, thinness, is_thick);
  look_for_balls(rays, liquid);
  rays =
      rays_through_axis(thin_rays(std::move(rays), liquid, thinness, is_thick), liquid.distance());
  std::vector<MedialHit> hits;
  hits.reserve(rays.size());
  for (const Ray& ray : rays) {
    const double radius = ray.is_film ? ray.thickness : ray.thickness / 2;
    hits.push_back({ray.vertex,
                    {ray.start + ray.thickness / 2 * ray.direction, radius * lattice.spacing,
                     ray.direction / lattice.spacing, ray.is_film}});
  }
  return hits;
}

}  // namespace

MedialRays medial_rays(const ThinSurface& surface, const Lattice& lattice, double thinness) {
  const std::int64_t count = std::ssize(surface.mesh.vertices);
  const std::int64_t chunks = (count + kRaysAtOnce - 1) / kRaysAtOnce;
  std::vector<std::vector<MedialHit>> found(static_cast<std::size_t>(chunks));
  const double in_reach = (thinness + 1) * lattice.spacing;
  MedialRays all;
  all.is_thick.assign(static_cast<std::size_t>(count), 0);
  all.is_in_solid.assign(static_cast<std::size_t>(count), 0);
  parallel_for_each(
      chunks,
      [&](std::int64_t chunk) {
        const std::int64_t begin = chunk * kRaysAtOnce;
        const std::int64_t end = std::min(count, begin + kRaysAtOnce);
        std::vector<double> walls(static_cast<std::size_t>(end - begin), 1e9);
        if (surface.solids != nullptr) {
          find_walls(*surface.solids,
                     std::span(surface.mesh.vertices)
                         .subspan(static_cast<std::size_t>(begin), walls.size()),
                     in_reach, walls);
        }
        std::vector<Ray> in_air, by_solid;
        for (std::int64_t v = begin; v < end; ++v) {
          const auto i = static_cast<std::size_t>(v);
          const double wall = walls[static_cast<std::size_t>(v - begin)];
          if (wall <= 0) {
            all.is_in_solid[i] = 1;
            continue;
          }
          Ray ray;
          ray.vertex = i;
          ray.start = surface.mesh.vertices[i];
          ray.direction = -lattice.spacing * surface.normals[i].cast<double>();
          (wall > in_reach ? in_air : by_solid).push_back(ray);
        }
        std::vector<MedialHit>& hits = found[static_cast<std::size_t>(chunk)];
        hits = hits_of(std::move(in_air), {surface.distance, nullptr, lattice.spacing}, lattice,
                       thinness, all.is_thick);
        const std::vector<MedialHit> more =
            hits_of(std::move(by_solid), {surface.distance, surface.solids, lattice.spacing},
                    lattice, thinness, all.is_thick);
        hits.insert(hits.end(), more.begin(), more.end());
      },
      1);
  for (const auto& part : found) all.hits.insert(all.hits.end(), part.begin(), part.end());
  return all;
}

HitCubes hits_by_cube(std::span<const MedialHit> hits, const Lattice& lattice, double spacing) {
  std::vector<std::uint64_t> keys(hits.size());
  parallel_for_each(std::ssize(hits), [&](std::int64_t n) {
    const auto i = static_cast<std::size_t>(n);
    keys[i] = cube_key(hits[i].particle.position, lattice, spacing);
  });
  KeyOrder order = block_key_order(keys);
  HitCubes cubes;
  for (std::size_t k = 0; k < hits.size(); ++k) {
    if (k == 0 || order.keys[k] != order.keys[k - 1]) cubes.starts.push_back(k);
  }
  cubes.starts.push_back(hits.size());
  cubes.order = std::move(order.indices);
  return cubes;
}

std::vector<MedialParticle> mean_particles(std::span<const MedialHit> hits, const HitCubes& cubes) {
  std::vector<MedialParticle> particles(cubes.starts.size() - 1);
  parallel_for_each(std::ssize(particles), [&](std::int64_t n) {
    const auto c = static_cast<std::size_t>(n);
    MedialParticle sum;
    std::size_t films = 0;
    const std::size_t begin = cubes.starts[c];
    const std::size_t end = cubes.starts[c + 1];
    for (std::size_t k = begin; k < end; ++k) {
      const MedialParticle& one = hits[static_cast<std::size_t>(cubes.order[k])].particle;
      sum.position += one.position;
      sum.radius += one.radius;
      films += one.is_film ? 1 : 0;
      if (k > begin)
        sum.axis += (one.axis.dot(sum.axis) < 0 ? -1.0 : 1.0) * one.axis;
      else
        sum.axis = one.axis;
    }
    const auto number = static_cast<double>(end - begin);
    particles[c] = {sum.position / number, sum.radius / number, sum.axis.normalized(),
                    2 * films > end - begin};
  });
  return particles;
}

std::vector<MedialParticle> medial_particles(const ThinSurface& surface, const Lattice& lattice,
                                             const MedialParams& params) {
  const MedialRays rays = medial_rays(surface, lattice, params.thinness);
  return mean_particles(rays.hits, hits_by_cube(rays.hits, lattice, params.spacing));
}

}  // namespace spindrift
