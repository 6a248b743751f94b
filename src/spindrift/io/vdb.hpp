// OpenVDB files of a liquid: its level set, and its velocity on a grid.
//
// Two grids: "surface", the signed distance in metres, of OpenVDB's class of level sets; and
// "velocity", m/s. Compressed by Blosc (vdb_leaves.hpp), and the same bytes for the same values:
// OpenVDB names each file by a random number, for which a checksum of the contents is put in.
//
// An optional part: without OpenVDB (SPINDRIFT_OPENVDB=OFF) there are no such files.
#pragma once

#include <filesystem>
#include <vector>

#include "spindrift/core/buffer.hpp"
#include "spindrift/core/file.hpp"
#include "spindrift/levelset/mesh_distance.hpp"

namespace spindrift {

inline constexpr const char* kVdbSurface = "surface";
inline constexpr const char* kVdbVelocity = "velocity";

// A velocity known at some nodes of a lattice, in blocks.
struct VelocitySamples {
  Lattice lattice;
  BlockSet blocks;
  Buffer<Vec3f> values;          // m/s, kBlockNodes for each block
  std::vector<BlockMask> known;  // for each block
};

// Was this built with OpenVDB?
[[nodiscard]] bool has_vdb();

// Throws InputError if there is no OpenVDB. Distances are rounded to 16 bits, a 20,000th of a
// spacing where they are greatest; velocities to half precision (three digits).
FileStamp write_vdb(const std::filesystem::path& path, const BandDistance& distance,
                    const VelocitySamples& velocity);

// What a file holds, for checks of it.
struct VdbReport {
  std::int64_t surface_voxels = 0;   // active
  std::int64_t velocity_voxels = 0;  // active
  double voxel = 0;                  // m, of the surface
};
// Reads all of a file. Throws InputError if it is damaged or lacks a grid.
[[nodiscard]] VdbReport examine_vdb(const std::filesystem::path& path);

}  // namespace spindrift
