#include "spindrift/meshing/boundary_tags.hpp"

#include <cmath>

#include "spindrift/core/parallel.hpp"
#include "spindrift/mesh/boundary.hpp"
#include "spindrift/meshing/field_gradients.hpp"
#include "spindrift/meshing/obstacles.hpp"

namespace spindrift {

namespace {

constexpr double kDifferenceStep = 1e-3;  // cells
// How much better a face that lies on both surfaces must follow the liquid's to be air: where the
// two coincide, it is solid.
constexpr double kClearly = 0.1;

// Which surfaces a vertex lies on, as bits.
enum Surface : std::uint8_t { kAir = 1, kSolid = 2, kBoth = 3 };

// Of the boundary's vertices; other vertices have none. What is not on the obstacle is on the
// liquid's surface, since it is on the boundary.
std::vector<std::uint8_t> surfaces_of_vertices(const TetMesh& mesh,
                                               std::span<const std::int32_t> boundary,
                                               const ScalarField& liquid,
                                               const ScalarField& obstacle) {
  const double on_surface = kOnSurface * mesh.lattice_size;
  std::vector<Vec3> points;
  std::vector<double> values;
  const auto evaluate = [&](const ScalarField& field, std::span<const std::int32_t> vertices) {
    points.resize(vertices.size());
    values.resize(vertices.size());
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      points[i] = mesh.vertices[static_cast<std::size_t>(vertices[i])];
    }
    evaluate_parallel(field, points, values);
  };
  std::vector<std::uint8_t> surfaces(mesh.vertices.size(), 0);
  const Buffer<std::int32_t> all = vertices_of(mesh, boundary);
  evaluate(obstacle, all);
  std::vector<std::int32_t> wet;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_solid = std::abs(values[i]) <= on_surface;
    surfaces[static_cast<std::size_t>(all[i])] = is_solid ? kSolid : kAir;
    if (is_solid) wet.push_back(all[i]);
  }
  evaluate(liquid, wet);
  for (std::size_t i = 0; i < wet.size(); ++i) {
    if (std::abs(values[i]) <= on_surface) surfaces[static_cast<std::size_t>(wet[i])] = kBoth;
  }
  return surfaces;
}

}  // namespace

BoundaryTags tag_boundary(const TetMesh& mesh, std::span<const std::int32_t> boundary,
                          const ScalarField& liquid, const ScalarField& obstacle) {
  const std::vector<std::uint8_t> surfaces = surfaces_of_vertices(mesh, boundary, liquid, obstacle);
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
    std::uint8_t common = kBoth;
    for (const std::int32_t v : face_corners(mesh, boundary[i])) {
      common &= surfaces[static_cast<std::size_t>(v)];
    }
    result.faces[i] = {boundary[i], common == kAir ? FaceTag::air : FaceTag::solid};
    if (common == 0) result.mixed.push_back(static_cast<std::int32_t>(i));
    if (common != kBoth) continue;
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
