#include "spindrift/surface/thin_samples.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <utility>

#include "spindrift/core/parallel.hpp"
#include "spindrift/surface/point_tiles.hpp"

namespace spindrift {
namespace {

// Voxels: normals as far from a sample tell what it is part of.
constexpr double kSeen = 2;
// Edges of the surface from thick liquid that are beside it.
constexpr int kRings = 3;
// Volumes of thin bodies are put right by no more than this factor.
constexpr double kMostScale = 2;

// A triangle that a hit vertex is a corner of.
struct ThinTriangle {
  Triangle corners;
  double area;  // m^2
};

Buffer<ThinTriangle> thin_triangles(const TriangleMesh& mesh,
                                    std::span<const std::int32_t> hit_of_vertex) {
  constexpr std::int64_t kAtOnce = 1 << 13;
  const std::int64_t count = std::ssize(mesh.triangles);
  const auto for_each_thin = [&](std::int64_t begin, std::int64_t end, const auto& visit) {
    for (std::int64_t t = begin; t < end; ++t) {
      const Triangle& triangle = mesh.triangles[static_cast<std::size_t>(t)];
      const auto hit = [&](std::size_t k) {
        return hit_of_vertex[static_cast<std::size_t>(triangle[k])];
      };
      if (hit(0) >= 0 || hit(1) >= 0 || hit(2) >= 0) visit(triangle);
    }
  };
  std::vector<std::size_t> starts(static_cast<std::size_t>(chunk_count(count, kAtOnce)) + 1, 0);
  parallel_for_chunks(count, kAtOnce, [&](std::int64_t begin, std::int64_t end) {
    std::size_t thin = 0;
    for_each_thin(begin, end, [&](const Triangle&) { ++thin; });
    starts[static_cast<std::size_t>(begin / kAtOnce) + 1] = thin;
  });
  for (std::size_t c = 1; c < starts.size(); ++c) starts[c] += starts[c - 1];
  Buffer<ThinTriangle> all(starts.back());
  parallel_for_chunks(count, kAtOnce, [&](std::int64_t begin, std::int64_t end) {
    std::size_t next = starts[static_cast<std::size_t>(begin / kAtOnce)];
    for_each_thin(begin, end, [&](const Triangle& triangle) {
      const auto corner = [&](std::size_t k) -> const Vec3& {
        return mesh.vertices[static_cast<std::size_t>(triangle[k])];
      };
      all[next++] = {triangle, (corner(1) - corner(0)).cross(corner(2) - corner(0)).norm() / 2};
    });
  });
  return all;
}

// Spreads marks over the corners of triangles that have a marked one.
void spread(std::span<const ThinTriangle> triangles, std::vector<char>& marks) {
  const std::vector<char> before = marks;
  parallel_for_each(std::ssize(triangles), [&](std::int64_t t) {
    const Triangle& corners = triangles[static_cast<std::size_t>(t)].corners;
    const bool has_one = std::any_of(corners.begin(), corners.end(), [&](std::int32_t v) {
      return before[static_cast<std::size_t>(v)] != 0;
    });
    if (!has_one) return;
    for (const std::int32_t v : corners) {
      std::atomic_ref(marks[static_cast<std::size_t>(v)]).store(1, std::memory_order_relaxed);
    }
  });
}

std::vector<double> hit_areas(std::span<const ThinTriangle> triangles,
                              std::span<const std::int32_t> hit_of_vertex, std::size_t count) {
  std::vector<double> areas(count, 0.0);
  for (const auto& [corners, area] : triangles) {
    for (const std::int32_t v : corners) {
      const std::int32_t hit = hit_of_vertex[static_cast<std::size_t>(v)];
      if (hit >= 0) areas[static_cast<std::size_t>(hit)] += area / 3;
    }
  }
  return areas;
}

// Whether a film, of the hits with these numbers, lies below a surface that leans against its
// solid: then rays go much farther than the solid is.
bool is_wedge(const ThinSurface& surface, std::span<const MedialHit> hits,
              std::span<const std::int32_t> numbers) {
  constexpr double kLeast = 0.5;  // of the way: the cosine between both
  double way = 0;
  double distance = 0;
  for (const std::int32_t number : numbers) {
    const MedialHit& hit = hits[static_cast<std::size_t>(number)];
    if (!hit.particle.is_film) continue;
    way += hit.particle.radius;
    distance += surface.solids->distance(surface.mesh.vertices[hit.vertex]);
  }
  return distance < kLeast * way;
}

// tr(N^2) around each sample; `spreads`: sums of A n n^T.
void measure_flatness(std::span<const Mat3> spreads, const Lattice& lattice,
                      std::vector<ThinSample>& samples) {
  constexpr int kTile = 2;
  constexpr std::array<std::pair<int, int>, 6> kEntries = {
      {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}}};
  std::vector<Vec3> places;
  places.reserve(samples.size());
  for (const ThinSample& sample : samples) places.push_back(sample.particle.position);
  const PointTiles tiles(places, lattice, kTile);
  std::array<std::vector<float>, 6> entries;
  for (std::size_t e = 0; e < 6; ++e) {
    const auto [row, column] = kEntries[e];
    entries[e] = tiles.in_order<float>(
        [&](std::size_t i) { return static_cast<float>(spreads[i](row, column)); });
  }
  for_each_tile(tiles, tiles, kSeen, [&](const PointTiles::Tile& tile, NearTile& near) {
    std::array<const float*, 6> values;
    for (std::size_t e = 0; e < 6; ++e) values[e] = near.gathered(entries[e]);
    for (std::size_t n = tile.begin; n < tile.end; ++n) {
      std::array<Float8, 6> sums = {};
      for (std::size_t k = 0; k < near.count(); k += 8) {
        const Lanes3<Float8> away = near.away(k, tiles.place(n));
        const auto narrowness = static_cast<float>(1 / (kSeen * kSeen));
        const Float8 weight = lane_max(1 - narrowness * dot(away, away), Float8{});
        for (std::size_t e = 0; e < 6; ++e) sums[e] += weight * load8(values[e] + k);
      }
      std::array<double, 6> mean;
      for (std::size_t e = 0; e < 6; ++e) mean[e] = sum_of(sums[e]);
      const double trace = mean[0] + mean[1] + mean[2];
      if (!(trace > 0)) continue;
      double squares = 0;
      for (std::size_t e = 0; e < 6; ++e) squares += (e < 3 ? 1 : 2) * mean[e] * mean[e];
      samples[static_cast<std::size_t>(tiles.order()[n])].flatness = squares / (trace * trace);
    }
  });
}

// Those that a solid cuts what is around off.
void mark_cut_off(const SolidsAt* solids, const Lattice& lattice, std::span<ThinSample> samples) {
  if (solids == nullptr) return;
  std::vector<Vec3> places;
  for (const ThinSample& sample : samples) places.push_back(sample.particle.position);
  std::vector<double> walls(places.size());
  evaluate_parallel(*solids, places, walls);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const MedialParticle& particle = samples[i].particle;
    samples[i].is_cut_off =
        !particle.is_film && walls[i] < particle.radius + kSeen * lattice.spacing;
  }
}

}  // namespace

std::vector<ThinSample> thin_samples(const ThinSurface& surface, const LiquidComponents& components,
                                     const Lattice& lattice, const MedialParams& params) {
  const MedialRays rays = medial_rays(surface, lattice, params.thinness);
  if (rays.hits.empty()) return {};
  std::vector<std::int32_t> hit_of_vertex(surface.mesh.vertices.size(), -1);
  for (std::size_t h = 0; h < rays.hits.size(); ++h) {
    hit_of_vertex[rays.hits[h].vertex] = static_cast<std::int32_t>(h);
  }
  const Buffer<ThinTriangle> triangles = thin_triangles(surface.mesh, hit_of_vertex);
  const std::vector<double> areas = hit_areas(triangles, hit_of_vertex, rays.hits.size());
  std::vector<char> is_by_thick = rays.is_thick;
  for (int ring = 0; ring < kRings; ++ring) spread(triangles, is_by_thick);

  const HitCubes cubes = hits_by_cube(rays.hits, lattice, params.spacing);
  const std::vector<MedialParticle> particles = mean_particles(rays.hits, cubes);
  std::vector<ThinSample> samples(particles.size());
  std::vector<Mat3> spreads(particles.size(), Mat3::Zero());
  parallel_for_each(
      std::ssize(samples),
      [&](std::int64_t n) {
        const auto c = static_cast<std::size_t>(n);
        ThinSample& sample = samples[c];
        sample.particle = particles[c];
        for (std::size_t k = cubes.starts[c]; k < cubes.starts[c + 1]; ++k) {
          const auto hit = static_cast<std::size_t>(cubes.order[k]);
          const std::size_t vertex = rays.hits[hit].vertex;
          const Vec3 normal = surface.normals[vertex].cast<double>();
          sample.area += areas[hit];
          sample.volume += areas[hit] * rays.hits[hit].particle.radius;
          sample.is_by_thick = sample.is_by_thick || is_by_thick[vertex] != 0;
          spreads[c] += areas[hit] * normal * normal.transpose();
          sample.body = components.of_vertex[vertex];
        }
        if (sample.particle.is_film) {
          const std::span numbers(cubes.order.data() + cubes.starts[c],
                                  cubes.starts[c + 1] - cubes.starts[c]);
          sample.is_wedge = is_wedge(surface, rays.hits, numbers);
        }
      },
      128);
  measure_flatness(spreads, lattice, samples);
  mark_cut_off(surface.solids, lattice, samples);

  std::vector<double> found(components.components.size(), 0.0);
  for (std::size_t c = 0; c < samples.size(); ++c) {
    samples[c].volume *= samples[c].flatness;
    if (samples[c].body >= 0) found[static_cast<std::size_t>(samples[c].body)] += samples[c].volume;
  }
  std::vector<char> is_thin(found.size(), 1);
  for (std::size_t v = 0; v < rays.is_thick.size(); ++v) {
    const std::int32_t body = components.of_vertex[v];
    const bool is_more = rays.is_thick[v] != 0 || rays.is_in_solid[v] != 0;
    if (body >= 0 && is_more) is_thin[static_cast<std::size_t>(body)] = 0;
  }
  for (const ThinSample& sample : samples) {
    if (sample.body >= 0 && sample.particle.is_film) {
      is_thin[static_cast<std::size_t>(sample.body)] = 0;
    }
  }
  for (ThinSample& sample : samples) {
    if (sample.body < 0) continue;
    const auto body = static_cast<std::size_t>(sample.body);
    if (is_thin[body] == 0 || !(found[body] > 0)) continue;
    sample.is_of_thin_body = true;
    sample.volume *=
        std::clamp(components.components[body].volume / found[body], 1 / kMostScale, kMostScale);
  }
  return samples;
}

}  // namespace spindrift
