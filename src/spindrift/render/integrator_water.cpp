// Paths through water, from border to border.
#include <algorithm>
#include <cmath>

#include "spindrift/render/dielectric.hpp"
#include "spindrift/render/integrator.hpp"

namespace spindrift::render_detail {

namespace {

// Borders that one path may cross; then it takes what light comes from its direction.
constexpr int kMostBorders = 16;
// Part of a pixel's light that is worth a path of its own.
constexpr float kWorthAPath = 0.08f;
constexpr float kLeastSlope = 0.01f;
// A ray along a surface is long on its way through a gap; below this slope it may go anywhere.
constexpr float kContactSlope = 0.1f;

// Interpolated normals may mirror or bend a ray to the wrong side of its facet: it leaves along it.
Vec3f kept_on_side(const Vec3f& direction, const Vec3f& side) {
  const float up = direction.dot(side);
  if (up >= kLeastSlope) return direction;
  return (direction + (kLeastSlope - up) * side).normalized();
}

}  // namespace

void Integrator::shade_water(const Hit& hit, const Path& path, const Draw& draw,
                             Sample& out) const {
  Branches branches;
  const End main = walk(path, &draw, &branches, &hit);
  shade(main, studio_.backdrop(), draw, out);
  while (branches.count > 0) {
    const Path branch = branches.paths[--branches.count];
    out.rest += light_of(walk(branch, &draw, &branches), &draw);
  }
  // The sun itself, mirrored: a lobe, because its disk is too small to be found by chance.
  const float sun_cosine = hit.normal.dot(studio_.sun_direction());
  if (hit.back || sun_cosine <= 0) return;
  const float glint = sun_cosine * highlight(hit, path.ray.direction);
  if (glint < 1e-3f) return;
  const Vec3f to_sun = studio_.sun_sample(draw.point(kGlint));
  const Vec3f part = sunlight({hit.point, to_sun, draw.time}, kAir);
  out.rest += glint * part.cwiseProduct(studio_.sun());
}

Integrator::End Integrator::walk(Path path, const Draw* draw, Branches* branches,
                                 const Hit* first) const {
  for (;; first = nullptr) {
    Hit hit;
    const bool met = first != nullptr || scene_.intersect(path.ray, hit);
    if (first != nullptr) hit = *first;
    const std::optional<float> floor = floor_distance(path.ray.origin, path.ray.direction);
    const bool on_floor = floor && (!met || *floor <= hit.distance);
    const bool at_border = met && !on_floor && is_clear(hit.item);
    // What leaves water was in it, whatever the path believes: meshes may overlap or have holes.
    if (at_border && hit.back && path.medium == kAir) path.medium = hit.item;
    if (path.medium != kAir && (met || on_floor)) {
      const float way = path.skipped + (on_floor ? *floor : hit.distance);
      path.weight = path.weight.cwiseProduct(transmitted(looks_[path.medium].absorption, way));
    }
    if (on_floor) return floor_end(path, *floor);
    End end{.direction = path.ray.direction,
            .weight = path.weight,
            .medium = path.medium,
            .borders = path.borders};
    if (!met || path.borders == kMostBorders) return end;
    if (!at_border) {
      end.kind = End::Kind::item;
      end.hit = hit;
      return end;
    }
    if (path.medium != kAir && (path.medium != hit.item || !hit.back)) {
      // A liquid inside another, or the gap between liquid and what it touches: there is no border.
      path.ray.origin = hit.beyond;
      path.skipped = kOffset;
      ++path.borders;
      continue;
    }
    const float slope = std::max(-path.ray.direction.dot(hit.facet), kContactSlope);
    if (slope * hit.distance < path.close) {
      path.medium = hit.back ? kAir : hit.item;
      path.ray.origin = hit.beyond;
      path.skipped = kOffset;
      path.close -= slope * hit.distance;
      ++path.borders;
      continue;
    }
    if (hit.back && ends_in_contact(path, hit, end)) return end;
    cross_border(path, hit, draw, branches);
  }
}

void Integrator::cross_border(Path& path, const Hit& hit, const Draw* draw,
                              Branches* branches) const {
  const float index = looks_[hit.item].refraction;
  const float eta = hit.back ? index : 1 / index;
  const Vec3f& direction = path.ray.direction;
  const std::optional<Vec3f> bent = refract(direction, hit.normal, eta);
  const float mirrored = bent ? fresnel_dielectric(-direction.dot(hit.normal), eta) : 1.0f;
  const bool is_first = path.borders == 0;
  ++path.borders;
  path.close = 0;
  const auto skipped = [&](const Vec3f& way) {
    return kOffset / std::max(0.1f, std::abs(way.dot(hit.facet)));
  };
  Path inwards = path, back = path;
  back.ray = {hit.point, kept_on_side(reflect(direction, hit.normal), hit.facet), path.ray.time};
  back.medium = hit.back ? hit.item : kAir;
  back.skipped = skipped(back.ray.direction);
  if (bent) {
    inwards.ray = {hit.beyond, kept_on_side(*bent, -hit.facet), path.ray.time};
    inwards.medium = hit.back ? kAir : hit.item;
    inwards.skipped = skipped(inwards.ray.direction);
  }
  const bool is_mirror = mirrored > 0.5f;
  Path& more = is_mirror ? back : inwards;
  Path& less = is_mirror ? inwards : back;
  const float least = is_mirror ? 1 - mirrored : mirrored;
  const bool has_room = branches != nullptr && branches->count < Branches::kMost;
  const bool is_worth =
      is_first || (!params_.draw_ways && least * path.weight.maxCoeff() > kWorthAPath);
  if (has_room && is_worth && least > 0) {
    less.weight *= least;
    more.weight *= 1 - least;
    branches->paths[branches->count++] = less;
    path = more;
  } else if (params_.draw_ways && draw != nullptr) {
    const float lot = draw->point(kBorder + static_cast<std::uint32_t>(path.borders)).x();
    path = lot < least ? less : more;
  } else {
    path = more;
  }
}

bool Integrator::ends_in_contact(const Path& path, const Hit& hit, End& end) const {
  const Vec3f& direction = path.ray.direction;
  const float slope = std::max(-direction.dot(hit.facet), kContactSlope);
  if (floor_ && direction.z() < 0) {
    const Vec3f at = path.ray.origin + hit.distance * direction;
    const float height = at.z() - static_cast<float>(*floor_);
    if (std::abs(height) < kGap) {
      end = floor_end(path, hit.distance);
      end.hit.point.z() = static_cast<float>(*floor_) + kOffset;
      return true;
    }
  }
  const float reach = kGap / slope;
  if (scene_.opaque_bounds().squaredExteriorDistance(hit.beyond) > reach * reach) return false;
  Hit behind;
  const Ray ray{hit.beyond, direction, path.ray.time, reach};
  if (!scene_.intersect(ray, behind) || is_clear(behind.item) || behind.back) return false;
  end.kind = End::Kind::item;
  end.hit = behind;
  return true;
}

int Integrator::medium_at(const Vec3f& point) const {
  Ray ray{point, Vec3f::UnitZ()};
  Hit hit;
  for (int i = 0; i < kMostBorders && scene_.intersect(ray, hit); ++i) {
    if (is_clear(hit.item)) return hit.back ? hit.item : kAir;
    ray.origin = hit.beyond;
  }
  return kAir;
}

Vec3f Integrator::sunlight(const Ray& ray, int medium) const {
  Crossings crossings;
  if (scene_.occluded(ray, crossings)) return Vec3f::Zero();
  Vec3f part = Vec3f::Ones();
  if (medium != kAir) {
    // Radiance falls by the square of the index on its way out of water; a camera's path does not
    // count that, because a sky that shines in gains as much.
    part /= looks_[medium].refraction * looks_[medium].refraction;
  }
  int depth = medium == kAir ? 0 : 1;
  float entered = 0;
  const Crossings::Crossing* before = nullptr;
  for (const Crossings::Crossing& c : crossings) {
    // Two triangles that share an edge are one border.
    const bool is_same = before != nullptr && before->item == c.item && before->back == c.back &&
                         c.distance - before->distance < kOffset;
    if (is_same) continue;
    if (before == nullptr) depth = c.back ? 1 : 0;
    before = &c;
    if (medium != kAir && std::max(c.cosine, kContactSlope) * c.distance < kGap) {
      // The gap between liquid and what it touches is no border.
      depth = c.back ? 0 : 1;
      continue;
    }
    const Look& look = looks_[c.item];
    // The angle is that in air: the sun's ray bends only below.
    const float passed = 1 - fresnel_dielectric(c.cosine, 1 / look.refraction);
    if (!c.back && depth++ == 0) {
      entered = c.distance;
      part *= passed;
    } else if (c.back && depth > 0 && --depth == 0) {
      part = passed * part.cwiseProduct(transmitted(look.absorption, c.distance - entered));
    }
  }
  return part;
}

}  // namespace spindrift::render_detail
