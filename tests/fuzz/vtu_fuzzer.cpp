#include <cmath>

#include "spindrift/core/error.hpp"
#include "spindrift/io/vtu_read.hpp"

// The parser throws InputError or keeps its promises.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace spindrift;
  TetFile file;
  try {
    file = parse_vtu({reinterpret_cast<const char*>(data), size}, "input");
  } catch (const InputError&) {
    return 0;
  }
  for (const Vec3& vertex : file.mesh.vertices) SPINDRIFT_ASSERT(vertex.allFinite());
  for (const Tet& tet : file.mesh.tets) {
    for (const std::int32_t corner : tet) {
      SPINDRIFT_ASSERT(corner >= 0 && corner < file.mesh.vertex_count());
    }
  }
  for (const TetArray& array : file.arrays) {
    SPINDRIFT_ASSERT(array.values.size() ==
                     file.mesh.tets.size() * static_cast<std::size_t>(array.components));
  }
  return 0;
}
