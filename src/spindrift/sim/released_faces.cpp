#include "spindrift/sim/released_faces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "spindrift/core/parallel.hpp"
#include "spindrift/surface/point_cubes.hpp"

namespace spindrift {
namespace {

std::vector<std::int32_t> solid_faces(const CellMesh& mesh) {
  std::vector<std::int32_t> faces;
  for (std::size_t f = 0; f < mesh.tags.size(); ++f) {
    if (mesh.tags[f] == FaceTag::solid) faces.push_back(static_cast<std::int32_t>(f));
  }
  return faces;
}

// The middles of some of the faces of a mesh.
class Middles {
 public:
  Middles(const CellMesh& mesh, std::span<const std::int32_t> faces, double reach)
      : points_(points(mesh, faces), {origin(mesh), reach}, 1) {}

  // Squared, in units of the reach; infinite if none is within it.
  [[nodiscard]] double distance_to(const Vec3& place) const {
    double least = std::numeric_limits<double>::infinity();
    points_.for_each_near(
        place, [&](std::size_t /*index*/, double squared) { least = std::min(least, squared); });
    return least;
  }

 private:
  // Scenes may be anywhere.
  static Vec3 origin(const CellMesh& mesh) {
    return mesh.face_centers.empty() ? Vec3(Vec3::Zero()) : mesh.face_centers.front();
  }
  static std::vector<Vec3> points(const CellMesh& mesh, std::span<const std::int32_t> faces) {
    std::vector<Vec3> all;
    all.reserve(faces.size());
    for (const std::int32_t face : faces) {
      all.push_back(mesh.face_centers[static_cast<std::size_t>(face)]);
    }
    return all;
  }
  PointCubes points_;
};

}  // namespace

std::vector<std::int32_t> likely_released(const CellMesh& before,
                                          std::span<const std::int32_t> released,
                                          const CellMesh& now, double reach) {
  if (released.empty()) return {};
  const Middles gone(before, released, reach);
  const Middles held(before, solid_faces(before), reach);
  const std::vector<std::int32_t> faces = solid_faces(now);
  std::vector<std::uint8_t> is_likely(faces.size());
  parallel_for_each(std::ssize(faces), [&](std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    const Vec3& place = now.face_centers[static_cast<std::size_t>(faces[k])];
    const double to_gone = gone.distance_to(place);
    is_likely[k] = std::isfinite(to_gone) && to_gone < held.distance_to(place) ? 1 : 0;
  });
  std::vector<std::int32_t> likely;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    if (is_likely[i] != 0) likely.push_back(faces[i]);
  }
  return likely;
}

}  // namespace spindrift
