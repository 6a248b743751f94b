#include "spindrift/mesh/mesh_faces.hpp"

#include <cmath>

#include "spindrift/core/parallel.hpp"

namespace spindrift {
namespace {

constexpr std::int64_t kChunk = 4096;  // tetrahedra

struct Counts {
  std::int64_t faces = 0, stored = 0, boundary = 0;
};

struct TetCorners {
  std::int64_t tet = -1;
  std::array<Vec3, 4> at;

  TetCorners() = default;
  TetCorners(const TetMesh& mesh, std::int64_t t)
      : tet(t), at{mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2), mesh.corner(t, 3)} {}
};

// A quarter of the way from a face's barycentre to the opposite vertex is the tetrahedron's.
// `beyond`: the vertex opposite in the other tetrahedron, if there is one.
FaceGeometry measure(const TetCorners& corners, int side, const Vec3* beyond) {
  const auto& face = kTetFaces[static_cast<std::size_t>(side)];
  const Vec3& a = corners.at[static_cast<std::size_t>(face[0])];
  const Vec3& b = corners.at[static_cast<std::size_t>(face[1])];
  const Vec3& c = corners.at[static_cast<std::size_t>(face[2])];
  const Vec3& opposite = corners.at[static_cast<std::size_t>(side)];
  const Vec3 twice_area = (b - a).cross(c - a);
  const double length = twice_area.norm();
  const Vec3 from = beyond != nullptr ? *beyond : Vec3((a + b + c) / 3);
  return {length / 2, twice_area * (1 / length), (opposite - from).norm() / 4};
}

}  // namespace

MeshFaces::MeshFaces(const TetMesh& mesh, TetNeighbors neighbors)
    : mesh_(&mesh), neighbors_(std::move(neighbors)) {
  const std::int64_t tets = mesh.tet_count();
  // Calls visit(side, is_stored) for the faces whose lower tetrahedron is in the chunk.
  const auto for_each_own = [&](std::int64_t begin, std::int64_t end, const auto& visit) {
    for (std::int64_t side = 4 * begin; side < 4 * end; ++side) {
      const auto code = static_cast<std::int32_t>(side);
      const std::int32_t other = neighbor(code);
      if (other >= 0 && other < code) continue;
      visit(code, other, !is_standard(code) || !is_standard(other));
    }
  };
  std::vector<Counts> before(static_cast<std::size_t>(chunk_count(tets, kChunk)));
  parallel_for_chunks(tets, kChunk, [&](std::int64_t begin, std::int64_t end) {
    Counts counts;
    for_each_own(begin, end, [&](std::int32_t, std::int32_t other, bool is_stored) {
      ++counts.faces;
      counts.stored += is_stored;
      counts.boundary += other < 0;
    });
    before[static_cast<std::size_t>(begin / kChunk)] = counts;
  });
  Counts total;
  for (Counts& counts : before) {
    const Counts here = counts;
    counts = total;
    total.faces += here.faces;
    total.stored += here.stored;
    total.boundary += here.boundary;
  }
  boundary_count_ = total.boundary;
  first_sides_.resize(static_cast<std::size_t>(total.faces));
  stored_places_.resize(static_cast<std::size_t>(total.faces));
  stored_.resize(static_cast<std::size_t>(total.stored));
  of_tet_.resize(static_cast<std::size_t>(tets));
  const auto face_of = [&](std::int32_t side) -> std::int32_t& {
    return of_tet_[static_cast<std::size_t>(side >> 2)][static_cast<std::size_t>(side & 3)];
  };
  parallel_for_chunks(tets, kChunk, [&](std::int64_t begin, std::int64_t end) {
    Counts next = before[static_cast<std::size_t>(begin / kChunk)];
    TetCorners corners;
    for_each_own(begin, end, [&](std::int32_t side, std::int32_t other, bool is_stored) {
      const auto face = static_cast<std::size_t>(next.faces++);
      first_sides_[face] = side;
      face_of(side) = static_cast<std::int32_t>(face);
      if (other >= 0) face_of(other) = static_cast<std::int32_t>(face);
      stored_places_[face] = is_stored ? static_cast<std::int32_t>(next.stored) : -1;
      if (!is_stored) return;
      if (side >> 2 != corners.tet) corners = TetCorners(mesh, side >> 2);
      const std::int32_t other_tet = other >> 2;
      const Vec3* beyond = other >= 0 ? &mesh.corner(other_tet, other & 3) : nullptr;
      stored_[static_cast<std::size_t>(next.stored++)] = measure(corners, side & 3, beyond);
    });
  });
}

Vec3 MeshFaces::barycentre(std::int64_t face) const {
  const std::int32_t side = first_side(face);
  const auto& corners = kTetFaces[static_cast<std::size_t>(side & 3)];
  Vec3 sum = Vec3::Zero();
  for (const int k : corners) sum += mesh_->corner(side >> 2, k);
  return sum / 3;
}

FaceGeometry MeshFaces::look_up(std::int32_t side) const {
  const LatticeShapes& shapes = LatticeShapes::instance();
  const auto face = static_cast<std::size_t>(side & 3);
  const ShapeCode code = mesh_->shapes[static_cast<std::size_t>(side >> 2)];
  const double size = std::ldexp(mesh_->lattice_size, code.level());
  const LatticeShape& shape = shapes.shape(code.shape());

  const std::int32_t other = neighbor(side);
  const ShapeCode other_code = mesh_->shapes[static_cast<std::size_t>(other >> 2)];
  const LatticeShape& other_shape = shapes.shape(other_code.shape());
  const Vec3 between =
      size * shape.from_face[face] - std::ldexp(mesh_->lattice_size, other_code.level()) *
                                         other_shape.from_face[static_cast<std::size_t>(other & 3)];
  return {size * size * shape.areas[face], shape.normals[face], between.norm()};
}

}  // namespace spindrift
