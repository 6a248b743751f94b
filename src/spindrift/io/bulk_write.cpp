#include "spindrift/io/bulk_write.hpp"

#include <fmt/format.h>

#include "spindrift/core/error.hpp"

namespace spindrift {

void require_at_most(const std::filesystem::path& path, std::span<const Vec3> vectors, double most,
                     std::string_view what, std::string_view problem) {
  // False for NaN too.
  const auto fits = [&](const Vec3& v) {
    return v.cwiseAbs().maxCoeff<Eigen::PropagateNaN>() <= most;
  };
  const std::int64_t count = std::ssize(vectors);
  const std::int64_t bad = parallel_reduce_chunks(
      count, bulk_write::kChunk, count,
      [&](std::int64_t begin, std::int64_t end) {
        const auto found = std::find_if_not(vectors.begin() + begin, vectors.begin() + end, fits);
        return found == vectors.begin() + end ? count : found - vectors.begin();
      },
      [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
  if (bad == count) return;
  const Vec3& v = vectors[bad];
  throw InputError({.file = path.string()},
                   fmt::format("the {} of vertex {} is ({:g}, {:g}, {:g}), which {}", what, bad,
                               v.x(), v.y(), v.z(), problem));
}

}  // namespace spindrift
