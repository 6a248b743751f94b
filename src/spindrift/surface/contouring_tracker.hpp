// Semi-Lagrangian contouring [Chentanez2007 §3.2; Bargteil et al. 2006]: the new distance is the
// old one, looked up where the flow came from; its zero set is contoured; the distance is measured
// anew.
//
//   phi'(x) = phi(x traced back by dt)    at the nodes around where the surface goes
//   S'      = contour of phi'             vertices at the roots of cubics through the samples
//   phi     = signed distance to S'       at the nodes within `band` of it
//
// The paper measures phi' as the exact distance to the flat triangles of S. That loses the volume
// between the triangles and the curved surface at each step: SurfaceModel::flat, kept as the
// reference. SurfaceModel::curved, the default, looks phi up by limited cubic interpolation of its
// samples, and measures the samples from patches that turn with the normals of S'
// (levelset/curved_patch.hpp).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "spindrift/levelset/cubic_sampler.hpp"
#include "spindrift/levelset/mesh_distance.hpp"
#include "spindrift/surface/particle_field.hpp"
#include "spindrift/surface/tracker.hpp"

namespace spindrift {

enum class SurfaceModel { flat, curved };

struct ContouringParams {
  Lattice lattice;
  float band = 3;  // lattice units, from 2 to 7
  SurfaceModel model = SurfaceModel::curved;
  PathScheme paths = PathScheme::midpoint;  // how nodes are traced
  double least_volume = 0.1;                // voxels: smaller drops and pockets are removed
};

// A contour, and the bodies of liquid that it encloses.
struct TrackedSurface {
  TriangleMesh mesh;
  std::vector<Vec3f> normals;  // of its vertices
  LiquidComponents components;
};

class ContouringTracker final : public Tracker {
 public:
  // Starts with the part of the shape inside the box, continued into solids. `shape` must not
  // exceed the distance to its zero set.
  ContouringTracker(const ScalarField& shape, const Box3& box, const ContouringParams& params,
                    const SolidContinuation& solids = {});
  ContouringTracker(const ContouringTracker&) = delete;
  ContouringTracker& operator=(const ContouringTracker&) = delete;

  using Tracker::advance;
  TrackerReport advance(const VelocityField& velocity, double dt,
                        const SurfaceChanges& changes) override;
  [[nodiscard]] const TriangleMesh& surface() const override { return tracked_->mesh; }
  [[nodiscard]] std::span<const Vec3f> normals() const override { return tracked_->normals; }
  [[nodiscard]] const LiquidComponents& components() const override { return tracked_->components; }
  [[nodiscard]] const VertexGrid& vertices() const override { return vertices_; }
  [[nodiscard]] const ScalarField& distance() const override { return sampler_; }
  [[nodiscard]] const BandDistance& samples() const { return distance_; }

  [[nodiscard]] const ThinLiquid& thin_liquid() const { return thin_; }

  // Moves the surface of every body outwards, m, by at most a voxel: its distance shrinks by as
  // much; or inwards where it is thick (inflation.hpp). `surface()` stays where it was contoured.
  // `thin`: what happens to thin parts besides. `moved`: what inflated() says of the same.
  void inflate(std::vector<double> offsets, std::span<const ThinChange> thin = {}) {
    BandDistance moved = inflated(offsets, thin);
    inflate(std::move(offsets), thin, std::move(moved));
  }
  void inflate(std::vector<double> offsets, std::span<const ThinChange> thin, BandDistance moved);
  // What the samples would be then.
  [[nodiscard]] BandDistance inflated(std::span<const double> offsets,
                                      std::span<const ThinChange> thin = {}) const;

  // All that the next steps follow from; the rest is made from it again. The surface is not copied:
  // steps make a new one.
  struct Memory {
    std::shared_ptr<const TrackedSurface> tracked;
    std::vector<double> offsets;
    ThinLiquid thin;
  };
  [[nodiscard]] Memory memory() const { return {tracked_, offsets_, thin_}; }
  void restore(Memory memory);

 private:
  void measure_distance();
  [[nodiscard]] std::vector<ThinSample> thin_samples_now(const SolidsAt* solids) const;
  // Makes the contour of the samples the surface, and measures its distance and components.
  // `number` may change the numbers of these.
  using Numbering = std::function<void(LiquidComponents& components, const SurfaceAt& surface)>;
  SpeckReport set_surface(const SampledField& samples, Stats& stats, const Numbering& number);

  ContouringParams params_;
  std::shared_ptr<const TrackedSurface> tracked_;
  VertexGrid vertices_;
  BandDistance distance_;
  CubicSampler sampler_{distance_};
  ThinLiquid thin_;
  std::vector<double> offsets_;  // of the bodies, since the last contour; empty: none
};

}  // namespace spindrift
