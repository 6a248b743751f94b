// Thin liquid that has moved, settled on the parts that are thin now.
#include <algorithm>
#include <cmath>
#include <vector>

#include "spindrift/core/parallel.hpp"
#include "spindrift/surface/point_tiles.hpp"
#include "spindrift/surface/thin_liquid.hpp"

namespace spindrift {
namespace {

// All lengths in voxels.
// Liquid is no farther than this from the middle of the thin part that it is in.
constexpr double kDeep = kHeldThickness / 2 + 1;
// Shown and carried volumes are compared over balls of this radius.
constexpr double kSmooth = 2;
// How far off the middle of what is around a sample is, over kSmooth, where it is none of an end
// and where it is one; how deep that looks into a sheet; and how far ends are put back at most.
constexpr double kNoRim = 0.14;
constexpr double kRim = 0.24;
constexpr double kRimReach = 0.6;
constexpr double kMostRim = 0.4;
constexpr double kMostShift = 0.3;
// In sheets, what particles carry is spread over balls of this radius in every step.
constexpr double kSpread = 3;
// Flatness of what counts as strand and sheet there.
constexpr double kStrand = 0.6;
constexpr double kSheet = 0.9;
// Thickness from which on volumes are what the surface shows, and where that begins.
constexpr double kFree = kHeldThickness;
constexpr double kHeld = 4;
// Surfaces are offset by no more in a step: outwards and inwards.
constexpr double kMostGrowth = 0.5;
constexpr double kMostShrinkage = 0.3;
// Smaller offsets are not worth it: contours are no better.
constexpr double kLeastOffset = 0.02;
// Squared, of particles that are the same.
constexpr double kSame = 1e-6;
// The side of tiles of samples: there are a few in each, and what is around is not much more than
// what is within reach.
constexpr int kTile = 2;
// What parts are shown as at least may be less by this: radii differ from one to the next.
constexpr double kRadiusSlack = 0.1;
// The paper's growth is that of a step; this is how far it goes in ours of the usual length.
constexpr double kPaperStep = 8;
// And parts that are thinner by a factor of e have come as far as this many of such steps.
constexpr double kThinning = 5;

std::vector<Vec3> places(std::span<const ThinSample> samples) {
  std::vector<Vec3> all;
  all.reserve(samples.size());
  for (const ThinSample& sample : samples) all.push_back(sample.particle.position);
  return all;
}

double thickness(const MedialParticle& particle) {
  return particle.is_film ? particle.radius : 2 * particle.radius;
}

// Whether a sample has what its surface shows, whatever came there.
bool is_free(const ThinSample& sample, const Lattice& lattice) {
  return sample.is_by_thick || thickness(sample.particle) > 0.9 * kFree * lattice.spacing;
}

// 0 in strands and drops, 1 in sheets.
double sheet_part(const ThinSample& sample) {
  return std::clamp((sample.flatness - kStrand) / (kSheet - kStrand), 0.0, 1.0);
}

// What came to a sample.
struct Received {
  double volume = 0;
  double radius = 0, least_radius = 0, way = 0;  // sums of volume times those
};

// What moved liquid has for the samples around a place.
struct Gift {
  Vec3 place;
  Received what;
};

std::vector<Vec3> places(std::span<const Gift> gifts) {
  std::vector<Vec3> all;
  all.reserve(gifts.size());
  for (const Gift& gift : gifts) all.push_back(gift.place);
  return all;
}

// From 1 at a point to 0 at `reach` and on.
double nearness(float squared, double reach) {
  return std::max(0.0, 1 - double{squared} / (reach * reach));
}
double near_weight(float squared, double reach) {
  const double near = nearness(squared, reach);
  return near * near;
}

// How much of a gift a sample gets, for its volume. Narrow: liquid at rest is to stay where it is,
// and what the ends of strands carry is not to spread inwards.
double gift_weight(float squared, double reach) {
  const double near = nearness(squared, reach);
  const double cubed = near * near * near;
  return cubed * cubed / (double{squared} + kSame);
}

class Settling {
 public:
  Settling(std::span<const ThinSample> samples, const Lattice& lattice,
           const ThickeningParams& params, double reach)
      : samples_(samples),
        lattice_(lattice),
        params_(params),
        near_reach_(reach),
        far_reach_(std::max(reach, params.redistribution)),
        tiles_(places(samples), lattice, kTile),
        near_(tiles_, tiles_, kSpread),
        volumes_(in_order([&](std::size_t i) { return samples[i].volume; })),
        received_(samples.size()),
        means_(samples.size(), 0.0),
        rims_(samples.size(), Vec3::Zero()),
        beyond_(samples.size(), 0.0),
        shifts_(samples.size(), Vec3::Zero()) {
    static_assert(kSmooth <= kSpread);
  }

  // Which of them were taken: the others have nothing thin near by.
  [[nodiscard]] std::vector<char> give(std::span<const Gift> gifts) {
    const PointTiles from(places(gifts), lattice_, kTile);
    const NearPairs near(tiles_, from, std::max(near_reach_, kSmooth));
    find_middles_of(gifts, from, near);
    std::vector<char> is_taken = give(gifts, from, near, near_reach_);
    if (!(far_reach_ > near_reach_)) return is_taken;
    std::vector<std::size_t> left;
    std::vector<Gift> left_gifts;
    for (std::size_t i = 0; i < gifts.size(); ++i) {
      if (is_taken[i] != 0) continue;
      left.push_back(i);
      left_gifts.push_back(gifts[i]);
    }
    if (left.empty()) return is_taken;
    const std::vector<char> is_taken_far = give_within(far_reach_, left_gifts);
    for (std::size_t k = 0; k < left.size(); ++k) is_taken[left[k]] = is_taken_far[k];
    return is_taken;
  }
  // The same from inside of the liquid, where the middle may be farther off.
  void give_inside(std::span<const Gift> gifts) {
    if (!gifts.empty()) (void)give_within(kDeep, gifts);
  }

  [[nodiscard]] std::vector<ThinParticle> particles() {
    std::vector<ThinParticle> particles(samples_.size());
    std::vector<double> progress(samples_.size(), 0.0);
    for_each_sample([&](std::size_t i) {
      const ThinSample& sample = samples_[i];
      const Received& got = received_[i];
      ThinParticle& particle = particles[i];
      particle.position = sample.particle.position;
      particle.shown = sample.volume;
      particle.reach = thickness(sample.particle) / 2;
      const bool has_come = got.volume > 0 && !is_free(sample, lattice_);
      particle.volume = has_come ? got.volume : sample.volume;
      particle.radius = has_come ? got.radius / got.volume : 0;
      particle.least_radius = has_come ? got.least_radius / got.volume : 0;
      particle.body = sample.body;
      particle.is_film = sample.particle.is_film;
      particle.is_wedge = sample.is_wedge;
      progress[i] = has_come ? got.way / got.volume / (kPaperStep * lattice_.spacing) : 0;
    });
    find_rims_and_shifts();
    spread_in_sheets(particles);
    const std::vector<double> radii = carried_radii(particles);
    for_each_sample([&](std::size_t i) {
      // Or they get thinner without going anywhere.
      if (particles[i].radius > radii[i]) {
        progress[i] = std::max(progress[i], kThinning * std::log(particles[i].radius / radii[i]));
      }
      progress[i] = std::min(progress[i], 1.0);
      particles[i].radius = radii[i];
    });
    const std::vector<char> has_given = redistribute(progress, particles);
    for_each_sample(
        [&](std::size_t i) { set_offset(i, progress[i], has_given[i] != 0, particles[i]); });
    return particles;
  }

 private:
  // From several threads.
  template <class Visit>
  void for_each_sample(const Visit& visit) const {
    parallel_for_each(std::ssize(samples_),
                      [&](std::int64_t n) { visit(static_cast<std::size_t>(n)); });
  }

  // In the order of tiles, what value(sample) says.
  template <class Value>
  [[nodiscard]] std::vector<double> in_order(const Value& value) const {
    return tiles_.in_order<double>(value);
  }
  // Calls visit(n, sample) in that order, from several threads.
  template <class Visit>
  void for_each_in_order(const Visit& visit) const {
    parallel_for_each(std::ssize(tiles_.order()), [&](std::int64_t k) {
      const auto n = static_cast<std::size_t>(k);
      visit(n, static_cast<std::size_t>(tiles_.order()[n]));
    });
  }

  std::vector<char> give_within(double reach, std::span<const Gift> gifts) {
    const PointTiles from(places(gifts), lattice_, kTile);
    return give(gifts, from, {tiles_, from, reach}, reach);
  }

  // `from`: the tiles of the gifts; `near`: those around samples.
  std::vector<char> give(std::span<const Gift> gifts, const PointTiles& from, const NearPairs& near,
                         double reach) {
    // Of each pair, what the sample gets of a gift for a rate of one.
    Buffer<double> weights(near.size());
    for_each_in_order([&](std::size_t n, std::size_t) {
      std::size_t pair = near.first(n);
      for (const NearPairs::Point& point : near.of(n)) {
        weights[pair++] = gift_weight(point.squared, reach) * volumes_[n];
      }
    });
    // Of each gift what is given for a weight of one.
    std::vector<double> rates(gifts.size(), 0.0);
    for (std::size_t n = 0; n < volumes_.size(); ++n) {
      std::size_t pair = near.first(n);
      for (const NearPairs::Point& point : near.of(n)) {
        rates[static_cast<std::size_t>(point.n)] += weights[pair++];
      }
    }
    std::vector<char> is_taken(gifts.size(), 0);
    for (std::size_t n = 0; n < rates.size(); ++n) {
      if (!(rates[n] > 0)) continue;
      const auto i = static_cast<std::size_t>(from.order()[n]);
      is_taken[i] = 1;
      rates[n] = 1 / rates[n];
    }
    const std::vector<Received> what =
        from.in_order<Received>([&](std::size_t i) { return gifts[i].what; });
    for_each_in_order([&](std::size_t n, std::size_t i) {
      Received& got = received_[i];
      std::size_t pair = near.first(n);
      for (const NearPairs::Point& point : near.of(n)) {
        const auto gift = static_cast<std::size_t>(point.n);
        const double part = weights[pair++] * rates[gift];
        if (!(part > 0)) continue;
        got.volume += part * what[gift].volume;
        got.radius += part * what[gift].radius;
        got.least_radius += part * what[gift].least_radius;
        got.way += part * what[gift].way;
      }
    });
    return is_taken;
  }

  // The middle of volumes around a place, from it, m. `volumes` and `places`: in the order of
  // tiles.
  [[nodiscard]] static Vec3 middle_of(std::span<const NearPairs::Point> near,
                                      std::span<const double> volumes, std::span<const Vec3> places,
                                      const Vec3& place) {
    double sum = 0;
    Vec3 moment = Vec3::Zero();
    for (const NearPairs::Point& point : near) {
      const auto n = static_cast<std::size_t>(point.n);
      const double weight = near_weight(point.squared, kSmooth) * volumes[n];
      sum += weight;
      moment += weight * (places[n] - place);
    }
    return sum > 0 ? Vec3(moment / sum) : Vec3::Zero();
  }

  // Of strands and drops: those are shifted.
  void find_middles_of(std::span<const Gift> gifts, const PointTiles& from, const NearPairs& near) {
    const auto all = from.in_order<Vec3>([&](std::size_t i) { return gifts[i].place; });
    const auto volumes = from.in_order<double>([&](std::size_t i) { return gifts[i].what.volume; });
    for_each_in_order([&](std::size_t n, std::size_t i) {
      if (is_shifted(i)) {
        shifts_[i] = middle_of(near.of(n), volumes, all, samples_[i].particle.position);
      }
    });
  }

  [[nodiscard]] bool is_shifted(std::size_t i) const {
    const ThinSample& sample = samples_[i];
    return !is_free(sample, lattice_) && !sample.is_cut_off && sheet_part(sample) < 1;
  }

  // Where sheets and strands end there are samples on one side only. There contours erode the most,
  // and what is missing is put back beyond the end. Also, contours pull what is small towards the
  // nodes: strands and drops are shifted to where the middle is of what they carry. Beside solids
  // neither is known: what lies in there has no samples, and half of what a shift moves would
  // vanish there, or come from there.
  void find_rims_and_shifts() {
    const auto all =
        tiles_.in_order<Vec3>([&](std::size_t i) { return samples_[i].particle.position; });
    for_each_in_order([&](std::size_t n, std::size_t i) {
      if (is_free(samples_[i], lattice_) || samples_[i].is_cut_off) return;
      const Vec3 shown = middle_of(near_.of(n), volumes_, all, all[n]);
      const double off = shown.norm() / (kSmooth * lattice_.spacing);
      if (off > kNoRim) {
        rims_[i] = -std::min(1.0, (off - kNoRim) / (kRim - kNoRim)) * shown.normalized();
      }
      if (!is_shifted(i)) return;
      const Vec3 shift = shifts_[i] - shown;
      const double length = shift.norm() / lattice_.spacing;
      const double share = length > kLeastOffset ? std::min(1.0, kMostShift / length) : 0;
      shifts_[i] = (1 - sheet_part(samples_[i])) * share * shift;
    });
  }

  // Particles come in lumps, and sheets would show them: what they carry more than is shown, or
  // less, is spread over those around, in proportion to what is shown. Strands and drops keep
  // theirs.
  void spread_in_sheets(std::vector<ThinParticle>& particles) const {
    const auto part_in_sheet = [&](std::size_t i) {
      // Those that are about to break up are to do so.
      const bool breaks =
          params_.redistribution > 0 &&
          is_small(samples_[i].particle.radius * particles[i].volume / particles[i].shown);
      if (breaks || is_free(samples_[i], lattice_)) return 0.0;
      return (1 - rims_[i].norm()) * sheet_part(samples_[i]);
    };
    const std::vector<double> parts = in_order(part_in_sheet);
    const auto sum_around = [&](std::size_t n, std::span<const double> values) {
      double sum = 0;
      for (const NearPairs::Point& point : near_.of(n)) {
        sum += near_weight(point.squared, kSpread) * values[static_cast<std::size_t>(point.n)];
      }
      return sum;
    };
    std::vector<double> takes(parts.size());
    for_each_in_order([&](std::size_t n, std::size_t) { takes[n] = parts[n] * volumes_[n]; });
    std::vector<double> gives(parts.size(), 0.0);  // for a weight of one
    for_each_in_order([&](std::size_t n, std::size_t i) {
      if (!(parts[n] > 0)) return;
      const double sum = sum_around(n, takes);
      if (sum > 0) gives[n] = parts[n] * (particles[i].volume - particles[i].shown) / sum;
    });
    for_each_in_order([&](std::size_t n, std::size_t i) {
      if (!(parts[n] > 0)) return;
      const double kept = (1 - parts[n]) * (particles[i].volume - particles[i].shown);
      particles[i].volume =
          std::max(0.0, particles[i].shown + kept + takes[n] * sum_around(n, gives));
    });
  }

  // Half of the thickness that parts would have if they showed all that they carry, m.
  [[nodiscard]] std::vector<double> carried_radii(std::span<const ThinParticle> particles) {
    struct Part {
      double carried = 0, shown = 0, area = 0, by_radius = 0;
    };
    const std::vector<Part> parts = tiles_.in_order<Part>([&](std::size_t i) {
      const double area = samples_[i].area;
      return Part{particles[i].volume, particles[i].shown, area,
                  area * samples_[i].particle.radius};
    });
    std::vector<double> radii(particles.size());
    for_each_in_order([&](std::size_t n, std::size_t i) {
      Part sum;
      for (const NearPairs::Point& point : near_.of(n)) {
        const double weight = near_weight(point.squared, kSmooth);
        const Part& part = parts[static_cast<std::size_t>(point.n)];
        sum.carried += weight * part.carried;
        sum.shown += weight * part.shown;
        sum.area += weight * part.area;
        sum.by_radius += weight * part.by_radius;
      }
      means_[i] = sum.area > 0 ? sum.by_radius / sum.area : samples_[i].particle.radius;
      const double ratio = sum.shown > 0 ? sum.carried / sum.shown : 1;
      const double rim = ratio > 1 ? rims_[i].norm() : 0;
      radii[i] = means_[i] *
                 std::pow(std::clamp(ratio, 0.01, 10.0), (1 - 0.5 * rim) * samples_[i].flatness);
      beyond_[i] = ratio > 1 ? std::min(kRimReach * (ratio - 1), kMostRim) * lattice_.spacing : 0;
    });
    return radii;
  }

  // Small ones give what they carry to thicker ones near by.
  [[nodiscard]] std::vector<char> redistribute(std::span<const double> progress,
                                               std::vector<ThinParticle>& particles) const {
    std::vector<char> has_given(particles.size(), 0);
    std::vector<std::size_t> small;
    std::vector<Vec3> small_places;
    for (std::size_t i = 0; i < particles.size() && params_.redistribution > 0; ++i) {
      if (!is_small(particles[i].radius) || !(progress[i] > 0)) continue;
      small.push_back(i);
      small_places.push_back(particles[i].position);
    }
    if (small.empty()) return has_given;
    const double reach = params_.redistribution;
    const PointTiles from(small_places, lattice_, kTile);
    const NearPairs near(from, tiles_, reach);
    const std::vector<double> radii = in_order([&](std::size_t i) { return particles[i].radius; });
    std::vector<double> more(particles.size(), 0.0);
    for (std::size_t n = 0; n < small.size(); ++n) {
      const std::size_t i = small[static_cast<std::size_t>(from.order()[n])];
      const auto weight = [&](const NearPairs::Point& point) {
        const double thicker = radii[static_cast<std::size_t>(point.n)] / particles[i].radius - 1;
        return thicker > 0 ? thicker * nearness(point.squared, reach) : 0;
      };
      double sum = 0;
      for (const NearPairs::Point& point : near.of(n)) sum += weight(point);
      if (!(sum > 0)) continue;
      const double volume = progress[i] * particles[i].volume;
      has_given[i] = 1;
      more[i] -= volume;
      for (const NearPairs::Point& point : near.of(n)) {
        const auto to = static_cast<std::size_t>(tiles_.order()[static_cast<std::size_t>(point.n)]);
        more[to] += weight(point) / sum * volume;
      }
    }
    for (std::size_t i = 0; i < particles.size(); ++i) particles[i].volume += more[i];
    return has_given;
  }

  [[nodiscard]] bool is_small(double radius) const {
    return 2 * radius <= params_.small * lattice_.spacing;
  }

  void set_offset(std::size_t i, double progress, bool has_given, ThinParticle& particle) const {
    const ThinSample& sample = samples_[i];
    const double voxel = lattice_.spacing;
    const double growth =
        (is_small(particle.radius) ? params_.grow_small : params_.grow_big) * progress * voxel;
    particle.least_radius =
        has_given ? (1 - progress) * particle.least_radius
                  : std::min(std::max(particle.least_radius, particle.radius) + growth,
                             params_.thinness / 2 * voxel);
    if (sample.particle.is_film) particle.least_radius = 0;
    if (is_free(sample, lattice_)) return;
    const double wanted = std::max(particle.radius, particle.least_radius - kRadiusSlack * voxel);
    const double offset = std::clamp((wanted - means_[i]) / voxel, -kMostShrinkage, kMostGrowth);
    const double share =
        std::clamp((kFree - thickness(sample.particle) / voxel) / (kFree - kHeld), 0.0, 1.0);
    particle.area = share * sample.area;
    particle.shift = share * (beyond_[i] * rims_[i] + shifts_[i]);
    if (std::abs(offset) < kLeastOffset) return;
    particle.offset = share * voxel * (offset - std::copysign(kLeastOffset, offset));
    particle.shown *= std::pow(std::max(0.0, 1 + particle.offset / means_[i]), 1 / sample.flatness);
  }

  std::span<const ThinSample> samples_;
  Lattice lattice_;
  ThickeningParams params_;
  double near_reach_, far_reach_;
  PointTiles tiles_;             // of the samples
  NearPairs near_;               // samples around samples
  std::vector<double> volumes_;  // of the samples, m^3, in the order of tiles
  std::vector<Received> received_;
  std::vector<double> means_;   // of the radii around samples
  std::vector<Vec3> rims_;      // outwards, at the end of sheets and strands; up to 1
  std::vector<double> beyond_;  // m, that such ends are short of
  std::vector<Vec3> shifts_;    // m
};

// What of a particle's volume its body has; droplets have theirs.
double held_share(const MovedThinLiquid& moved, std::size_t gift) {
  if (gift >= moved.liquid.particles.size() || moved.held.empty()) return 1;
  const std::int32_t body = moved.liquid.particles[gift].body;
  return body < 0 ? 1 : moved.held[static_cast<std::size_t>(body)];
}

// Of particles and then droplets, by which of them fly now.
void add_flight_changes(const MovedThinLiquid& moved, std::span<const Gift> gifts,
                        std::span<const char> flies, std::vector<FlightChange>& flights) {
  const std::vector<ThinParticle>& particles = moved.liquid.particles;
  for (std::size_t i = 0; i < gifts.size(); ++i) {
    const bool has_flown = i >= particles.size();
    const bool is_flying = flies[i] != 0;
    const double volume = gifts[i].what.volume;
    if (has_flown == is_flying || !(volume > 0)) continue;
    flights.push_back({is_flying ? held_share(moved, i) * volume : -volume, gifts[i].place,
                       is_flying ? particles[i].body : -1});
  }
}

}  // namespace

ThinLiquid settled_thin_liquid(const MovedThinLiquid& moved, std::span<const ThinSample> samples,
                               const ScalarField& distance, const Lattice& lattice,
                               const ThickeningParams& params, double reach,
                               std::vector<FlightChange>* flights) {
  Settling settling(samples, lattice, params, reach);
  ThinLiquid settled;
  std::vector<Gift> gifts;
  std::vector<Vec3> velocities;
  for (std::size_t i = 0; i < moved.liquid.particles.size(); ++i) {
    const ThinParticle& particle = moved.liquid.particles[i];
    const double volume = particle.volume;
    gifts.push_back({particle.position,
                     {volume, volume * particle.radius, volume * particle.least_radius,
                      volume * moved.ways[i]}});
    velocities.push_back(moved.velocities[i]);
  }
  for (const Droplet& droplet : moved.liquid.droplets) {
    gifts.push_back({droplet.position, {.volume = droplet.volume}});
    velocities.push_back(droplet.velocity);
  }
  const std::vector<char> is_taken = settling.give(gifts);
  std::vector<Droplet> lost;
  std::vector<std::size_t> gift_of_lost;
  for (std::size_t i = 0; i < gifts.size(); ++i) {
    if (is_taken[i] != 0 || !(gifts[i].what.volume > 0)) continue;
    lost.push_back({gifts[i].place, velocities[i], gifts[i].what.volume});
    gift_of_lost.push_back(i);
  }
  std::vector<Vec3> at;
  for (const Droplet& droplet : lost) at.push_back(droplet.position);
  std::vector<double> depths(at.size());
  evaluate_parallel(distance, at, depths);
  std::vector<Gift> inside;  // what thick liquid takes up
  std::vector<char> flies(gifts.size(), 0);
  for (std::size_t i = 0; i < lost.size(); ++i) {
    if (depths[i] > 0) {
      const double share = held_share(moved, gift_of_lost[i]);
      if (!(share > 0)) continue;
      settled.droplets.push_back(lost[i]);
      settled.droplets.back().volume *= share;
      flies[gift_of_lost[i]] = 1;
    } else {
      inside.push_back({lost[i].position, {.volume = lost[i].volume}});
    }
  }
  settling.give_inside(inside);
  if (flights != nullptr) add_flight_changes(moved, gifts, flies, *flights);
  settled.particles = settling.particles();
  return settled;
}

}  // namespace spindrift
