#include "spindrift/sim/outflow.hpp"

#include <algorithm>
#include <cmath>

#include "spindrift/core/parallel.hpp"

namespace spindrift {
namespace {

// Nodes along a side of the cubes that are looked at together.
constexpr int kSide = 4;
// Voxels: half of their diagonal, and of a voxel's.
const double kHalfCube = 0.5 * kSide * std::sqrt(3.0);
const double kHalfVoxel = 0.5 * std::sqrt(3.0);

// Liquid that may leave: a place, and the volume that is there.
struct Parcel {
  Vec3 place = Vec3::Zero();
  double size = 0;    // m, the side of what it stands for
  double volume = 0;  // m^3, of that, liquid
};

// Of a cube around a place, what is on the negative side; the distance in sides of the cube.
double inner_share(double distance) { return std::clamp(0.5 - distance, 0.0, 1.0); }

class Leaving {
 public:
  Leaving(const FlowingLiquid& liquid, std::span<const SurfaceEdit> openings,
          const SolidsAt& solids)
      : liquid_(liquid), openings_(openings), solids_(solids), voxel_(liquid.lattice.spacing) {}

  // Of the cube whose first node it is.
  [[nodiscard]] std::vector<Parcel> parcels(const Vec3i& first) const {
    const Vec3 middle =
        liquid_.lattice.position(first) + Vec3::Constant(voxel_ * (kSide - 1) / 2.0);
    const bool is_far =
        std::all_of(openings_.begin(), openings_.end(), [&](const SurfaceEdit& opening) {
          return values(*opening.shape, {&middle, 1})[0] > liquid_.way + kHalfCube * voxel_;
        });
    if (is_far) return {};
    std::vector<Vec3> nodes;
    for (int z = 0; z < kSide; ++z) {
      for (int y = 0; y < kSide; ++y) {
        for (int x = 0; x < kSide; ++x) {
          nodes.push_back(liquid_.lattice.position(Vec3i(first + Vec3i(x, y, z))));
        }
      }
    }
    const std::vector<double> depths = outside_of_solids(nodes);
    std::vector<Parcel> parcels;
    std::vector<Vec3> parts;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (depths[i] < -2 * kHalfVoxel * voxel_) {
        parcels.push_back({nodes[i], voxel_, voxel_ * voxel_ * voxel_});
      } else if (depths[i] < kHalfVoxel * voxel_) {
        // Near its surface it is looked at twice as closely.
        for (int k = 0; k < 8; ++k) {
          parts.emplace_back(nodes[i] +
                             voxel_ / 4 * Vec3(k % 2 * 2 - 1, k / 2 % 2 * 2 - 1, k / 4 * 2 - 1));
        }
      }
    }
    const std::vector<double> of_parts = outside_of_solids(parts);
    const double size = voxel_ / 2;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double volume = size * size * size * inner_share(of_parts[i] / size);
      if (volume > 0) parcels.push_back({parts[i], size, volume});
    }
    return parcels;
  }

  // What of them ends in the openings.
  void add_gone(std::span<const Parcel> parcels, std::vector<EditedVolume>& all) const {
    std::vector<Vec3> ends;
    ends.reserve(parcels.size());
    for (const Parcel& parcel : parcels) ends.push_back(parcel.place);
    // As the tracker traces back.
    std::vector<Vec3> velocities(ends.size());
    liquid_.paths.evaluate(ends, velocities);
    for (std::size_t i = 0; i < ends.size(); ++i) ends[i] += liquid_.dt / 2 * velocities[i];
    liquid_.paths.evaluate(ends, velocities);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      ends[i] = parcels[i].place + liquid_.dt * velocities[i];
    }
    std::vector<double> shares(parcels.size(), 0.0);  // gone through the openings so far
    for (const SurfaceEdit& opening : openings_) {
      const std::vector<double> distances = values(*opening.shape, ends);
      EditedVolume gone{.tag = opening.tag};
      for (std::size_t i = 0; i < ends.size(); ++i) {
        const double share = std::max(shares[i], inner_share(distances[i] / parcels[i].size));
        const double volume = (share - shares[i]) * parcels[i].volume;
        shares[i] = share;
        gone.volume -= volume;
        gone.place += volume * parcels[i].place;
      }
      if (!(gone.volume < 0)) continue;
      gone.place /= -gone.volume;
      all.push_back(gone);
    }
  }

 private:
  [[nodiscard]] static std::vector<double> values(const ScalarField& field,
                                                  std::span<const Vec3> points) {
    std::vector<double> all(points.size());
    field.evaluate(points, all);
    return all;
  }
  [[nodiscard]] std::vector<double> outside_of_solids(std::span<const Vec3> points) const {
    std::vector<double> depths = values(liquid_.distance, points);
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (depths[i] < voxel_) depths[i] = std::max(depths[i], -solids_.distance(points[i]));
    }
    return depths;
  }

  const FlowingLiquid& liquid_;
  std::span<const SurfaceEdit> openings_;
  const SolidsAt& solids_;
  double voxel_;
};

}  // namespace

std::vector<EditedVolume> outflow(const FlowingLiquid& liquid, std::span<const SurfaceEdit> edits,
                                  const SolidsAt& solids) {
  std::vector<SurfaceEdit> openings;
  Box3 all_openings;
  for (const SurfaceEdit& edit : edits) {
    if (edit.kind != SurfaceEdit::Kind::remove || edit.box.isEmpty()) continue;
    openings.push_back(edit);
    all_openings.extend(edit.box);
  }
  const Vec3 reach = Vec3::Constant(liquid.way + liquid.lattice.spacing);
  const Box3 box =
      Box3(all_openings.min() - reach, all_openings.max() + reach).intersection(liquid.box);
  if (openings.empty() || box.isEmpty()) return {};
  const Vec3i low = liquid.lattice.to_lattice(box.min()).array().floor().cast<int>();
  const Vec3i high = liquid.lattice.to_lattice(box.max()).array().ceil().cast<int>();
  const Vec3i cubes = (high - low).array() / kSide + 1;
  const Leaving leaving(liquid, openings, solids);
  std::vector<std::vector<EditedVolume>> rows(static_cast<std::size_t>(cubes.y()) *
                                              static_cast<std::size_t>(cubes.z()));
  parallel_for_each(
      std::ssize(rows),
      [&](std::int64_t row) {
        const int y = static_cast<int>(row % cubes.y());
        const int z = static_cast<int>(row / cubes.y());
        for (int x = 0; x < cubes.x(); ++x) {
          const std::vector<Parcel> parcels = leaving.parcels(low + kSide * Vec3i(x, y, z));
          if (!parcels.empty()) leaving.add_gone(parcels, rows[static_cast<std::size_t>(row)]);
        }
      },
      1);
  std::vector<EditedVolume> all;
  for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}

}  // namespace spindrift
