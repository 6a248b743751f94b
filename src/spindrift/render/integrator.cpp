#include "spindrift/render/integrator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "spindrift/render/dielectric.hpp"
#include "spindrift/render/sphere_trace.hpp"

namespace spindrift::render_detail {

namespace {

// Light that surfaces met by a bounce receive from the sky: they are near others, which hide part
// of it. A mean over the test scenes.
constexpr float kBounceSkyVisible = 0.65f;
// Brightest reflection of one sample: a glint smaller than a pixel must not leave a white dot.
constexpr float kBrightest = 6;
// Distance from the scene's middle (local units) at which shadows on the floor fade out, and end.
constexpr float kFloorFade = 4, kFloorEnd = 7;
// Squared width of the narrowest highlight: the sun is not a point.
constexpr float kSunWidth2 = 2e-3f;
// Light of the sky on things under water, for bounces: what comes through the surface all lies in
// Snell's cone, 1 / 1.33^2 of a hemisphere's light, and some of the rest is mirrored down again.
constexpr float kWetSky = 0.65f;
// Pixels that look at the same thing directly and through water are not smoothed together.
constexpr int kThroughWater = 1 << 20;
// Samples differ by more than this part of their sum: a pixel is worth more of them. Tuned on the
// dam break, where 7 % of the pixels are, most of them spray.
constexpr float kUneven = 0.3f;
constexpr int kAround = 1;  // pixels on each side of such a one that get more too
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
                       const View& view, const Params& params)
    : scene_(scene), studio_(studio), view_(view), params_(params) {
  if (picture.floor) {
    floor_ = scene.frame().to_local(Vec3(0, 0, *picture.floor)).z();
  }
  for (const Item& item : picture.items) {
    const auto roughness = static_cast<float>(item.material.roughness);
    looks_.push_back(
        {.color = item.material.color.cast<float>(),
         .reflectance = static_cast<float>(item.material.reflectance),
         .alpha = roughness * roughness,
         .refraction = static_cast<float>(item.material.refraction),
         .absorption = (scene.frame().scale * item.material.absorption).cast<float>()});
    has_water_ = has_water_ || item.material.is_clear();
  }
  if (has_water_ && scene.local_bounds().contains(view.eye)) {
    eye_medium_ = medium_at(view.eye.cast<float>());
  }
  trace_caustics(params.caustic_rays);
}

std::vector<Pixel> Integrator::pixels(const Area& area, const SampleCount& count) const {
  const int width = area.right - area.left, height = area.bottom - area.top;
  const auto at = [&](int x, int y) { return static_cast<std::size_t>(y) * width + x; };
  std::vector<std::vector<Sample>> samples(static_cast<std::size_t>(width) * height);
  std::vector<char> is_busy(samples.size(), 0);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      std::vector<Sample>& own = samples[at(x, y)];
      take_samples(area.left + x, area.top + y, count.least, count.most, own);
      if (count.most == count.least || !is_uneven(own)) continue;
      for (int v = std::max(0, y - kAround); v <= std::min(height - 1, y + kAround); ++v) {
        for (int u = std::max(0, x - kAround); u <= std::min(width - 1, x + kAround); ++u) {
          is_busy[at(u, v)] = 1;
        }
      }
    }
  }
  std::vector<Pixel> pixels(samples.size());
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      std::vector<Sample>& own = samples[at(x, y)];
      if (is_busy[at(x, y)] != 0) {
        take_samples(area.left + x, area.top + y, count.most, count.most, own);
      }
      pixels[at(x, y)] = mean_of(own);
    }
  }
  return pixels;
}

void Integrator::take_samples(int x, int y, int end, int most, std::vector<Sample>& samples) const {
  const PixelSamples points(x, y, most);
  samples.reserve(static_cast<std::size_t>(end));
  for (auto i = static_cast<int>(samples.size()); i < end; ++i) {
    const Draw draw{points, i, points.point(i, kTime).x()};
    const Vec2f area = draw.point(kPixelArea);
    samples.push_back(trace(x + double{area.x()}, y + double{area.y()}, draw));
  }
}

bool Integrator::is_uneven(const std::vector<Sample>& samples) {
  // Of light and shadow the noise is smoothed later: only the light that could come counts.
  Vec3f low = Vec3f::Constant(std::numeric_limits<float>::infinity()), high = -low;
  for (const Sample& sample : samples) {
    const Vec3f light = sample.sun + sample.sky + sample.rest;
    low = low.cwiseMin(light);
    high = high.cwiseMax(light);
  }
  return ((high - low).array() > kUneven * (high + low).array()).any();
}

Pixel Integrator::mean_of(const std::vector<Sample>& samples) {
  Pixel pixel;
  int most = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const int item = samples[i].item;
    const auto depth = static_cast<float>(samples[i].depth);
    if (depth > 0) pixel.depth = pixel.depth > 0 ? std::min(pixel.depth, depth) : depth;
    const auto seen = samples.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    const auto same = static_cast<int>(std::count_if(
        samples.begin(), seen, [&](const Sample& sample) { return sample.item == item; }));
    if (same > most) {
      most = same;
      pixel.item = item;
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
  const float share = 1 / static_cast<float>(samples.size());
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
  Path path;
  path.ray = {(view_.eye + (span ? span->begin : 0) * direction).cast<float>(),
              direction.cast<float>(), draw.time};
  path.medium = eye_medium_;
  Hit hit;
  const bool met = span && scene_.intersect(path.ray, hit);
  sample.depth = met ? span->begin + double{hit.distance} : 0;
  End end{.direction = path.ray.direction, .medium = path.medium};
  if (floor_ && direction.z() < 0 && view_.eye.z() > *floor_) {
    const double depth = (*floor_ - view_.eye.z()) / direction.z();
    if (!met || depth < sample.depth) {
      sample.depth = depth;
      end.kind = End::Kind::floor;
      end.hit.point = (view_.eye + depth * direction).cast<float>() + kOffset * Vec3f::UnitZ();
      shade(end, backdrop, draw, sample);
      return sample;
    }
  }
  if (!met) {
    sample.rest = backdrop;
  } else if (is_clear(hit.item)) {
    shade_water(hit, path, draw, sample);
  } else if (hit.back && params_.mark_back_faces) {
    sample.rest = (0.3f + 0.7f * std::abs(hit.normal.dot(end.direction))) * kWarning;
  } else {
    end.kind = End::Kind::item;
    end.hit = hit;
    shade(end, backdrop, draw, sample);
  }
  return sample;
}

void Integrator::shade(const End& end, const Vec3f& backdrop, const Draw& draw, Sample& out) const {
  switch (end.kind) {
    case End::Kind::sky:
      out.rest += end.weight.cwiseProduct(studio_.mirrored_sky(end.direction));
      return;
    case End::Kind::floor:
      shade_floor(end, backdrop, draw, out);
      break;
    case End::Kind::item:
      shade_item(end, draw, out);
      break;
  }
  if (end.borders > 0) out.item += kThroughWater;
}

void Integrator::shade_item(const End& end, const Draw& draw, Sample& out) const {
  const Hit& hit = end.hit;
  const Look& look = looks_[hit.item];
  out.item = hit.item;
  out.normal = hit.normal;
  out.point = hit.point;
  // What the coat does not mirror goes on to the body.
  const float facing = -hit.normal.dot(end.direction);
  const float mirrored = look.reflectance > 0 ? fresnel(look.reflectance, facing) : 0.0f;
  const Vec3f body = (1 - mirrored) * end.weight.cwiseProduct(look.color);
  const float sun_cosine = hit.normal.dot(studio_.sun_direction());
  if (sun_cosine > 0) {
    Vec3f lit = sun_cosine * body;
    if (look.reflectance > 0) lit += sun_cosine * highlight(hit, end.direction) * end.weight;
    const Ray ray{hit.point, studio_.sun_sample(draw.point(kSunDisk)), draw.time};
    add_sun(lit.cwiseProduct(studio_.sun()), sunlight(ray, end.medium), out);
  }
  out.sky = body.cwiseProduct(studio_.sky_on(hit.normal));
  out.sky_visible = sky_visible(hit.point, hit.normal, end.medium, draw);
  if (look.reflectance > 0) out.rest += mirrored * end.weight.cwiseProduct(mirror(end, draw));
}

void Integrator::add_sun(const Vec3f& light, const Vec3f& part, Sample& out) {
  // The colour of the water is part of the light, so that smoothing needs only one number.
  out.sun_visible = part.maxCoeff();
  out.sun = out.sun_visible > 0 ? Vec3f(light.cwiseProduct(part) / out.sun_visible) : light;
}

Vec3f Integrator::mirror(const End& end, const Draw& draw) const {
  const Hit& hit = end.hit;
  const Vec2f tilt = 0.5f * looks_[hit.item].alpha * disk_point(draw.point(kMirror));
  const Tangents t = tangents(hit.normal);
  const Vec3f normal = (hit.normal + tilt.x() * t.first + tilt.y() * t.second).normalized();
  Vec3f mirrored = reflect(end.direction, normal);
  // Rough or interpolated normals may mirror a ray into the surface: it leaves along it.
  constexpr float kLeast = 0.01f;
  const float up = mirrored.dot(hit.facet);
  if (up < kLeast) mirrored = (mirrored + (kLeast - up) * hit.facet).normalized();
  Path path;
  path.ray = {hit.point, mirrored, draw.time};
  path.medium = end.medium;
  return light_of(walk(path, &draw), nullptr);
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

void Integrator::shade_floor(const End& end, const Vec3f& backdrop, const Draw& draw,
                             Sample& out) const {
  const Vec3f& point = end.hit.point;
  out.item = Pixel::kFloor;
  out.normal = Vec3f::UnitZ();
  out.point = point;
  const Vec3f light = end.weight.cwiseProduct(backdrop);
  out.sun = light.cwiseProduct(studio_.floor_sun_share());
  out.sky = light.cwiseProduct(studio_.floor_sky_share());
  const float fade = smoothstep(kFloorEnd, kFloorFade, point.head<2>().norm());
  if (fade <= 0 || scene_.local_bounds().isEmpty()) return;
  if (in_reach_of_shadows(point)) {
    const Ray ray{point, studio_.sun_sample(draw.point(kSunDisk)), draw.time};
    const FloorSun sun = floor_sun(ray, end.medium);
    out.rest += fade * out.sun.cwiseProduct(sun.bent);  // smooth already
    add_sun(out.sun, sun.straight, out);
    out.sun_visible = 1 + fade * (out.sun_visible - 1);
  }
  const Vec3f visible = sky_visible(point, Vec3f::UnitZ(), end.medium, draw);
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

Vec3f Integrator::sky_visible(const Vec3f& point, const Vec3f& normal, int medium,
                              const Draw& draw) const {
  Path path;
  path.ray = {point, cosine_direction(normal, draw.point(kSkyDirection)), draw.time};
  path.medium = medium;
  if (medium != kAir) path.close = kGap;
  const End end = walk(path, &draw);
  const Vec3f light = end.kind == End::Kind::sky
                          ? Vec3f(end.weight.cwiseProduct(studio_.sky(end.direction)))
                          : light_of(end, &draw, kFloorBounce);
  return light.cwiseQuotient(studio_.sky(path.ray.direction));
}

Vec3f Integrator::bounce_sun(const Draw* draw) const {
  return draw != nullptr ? studio_.sun_sample(draw->point(kBounceSun)) : studio_.sun_direction();
}

Vec3f Integrator::light_of(const End& end, const Draw* draw, float floor_part) const {
  Vec3f light = Vec3f::Zero();
  switch (end.kind) {
    case End::Kind::sky:
      light = studio_.mirrored_sky(end.direction);
      break;
    case End::Kind::item:
      light = scattered(end, draw);
      break;
    case End::Kind::floor: {
      const Vec3f& place = end.hit.point;
      const bool is_near = place.head<2>().norm() < kFloorFade && in_reach_of_shadows(place);
      const float time = draw != nullptr ? draw->time : 0.5f;
      FloorSun sun{Vec3f::Zero(), Vec3f::Ones()};
      if (is_near) sun = floor_sun({place, bounce_sun(draw), time}, end.medium);
      const float sky = end.medium == kAir ? 1 : kWetSky;
      light = floor_part * studio_.backdrop().cwiseProduct(
                               sky * studio_.floor_sky_share() +
                               (sun.bent + sun.straight).cwiseProduct(studio_.floor_sun_share()));
      break;
    }
  }
  return end.weight.cwiseProduct(light);
}

Vec3f Integrator::scattered(const End& end, const Draw* draw) const {
  const Hit& hit = end.hit;
  const Look& look = looks_[hit.item];
  const Vec3f to_sun = bounce_sun(draw);
  const float sun_cosine = hit.normal.dot(to_sun);
  const float sky = kBounceSkyVisible * (end.medium == kAir ? 1 : kWetSky);
  Vec3f light = sky * studio_.sky_on(hit.normal);
  if (sun_cosine > 0) {
    const float time = draw != nullptr ? draw->time : 0.5f;
    const Vec3f part = sunlight({hit.point, to_sun, time}, end.medium);
    light += sun_cosine * part.cwiseProduct(studio_.sun());
  }
  light = light.cwiseProduct(look.color);
  if (look.reflectance > 0) {
    const float away = end.direction.dot(hit.normal);
    light +=
        fresnel(look.reflectance, -away) * studio_.mirrored_sky(reflect(end.direction, hit.normal));
  }
  return light;
}

std::optional<float> Integrator::floor_distance(const Vec3f& point, const Vec3f& direction) const {
  if (!floor_ || direction.z() >= 0) return std::nullopt;
  const float height = point.z() - static_cast<float>(*floor_);
  if (height <= 0) return std::nullopt;
  return -height / direction.z();
}

Integrator::End Integrator::floor_end(const Path& path, float distance) const {
  End end{.kind = End::Kind::floor,
          .direction = path.ray.direction,
          .weight = path.weight,
          .medium = path.medium,
          .borders = path.borders};
  end.hit.point = path.ray.origin + distance * path.ray.direction + kOffset * Vec3f::UnitZ();
  return end;
}

Vec3f Integrator::backdrop_at(double x, double y) const {
  if (studio_.is_uniform()) return studio_.backdrop();
  // Darker towards the corners: the eye stays in the middle.
  const double u = 2 * x / view_.width - 1, v = 2 * y / view_.height - 1.1;
  const double r2 = 0.5 * u * u + 0.5 * v * v;
  return static_cast<float>(1.04 - 0.42 * r2 / (1 + 0.6 * r2)) * studio_.backdrop();
}

}  // namespace spindrift::render_detail
