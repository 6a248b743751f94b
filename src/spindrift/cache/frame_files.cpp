#include "spindrift/cache/frame_files.hpp"

#include "spindrift/cache/layout.hpp"
#include "spindrift/core/error.hpp"
#include "spindrift/io/ply.hpp"
#include "spindrift/io/vtu.hpp"

namespace spindrift {

namespace {

// Lattice units on either side of the surface: what OpenVDB's own tools make and expect.
constexpr float kBand = 3;

FrameFile stamped(const char* name, const FileStamp& stamp) {
  FrameFile file;
  file.name = name;
  file.bytes = stamp.bytes;
  file.checksum = stamp.checksum;
  return file;
}

FrameFile write_surface(const std::filesystem::path& folder, const CachedSurface& surface) {
  FrameFile file =
      stamped(kSurfaceFile, write_ply(folder / kSurfaceFile, surface.mesh, surface.velocities));
  file.vertices = surface.mesh.vertex_count();
  file.triangles = surface.mesh.triangle_count();
  return file;
}

FrameFile write_mesh(const std::filesystem::path& folder, const CachedMesh& cached) {
  const std::span<const double> components(
      cached.velocity.empty() ? nullptr : cached.velocity.data()->data(),
      3 * cached.velocity.size());
  const std::vector<CellData> data = {{"pressure", std::span<const double>(cached.pressure)},
                                      {"velocity", components, 3},
                                      {"liquid", std::span<const double>(cached.liquid)}};
  FrameFile file = stamped(kMeshFile, write_vtu(folder / kMeshFile, cached.mesh, data));
  file.vertices = cached.mesh.vertex_count();
  file.tets = cached.mesh.tet_count();
  return file;
}

FrameFile write_levelset(const std::filesystem::path& folder, const CachedLevelSet& levelset,
                         const CachedSurface& surface) {
  BandDistance distance;
  distance.field.lattice = levelset.lattice;
  distance.band = kBand;
  if (surface.mesh.triangle_count() > 0) {
    distance = mesh_distance(surface.mesh, {}, levelset.lattice, {.band = kBand});
  }
  return stamped(kLevelSetFile, write_vdb(folder / kLevelSetFile, distance, levelset.velocity));
}

}  // namespace

std::vector<FrameFile> write_frame_files(const std::filesystem::path& folder,
                                         const CacheFrame& frame) {
  SPINDRIFT_ASSERT(frame.surface || !frame.levelset);
  std::vector<FrameFile> files;
  if (frame.surface && frame.has_surface_file) {
    files.push_back(write_surface(folder, *frame.surface));
  }
  if (frame.mesh) files.push_back(write_mesh(folder, *frame.mesh));
  if (frame.levelset) files.push_back(write_levelset(folder, *frame.levelset, *frame.surface));
  return files;
}

}  // namespace spindrift
