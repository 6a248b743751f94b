#include "spindrift/render/integrator.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

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
// Squared width of the narrowest highlight: the sun is not a point.
constexpr float kSunWidth2 = 2e-3f;
// Of light in clear bodies, relative to a channel that fades over Material::clarity: red goes
// first.
const Vec3f kAbsorption(2.4f, 1.25f, 1.0f);
// Part of the light that passes the thinnest film: outlines must stay visible.
constexpr float kClearest = 0.7f;
// Part of a bright floor's light that reaches what stands on it; all of it would drown the shadows.
constexpr float kFloorBounce = 0.55f;
const Vec3f kWarning(0.95f, 0.02f, 0.55f);

// Schlick's approximation.
float fresnel(float reflectance, float cosine) {
  const float k = std::clamp(1 - cosine, 0.0f, 1.0f);
  return reflectance + (1 - reflectance) * k * k * k * k * k;
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
                      .alpha = roughness * roughness,
                      .clarity = static_cast<float>(item.material.clarity)});
  }
}

Pixel Integrator::pixel(int x, int y, int count) const {
  const PixelSamples points(x, y, count);
  std::vector<Sample> samples;
  samples.reserve(static_cast<std::size_t>(count));
  Pixel pixel;
  int most = 0;
  for (int i = 0; i < count; ++i) {
    const Draw draw{points, i};
    const Vec2f area = draw.point(kPixelArea);
    const Sample& sample =
        samples.emplace_back(trace(x + double{area.x()}, y + double{area.y()}, draw));
    const auto depth = static_cast<float>(sample.depth);
    if (depth > 0) pixel.depth = pixel.depth > 0 ? std::min(pixel.depth, depth) : depth;
    const auto same = static_cast<int>(std::count_if(
        samples.begin(), samples.end(), [&](const Sample& s) { return s.item == sample.item; }));
    if (same > most) {
      most = same;
      pixel.item = sample.item;
    }
  }
  pixel.sun_visible = 0;
  pixel.sky_visible.setZero();
  float sun_weight = 0, sky_weight = 0;
  for (const Sample& sample : samples) {
    pixel.rest += sample.rest;
    if (sample.item == pixel.item) {
      pixel.sun += sample.sun;
      pixel.sky += sample.sky;
      sun_weight += sample.sun.sum();
      sky_weight += sample.sky.sum();
      pixel.sun_visible += sample.sun.sum() * sample.sun_visible;
      pixel.sky_visible += sample.sky.sum() * sample.sky_visible;
      pixel.normal += sample.normal;
      pixel.point += sample.point;
    } else {
      pixel.rest += sample.sun * sample.sun_visible + sample.sky.cwiseProduct(sample.sky_visible);
    }
  }
  const float share = 1 / static_cast<float>(count);
  pixel.rest *= share;
  pixel.sun *= share;
  pixel.sky *= share;
  pixel.sun_visible = sun_weight > 0 ? pixel.sun_visible / sun_weight : 1.0f;
  pixel.sky_visible = sky_weight > 0 ? Vec3f(pixel.sky_visible / sky_weight) : Vec3f::Ones();
  pixel.normal.normalize();
  pixel.point /= static_cast<float>(most);
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
  const float sun_cosine = hit.normal.dot(studio_.sun_direction());
  const bool lit = sun_cosine > 0;
  if (lit && scene_.occluded(hit.point, studio_.sun_sample(draw.point(kSunDisk)))) {
    out.sun_visible = 0;
  }
  // What the coat does not mirror goes on to the body.
  const float mirrored = look.reflectance > 0 ? fresnel(look.reflectance, facing) : 0.0f;
  Vec3f body = (1 - mirrored) * look.color;
  if (look.clarity > 0) {
    const Behind behind = look_through(hit, direction);
    out.rest += (1 - mirrored) * behind.light;
    body = body.cwiseProduct(Vec3f::Ones() - behind.clear);
  }
  if (lit) out.sun = sun_cosine * body.cwiseProduct(studio_.sun());
  out.sky = body.cwiseProduct(studio_.sky_on(hit.normal));
  out.sky_visible = sky_visible(hit.point, hit.normal, draw);
  if (look.reflectance <= 0) return;
  out.rest += mirrored * mirror(hit, direction, draw);
  if (lit) out.sun += sun_cosine * highlight(hit, direction) * studio_.sun();
}

Vec3f Integrator::mirror(const Hit& hit, const Vec3f& direction, const Draw& draw) const {
  const Vec2f tilt = 0.5f * looks_[hit.item].alpha * disk_point(draw.point(kMirror));
  const Tangents t = tangents(hit.normal);
  const Vec3f normal = (hit.normal + tilt.x() * t.first + tilt.y() * t.second).normalized();
  Vec3f mirrored = direction - 2 * direction.dot(normal) * normal;
  // Rough or interpolated normals may mirror a ray into the surface: it leaves along it.
  constexpr float kLeast = 0.01f;
  const float up = mirrored.dot(hit.facet);
  if (up < kLeast) mirrored = (mirrored + (kLeast - up) * hit.facet).normalized();
  const std::optional<Vec3f> seen = incoming(hit.point, mirrored, nullptr);
  return seen ? *seen : studio_.mirrored_sky(mirrored);
}

float Integrator::highlight(const Hit& hit, const Vec3f& direction) const {
  const Look& look = looks_[hit.item];
  const Vec3f half = (studio_.sun_direction() - direction).normalized();
  const float a2 = std::max(look.alpha * look.alpha, kSunWidth2);
  const float nh = std::max(0.0f, hit.normal.dot(half));
  const float k = nh * nh * (a2 - 1) + 1;
  const float facing = std::abs(hit.normal.dot(direction));
  const float masking = 2 / (facing + std::sqrt(a2 + (1 - a2) * facing * facing));
  const float lobe = std::min(kBrightest, a2 / (4 * k * k) * std::min(masking, 4.0f));
  return lobe * fresnel(look.reflectance, -direction.dot(half));
}

Integrator::Behind Integrator::look_through(const Hit& hit, const Vec3f& direction) const {
  const Look& look = looks_[hit.item];
  const float facing = -hit.normal.dot(direction);
  constexpr float kEta = 1 / 1.33f;
  const Vec3f bent =
      (kEta * direction +
       (kEta * facing - std::sqrt(1 - kEta * kEta * (1 - facing * facing))) * hit.normal)
          .normalized();
  Hit end;
  Behind behind;
  // Through an open mesh there is no telling how thick the body is: it looks opaque.
  if (!scene_.intersect(hit.beyond, bent, end)) return behind;
  behind.clear = kClearest * (-end.distance / look.clarity * kAbsorption).array().exp();
  const bool leaves = end.item == hit.item && end.back;
  Vec3f light;
  if (leaves) {
    const std::optional<Vec3f> seen = incoming(end.beyond, bent, nullptr);
    const bool under_floor = floor_ && double{end.beyond.z()} < *floor_;
    light = seen ? *seen : Vec3f((under_floor ? 0.3f : 1.0f) * studio_.backdrop());
  } else {
    light = scattered(end, bent, nullptr);
  }
  behind.light = behind.clear.cwiseProduct(light);
  return behind;
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
  if (in_reach_of_shadows(point) &&
      scene_.occluded(point, studio_.sun_sample(draw.point(kSunDisk)))) {
    out.sun_visible = 1 - fade;
  }
  const Vec3f visible = sky_visible(point, Vec3f::UnitZ(), draw);
  out.sky_visible = Vec3f::Ones() + fade * (visible - Vec3f::Ones());
}

bool Integrator::in_reach_of_shadows(const Vec3f& point) const {
  // The scene is inside the unit sphere, or nearly so.
  constexpr float kRadius = 1.05f;
  const float along = -point.dot(studio_.sun_direction());
  const float across2 = point.squaredNorm() - along * along;
  const float reach = kRadius + Studio::kSunRadius * (std::max(0.0f, along) + kRadius);
  return along > -kRadius && across2 < reach * reach;
}

Vec3f Integrator::sky_visible(const Vec3f& point, const Vec3f& normal, const Draw& draw) const {
  const Vec3f direction = cosine_direction(normal, draw.point(kSkyDirection));
  const std::optional<Vec3f> light = incoming(point, direction, &draw, kFloorBounce);
  if (!light) return Vec3f::Ones();
  return light->cwiseQuotient(studio_.sky(direction));
}

Vec3f Integrator::bounce_sun(const Draw* draw) const {
  return draw != nullptr ? studio_.sun_sample(draw->point(kBounceSun)) : studio_.sun_direction();
}

Vec3f Integrator::scattered(const Hit& hit, const Vec3f& direction, const Draw* draw) const {
  const Look& look = looks_[hit.item];
  const Vec3f to_sun = bounce_sun(draw);
  const float sun_cosine = hit.normal.dot(to_sun);
  Vec3f light = kBounceSkyVisible * studio_.sky_on(hit.normal);
  if (sun_cosine > 0 && !scene_.occluded(hit.point, to_sun)) light += sun_cosine * studio_.sun();
  light = light.cwiseProduct(look.color);
  if (look.reflectance > 0) {
    const float away = direction.dot(hit.normal);
    const Vec3f mirrored = direction - 2 * away * hit.normal;
    light += fresnel(look.reflectance, -away) * studio_.mirrored_sky(mirrored);
  }
  return light;
}

std::optional<Vec3f> Integrator::incoming(const Vec3f& point, const Vec3f& direction,
                                          const Draw* draw, float floor_part) const {
  const std::optional<float> floor = floor_distance(point, direction);
  Hit hit;
  if (scene_.intersect(point, direction, hit) && !(floor && *floor < hit.distance)) {
    return scattered(hit, direction, draw);
  }
  if (!floor) return std::nullopt;
  const Vec3f place = point + *floor * direction + kOffset * Vec3f::UnitZ();
  Vec3f share = Vec3f::Ones();
  if (place.head<2>().norm() < kFloorFade && scene_.occluded(place, bounce_sun(draw))) {
    share = studio_.floor_sky_share();
  }
  return Vec3f(floor_part * studio_.backdrop().cwiseProduct(share));
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
