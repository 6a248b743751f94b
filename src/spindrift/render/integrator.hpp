// The light that reaches one pixel, by a few rays a sample: sun, sky or one bounce, and reflection.
#pragma once

#include "spindrift/render/ray_scene.hpp"
#include "spindrift/render/sampling.hpp"
#include "spindrift/render/studio.hpp"

namespace spindrift::render_detail {

// A pixel's light, kept in parts: what is exact, and the two parts that few samples leave noisy and
// that smooth_light may smooth because shape and colour are not in them.
//   light = sun * sun_visible + sky * sky_visible + rest
// Where samples meet several items, these parts are the light of most of them and the light of the
// others is in `rest`.
struct Pixel {
  static constexpr int kNothing =
      -2;  // samples of several items, or of none: all light is in `rest`
  static constexpr int kFloor = -1;

  Vec3f sun = Vec3f::Zero();          // scattered sunlight if nothing shaded it
  Vec3f sky = Vec3f::Zero();          // scattered skylight if nothing hid the sky
  Vec3f rest = Vec3f::Zero();         // reflections, backdrop
  Vec3f sky_visible = Vec3f::Ones();  // can exceed 1: neighbours may shine brighter than the sky
  float sun_visible = 1;
  Vec3f normal = Vec3f::Zero();  // mean
  Vec3f point = Vec3f::Zero();   // mean, local
  float depth = 0;               // along the ray, local; nearest of the samples; 0: nothing
  int item = kNothing;

  [[nodiscard]] Vec3f light() const {
    return sun * sun_visible + sky.cwiseProduct(sky_visible) + rest;
  }
};

// A camera in the local frame, in double: the eye may be far away.
struct View {
  Vec3 eye, right, up,
      forward;  // right and up scaled to the half size of the picture at distance 1
  int width, height;

  // Unit direction through a place in the picture, in pixels from its top left corner.
  [[nodiscard]] Vec3 ray(double x, double y) const {
    return (forward + (2 * x / width - 1) * right + (1 - 2 * y / height) * up).normalized();
  }
};

class Integrator {
 public:
  Integrator(const Picture& picture, const RayScene& scene, const Studio& studio, const View& view,
             bool mark_back_faces);

  // `samples` a power of two.
  [[nodiscard]] Pixel pixel(int x, int y, int samples) const;

 private:
  // One sample's share of a pixel.
  struct Sample {
    Vec3f sun = Vec3f::Zero(), sky = Vec3f::Zero(), rest = Vec3f::Zero();
    Vec3f sky_visible = Vec3f::Ones();
    float sun_visible = 1;
    Vec3f normal = Vec3f::Zero(), point = Vec3f::Zero();
    double depth = 0;
    int item = Pixel::kNothing;
  };
  // Where the numbers of one sample come from.
  struct Draw {
    const PixelSamples& samples;
    int index;
    [[nodiscard]] Vec2f point(std::uint32_t purpose) const { return samples.point(index, purpose); }
  };
  // An item's material, ready to shade with.
  struct Look {
    Vec3f color;
    float reflectance;
    float alpha;  // width of the coat's microfacet distribution
    float clarity;
  };

  // What is seen through a clear body: the part of light that passes, and the light that did.
  struct Behind {
    Vec3f clear = Vec3f::Zero(), light = Vec3f::Zero();
  };

  [[nodiscard]] Sample trace(double x, double y, const Draw& draw) const;
  void shade_item(const Hit& hit, const Vec3f& direction, const Draw& draw, Sample& out) const;
  void shade_floor(const Vec3f& point, const Vec3f& backdrop, const Draw& draw, Sample& out) const;
  // Whether a place on the floor may be in the scene's shadow.
  [[nodiscard]] bool in_reach_of_shadows(const Vec3f& point) const;
  // What the coat mirrors, by one ray, tilted by the roughness.
  [[nodiscard]] Vec3f mirror(const Hit& hit, const Vec3f& direction, const Draw& draw) const;
  // Part of the sun's light that the coat sends towards the eye: a GGX lobe.
  [[nodiscard]] float highlight(const Hit& hit, const Vec3f& direction) const;
  [[nodiscard]] Behind look_through(const Hit& hit, const Vec3f& direction) const;
  // Part of the sky's light that arrives at a point, from one direction.
  [[nodiscard]] Vec3f sky_visible(const Vec3f& point, const Vec3f& normal, const Draw& draw) const;
  // Light that a surface sends back along a ray, without further bounces. The sun that lights it is
  // sampled if there is a draw, else its middle is taken.
  [[nodiscard]] Vec3f scattered(const Hit& hit, const Vec3f& direction, const Draw* draw) const;
  [[nodiscard]] Vec3f bounce_sun(const Draw* draw) const;
  // Light from a direction, without further bounces; nothing if the sky is there. The floor's light
  // counts `floor_part`.
  [[nodiscard]] std::optional<Vec3f> incoming(const Vec3f& point, const Vec3f& direction,
                                              const Draw* draw, float floor_part = 1) const;
  [[nodiscard]] std::optional<float> floor_distance(const Vec3f& point,
                                                    const Vec3f& direction) const;
  [[nodiscard]] Vec3f backdrop_at(double x, double y) const;

  const RayScene& scene_;
  const Studio& studio_;
  const View& view_;
  bool mark_back_faces_;
  std::optional<double> floor_;  // local height
  std::vector<Look> looks_;      // by item
};

}  // namespace spindrift::render_detail
