// Surfaces as the page draws them.
#pragma once

#include <string>

#include "spindrift/cache/cache_reader.hpp"

namespace spindrift::app {

// "position" (float), "normal" (signed bytes, four a vertex; 127 is 1) and "index".
[[nodiscard]] std::string surface_pack(const TriangleMesh& mesh);

// "velocity" of the vertices, m/s.
[[nodiscard]] std::string velocity_pack(const CachedSurface& surface);

// "index" of the two ends of every edge, each once.
[[nodiscard]] std::string edges_pack(const TriangleMesh& mesh);

// Several meshes, each with its own part of "index": about.parts has its first number and how many.
[[nodiscard]] std::string meshes_pack(const std::vector<TriangleMesh>& meshes);

}  // namespace spindrift::app
