// The light that reaches one pixel, by a few rays a sample: sun, sky or one bounce, reflection, and
// the ways through water.
//
// A camera ray that meets water splits into a mirrored and a bent one, and each is walked from
// border to border (integrator_water.cpp) until it ends on something matt or in the sky. Matt
// things are lit by the sun and by one ray of skylight, both of which find their way through water
// too.
#pragma once

#include "spindrift/render/caustic_map.hpp"
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

// Liquid and what it touches are meshed apart from each other: a gap this wide between them (local
// units) is none. At rest, a curved obstacle of the dam break lies within 0.001 of the water around
// it; while the shutter is open, water that runs around it at 6 m/s in straight lines comes off it
// by 0.007.
inline constexpr float kGap = 1.2e-2f;

class Integrator {
 public:
  struct Params {
    bool mark_back_faces = true;
    // At borders of water, which way to go is drawn by lot. Else the ray goes the way of more light
    // and takes the rest along, which is smooth but not quite right.
    bool draw_ways = false;
    int caustic_rays = 512;  // across, from the sun: their square is how many
  };

  Integrator(const Picture& picture, const RayScene& scene, const Studio& studio, const View& view,
             const Params& params);

  // Samples of a pixel: `least`, or `most` where those are very uneven, as in fast spray, and next
  // to that: what misses a pixel by chance must not count for more than what hits it. Powers of
  // two.
  struct SampleCount {
    int least, most;
  };
  struct Area {
    int left, top, right, bottom;  // without right and bottom
  };
  // Row by row. Neighbours outside of the area are not asked.
  [[nodiscard]] std::vector<Pixel> pixels(const Area& area, const SampleCount& count) const;

 private:
  static constexpr int kAir = -1;

  // One sample's share of a pixel.
  struct Sample {
    Vec3f sun = Vec3f::Zero(), sky = Vec3f::Zero(), rest = Vec3f::Zero();
    Vec3f sky_visible = Vec3f::Ones();
    float sun_visible = 1;
    Vec3f normal = Vec3f::Zero(), point = Vec3f::Zero();
    double depth = 0;
    int item = Pixel::kNothing;
  };
  // More of a pixel, until there are `end` of at most `most`.
  void take_samples(int x, int y, int end, int most, std::vector<Sample>& samples) const;
  [[nodiscard]] static bool is_uneven(const std::vector<Sample>& samples);
  [[nodiscard]] static Pixel mean_of(const std::vector<Sample>& samples);
  // Where the numbers of one sample come from.
  struct Draw {
    const PixelSamples& samples;
    int index;
    float time;
    [[nodiscard]] Vec2f point(std::uint32_t purpose) const { return samples.point(index, purpose); }
  };
  // An item's material, ready to shade with.
  struct Look {
    Vec3f color;
    float reflectance;
    float alpha;       // width of the coat's microfacet distribution
    float refraction;  // 0: opaque
    Vec3f absorption;  // a local unit
  };
  // A ray on its way: what it will bring counts `weight`.
  struct Path {
    Ray ray;
    Vec3f weight = Vec3f::Ones();
    int medium = kAir;  // or the item that the ray is in
    int borders = 0;    // of water, met so far
    float skipped = 0;  // part of the way that lies before the ray's origin: see kOffset
    float close = 0;    // how far on borders count as touching the solid that the path left
  };
  // Ways not taken yet.
  struct Branches {
    static constexpr int kMost = 8;
    std::array<Path, kMost> paths;
    int count = 0;
  };
  // Where a path ends.
  struct End {
    enum class Kind { sky, floor, item };
    Kind kind = Kind::sky;
    Hit hit = {};  // of an item; of the floor, where rays go on from
    Vec3f direction = Vec3f::Zero();
    Vec3f weight = Vec3f::Ones();
    int medium = kAir;  // that it ends in
    int borders = 0;
  };

  [[nodiscard]] bool is_clear(int item) const { return looks_[item].refraction > 0; }

  // Through water, in integrator_water.cpp.
  void shade_water(const Hit& hit, const Path& path, const Draw& draw, Sample& out) const;
  // Follows a path to its end; `first` is what it meets first, if that is known. Branches, if any
  // are wanted, are what is worth a path of its own.
  [[nodiscard]] End walk(Path path, const Draw* draw, Branches* branches = nullptr,
                         const Hit* first = nullptr) const;
  void cross_border(Path& path, const Hit& hit, const Draw* draw, Branches* branches) const;
  // Water against a solid: is there something opaque just behind this border?
  [[nodiscard]] bool ends_in_contact(const Path& path, const Hit& hit, End& end) const;
  [[nodiscard]] int medium_at(const Vec3f& point) const;
  // Part of the sun's light that arrives, straight through water.
  [[nodiscard]] Vec3f sunlight(const Ray& ray, int medium) const;

  // Sunlight on the floor, in integrator_caustics.cpp: parts of what falls on a bare one.
  struct FloorSun {
    Vec3f bent;      // by water
    Vec3f straight;  // through air; through water too where there is no map of it
  };
  void trace_caustics(int rays_across);
  [[nodiscard]] FloorSun floor_sun(const Ray& ray, int medium) const;

  // Light on matt things, in integrator.cpp.
  [[nodiscard]] Sample trace(double x, double y, const Draw& draw) const;
  void shade(const End& end, const Vec3f& backdrop, const Draw& draw, Sample& out) const;
  void shade_item(const End& end, const Draw& draw, Sample& out) const;
  void shade_floor(const End& end, const Vec3f& backdrop, const Draw& draw, Sample& out) const;
  static void add_sun(const Vec3f& light, const Vec3f& part, Sample& out);
  // Whether a place on the floor may be in the scene's shadow.
  [[nodiscard]] bool in_reach_of_shadows(const Vec3f& point) const;
  // What the coat mirrors, by one ray, tilted by the roughness.
  [[nodiscard]] Vec3f mirror(const End& end, const Draw& draw) const;
  // Part of the sun's light that the coat sends towards the eye: a GGX lobe.
  [[nodiscard]] float highlight(const Hit& hit, const Vec3f& direction) const;
  // Part of the sky's light that arrives at a point, from one direction.
  [[nodiscard]] Vec3f sky_visible(const Vec3f& point, const Vec3f& normal, int medium,
                                  const Draw& draw) const;
  // Light from the end of a path, without further bounces. The sun that lights it is sampled if
  // there is a draw, else its middle is taken. The floor's light counts `floor_part`.
  [[nodiscard]] Vec3f light_of(const End& end, const Draw* draw, float floor_part = 1) const;
  [[nodiscard]] Vec3f scattered(const End& end, const Draw* draw) const;
  [[nodiscard]] Vec3f bounce_sun(const Draw* draw) const;
  [[nodiscard]] std::optional<float> floor_distance(const Vec3f& point,
                                                    const Vec3f& direction) const;
  [[nodiscard]] End floor_end(const Path& path, float distance) const;
  [[nodiscard]] Vec3f backdrop_at(double x, double y) const;

  const RayScene& scene_;
  const Studio& studio_;
  const View& view_;
  Params params_;
  std::optional<double> floor_;  // local height
  std::vector<Look> looks_;      // by item
  bool has_water_ = false;
  int eye_medium_ = kAir;
  CausticMap caustics_;
};

// One stream of random points for each purpose.
enum Purpose : std::uint32_t {
  kPixelArea,
  kSunDisk,
  kSkyDirection,
  kBounceSun,
  kMirror,
  kTime,
  kGlint,
  kBorder,  // and from there on, one a border
};

}  // namespace spindrift::render_detail
