// Writes the tetrahedral meshes that tet_mesh_readers_test.py hands to other people's readers.
#include <algorithm>
#include <cstdio>
#include <numeric>

#include "spindrift/core/error.hpp"
#include "spindrift/io/tet_mesh_file.hpp"
#include "spindrift/io/vtu.hpp"
#include "spindrift/mesh/boundary.hpp"

#include "support/tet_meshes.hpp"

namespace {

using namespace spindrift;

// 6 x 5 x 4 cubes of side 0.5, sheared along x, which keeps volumes.
TetMesh sheared_grid() {
  TetMesh mesh = test::five_grid({6, 5, 4}, 0.5);
  for (Vec3& v : mesh.vertices) v.x() += 0.3 * v.z();
  return mesh;
}

// The top is air, the rest solid.
std::vector<TaggedFace> tagged_boundary(const TetMesh& mesh) {
  std::vector<TaggedFace> faces;
  for (const std::int32_t side : boundary_sides(find_neighbors(mesh))) {
    double lowest = 2;
    for (const std::int32_t v : face_corners(mesh, side)) {
      lowest = std::min(lowest, mesh.vertices[v].z());
    }
    faces.push_back({side, lowest == 2 ? FaceTag::air : FaceTag::solid});
  }
  return faces;
}

// Two cubes of sides 1 and 2, labelled by them.
LabelledCells two_cubes() {
  LabelledCells cubes;
  cubes.kind = CellKind::hexahedron;
  cubes.label = "side";
  for (const int side : {1, 2}) {
    for (const Vec3i& corner : {Vec3i(0, 0, 0), Vec3i(1, 0, 0), Vec3i(1, 1, 0), Vec3i(0, 1, 0),
                                Vec3i(0, 0, 1), Vec3i(1, 0, 1), Vec3i(1, 1, 1), Vec3i(0, 1, 1)}) {
      cubes.corners.push_back(static_cast<std::int32_t>(cubes.points.size()));
      cubes.points.emplace_back(side * corner.cast<double>() + Vec3(5 * side, 0, 0));
    }
    cubes.labels.push_back(side);
  }
  return cubes;
}

void write_samples(const std::filesystem::path& folder) {
  const TetMesh mesh = sheared_grid();
  std::vector<double> volumes, barycentres;
  std::vector<std::int32_t> numbers(mesh.tets.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  for (std::int64_t t = 0; t < mesh.tet_count(); ++t) {
    volumes.push_back(mesh.volume(t));
    const Vec3 sum = mesh.corner(t, 0) + mesh.corner(t, 1) + mesh.corner(t, 2) + mesh.corner(t, 3);
    for (int axis = 0; axis < 3; ++axis) barycentres.push_back(sum[axis] / 4);
  }
  const std::vector<CellData> data = {
      {.name = "volume <m3>", .values = std::span<const double>(volumes)},
      {.name = "barycentre", .values = std::span<const double>(barycentres), .components = 3},
      {.name = "number", .values = std::span<const std::int32_t>(numbers)}};
  write_vtu(folder / "sample.vtu", mesh, data);
  write_tet_mesh(folder / "sample.msh", mesh);
  write_tet_mesh(folder / "sample.mesh", mesh);
  const std::vector<TaggedFace> boundary = tagged_boundary(mesh);
  write_vtu(folder / "tagged.vtu", mesh, data, boundary);
  write_tet_mesh(folder / "tagged.msh", mesh, boundary);
  write_tet_mesh(folder / "tagged.mesh", mesh, boundary);
  write_vtu(folder / "cubes.vtu", two_cubes());
  const std::vector<Vec3> ends = {{0, 0, 0}, {0, 0, 3}};
  write_vtu(folder / "line.vtu", LabelledCells{CellKind::line, ends, {0, 1}, "length", {3}});
  write_vtu(folder / "points.vtu", LabelledCells{CellKind::point, ends, {0, 1}, "z", {0, 3}});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: tet_mesh_samples FOLDER\n", stderr);
    return 2;
  }
  try {
    write_samples(argv[1]);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
