#include "spindrift/sim/openings.hpp"

#include <algorithm>
#include <cmath>

#include "spindrift/core/parallel.hpp"

namespace spindrift {
namespace {

// What edits are for: the kind, and for sources their number above it.
enum Tag : std::uint32_t { kSource, kSink, kOpenSide, kTags };

// A step that fills a source with more than this share of what it pours fills it anew.
constexpr double kFilledAnew = 1.5;
// Cells give off at most this share of their volume in a step.
constexpr double kMostShare = 0.5;

}  // namespace

// What lies beyond one open side of the domain.
class Openings::BeyondSide final : public ScalarField {
 public:
  BeyondSide(const Box3& domain, int side) : domain_(domain), axis_(side / 2), is_high_(side % 2) {}
  void evaluate(std::span<const Vec3> points, std::span<double> values) const override {
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double x = points[i][axis_];
      values[i] = is_high_ ? domain_.max()[axis_] - x : x - domain_.min()[axis_];
    }
  }
  // The part of a box beyond the side.
  [[nodiscard]] Box3 part_of(const Box3& box) const {
    Box3 part = box;
    (is_high_ ? part.min() : part.max())[axis_] =
        is_high_ ? domain_.max()[axis_] : domain_.min()[axis_];
    return part;
  }

 private:
  Box3 domain_;
  int axis_;
  bool is_high_;
};

// Sinks and open sides as one.
class Openings::Outlets final : public ScalarField {
 public:
  explicit Outlets(std::vector<const ScalarField*> parts) : parts_(std::move(parts)) {}
  void evaluate(std::span<const Vec3> points, std::span<double> values) const override {
    std::fill(values.begin(), values.end(), 1e9);
    std::vector<double> part(points.size());
    for (const ScalarField* field : parts_) {
      field->evaluate(points, part);
      for (std::size_t i = 0; i < points.size(); ++i) values[i] = std::min(values[i], part[i]);
    }
  }

 private:
  std::vector<const ScalarField*> parts_;
};

Openings::Openings(const Scene& scene, const SceneShapes& shapes, const Solids& solids)
    : scene_(scene), shapes_(shapes), solids_(solids), domain_(solids.domain().box) {
  for (int side = 0; side < 6; ++side) {
    if (solids.domain().is_wall[static_cast<std::size_t>(side)]) continue;
    open_sides_.push_back(std::make_unique<BeyondSide>(domain_, side));
  }
  std::vector<const ScalarField*> outlets;
  for (const auto& side : open_sides_) outlets.push_back(side.get());
  for (const ShapePtr& sink : shapes.sinks) outlets.push_back(sink.get());
  if (!outlets.empty()) outlets_ = std::make_unique<Outlets>(std::move(outlets));
  for (std::size_t i = 0; i < scene.sources.size(); ++i) {
    rates_.push_back(pouring_rate(*shapes.sources[i], scene.sources[i].velocity, solids,
                                  scene.sources[i].start));
  }
  owed_.assign(scene.sources.size(), 0.0);
}

Openings::~Openings() = default;

const ScalarField* Openings::outlets() const { return outlets_.get(); }

bool Openings::is_active(std::size_t source, double time) const {
  const SourceSpec& spec = scene_.sources[source];
  return !are_stopped_ && time >= spec.start && !(spec.stop && time >= *spec.stop);
}

Box3 Openings::source_box(std::size_t source) const {
  return shapes_.sources[source]->bounds().intersection(domain_);
}

std::vector<SurfaceEdit> Openings::edits(double time, double dt, const Box3& reached) const {
  std::vector<SurfaceEdit> edits;
  for (std::size_t i = 0; i < shapes_.sources.size(); ++i) {
    if (!is_active(i, time + 0.5 * dt)) continue;
    edits.push_back({SurfaceEdit::Kind::add, shapes_.sources[i].get(), source_box(i),
                     kSource + kTags * static_cast<std::uint32_t>(i)});
  }
  for (const ShapePtr& sink : shapes_.sinks) {
    const Box3 box = sink->bounds().intersection(domain_);
    if (!box.isEmpty()) edits.push_back({SurfaceEdit::Kind::remove, sink.get(), box, kSink});
  }
  for (const auto& side : open_sides_) {
    // If it is empty, only droplets may get there.
    const Box3 box = side->part_of(reached);
    edits.push_back({SurfaceEdit::Kind::remove, side.get(), box, kOpenSide});
  }
  return edits;
}

std::vector<EditedVolume> Openings::inflow(std::span<const EditedVolume> filled, double time,
                                           double dt) {
  std::vector<EditedVolume> in;
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    owed_[i] = 0;
    if (!is_active(i, time + 0.5 * dt)) continue;
    EditedVolume change{kSource, 0, source_box(i).center()};
    for (const EditedVolume& part : filled) {
      if (part.tag == kSource + kTags * static_cast<std::uint32_t>(i)) change.volume += part.volume;
    }
    const double poured = dt * rates_[i];
    if (change.volume < kFilledAnew * poured) {
      owed_[i] = std::max(0.0, poured - change.volume);
      change.volume = poured;
    }
    in.push_back(change);
  }
  return in;
}

void Openings::set_velocities(double time, const Vec3& change, const CellMesh& cells,
                              std::span<Vec3> u, std::span<double> z) const {
  for (std::size_t i = 0; i < shapes_.sources.size(); ++i) {
    if (!is_active(i, time)) continue;
    const Shape& shape = *shapes_.sources[i];
    const Vec3 velocity = scene_.sources[i].velocity + change;
    parallel_for_each(cells.cell_count(), [&](std::int64_t c) {
      const auto k = static_cast<std::size_t>(c);
      if (shape.distance(cells.centers[k]) < 0) u[k] = velocity;
    });
    parallel_for_each(cells.face_count(), [&](std::int64_t f) {
      const auto k = static_cast<std::size_t>(f);
      if (shape.distance(cells.face_centers[k]) < 0) {
        z[k] = velocity.dot(cells.area_vectors[k].normalized());
      }
    });
  }
}

void Openings::pour(double dt, const CellMesh& cells, std::span<double> divergence) const {
  for (std::size_t i = 0; i < owed_.size(); ++i) {
    if (!(owed_[i] > 0)) continue;
    const Shape& shape = *shapes_.sources[i];
    std::vector<std::size_t> inside;
    double volume = 0;
    for (std::size_t c = 0; c < cells.volumes.size(); ++c) {
      if (shape.distance(cells.centers[c]) >= 0) continue;
      inside.push_back(c);
      volume += cells.volumes[c];
    }
    for (const std::size_t c : inside) {
      divergence[c] += std::min(owed_[i] / volume, kMostShare) / dt;
    }
  }
}

void Openings::book(std::span<const EditedVolume> changes, VolumeBook& book) {
  for (const EditedVolume& change : changes) {
    (change.tag == kSink       ? book.sinks
     : change.tag == kOpenSide ? book.open_sides
                               : book.sources) += change.volume;
  }
}

double pouring_rate(const Shape& shape, const Vec3& velocity, const Solids& solids, double time) {
  const double speed = velocity.norm();
  const Box3 box = shape.bounds();
  if (!(speed > 0) || box.isEmpty() || !box.sizes().allFinite()) return 0;
  const SolidsAt at = solids.at(time);
  // Lines along the velocity, over all of the box as it is seen from there.
  const Vec3 along = velocity / speed;
  const Vec3 across = along.unitOrthogonal();
  const Vec3 up = along.cross(across);
  Mat3 axes;
  axes << across, up, along;
  Box3 seen;
  for (int k = 0; k < 8; ++k) {
    seen.extend(Vec3(axes.transpose() * box.corner(static_cast<Box3::CornerType>(k))));
  }
  constexpr int kLines = 128;
  const Vec3 sizes = seen.sizes();
  const double least = sizes.z() / 512;
  const auto count_exits = [&](double x, double y) {
    int exits = 0;
    bool was_inside = false;
    const double end = seen.max().z() + 2 * least;
    for (double s = seen.min().z() - least; s < end;) {
      const Vec3 point = axes * Vec3(x, y, s);
      const double distance = shape.distance(point);
      const bool is_inside = distance < 0;
      if (was_inside && !is_inside && at.distance(point) > 0 &&
          solids.domain().box.contains(point)) {
        ++exits;
      }
      was_inside = is_inside;
      s += std::max(std::abs(distance), least);
    }
    return exits;
  };
  const double exits = parallel_reduce_chunks(
      kLines, 4, 0.0,
      [&](std::int64_t begin, std::int64_t end) {
        double sum = 0;
        for (std::int64_t j = begin; j < end; ++j) {
          for (int i = 0; i < kLines; ++i) {
            sum +=
                count_exits(seen.min().x() + (i + 0.5) / kLines * sizes.x(),
                            seen.min().y() + (static_cast<double>(j) + 0.5) / kLines * sizes.y());
          }
        }
        return sum;
      },
      [](double a, double b) { return a + b; });
  return speed * exits * sizes.x() * sizes.y() / (kLines * kLines);
}

}  // namespace spindrift
