// Triangle meshes from files and to files: OBJ, PLY, OFF and STL.
//
//   const MeshFile file = read_mesh("bunny.obj");
//   for (const std::string& note : file.notes) log_info("{}", note);
//   write_mesh("bunny.ply", file.mesh);
//
// A file that cannot be taken at its word throws InputError with the place: line and column of a
// text, byte of a binary file. All formats promise the same of what they return: every index is in
// range, the three corners of a triangle are different vertices, every number is finite and at most
// 1e15, there is at least one triangle. Vertices keep their order, faces too.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "spindrift/geometry/triangle_mesh.hpp"

namespace spindrift {

struct MeshFile {
  TriangleMesh mesh;
  std::vector<Vec3> velocities;    // m/s per vertex, from PLY's vx vy vz; empty if there are none
  std::vector<std::string> notes;  // what was skipped or changed on reading, for the user
};

// True for the extensions that read_mesh() knows, in any case.
[[nodiscard]] bool is_mesh_path(const std::filesystem::path& path);

// Reads by extension. A file whose content is another format's is refused, not guessed at.
[[nodiscard]] MeshFile read_mesh(const std::filesystem::path& path);

// Writes .ply or .obj, by extension. Velocities are none or one per vertex; OBJ cannot hold any,
// and says so.
void write_mesh(const std::filesystem::path& path, const TriangleMesh& mesh,
                std::span<const Vec3> velocities = {});

}  // namespace spindrift
