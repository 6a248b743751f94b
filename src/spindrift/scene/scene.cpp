#include "spindrift/scene/scene.hpp"

#include <filesystem>

namespace spindrift {

std::string FileSpec::resolved() const {
  return (std::filesystem::path(folder) / path).lexically_normal().string();
}

double cell_size(const Scene& scene) {
  if (scene.resolution.size) return *scene.resolution.size;
  SPINDRIFT_ASSERT(scene.resolution.cells.has_value());
  return (scene.domain.max - scene.domain.min).maxCoeff() / *scene.resolution.cells;
}

}  // namespace spindrift
