#include "spindrift/surface/contouring_tracker.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

#include "spindrift/core/error.hpp"
#include "spindrift/geometry/mesh_shape.hpp"
#include "spindrift/geometry/shape.hpp"
#include "spindrift/levelset/contour.hpp"
#include "spindrift/levelset/surface_samples.hpp"
#include "spindrift/surface/inflation.hpp"
#include "spindrift/surface/surface_changes.hpp"

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

// The function as it was where the flow came from.
NodeFunction traced_back(const VelocityField& velocity, double dt, PathScheme paths,
                         const NodeFunction& function) {
  return [&velocity, dt, paths, &function](std::span<const Vec3> points, std::span<float> values) {
    std::vector<Vec3> origins(points.begin(), points.end());
    trace_paths(velocity, -dt, paths, origins);
    function(origins, values);
  };
}

// A velocity that is not a number, or absurdly large, is a failure of the flow: better to stop than
// to lose the liquid.
void expect_within_reach(const TriangleMesh& moved, const Lattice& lattice) {
  constexpr double kFarthest = 1 << 19;  // lattice units
  for (const Vec3& vertex : moved.vertices) {
    if ((lattice.to_lattice(vertex).array().abs() < kFarthest).all()) continue;
    throw Error(ErrorKind::numerical, {}, "the velocity carries the surface out of all bounds",
                "take smaller steps");
  }
}

// The liquid around particles, united with a function; and how much more that is at the nodes.
class WithParticles {
 public:
  WithParticles(const NodeFunction& function, const ParticleField& particles,
                const Lattice& lattice)
      : function_(function), particles_(particles), lattice_(lattice) {}

  void evaluate(std::span<const Vec3> points, std::span<float> values) {
    function_(points, values);
    std::vector<double> around(points.size());
    particles_.evaluate(points, around);
    std::int64_t added = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto value = static_cast<float>(around[i] / lattice_.spacing);
      if (value >= values[i]) continue;
      const double share =
          std::clamp(0.5 - double{value}, 0.0, 1.0) - std::clamp(0.5 - double{values[i]}, 0.0, 1.0);
      if (is_node(points[i])) added += static_cast<std::int64_t>(std::llround(share * kUnit));
      values[i] = value;
    }
    added_ += added;
  }

  // m^3. Summed in integers, so that the order does not matter.
  [[nodiscard]] double added() const {
    return static_cast<double>(added_) / kUnit * std::pow(lattice_.spacing, 3);
  }

 private:
  // Not a place that stands for a node in a solid.
  [[nodiscard]] bool is_node(const Vec3& point) const {
    const Vec3 p = lattice_.to_lattice(point);
    return ((p.array() - p.array().round()).abs() < 1e-6).all();
  }

  static constexpr double kUnit = 1 << 20;
  const NodeFunction& function_;
  const ParticleField& particles_;
  Lattice lattice_;
  std::atomic<std::int64_t> added_ = 0;
};

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
  (void)set_surface(sample_surface(nodes_near_zero(liquid, box, params.lattice), start), stats);
  // As thick as the shape is, not as its contour shows it.
  particles_ = thin_parts({.thinness = ThickeningParams().held});
  for (MedialParticle& particle : particles_) {
    double depth = 0;
    liquid.evaluate(std::span(&particle.position, 1), std::span(&depth, 1));
    particle.radius = std::max(particle.radius, -depth);
  }
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
    TriangleMesh moved = surface_;
    trace_paths(velocity, dt, params_.paths, moved.vertices);
    expect_within_reach(moved, params_.lattice);
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
  std::unique_ptr<const ParticleField> particles;
  {
    const auto phase = stats.measure("particles");
    particles = thin_liquid(velocity, dt, changes);
    report.particles = particles->count();
  }
  {
    const auto phase = stats.measure("trace");
    ShapePtr flat;
    NodeFunction old_distance;
    if (params_.model == SurfaceModel::flat) {
      flat = make_mesh_shape(surface_);
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
    WithParticles thickened(moved, *particles, params_.lattice);
    const NodeFunction united = [&](std::span<const Vec3> points, std::span<float> values) {
      thickened.evaluate(points, values);
    };
    const NodeFunction traced = [&](std::span<const Vec3> points, std::span<float> values) {
      continued.evaluate(particles->is_empty() ? moved : united, points, values);
    };
    samples = sample_surface(std::move(samples), edited(traced, edits, params_.lattice));
    report.thickened = thickened.added();
    report.edited = edited_volumes(traced, edits, changes.solids.solids, params_.lattice);
  }
  report.nodes = known_nodes(samples);
  const TriangleMesh old_surface = std::move(surface_);
  const VertexGrid old_vertices = std::move(vertices_);
  const LiquidComponents old_components = std::move(components_);
  report.specks = set_surface(samples, stats);
  report.triangles = surface_.triangle_count();
  {
    const auto phase = stats.measure("components");
    match_components(old_components, {old_surface, old_vertices}, components_,
                     {surface_, vertices_}, velocity, dt);
  }
  return report;
}

std::unique_ptr<const ParticleField> ContouringTracker::thin_liquid(const VelocityField& velocity,
                                                                    double dt,
                                                                    const SurfaceChanges& changes) {
  const ThickeningParams params = changes.thickening.value_or(ThickeningParams());
  std::vector<MedialParticle> particles;
  if (changes.thickening) {
    particles = thin_parts({.thinness = params.held});
    remember_radii(particles_, params_.lattice, particles);
    particles = moved_particles(std::move(particles), params_.lattice, velocity, dt, params);
  }
  // In solids the surface only goes on, and ends somewhere.
  if (const SolidsAt* solids = changes.solids.solids) {
    std::erase_if(particles, [&](const MedialParticle& particle) {
      return solids->distance(particle.position) < particle.radius;
    });
  }
  particles_ = particles;
  return std::make_unique<const ParticleField>(std::move(particles), params_.lattice,
                                               particle_reach(params));
}

SpeckReport ContouringTracker::set_surface(const SampledField& samples, Stats& stats) {
  {
    const auto phase = stats.measure("contour");
    Contour contoured = contour(samples);
    SPINDRIFT_ASSERT(contoured.open_cells == 0);
    surface_ = std::move(contoured.mesh);
    normals_ = std::move(contoured.normals);
  }
  SpeckReport specks;
  {
    const auto phase = stats.measure("components");
    MeshComponents pieces = mesh_components(surface_);
    const double voxel = std::pow(params_.lattice.spacing, 3);
    specks = remove_specks(params_.least_volume * voxel, surface_, normals_, pieces);
    vertices_ = VertexGrid(params_.lattice, surface_.vertices);
    components_ = liquid_components(surface_, pieces, samples, vertices_);
  }
  const auto phase = stats.measure("distance");
  offsets_.clear();
  measure_distance();
  return specks;
}

void ContouringTracker::measure_distance() {
  const bool is_curved = params_.model == SurfaceModel::curved;
  distance_ = mesh_distance(surface_,
                            is_curved ? std::span<const Vec3f>(normals_) : std::span<const Vec3f>(),
                            params_.lattice, {.band = params_.band});
  SPINDRIFT_ASSERT(distance_.open_rows == 0);
}

void ContouringTracker::restore(Memory memory) {
  surface_ = std::move(memory.surface);
  normals_ = std::move(memory.normals);
  components_ = std::move(memory.components);
  vertices_ = VertexGrid(params_.lattice, surface_.vertices);
  measure_distance();
  particles_ = std::move(memory.particles);
  offsets_.clear();
  if (!memory.offsets.empty()) inflate(std::move(memory.offsets));
}

void ContouringTracker::inflate(std::vector<double> offsets) {
  SPINDRIFT_ASSERT(offsets_.empty() && offsets.size() == components_.components.size());
  offsets_ = std::move(offsets);
  inflate_bodies({components_, surface_.vertices, vertices_}, offsets_, distance_);
}

}  // namespace spindrift
