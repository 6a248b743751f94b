#include "spindrift/surface/medial_particles.hpp"

#include <algorithm>
#include <cmath>

#include "spindrift/core/parallel.hpp"
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
constexpr std::int64_t kRaysAtOnce = 256;

// A ray from the surface inwards; lengths in voxels.
struct Ray {
  std::size_t vertex = 0;
  Vec3 start, direction;  // m, of a voxel's length
  double way = kStart;
  double inside = 0;      // the last place in liquid
  double inside_phi = 0;  // and the distance there
  double thickness = 0;   // once it has left the liquid
};

// Without the rays from surfaces of thick liquid: one look at half of the longest ray. Where the
// surface is nowhere closer to that place than it should be, the ray does not leave the liquid.
std::vector<Ray> without_thick(std::vector<Ray> rays, const CubicSampler& distance,
                               double longest) {
  constexpr double kRoom = 0.05;  // for how inexact distances are between nodes
  const double half = longest / 2 + kRoom;
  if (half > distance.band() - kRoom) return rays;
  std::vector<Vec3> points;
  for (const Ray& ray : rays) points.push_back(ray.start + half * ray.direction);
  std::vector<float> values(points.size());
  distance.evaluate(points, std::span<float>(values));
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rays.size(); ++i) {
    if (double{values[i]} > kRoom - half) rays[kept++] = rays[i];
  }
  rays.resize(kept);
  return rays;
}

// Follows all rays until they leave the liquid or are too long; returns those that left it.
std::vector<Ray> thin_rays(std::vector<Ray> rays, const CubicSampler& distance, double longest) {
  std::vector<Ray> thin;
  std::vector<Vec3> points;
  std::vector<float> values;
  while (!rays.empty()) {
    points.clear();
    for (const Ray& ray : rays) points.push_back(ray.start + ray.way * ray.direction);
    values.resize(points.size());
    distance.evaluate(points, std::span<float>(values));
    std::size_t kept = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) {
      Ray ray = rays[i];
      const double phi = values[i];
      if (phi >= 0) {
        const double share = ray.inside_phi / (ray.inside_phi - phi);
        ray.thickness = ray.inside + share * (ray.way - ray.inside);
        if (ray.thickness <= longest) thin.push_back(ray);
        continue;
      }
      ray.inside = ray.way;
      ray.inside_phi = phi;
      ray.way += std::max(kLeastStep, -phi);
      // A sphere that reaches beyond half of the longest ray holds no thin liquid around it.
      if (ray.inside < longest && -phi <= longest / 2) rays[kept++] = ray;
    }
    rays.resize(kept);
  }
  return thin;
}

std::uint64_t cube_key(const Vec3& position, const Lattice& lattice, double side) {
  return block_key((lattice.to_lattice(position) / side).array().floor().cast<int>());
}

}  // namespace

std::vector<MedialParticle> medial_particles(const TriangleMesh& surface,
                                             std::span<const Vec3f> normals,
                                             const CubicSampler& distance, const Lattice& lattice,
                                             const MedialParams& params) {
  const std::int64_t count = std::ssize(surface.vertices);
  const std::int64_t chunks = (count + kRaysAtOnce - 1) / kRaysAtOnce;
  std::vector<std::vector<MedialParticle>> found(static_cast<std::size_t>(chunks));
  parallel_for_each(
      chunks,
      [&](std::int64_t chunk) {
        std::vector<Ray> rays;
        const std::int64_t end = std::min(count, (chunk + 1) * kRaysAtOnce);
        for (std::int64_t v = chunk * kRaysAtOnce; v < end; ++v) {
          const auto i = static_cast<std::size_t>(v);
          Ray ray;
          ray.vertex = i;
          ray.start = surface.vertices[i];
          ray.direction = -lattice.spacing * normals[i].cast<double>();
          rays.push_back(ray);
        }
        rays = without_thick(std::move(rays), distance, params.thinness);
        const std::vector<Ray> thin = thin_rays(std::move(rays), distance, params.thinness);
        std::vector<Vec3> middles;
        for (const Ray& ray : thin) {
          middles.push_back(ray.start + ray.thickness / 2 * ray.direction);
        }
        std::vector<float> depths(middles.size());
        distance.evaluate(middles, std::span<float>(depths));
        for (std::size_t i = 0; i < thin.size(); ++i) {
          const double half = thin[i].thickness / 2;
          if (kKink - double{depths[i]} < kLeastShare * half) continue;
          found[static_cast<std::size_t>(chunk)].push_back(
              {middles[i], half * lattice.spacing, thin[i].direction / lattice.spacing});
        }
      },
      1);
  struct InCube {
    std::uint64_t cube;
    MedialParticle particle;
  };
  std::vector<InCube> all;
  for (const auto& part : found) {
    for (const MedialParticle& particle : part) {
      all.push_back({cube_key(particle.position, lattice, params.spacing), particle});
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const InCube& a, const InCube& b) { return a.cube < b.cube; });
  // One for each cube: their mean.
  std::vector<MedialParticle> particles;
  for (std::size_t begin = 0; begin < all.size();) {
    MedialParticle sum;
    std::size_t end = begin;
    for (; end < all.size() && all[end].cube == all[begin].cube; ++end) {
      const MedialParticle& one = all[end].particle;
      sum.position += one.position;
      sum.radius += one.radius;
      if (end > begin)
        sum.axis += (one.axis.dot(sum.axis) < 0 ? -1.0 : 1.0) * one.axis;
      else
        sum.axis = one.axis;
    }
    const auto number = static_cast<double>(end - begin);
    particles.push_back({sum.position / number, sum.radius / number, sum.axis.normalized()});
    begin = end;
  }
  return particles;
}

}  // namespace spindrift
