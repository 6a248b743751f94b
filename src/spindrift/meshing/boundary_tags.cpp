#include "spindrift/meshing/boundary_tags.hpp"

#include <array>

#include "spindrift/core/parallel.hpp"
#include "spindrift/meshing/field_gradients.hpp"

namespace spindrift {

namespace {

constexpr std::int64_t kChunk = 4096;  // faces
// How much better a face that lies on both surfaces must follow the liquid's to be air: where the
// two coincide, it is solid.
constexpr double kClearly = 0.1;

struct Face {
  Vec3 middle;
  Vec3 area;  // times the outward normal, m^2
};

Face measure(const TetMesh& mesh, std::int32_t side) {
  const Triangle corners = face_corners(mesh, side);
  const Vec3& a = mesh.vertices[static_cast<std::size_t>(corners[0])];
  const Vec3& b = mesh.vertices[static_cast<std::size_t>(corners[1])];
  const Vec3& c = mesh.vertices[static_cast<std::size_t>(corners[2])];
  return {(a + b + c) / 3, (b - a).cross(c - a) / 2};
}

// Faces with all corners on both surfaces are of the one that they follow.
void tag_by_normal(const TetMesh& mesh, const ScalarField& liquid, const ScalarField& obstacle,
                   std::span<const std::size_t> which, std::span<TaggedFace> faces) {
  std::vector<Vec3> middles;
  for (const std::size_t i : which) middles.push_back(measure(mesh, faces[i].side).middle);
  std::vector<FieldSample> of_liquid(middles.size()), of_obstacle(middles.size());
  const double step = kDifferenceStep * mesh.lattice_size;
  sample_field(liquid, middles, step, of_liquid);
  sample_field(obstacle, middles, step, of_obstacle);
  for (std::size_t k = 0; k < which.size(); ++k) {
    TaggedFace& face = faces[which[k]];
    const Vec3 normal = measure(mesh, face.side).area.normalized();
    const double along_liquid = normal.dot(of_liquid[k].gradient.normalized());
    const double along_obstacle = -normal.dot(of_obstacle[k].gradient.normalized());
    if (along_liquid > along_obstacle + kClearly) face.tag = FaceTag::air;
  }
}

struct Areas {
  double air = 0, solid = 0, mixed = 0;
};

}  // namespace

BoundaryTags tag_boundary(const TetMesh& mesh, const LiquidBoundary& boundary,
                          const ScalarField& liquid, const ScalarField& obstacle) {
  const std::int64_t count = std::ssize(boundary.sides);
  std::vector<std::uint8_t> common(boundary.sides.size());
  parallel_for_each(
      count, [&](std::int64_t i) { common[i] = boundary.common(mesh, boundary.sides[i]); }, kChunk);
  BoundaryTags result;
  result.faces.resize(boundary.sides.size());
  std::vector<std::size_t> on_both;
  for (std::size_t i = 0; i < common.size(); ++i) {
    result.faces[i] = {boundary.sides[i], common[i] == kAir ? FaceTag::air : FaceTag::solid};
    if (common[i] == kNoSurface) result.mixed.push_back(static_cast<std::int32_t>(i));
    if (common[i] == kContact) on_both.push_back(i);
  }
  tag_by_normal(mesh, liquid, obstacle, on_both, result.faces);

  for (const TaggedFace& face : result.faces) {
    (face.tag == FaceTag::air ? result.air_faces : result.solid_faces) += 1;
  }
  const Areas areas = parallel_reduce_chunks(
      count, kChunk, Areas{},
      [&](std::int64_t begin, std::int64_t end) {
        Areas part;
        for (std::int64_t i = begin; i < end; ++i) {
          const double area = measure(mesh, result.faces[i].side).area.norm();
          (result.faces[i].tag == FaceTag::air ? part.air : part.solid) += area;
          if (common[i] == kNoSurface) part.mixed += area;
        }
        return part;
      },
      [](const Areas& a, const Areas& b) {
        return Areas{a.air + b.air, a.solid + b.solid, a.mixed + b.mixed};
      });
  result.air_area = areas.air;
  result.solid_area = areas.solid;
  result.mixed_area = areas.mixed;
  return result;
}

}  // namespace spindrift
