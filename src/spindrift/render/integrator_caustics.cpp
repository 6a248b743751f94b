// Sunlight that reaches the floor through water, bent as water bends it.
//
// A ray from the floor to the sun does not find its way through a bent surface, so that light is
// followed the other way: rays from the sun, evenly spread, are walked through the water to the
// floor and counted there [Arvo 1986, Backward Ray Tracing].
#include <cmath>
#include <vector>

#include "spindrift/core/parallel.hpp"
#include "spindrift/render/integrator.hpp"

namespace spindrift::render_detail {

namespace {

constexpr int kCells = 256;              // along the longer side of the map
constexpr float kStart = 3;              // from the middle of the scene to where rays start
constexpr float kLeastSunHeight = 0.1f;  // sine: below, the map would be endless
constexpr std::int64_t kChunk = 4096;

struct Arrived {
  Vec2f place;
  Vec3f light;
};

}  // namespace

void Integrator::trace_caustics(int rays_across) {
  const Vec3f& sun = studio_.sun_direction();
  if (!has_water_ || !floor_ || studio_.is_uniform() || sun.z() < kLeastSunHeight) return;
  const Tangents t = tangents(sun);
  const auto floor_height = static_cast<float>(*floor_);
  // What the sun sees of the scene, and where the scene's shadow falls.
  Eigen::AlignedBox2f seen, shadow;
  for (int i = 0; i < 8; ++i) {
    const Vec3f corner =
        scene_.local_bounds().corner(static_cast<Box3::CornerType>(i)).cast<float>();
    seen.extend(Vec2f(corner.dot(t.first), corner.dot(t.second)));
    const Vec3f below = corner - (corner.z() - floor_height) / sun.z() * sun;
    shadow.extend(Vec2f(corner.head<2>()));
    shadow.extend(Vec2f(below.head<2>()));
  }
  const Vec2f around = Vec2f::Constant(2 * kStart * Studio::kSunRadius);
  const Vec2f low = seen.min() - around, size = seen.sizes() + 2 * around;
  caustics_ = CausticMap(shadow.min() - around, shadow.max() + around, kCells);

  const std::int64_t count = std::int64_t{rays_across} * rays_across;
  std::vector<std::vector<Arrived>> arrived(static_cast<std::size_t>(chunk_count(count, kChunk)));
  const auto send = [&](std::int64_t begin, std::int64_t end) {
    std::vector<Arrived>& list = arrived[static_cast<std::size_t>(begin / kChunk)];
    for (std::int64_t i = begin; i < end; ++i) {
      const auto column = static_cast<std::uint32_t>(i % rays_across);
      const auto row = static_cast<std::uint32_t>(i / rays_across);
      const std::uint32_t seed = hash(column, row);
      const auto number = [&](std::uint32_t k) { return unit_float(hash(seed, k)); };
      const Vec2f cell(static_cast<float>(column) + number(0), static_cast<float>(row) + number(1));
      const Vec2f at = low + size.cwiseProduct(cell) / static_cast<float>(rays_across);
      Path path;
      path.ray = {at.x() * t.first + at.y() * t.second + kStart * sun,
                  -studio_.sun_sample({number(2), number(3)}), number(4)};
      const End last = walk(path, nullptr);
      if (last.kind == End::Kind::floor && last.borders > 0) {
        list.push_back({last.hit.point.head<2>(), last.weight});
      }
    }
  };
  parallel_for_chunks(count, kChunk, send);
  for (const std::vector<Arrived>& list : arrived) {
    for (const Arrived& ray : list) caustics_.add(ray.place, ray.light);
  }
  // In parts of what the sun sends onto a bare floor.
  caustics_.finish(size.prod() / static_cast<float>(count) / sun.z());
}

Integrator::FloorSun Integrator::floor_sun(const Ray& ray, int medium) const {
  const Vec2f place = ray.origin.head<2>();
  if (!caustics_.covers(place)) return {Vec3f::Zero(), sunlight(ray, medium)};
  FloorSun sun{caustics_.at(place), Vec3f::Zero()};
  if (medium != kAir) {
    sun.bent /= looks_[medium].refraction * looks_[medium].refraction;  // as in sunlight()
    return sun;
  }
  Crossings crossings;
  if (!scene_.occluded(ray, crossings) && crossings.begin() == crossings.end()) {
    sun.straight.setOnes();
  }
  return sun;
}

}  // namespace spindrift::render_detail
