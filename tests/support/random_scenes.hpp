// Scenes made by chance, as TOML, so that one that fails can be kept, cut down and run by hand.
//
// Small domains of any proportions; bodies, obstacles at rest, spinning and keyframed, sources,
// sinks, open sides, any gravity; all of them may overlap and reach out of the domain.
#pragma once

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "support/random.hpp"

namespace spindrift::test {

struct RandomSceneParams {
  int least_cells = 12, most_cells = 20;  // along the longest side
};

class RandomScene {
 public:
  explicit RandomScene(std::uint64_t seed, const RandomSceneParams& params = {})
      : random_(seed), params_(params) {}

  [[nodiscard]] std::string toml() {
    box_ = Box3(Vec3::Zero(), Vec3(size(), size(), size()));
    cell_ = box_.sizes().maxCoeff() / cells();
    text_ = fmt::format("format = 1\n[time]\nfps = {}\n[domain]\nmin = [0, 0, 0]\nmax = {}\n",
                        happens(0.5) ? 24 : 48, list(box_.max()));
    sides();
    text_ += fmt::format("[resolution]\nsize = {:.6f}\nsurface = {}\n", cell_,
                         happens(0.7) ? 2 : 1 + random_.below(3));
    if (happens(0.2)) text_ += "[solver]\nprojection = \"two_point\"\n";
    if (happens(0.2)) text_ += "[volume]\ncontrol = false\n";
    text_ += fmt::format("[liquid]\ngravity = {}\n", list(gravity()));
    const bool has_source = happens(0.3);
    // Now and then nothing is there at the start.
    repeat(has_source && happens(0.2) ? 0 : 1 + random_.below(3), [&] { body(); });
    repeat(random_.below(4), [&] { obstacle(); });
    if (has_source) source();
    if (happens(0.25)) sink();
    return text_;
  }

 private:
  bool happens(double probability) { return random_.unit() < probability; }
  double size() { return random_.between(0.4, 1.2); }
  double cells() {
    return static_cast<double>(params_.least_cells +
                               random_.below(params_.most_cells - params_.least_cells + 1));
  }
  // Up to a length, in any direction.
  Vec3 vector(double longest) { return random_.unit() * longest * random_.direction(); }
  // A length between these numbers of cells.
  double length(double least, double most) { return cell_ * random_.between(least, most); }

  static std::string list(const Vec3& v) {
    return fmt::format("[{:.5f}, {:.5f}, {:.5f}]", v.x(), v.y(), v.z());
  }
  template <class Make>
  static void repeat(std::int64_t times, const Make& make) {
    for (std::int64_t i = 0; i < times; ++i) make();
  }

  void sides() {
    std::string open;
    for (const char* side : {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"}) {
      if (happens(0.15)) open += fmt::format("{}{} = \"open\"", open.empty() ? "" : ", ", side);
    }
    if (!open.empty()) text_ += fmt::format("sides = {{ {} }}\n", open);
  }

  Vec3 gravity() {
    if (happens(0.6)) return {0, 0, -9.81};
    return happens(0.1) ? Vec3::Zero() : vector(15);
  }

  // Around `middle`; between the braces of `shape = { ... }`.
  std::string shape(const Vec3& middle, double least, double most) {
    const double r = length(least, most);
    const Vec3 half = r * random_.direction();
    std::string kind;
    switch (random_.below(7)) {
      case 0:
        kind = fmt::format("sphere = {{ radius = {:.5f} }}", r);
        break;
      case 1:
      case 2: {
        const Vec3 corner(length(least, most), length(least, most), length(least, most));
        kind = fmt::format("box = {{ min = {}, max = {} }}", list(-corner), list(corner));
        break;
      }
      case 3:
      case 4:
      case 5: {
        const char* names[] = {"cylinder", "capsule", "cone"};
        kind = fmt::format("{} = {{ from = {}, to = {}, radius = {:.5f} }}",
                           names[random_.below(3)], list(-half), list(half), length(least, most));
        break;
      }
      default:
        kind = fmt::format("torus = {{ axis = {}, radius = {:.5f}, tube = {:.5f} }}", list(half),
                           r + length(least, most), length(least, most));
    }
    if (happens(0.4)) {
      kind += fmt::format(", rotate = {{ axis = {}, degrees = {:.2f} }}", list(random_.direction()),
                          random_.between(-180, 180));
    }
    return fmt::format("{}, translate = {}", kind, list(middle));
  }

  void body() {
    std::string what = shape(random_.in_box(box_), 1, 6);
    if (happens(0.3)) {  // a pool
      const Vec3 top(2, 2, box_.max().z() * random_.between(0.1, 0.6));
      what = fmt::format("box = {{ min = [-1, -1, -1], max = {} }}", list(top));
    }
    text_ += fmt::format("[[liquid.body]]\nshape = {{ {} }}\nvelocity = {}\n", what,
                         list(happens(0.5) ? Vec3::Zero() : vector(4)));
  }

  void obstacle() {
    const double way = random_.unit();
    const Vec3 middle = random_.in_box(box_);
    // Not thinner than two cells: what is thinner may leak, as the manual says. Keyframes turn
    // about the origin.
    text_ += fmt::format("[[obstacle]]\nshape = {{ {} }}\n",
                         shape(way > 0.75 ? Vec3::Zero() : middle, 1.2, 4));
    if (way < 0.45) return;
    if (way < 0.75) {
      text_ += fmt::format("motion = {{ spin = {{ axis = {}, center = {}, rpm = {:.2f} }} }}\n",
                           list(random_.direction()), list(middle + vector(0.1)),
                           random_.between(-120, 120));
      return;
    }
    text_ += fmt::format(
        "motion = {{ keyframes = [ {{ t = 0, translate = {} }}, "
        "{{ t = {:.3f}, translate = {}, rotate = {{ axis = {}, degrees = {:.2f} }} "
        "}} ] }}\n",
        list(middle), random_.between(0.1, 0.5), list(random_.in_box(box_)),
        list(random_.direction()), random_.between(-90, 90));
  }

  void source() {
    text_ += fmt::format("[[source]]\nshape = {{ {} }}\nvelocity = {}\n",
                         shape(random_.in_box(box_), 1.5, 3), list(vector(3)));
    if (happens(0.3)) text_ += fmt::format("stop = {:.3f}\n", random_.between(0.02, 0.2));
  }

  void sink() {
    text_ += fmt::format("[[sink]]\nshape = {{ {} }}\n", shape(random_.in_box(box_), 1.5, 4));
  }

  Random random_;
  RandomSceneParams params_;
  Box3 box_;
  double cell_ = 0;  // m
  std::string text_;
};

[[nodiscard]] inline std::string random_scene(std::uint64_t seed,
                                              const RandomSceneParams& params = {}) {
  return RandomScene(seed, params).toml();
}

}  // namespace spindrift::test
