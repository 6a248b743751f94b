#include "spindrift/meshing/boundary_tags.hpp"

#include <array>

#include "spindrift/mesh/boundary.hpp"
#include "spindrift/meshing/field_gradients.hpp"
#include "spindrift/meshing/surface_walk.hpp"
#include "spindrift/meshing/vertex_surfaces.hpp"

namespace spindrift {

namespace {

// How much better a face that lies on both surfaces must follow the liquid's to be air: where the
// two coincide, it is solid.
constexpr double kClearly = 0.1;

}  // namespace

BoundaryTags tag_boundary(const TetMesh& mesh, std::span<const std::int32_t> boundary,
                          const ScalarField& liquid, const ScalarField& obstacle) {
  const VertexSurfaces surfaces =
      find_vertex_surfaces(mesh, boundary, liquid, obstacle, kOnSurface * mesh.lattice_size);
  BoundaryTags result;
  result.faces.resize(boundary.size());
  std::vector<std::size_t> on_both;
  std::vector<Vec3> middles;
  const auto corners_of = [&](std::size_t face) {
    const Triangle corners = face_corners(mesh, boundary[face]);
    return std::array<Vec3, 3>{mesh.vertices[static_cast<std::size_t>(corners[0])],
                               mesh.vertices[static_cast<std::size_t>(corners[1])],
                               mesh.vertices[static_cast<std::size_t>(corners[2])]};
  };
  for (std::size_t i = 0; i < boundary.size(); ++i) {
    const std::uint8_t common = surfaces.common(mesh, boundary[i]);
    result.faces[i] = {boundary[i], common == kAir ? FaceTag::air : FaceTag::solid};
    if (common == kNoSurface) result.mixed.push_back(static_cast<std::int32_t>(i));
    if (common != kContact) continue;
    on_both.push_back(i);
    const auto corners = corners_of(i);
    middles.emplace_back((corners[0] + corners[1] + corners[2]) / 3);
  }

  const double step = kDifferenceStep * mesh.lattice_size;
  std::vector<FieldSample> of_liquid(middles.size()), of_obstacle(middles.size());
  sample_field(liquid, middles, step, of_liquid);
  sample_field(obstacle, middles, step, of_obstacle);
  for (std::size_t k = 0; k < on_both.size(); ++k) {
    const auto corners = corners_of(on_both[k]);
    const Vec3 normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalized();
    const double along_liquid = normal.dot(of_liquid[k].gradient.normalized());
    const double along_obstacle = -normal.dot(of_obstacle[k].gradient.normalized());
    if (along_liquid > along_obstacle + kClearly) result.faces[on_both[k]].tag = FaceTag::air;
  }

  const auto area_of = [&](std::size_t face) {
    const auto corners = corners_of(face);
    return (corners[1] - corners[0]).cross(corners[2] - corners[0]).norm() / 2;
  };
  for (std::size_t i = 0; i < boundary.size(); ++i) {
    const bool is_air = result.faces[i].tag == FaceTag::air;
    (is_air ? result.air_faces : result.solid_faces) += 1;
    (is_air ? result.air_area : result.solid_area) += area_of(i);
  }
  for (const std::int32_t i : result.mixed)
    result.mixed_area += area_of(static_cast<std::size_t>(i));
  return result;
}

}  // namespace spindrift
