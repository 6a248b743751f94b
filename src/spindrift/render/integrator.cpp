#include "spindrift/render/integrator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "spindrift/core/error.hpp"
#include "spindrift/render/sphere_trace.hpp"

namespace spindrift::render_detail {

namespace {

// One stream of random points for each.
enum Purpose : std::uint32_t {
  kPixelArea,
  kSunDisk,
  kSkyDirection,
  kBounceSun,
  kMirror,
  kMirrorSun
};

// Light that surfaces met by a bounce receive from the sky: they are near others, which hide part
// of it. A mean over the test scenes.
constexpr float kBounceSkyVisible = 0.65f;
// Brightest reflection of one sample: a glint smaller than a pixel must not leave a white dot.
constexpr float kBrightest = 6;
// Distance from the scene's middle (local units) at which shadows on the floor fade out, and end.
constexpr float kFloorFade = 4, kFloorEnd = 7;
const Vec3f kWarning(0.95f, 0.02f, 0.55f);

Vec3f fresnel(float reflectance, float cosine) {
  const float k = std::clamp(1 - cosine, 0.0f, 1.0f);
  return Vec3f::Constant(reflectance + (1 - reflectance) * k * k * k * k * k);
}

float smoothstep(float low, float high, float x) {
  const float t = std::clamp((x - low) / (high - low), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

}  // namespace

Integrator::Integrator(const Picture& picture, const RayScene& scene, const Studio& studio,
                       const View& view, bool mark_back_faces)
    : scene_(scene), studio_(studio), view_(view), mark_back_faces_(mark_back_faces) {
  if (picture.floor) {
    floor_ = scene.frame().to_local(Vec3(0, 0, *picture.floor)).z();
  }
  for (const Item& item : picture.items) {
    const auto roughness = static_cast<float>(item.material.roughness);
    looks_.push_back({.color = item.material.color.cast<float>(),
                      .reflectance = static_cast<float>(item.material.reflectance),
                      .alpha = roughness * roughness});
  }
}

Pixel Integrator::pixel(int x, int y, int count) const {
  SPINDRIFT_DEBUG_ASSERT(count <= kMostSamples);
  const PixelSamples points(x, y, count);
  std::array<Sample, kMostSamples> samples;
  Pixel pixel;
  int most = 0;
  for (int i = 0; i < count; ++i) {
    const Draw draw{points, i};
    const Vec2f area = draw.point(kPixelArea);
    samples[i] = trace(x + double{area.x()}, y + double{area.y()}, draw);
    const auto depth = static_cast<float>(samples[i].depth);
    if (depth > 0) pixel.depth = pixel.depth > 0 ? std::min(pixel.depth, depth) : depth;
    const auto same = static_cast<int>(
        std::count_if(samples.begin(), samples.begin() + i + 1,
                      [&](const Sample& other) { return other.item == samples[i].item; }));
    if (same > most) {
      most = same;
      pixel.item = samples[i].item;
    }
  }
  pixel.sun_visible = 0;
  pixel.sky_visible.setZero();
  for (int i = 0; i < count; ++i) {
    const Sample& sample = samples[i];
    pixel.rest += sample.rest;
    if (sample.item == pixel.item) {
      pixel.sun += sample.sun;
      pixel.sky += sample.sky;
      pixel.sun_visible += sample.sun_visible;
      pixel.sky_visible += sample.sky_visible;
      pixel.normal += sample.normal;
      pixel.point += sample.point;
    } else {
      pixel.rest += sample.sun * sample.sun_visible + sample.sky.cwiseProduct(sample.sky_visible);
    }
  }
  const float share = 1 / static_cast<float>(count), own = 1 / static_cast<float>(most);
  pixel.rest *= share;
  pixel.sun *= share;
  pixel.sky *= share;
  pixel.sun_visible *= own;
  pixel.sky_visible *= own;
  pixel.normal.normalize();
  pixel.point *= own;
  return pixel;
}

Integrator::Sample Integrator::trace(double x, double y, const Draw& draw) const {
  Sample sample;
  const Vec3 direction = view_.ray(x, y);
  const Vec3f backdrop = backdrop_at(x, y);
  // Rays start where they enter the scene: from a far eye, floats would not reach it precisely.
  std::optional<Span> span;
  if (!scene_.local_bounds().isEmpty()) {
    span = clip_ray(scene_.local_bounds(), view_.eye, direction);
  }
  Hit hit;
  const Vec3f direction_f = direction.cast<float>();
  const bool met = span && scene_.intersect((view_.eye + span->begin * direction).cast<float>(),
                                            direction_f, hit);
  const double hit_depth = met ? span->begin + double{hit.distance} : 0;
  if (floor_ && direction.z() < 0 && view_.eye.z() > *floor_) {
    const double depth = (*floor_ - view_.eye.z()) / direction.z();
    if (!met || depth < hit_depth) {
      sample.depth = depth;
      const Vec3 point = view_.eye + depth * direction;
      shade_floor(point.cast<float>() + kOffset * Vec3f::UnitZ(), backdrop, draw, sample);
      return sample;
    }
  }
  if (met) {
    sample.depth = hit_depth;
    shade_item(hit, direction_f, draw, sample);
  } else {
    sample.rest = backdrop;
  }
  return sample;
}

void Integrator::shade_item(const Hit& hit, const Vec3f& direction, const Draw& draw,
                            Sample& out) const {
  const Look& look = looks_[hit.item];
  const float facing = -hit.normal.dot(direction);
  if (hit.back && mark_back_faces_) {
    out.rest = (0.3f + 0.7f * std::abs(facing)) * kWarning;
    return;
  }
  out.item = hit.item;
  out.normal = hit.normal;
  out.point = hit.point;
  const Vec3f to_sun = studio_.sun_direction();
  const float sun_cosine = hit.normal.dot(to_sun);
  const bool lit = sun_cosine > 0 && hit.facet.dot(to_sun) > 0;
  if (!lit) {
    out.sun_visible = 0;
  } else if (scene_.occluded(hit.point, studio_.sun_sample(draw.point(kSunDisk)))) {
    out.sun_visible = 0;
  }
  const Vec3f through = look.reflectance > 0
                            ? Vec3f(Vec3f::Ones() - fresnel(look.reflectance, facing))
                            : Vec3f(Vec3f::Ones());
  const Vec3f body = look.color.cwiseProduct(through);
  out.sun = body.cwiseProduct(studio_.sun()) * std::max(0.0f, sun_cosine);
  out.sky = body.cwiseProduct(studio_.sky_on(hit.normal));
  out.sky_visible = sky_visible(hit.point, hit.facet, hit.normal, draw);
  if (look.reflectance <= 0) return;

  // The coat: one ray to what it mirrors, tilted by the roughness, and the sun's highlight.
  const Vec2f tilt = 0.5f * look.alpha * disk_point(draw.point(kMirror));
  const Tangents t = tangents(hit.normal);
  const Vec3f micro = (hit.normal + tilt.x() * t.first + tilt.y() * t.second).normalized();
  Vec3f mirrored = direction - 2 * direction.dot(micro) * micro;
  const float below = mirrored.dot(hit.facet);
  if (below < 0.01f) mirrored = (mirrored + (0.01f - below) * hit.facet).normalized();
  const std::optional<Vec3f> seen = incoming(hit.point, mirrored, draw, kMirrorSun);
  out.rest +=
      fresnel(look.reflectance, facing).cwiseProduct(seen ? *seen : studio_.mirrored_sky(mirrored));
  if (!lit || out.sun_visible == 0) return;
  // GGX lobe, at least as wide as the sun.
  const Vec3f half = (to_sun - direction).normalized();
  const float a2 = std::max(look.alpha * look.alpha, 2e-3f);
  const float nh = std::max(0.0f, hit.normal.dot(half));
  const float k = nh * nh * (a2 - 1) + 1;
  const float lobe = a2 / (4 * k * k);  // times the sun's light, which includes 1 / pi
  const float shadowing =
      1 / std::max(0.25f, (facing + std::sqrt(a2 + (1 - a2) * facing * facing)) * 0.5f);
  const Vec3f glint = std::min(kBrightest, lobe * shadowing * sun_cosine) *
                      fresnel(look.reflectance, -direction.dot(half));
  out.rest += glint.cwiseProduct(studio_.sun());
}

void Integrator::shade_floor(const Vec3f& point, const Vec3f& backdrop, const Draw& draw,
                             Sample& out) const {
  out.item = Pixel::kFloor;
  out.normal = Vec3f::UnitZ();
  out.point = point;
  out.sun = backdrop.cwiseProduct(studio_.floor_sun_share());
  out.sky = backdrop.cwiseProduct(studio_.floor_sky_share());
  const float fade = smoothstep(kFloorEnd, kFloorFade, point.head<2>().norm());
  if (fade <= 0 || scene_.local_bounds().isEmpty()) return;
  if (scene_.occluded(point, studio_.sun_sample(draw.point(kSunDisk)))) out.sun_visible = 1 - fade;
  const Vec3f visible = sky_visible(point, Vec3f::UnitZ(), Vec3f::UnitZ(), draw);
  out.sky_visible = Vec3f::Ones() + fade * (visible - Vec3f::Ones());
}

Vec3f Integrator::sky_visible(const Vec3f& point, const Vec3f& facet, const Vec3f& normal,
                              const Draw& draw) const {
  const Vec3f direction = cosine_direction(normal, draw.point(kSkyDirection));
  if (direction.dot(facet) <= 0) return Vec3f::Ones();  // only below interpolated normals
  const std::optional<Vec3f> light = incoming(point, direction, draw, kBounceSun);
  if (!light) return Vec3f::Ones();
  return light->cwiseQuotient(studio_.sky(direction));
}

std::optional<Vec3f> Integrator::incoming(const Vec3f& point, const Vec3f& direction,
                                          const Draw& draw, std::uint32_t sun_purpose) const {
  const std::optional<float> floor = floor_distance(point, direction);
  Hit hit;
  if (scene_.intersect(point, direction, hit) && !(floor && *floor < hit.distance)) {
    const Vec3f to_sun = studio_.sun_sample(draw.point(sun_purpose));
    const float sun_cosine = hit.facet.dot(to_sun) > 0 ? hit.normal.dot(to_sun) : 0.0f;
    Vec3f light = kBounceSkyVisible * studio_.sky_on(hit.normal);
    if (sun_cosine > 0 && !scene_.occluded(hit.point, to_sun)) light += sun_cosine * studio_.sun();
    return Vec3f(looks_[hit.item].color.cwiseProduct(light));
  }
  if (!floor) return std::nullopt;
  const Vec3f place = point + *floor * direction + kOffset * Vec3f::UnitZ();
  Vec3f share = Vec3f::Ones();
  if (place.head<2>().norm() < kFloorFade) {
    const bool shaded = scene_.occluded(place, studio_.sun_sample(draw.point(sun_purpose)));
    share = studio_.floor_sky_share();
    if (!shaded) share += studio_.floor_sun_share();
  }
  return Vec3f(studio_.backdrop().cwiseProduct(share));
}

std::optional<float> Integrator::floor_distance(const Vec3f& point, const Vec3f& direction) const {
  if (!floor_ || direction.z() >= 0) return std::nullopt;
  const float height = point.z() - static_cast<float>(*floor_);
  if (height <= 0) return std::nullopt;
  return -height / direction.z();
}

Vec3f Integrator::backdrop_at(double x, double y) const {
  // Darker towards the corners: the eye stays in the middle.
  const double u = 2 * x / view_.width - 1, v = 2 * y / view_.height - 1.1;
  const double r2 = 0.5 * u * u + 0.5 * v * v;
  return static_cast<float>(1.04 - 0.42 * r2 / (1 + 0.6 * r2)) * studio_.backdrop();
}

}  // namespace spindrift::render_detail
