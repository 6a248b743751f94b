#include "spindrift/surface/contouring_tracker.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "spindrift/core/error.hpp"
#include "spindrift/geometry/mesh_shape.hpp"
#include "spindrift/geometry/shape.hpp"
#include "spindrift/levelset/contour.hpp"
#include "spindrift/levelset/surface_samples.hpp"
#include "spindrift/surface/inflation.hpp"
#include "spindrift/surface/surface_changes.hpp"
#include "spindrift/surface/thin_openings.hpp"
#include "spindrift/surface/within_reach.hpp"

namespace spindrift {
namespace {

// A field in metres as a function in lattice units.
NodeFunction in_lattice_units(const ScalarField& field, double spacing) {
  return [&field, spacing](std::span<const Vec3> points, std::span<float> values) {
    std::vector<double> metres(points.size());
    field.evaluate(points, metres);
    for (std::size_t i = 0; i < metres.size(); ++i) {
      values[i] = static_cast<float>(metres[i] / spacing);
    }
  };
}

// What a shape has in a box.
class InBox final : public ScalarField {
 public:
  InBox(const ScalarField& shape, const Box3& box)
      : shape_(shape), box_(make_box(box.min(), box.max())) {}
  void evaluate(std::span<const Vec3> points, std::span<double> values) const override {
    shape_.evaluate(points, values);
    for (std::size_t i = 0; i < points.size(); ++i) {
      values[i] = std::max(values[i], box_->distance(points[i]));
    }
  }

 private:
  const ScalarField& shape_;
  ShapePtr box_;
};

// What a field has outside of solids; null: none.
class OutsideOfSolids final : public ScalarField {
 public:
  OutsideOfSolids(const ScalarField& field, const SolidsAt* solids)
      : field_(field), solids_(solids) {}
  void evaluate(std::span<const Vec3> points, std::span<double> values) const override {
    field_.evaluate(points, values);
    if (solids_ == nullptr) return;
    for (std::size_t i = 0; i < points.size(); ++i) {
      values[i] = std::max(values[i], -solids_->distance(points[i]));
    }
  }

 private:
  const ScalarField& field_;
  const SolidsAt* solids_;
};

// The function as it was where the flow came from.
NodeFunction traced_back(const VelocityField& velocity, double dt, PathScheme paths,
                         const NodeFunction& function) {
  return [&velocity, dt, paths, &function](std::span<const Vec3> points, std::span<float> values) {
    std::vector<Vec3> origins(points.begin(), points.end());
    trace_paths(velocity, -dt, paths, origins);
    function(origins, values);
  };
}

// A function united with the liquid around particles.
NodeFunction united(const NodeFunction& function, const ParticleField& particles, double spacing) {
  return [&function, &particles, spacing](std::span<const Vec3> points, std::span<float> values) {
    function(points, values);
    std::vector<double> around(points.size());
    particles.evaluate(points, around);
    for (std::size_t i = 0; i < points.size(); ++i) {
      values[i] = std::min(values[i], static_cast<float>(around[i] / spacing));
    }
  };
}

// Reach of the particles' weights, voxels: farther than their radius and a cell's diagonal.
double particle_reach(std::span<const MedialParticle> particles, double spacing) {
  double radius = 0;
  for (const MedialParticle& particle : particles) radius = std::max(radius, particle.radius);
  return radius / spacing + 1.8;
}

// The nodes around particles.
TriangleMesh boxes_around(std::span<const MedialParticle> particles) {
  TriangleMesh boxes;
  for (const MedialParticle& particle : particles) {
    const auto first = static_cast<std::int32_t>(boxes.vertices.size());
    boxes.vertices.emplace_back(particle.position - Vec3::Constant(particle.radius));
    boxes.vertices.emplace_back(particle.position + Vec3::Constant(particle.radius));
    boxes.vertices.push_back(particle.position);
    boxes.triangles.push_back({first, first + 1, first + 2});
  }
  return boxes;
}

std::int64_t known_nodes(const SampledField& field) {
  std::int64_t count = 0;
  for (const BlockMask& mask : field.known) {
    for (const std::uint64_t word : mask) count += std::popcount(word);
  }
  return count;
}

}  // namespace

ContouringTracker::ContouringTracker(const ScalarField& shape, const Box3& box,
                                     const ContouringParams& params,
                                     const SolidContinuation& solids)
    : params_(params) {
  SPINDRIFT_ASSERT(params.band >= 2 && params.band <= 7 && params.lattice.spacing > 0);
  Stats stats;
  const InBox liquid(shape, box);
  const NodeFunction distance = in_lattice_units(liquid, params.lattice.spacing);
  const ContinuedIntoSolids continued(solids, params.lattice.spacing);
  const auto start = [&](std::span<const Vec3> points, std::span<float> values) {
    continued.start(distance, points, values);
  };
  const SampledField nodes = nodes_near_zero(liquid, box, params.lattice);
  (void)set_surface(sample_surface(nodes, start), stats, {});
  thin_ = thin_start(thin_samples_now(solids.solids), nodes, OutsideOfSolids(liquid, solids.solids),
                     sampler_);
  inflate_thin_parts(thin_, ThinOffset::own, distance_);
}

TrackerReport ContouringTracker::advance(const VelocityField& velocity, double dt,
                                         const SurfaceChanges& changes) {
  TrackerReport report;
  Stats& stats = report.stats;

  std::vector<SurfaceEdit> edits = changes.edits;
  SampledField samples;
  {
    // Where the surface goes, by and large: the nodes that are needed around it.
    const auto phase = stats.measure("predict");
    TriangleMesh moved = surface();
    trace_paths(velocity, dt, params_.paths, moved.vertices);
    expect_within_reach(moved.vertices, params_.lattice);
    samples = nodes_near(moved, params_.lattice);
    // Nothing can be taken away where nothing is.
    const double room = 2 * params_.lattice.spacing;
    Box3 liquid = bounds(moved);
    for (const SurfaceEdit& edit : edits) {
      if (edit.kind == SurfaceEdit::Kind::add) liquid.extend(edit.box);
    }
    std::erase_if(edits, [&](SurfaceEdit& edit) {
      if (edit.kind == SurfaceEdit::Kind::add) return false;
      if (liquid.isEmpty()) return true;
      edit.box = edit.box.intersection(
          Box3(liquid.min() - Vec3::Constant(room), liquid.max() + Vec3::Constant(room)));
      return edit.box.isEmpty();
    });
    for (const SurfaceEdit& edit : edits) {
      samples = united_nodes(samples, nodes_near_zero(*edit.shape, edit.box, params_.lattice));
    }
  }
  MovedThinLiquid thin;
  std::vector<MedialParticle> balls;
  {
    const auto phase = stats.measure("thin parts");
    if (changes.thickening) {
      const SolidsAt* solids = changes.solids.solids;
      thin = moved_thin_liquid(thin_, {velocity, changes.gravity, solids, dt}, params_.lattice);
      thin.held.assign(changes.held.begin(), changes.held.end());
      // Wherever they are: droplets fly far from the surface.
      report.taken = take_away(changes.edits, changes.outflow, params_.lattice, thin);
      balls = visible_droplets(thin.liquid.droplets, params_.lattice);
      if (!balls.empty()) {
        samples = united_nodes(samples, nodes_near(boxes_around(balls), params_.lattice));
      }
    }
    thin_ = {};
  }
  {
    const auto phase = stats.measure("trace");
    ShapePtr flat;
    NodeFunction old_distance;
    if (params_.model == SurfaceModel::flat) {
      flat = make_mesh_shape(surface());
      old_distance = in_lattice_units(*flat, params_.lattice.spacing);
    } else {
      old_distance = [this](std::span<const Vec3> points, std::span<float> values) {
        sampler_.evaluate(points, values);
      };
    }
    const ContinuedIntoSolids continued(changes.solids, params_.lattice.spacing);
    const NodeFunction outside = [&](std::span<const Vec3> points, std::span<float> values) {
      old_distance(points, values);
      continued.take_out_of_solids(points, values);
    };
    const NodeFunction moved = traced_back(velocity, dt, params_.paths, outside);
    const double reach = particle_reach(balls, params_.lattice.spacing);
    const ParticleField drops(balls, params_.lattice, reach);
    const NodeFunction with_drops = united(moved, drops, params_.lattice.spacing);
    const NodeFunction traced = [&](std::span<const Vec3> points, std::span<float> values) {
      continued.evaluate(balls.empty() ? moved : with_drops, points, values);
    };
    samples = sample_surface(std::move(samples), edited(traced, edits, params_.lattice));
    report.edited = edited_volumes(traced, edits, changes.solids.solids, params_.lattice);
  }
  report.nodes = known_nodes(samples);
  const std::shared_ptr<const TrackedSurface> old = tracked_;
  const VertexGrid old_vertices = std::move(vertices_);
  const auto match = [&](LiquidComponents& now, const SurfaceAt& new_surface) {
    match_components(old->components, {old->mesh, old_vertices}, now, new_surface, velocity, dt);
  };
  report.specks = set_surface(samples, stats, match);
  report.triangles = surface().triangle_count();
  if (changes.thickening) {
    const auto phase = stats.measure("thin parts");
    thin_ =
        settled_thin_liquid(thin, thin_samples_now(changes.solids.solids), sampler_,
                            params_.lattice, *changes.thickening, kNextParticle, &report.flights);
    stay_out(edits, params_.lattice.spacing, thin_);
    inflate_thin_parts(thin_, ThinOffset::own, distance_);
    report.thin_carried = thin_.carried();
    report.thin_shown = thin_.shown();
    report.in_flight = thin_.in_flight();
  }
  return report;
}

std::vector<ThinSample> ContouringTracker::thin_samples_now(const SolidsAt* solids) const {
  return thin_samples({surface(), normals(), sampler_, solids}, components(), params_.lattice,
                      {.thinness = kHeldThickness, .spacing = 1});
}

SpeckReport ContouringTracker::set_surface(const SampledField& samples, Stats& stats,
                                           const Numbering& number) {
  const auto made = std::make_shared<TrackedSurface>();
  {
    const auto phase = stats.measure("contour");
    Contour contoured = contour(samples);
    SPINDRIFT_ASSERT(contoured.open_cells == 0);
    made->mesh = std::move(contoured.mesh);
    made->normals = std::move(contoured.normals);
  }
  SpeckReport specks;
  {
    const auto phase = stats.measure("components");
    MeshComponents pieces = mesh_components(made->mesh);
    const double voxel = std::pow(params_.lattice.spacing, 3);
    specks = remove_specks(params_.least_volume * voxel, made->mesh, made->normals, pieces);
    vertices_ = VertexGrid(params_.lattice, made->mesh.vertices);
    made->components = liquid_components(made->mesh, pieces, samples, vertices_);
    if (number) number(made->components, {made->mesh, vertices_});
  }
  tracked_ = made;
  const auto phase = stats.measure("distance");
  offsets_.clear();
  measure_distance();
  return specks;
}

void ContouringTracker::measure_distance() {
  const bool is_curved = params_.model == SurfaceModel::curved;
  distance_ = mesh_distance(surface(), is_curved ? normals() : std::span<const Vec3f>(),
                            params_.lattice, {.band = params_.band});
  SPINDRIFT_ASSERT(distance_.open_rows == 0);
}

void ContouringTracker::restore(Memory memory) {
  tracked_ = std::move(memory.tracked);
  vertices_ = VertexGrid(params_.lattice, surface().vertices);
  measure_distance();
  thin_ = std::move(memory.thin);
  inflate_thin_parts(thin_, ThinOffset::own, distance_);
  offsets_ = std::move(memory.offsets);
  if (!offsets_.empty()) distance_ = inflated(offsets_);
}

BandDistance ContouringTracker::inflated(std::span<const double> offsets,
                                         std::span<const ThinChange> thin) const {
  BandDistance moved =
      inflated_bodies({components(), surface().vertices, vertices_}, offsets, distance_);
  ThinLiquid changed = thin_;
  change_bodies(thin, changed);
  inflate_thin_parts(changed, ThinOffset::of_body, moved);
  return moved;
}

void ContouringTracker::inflate(std::vector<double> offsets, std::span<const ThinChange> thin,
                                BandDistance moved) {
  SPINDRIFT_ASSERT(offsets_.empty() && offsets.size() == components().components.size());
  offsets_ = std::move(offsets);
  distance_ = std::move(moved);
  change_bodies(thin, thin_);
}

}  // namespace spindrift
