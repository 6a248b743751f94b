// What the fuzzers of the mesh formats check: a parser throws InputError or keeps its promises.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "spindrift/core/error.hpp"
#include "spindrift/io/coordinate.hpp"
#include "spindrift/io/mesh_file.hpp"

namespace spindrift::fuzz {

inline void check_vectors(const std::vector<Vec3>& vectors) {
  for (const Vec3& v : vectors) {
    SPINDRIFT_ASSERT(is_coordinate(v.x()) && is_coordinate(v.y()) && is_coordinate(v.z()));
  }
}

inline int check_parser(MeshFile (*parse)(std::string_view, const std::string&),
                        const std::uint8_t* data, std::size_t size) {
  MeshFile file;
  try {
    file = parse({reinterpret_cast<const char*>(data), size}, "input");
  } catch (const InputError&) {
    return 0;
  }
  check_vectors(file.mesh.vertices);
  check_vectors(file.velocities);
  SPINDRIFT_ASSERT(file.velocities.empty() || file.velocities.size() == file.mesh.vertices.size());
  SPINDRIFT_ASSERT(!file.mesh.triangles.empty());
  for (const Triangle& t : file.mesh.triangles) {
    for (const std::int32_t corner : t) {
      SPINDRIFT_ASSERT(corner >= 0 && corner < file.mesh.vertex_count());
    }
    SPINDRIFT_ASSERT(t[0] != t[1] && t[1] != t[2] && t[2] != t[0]);
  }
  return 0;
}

}  // namespace spindrift::fuzz
