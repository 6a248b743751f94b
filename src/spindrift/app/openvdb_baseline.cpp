#include "spindrift/app/openvdb_baseline.hpp"

#ifdef SPINDRIFT_OPENVDB
#include <openvdb/openvdb.h>
#include <openvdb/tools/MeshToVolume.h>
#include <openvdb/tools/VolumeToMesh.h>

#include "spindrift/core/stats.hpp"
#endif

namespace spindrift::app {

#ifdef SPINDRIFT_OPENVDB

std::optional<OpenVdbReport> run_openvdb(const TriangleMesh& surface, const Lattice& lattice,
                                         float half_width) {
  openvdb::initialize();
  // In OpenVDB's own types and in lattice units before the clock starts.
  std::vector<openvdb::Vec3s> points;
  points.reserve(surface.vertices.size());
  for (const Vec3& vertex : surface.vertices) {
    const Vec3f p = lattice.to_lattice(vertex).cast<float>();
    points.emplace_back(p.x(), p.y(), p.z());
  }
  std::vector<openvdb::Vec3I> triangles;
  triangles.reserve(surface.triangles.size());
  for (const Triangle& t : surface.triangles) triangles.emplace_back(t[0], t[1], t[2]);
  const openvdb::tools::QuadAndTriangleDataAdapter<openvdb::Vec3s, openvdb::Vec3I> mesh(points,
                                                                                        triangles);
  const auto transform = openvdb::math::Transform::createLinearTransform(1);

  OpenVdbReport report;
  const Stopwatch to_volume;
  const auto grid =
      openvdb::tools::meshToVolume<openvdb::FloatGrid>(mesh, *transform, half_width, half_width);
  report.seconds_to_volume = to_volume.seconds();

  std::vector<openvdb::Vec3s> new_points;
  std::vector<openvdb::Vec4I> new_quads;
  const Stopwatch to_mesh;
  openvdb::tools::volumeToMesh(*grid, new_points, new_quads);
  report.seconds_to_mesh = to_mesh.seconds();
  report.triangles = 2 * static_cast<std::int64_t>(new_quads.size());
  return report;
}

#else

std::optional<OpenVdbReport> run_openvdb(const TriangleMesh&, const Lattice&, float) { return {}; }

#endif

}  // namespace spindrift::app
