#include "spindrift/sim/volume_control.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "spindrift/geometry/union_find.hpp"

namespace spindrift {
namespace {

// Of what is missing, in a step. Measured volumes have next to no noise that more could amplify.
constexpr double kGain = 0.75;
// No body grows or shrinks by more than this share in a step.
constexpr double kMostChange = 0.02;
// 1/s. Nor faster than this: steps get shorter where liquid becomes faster, and a change that is
// forced into them makes it faster still.
constexpr double kMostRate = 2;

}  // namespace

void VolumeControl::start(std::span<const BodyVolume> bodies) {
  bodies_.clear();
  waiting_ = 0;
  for (const BodyVolume& body : bodies)
    bodies_.push_back({.id = body.id,
                       .volume = body.volume,
                       .missing = body.edited,
                       .place = body.place,
                       .group = body.group});
}

double VolumeControl::update(std::span<const BodyVolume> now, const Heir& heir) {
  // Bodies before and now, connected by where their liquid went.
  const auto before_count = static_cast<std::int32_t>(bodies_.size());
  UnionFind connected(before_count + std::ssize(now));
  std::map<std::int64_t, std::int32_t> before_of_id;
  for (std::int32_t b = 0; b < before_count; ++b) {
    before_of_id[bodies_[static_cast<std::size_t>(b)].id] = b;
  }
  for (std::size_t n = 0; n < now.size(); ++n) {
    for (const std::int64_t parent : now[n].parents) {
      const auto found = before_of_id.find(parent);
      if (found == before_of_id.end()) continue;
      connected.unite(before_count + static_cast<std::int32_t>(n), found->second);
    }
  }

  const auto unite_groups = [&](const auto& bodies, std::int32_t first) {
    std::map<std::int64_t, std::int32_t> node_of_group;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      if (bodies[b].group < 0) continue;
      const std::int32_t node = first + static_cast<std::int32_t>(b);
      connected.unite(node_of_group.try_emplace(bodies[b].group, node).first->second, node);
    }
  };
  unite_groups(bodies_, 0);
  unite_groups(now, before_count);

  struct Pool {
    double missing = 0, volume = 0;
  };
  std::vector<Pool> pools(bodies_.size() + now.size());
  const auto pool_of = [&](std::size_t node) -> Pool& {
    return pools[static_cast<std::size_t>(connected.find(static_cast<std::int32_t>(node)))];
  };
  double change = 0;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    Pool& pool = pool_of(b);
    pool.missing += bodies_[b].volume + bodies_[b].missing;
    change -= bodies_[b].volume;
  }
  for (std::size_t n = 0; n < now.size(); ++n) {
    Pool& pool = pool_of(bodies_.size() + n);
    pool.missing += now[n].edited + now[n].landed - now[n].volume;
    pool.volume += now[n].volume;
    change += now[n].volume - now[n].edited - now[n].landed;
  }
  // What has no volume left to show it in goes to another.
  const auto most = std::max_element(
      now.begin(), now.end(),
      [](const BodyVolume& a, const BodyVolume& b) { return a.volume < b.volume; });
  const auto pass_on = [&](std::size_t node, const Vec3& place) {
    Pool& pool = pool_of(node);
    if (pool.volume > 0 || pool.missing == 0) return;
    std::ptrdiff_t next = heir(place);
    if (next < 0 || !(pool_of(bodies_.size() + static_cast<std::size_t>(next)).volume > 0)) {
      next = most - now.begin();
    }
    const bool is_shown = most != now.end() && most->volume > 0;
    (is_shown ? pool_of(bodies_.size() + static_cast<std::size_t>(next)).missing : waiting_) +=
        pool.missing;
    pool = {};
  };
  if (waiting_ != 0 && most != now.end() && most->volume > 0) {
    pool_of(bodies_.size() + static_cast<std::size_t>(most - now.begin())).missing +=
        std::exchange(waiting_, 0.0);
  }
  for (std::size_t b = 0; b < bodies_.size(); ++b) pass_on(b, bodies_[b].place);
  for (std::size_t n = 0; n < now.size(); ++n) pass_on(bodies_.size() + n, now[n].place);

  std::vector<Body> bodies;
  for (std::size_t n = 0; n < now.size(); ++n) {
    const Pool& pool = pool_of(bodies_.size() + n);
    const double share = pool.volume > 0 ? now[n].volume / pool.volume : 0;
    bodies.push_back({now[n].id, now[n].volume, share * pool.missing, now[n].place, now[n].group});
  }
  bodies_ = std::move(bodies);
  return change;
}

std::vector<double> VolumeControl::to_show(double least_volume) const {
  std::vector<double> more(bodies_.size(), 0.0);
  const auto largest =
      std::max_element(bodies_.begin(), bodies_.end(),
                       [](const Body& a, const Body& b) { return a.volume < b.volume; }) -
      bodies_.begin();
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const bool is_moved = bodies_[b].volume >= least_volume;
    more[is_moved ? b : static_cast<std::size_t>(largest)] += bodies_[b].missing;
  }
  return more;
}

// Calls visit(body, shown, missing), with sums over those measured together.
template <class Visit>
void VolumeControl::for_each_with_its_group(const Visit& visit) const {
  struct Sum {
    double shown = 0, missing = 0;
  };
  std::map<std::int64_t, Sum> of_group;
  for (const Body& body : bodies_) {
    if (body.group < 0) continue;
    Sum& sum = of_group[body.group];
    sum.shown += body.volume;
    sum.missing += body.missing;
  }
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Body& body = bodies_[b];
    const Sum sum = body.group < 0 ? Sum{body.volume, body.missing} : of_group[body.group];
    visit(b, sum.shown, sum.missing);
  }
}

std::vector<double> VolumeControl::true_shares() const {
  constexpr double kMost = 2;
  std::vector<double> shares(bodies_.size(), 1.0);
  for_each_with_its_group([&](std::size_t b, double shown, double missing) {
    if (shown > 0) shares[b] = std::clamp(1 + missing / shown, 0.0, kMost);
  });
  return shares;
}

std::vector<double> VolumeControl::held_shares(std::span<const double> carried) const {
  std::map<std::int64_t, double> of_group;
  for (std::size_t b = 0; b < bodies_.size(); ++b) of_group[bodies_[b].group] += carried[b];
  std::vector<double> shares(bodies_.size(), 1.0);
  for_each_with_its_group([&](std::size_t b, double shown, double missing) {
    const double all = bodies_[b].group < 0 ? carried[b] : of_group[bodies_[b].group];
    const double target = std::max(0.0, shown + missing);
    if (all > target) shares[b] = target / all;
  });
  return shares;
}

double VolumeControl::divergence(std::size_t body, double more, double dt) const {
  const double volume = bodies_[body].volume;
  if (!(volume > 0) || !(dt > 0)) return 0;
  const double most = std::min(kMostChange, kMostRate * dt);
  return std::clamp(kGain * more / volume, -most, most) / dt;
}

}  // namespace spindrift
