// Thin liquid that has moved, settled on the parts that are thin now.
#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <vector>

#include "spindrift/core/parallel.hpp"
#include "spindrift/surface/point_cubes.hpp"
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

// What each of `gifts` has for the samples around it is found by shares_of(gift, add), from several
// threads: add(sample, part) for each. Then follow take(gift, sample, part), one after the other:
// sums do not depend on threads.
template <class Shares, class Take>
void share_out(std::size_t gifts, const Shares& shares_of, const Take& take) {
  struct Share {
    std::size_t gift, sample;
    double part;
  };
  constexpr std::size_t kAtOnce = 512;
  std::array<std::vector<Share>, 64> lists;  // of all gifts they would take much memory
  constexpr std::size_t kBatch = kAtOnce * std::tuple_size_v<decltype(lists)>;
  for (std::size_t first = 0; first < gifts; first += kBatch) {
    const auto count = static_cast<std::int64_t>(std::min(kBatch, gifts - first));
    for (std::vector<Share>& list : lists) list.clear();
    parallel_for_chunks(count, kAtOnce, [&](std::int64_t begin, std::int64_t end) {
      std::vector<Share>& list = lists[static_cast<std::size_t>(begin) / kAtOnce];
      for (std::int64_t i = begin; i < end; ++i) {
        const std::size_t gift = first + static_cast<std::size_t>(i);
        shares_of(gift, [&](std::size_t sample, double part) {
          list.push_back({gift, sample, part});
        });
      }
    });
    for (const std::vector<Share>& list : lists) {
      for (const Share& share : list) take(share.gift, share.sample, share.part);
    }
  }
}

class Settling {
 public:
  Settling(std::span<const ThinSample> samples, const Lattice& lattice,
           const ThickeningParams& params, double reach)
      : samples_(samples),
        lattice_(lattice),
        params_(params),
        places_(places(samples)),
        near_reach_(reach),
        far_reach_(std::max(reach, params.redistribution)),
        near_(places_, lattice, near_reach_, PointCubes::Looks::at_points),
        around_(places_, lattice, kSmooth, PointCubes::Looks::at_points),
        received_(samples.size()) {}

  // Which of them were taken: the others have nothing thin near by.
  [[nodiscard]] std::vector<char> give(std::span<const Gift> gifts) {
    for (const Gift& gift : gifts) {
      carried_places_.push_back(gift.place);
      carried_volumes_.push_back(gift.what.volume);
    }
    std::vector<char> is_taken = give(gifts, near_, near_reach_);
    if (!(far_reach_ > near_reach_)) return is_taken;
    std::vector<std::size_t> left;
    std::vector<Gift> left_gifts;
    for (std::size_t i = 0; i < gifts.size(); ++i) {
      if (is_taken[i] != 0) continue;
      left.push_back(i);
      left_gifts.push_back(gifts[i]);
    }
    if (left.empty()) return is_taken;
    const std::vector<char> is_taken_far =
        give(left_gifts, PointCubes(places_, lattice_, far_reach_, PointCubes::Looks::at_points),
             far_reach_);
    for (std::size_t k = 0; k < left.size(); ++k) is_taken[left[k]] = is_taken_far[k];
    return is_taken;
  }
  // The same from inside of the liquid, where the middle may be farther off.
  void give_inside(std::span<const Gift> gifts) {
    if (gifts.empty()) return;
    (void)give(gifts, PointCubes(places_, lattice_, kDeep, PointCubes::Looks::at_points), kDeep);
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

  std::vector<char> give(std::span<const Gift> gifts, const PointCubes& cubes, double reach) {
    std::vector<char> is_taken(gifts.size(), 0);
    share_out(
        gifts.size(),
        [&](std::size_t i, const auto& add) { share(cubes, reach, gifts[i].place, add); },
        [&](std::size_t i, std::size_t sample, double part) {
          const Received& what = gifts[i].what;
          Received& got = received_[sample];
          got.volume += part * what.volume;
          got.radius += part * what.radius;
          got.least_radius += part * what.least_radius;
          got.way += part * what.way;
          is_taken[i] = 1;
        });
    return is_taken;
  }

  // Calls add(sample, part) for what each of the samples around gets.
  template <class Add>
  void share(const PointCubes& cubes, double reach, const Vec3& place, const Add& add) const {
    const auto weight = [&](std::size_t i, double squared) {
      // Narrow: liquid at rest is to stay where it is, and what the ends of strands carry is not to
      // spread inwards.
      const double near = 1 - squared / (reach * reach);
      const double cubed = near * near * near;
      return cubed * cubed / (squared + kSame) * samples_[i].volume;
    };
    double sum = 0;
    cubes.for_each_near(place, [&](std::size_t i, double squared) { sum += weight(i, squared); });
    if (!(sum > 0)) return;
    cubes.for_each_near(place,
                        [&](std::size_t i, double squared) { add(i, weight(i, squared) / sum); });
  }

  // The middle of volumes around a sample, from it, m.
  template <class Volume>
  [[nodiscard]] Vec3 middle_around(std::size_t i, const PointCubes& cubes,
                                   std::span<const Vec3> places, const Volume& volume) const {
    double sum = 0;
    Vec3 moment = Vec3::Zero();
    cubes.for_each_near(places_[i], [&](std::size_t k, double squared) {
      const double share = 1 - squared / (kSmooth * kSmooth);
      const double weight = share * share * volume(k);
      sum += weight;
      moment += weight * (places[k] - places_[i]);
    });
    return sum > 0 ? Vec3(moment / sum) : Vec3::Zero();
  }

  // Where sheets and strands end there are samples on one side only. There contours erode the most,
  // and what is missing is put back beyond the end. Also, contours pull what is small towards the
  // nodes: strands and drops are shifted to where the middle is of what they carry. Beside solids
  // neither is known: what lies in there has no samples, and half of what a shift moves would
  // vanish there, or come from there.
  void find_rims_and_shifts() {
    const PointCubes carried(carried_places_, lattice_, kSmooth, PointCubes::Looks::at_points);
    rims_.assign(samples_.size(), Vec3::Zero());
    shifts_.assign(samples_.size(), Vec3::Zero());
    for_each_sample([&](std::size_t i) {
      if (is_free(samples_[i], lattice_) || samples_[i].is_cut_off) return;
      const Vec3 shown =
          middle_around(i, around_, places_, [&](std::size_t k) { return samples_[k].volume; });
      const double off = shown.norm() / (kSmooth * lattice_.spacing);
      if (off > kNoRim) {
        rims_[i] = -std::min(1.0, (off - kNoRim) / (kRim - kNoRim)) * shown.normalized();
      }
      const double part = 1 - sheet_part(samples_[i]);
      if (!(part > 0)) return;
      const Vec3 shift = middle_around(i, carried, carried_places_,
                                       [&](std::size_t k) { return carried_volumes_[k]; }) -
                         shown;
      const double length = shift.norm() / lattice_.spacing;
      if (length > kLeastOffset) shifts_[i] = part * std::min(1.0, kMostShift / length) * shift;
    });
  }

  // Particles come in lumps, and sheets would show them: what they carry more than is shown, or
  // less, is spread over those around, in proportion to what is shown. Strands and drops keep
  // theirs.
  void spread_in_sheets(std::vector<ThinParticle>& particles) const {
    const PointCubes cubes(places_, lattice_, kSpread, PointCubes::Looks::at_points);
    const auto part_in_sheet = [&](std::size_t i) {
      // Those that are about to break up are to do so.
      const bool breaks =
          params_.redistribution > 0 &&
          is_small(samples_[i].particle.radius * particles[i].volume / particles[i].shown);
      if (breaks || is_free(samples_[i], lattice_)) return 0.0;
      return (1 - rims_[i].norm()) * sheet_part(samples_[i]);
    };
    std::vector<double> parts(particles.size());
    for_each_sample([&](std::size_t i) { parts[i] = part_in_sheet(i); });
    const auto weight = [&](std::size_t k, double squared) {
      const double share = 1 - squared / (kSpread * kSpread);
      return share * share * parts[k] * samples_[k].volume;
    };
    std::vector<double> given(particles.size());
    for_each_sample([&](std::size_t i) {
      double sum = 0;
      cubes.for_each_near(places_[i],
                          [&](std::size_t k, double squared) { sum += weight(k, squared); });
      const double excess = parts[i] * (particles[i].volume - particles[i].shown);
      given[i] = sum > 0 ? excess / sum : 0;
    });
    for_each_sample([&](std::size_t i) {
      const double part = parts[i];
      if (!(part > 0)) return;
      double sum = 0;
      cubes.for_each_near(
          places_[i], [&](std::size_t k, double squared) { sum += given[k] * weight(i, squared); });
      const double kept = (1 - part) * (particles[i].volume - particles[i].shown);
      particles[i].volume = std::max(0.0, particles[i].shown + kept + sum);
    });
  }

  // Half of the thickness that parts would have if they showed all that they carry, m.
  [[nodiscard]] std::vector<double> carried_radii(std::span<const ThinParticle> particles) {
    std::vector<double> radii(particles.size());
    means_.resize(particles.size());
    beyond_.resize(particles.size());
    for_each_sample([&](std::size_t i) {
      double carried = 0;
      double shown = 0;
      double area = 0;
      double radius = 0;
      around_.for_each_near(places_[i], [&](std::size_t k, double squared) {
        const double share = 1 - squared / (kSmooth * kSmooth);
        const double weight = share * share;
        carried += weight * particles[k].volume;
        shown += weight * particles[k].shown;
        area += weight * samples_[k].area;
        radius += weight * samples_[k].area * samples_[k].particle.radius;
      });
      means_[i] = area > 0 ? radius / area : samples_[i].particle.radius;
      const double ratio = shown > 0 ? carried / shown : 1;
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
    if (!(params_.redistribution > 0)) return has_given;
    const double reach = params_.redistribution;
    const PointCubes cubes(places_, lattice_, reach, PointCubes::Looks::at_points);
    const auto shares_of = [&](std::size_t i, const auto& add) {
      if (!is_small(particles[i].radius) || !(progress[i] > 0)) return;
      const auto weight = [&](std::size_t k, double squared) {
        const double thicker = particles[k].radius / particles[i].radius - 1;
        return thicker > 0 ? thicker * (1 - squared / (reach * reach)) : 0;
      };
      double sum = 0;
      cubes.for_each_near(places_[i],
                          [&](std::size_t k, double squared) { sum += weight(k, squared); });
      if (!(sum > 0)) return;
      cubes.for_each_near(places_[i], [&](std::size_t k, double squared) {
        const double part = weight(k, squared) / sum;
        if (part > 0) add(k, part);
      });
    };
    std::vector<double> more(particles.size(), 0.0);
    share_out(particles.size(), shares_of, [&](std::size_t from, std::size_t to, double part) {
      const double volume = progress[from] * particles[from].volume;
      if (has_given[from] == 0) more[from] -= volume;
      has_given[from] = 1;
      more[to] += part * volume;
    });
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
  std::vector<Vec3> places_;
  double near_reach_, far_reach_;
  PointCubes near_, around_;
  std::vector<Received> received_;
  std::vector<double> means_;   // of the radii around samples
  std::vector<Vec3> rims_;      // outwards, at the end of sheets and strands; up to 1
  std::vector<double> beyond_;  // m, that such ends are short of
  std::vector<Vec3> carried_places_;
  std::vector<double> carried_volumes_;
  std::vector<Vec3> shifts_;  // m
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
