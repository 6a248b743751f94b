#include "spindrift/flow/corner_weights.hpp"

#include "spindrift/core/parallel.hpp"

namespace spindrift {
namespace {

constexpr int kLevels = 4;  // of a ShapeCode

}  // namespace

CornerWeights::OfTet CornerWeights::weights(const Vec3& a, const Vec3& b, const Vec3& c,
                                            const Vec3& d) {
  const double ab = (b - a).squaredNorm();
  const double ac = (c - a).squaredNorm();
  const double ad = (d - a).squaredNorm();
  const double bc = (c - b).squaredNorm();
  const double bd = (d - b).squaredNorm();
  const double cd = (d - c).squaredNorm();
  const double volume = (b - a).cross(c - a).dot(d - a) / 6;
  return {volume / (ab * ac * ad), volume / (ab * bc * bd), volume / (ac * bc * cd),
          volume / (ad * bd * cd)};
}

CornerWeights::CornerWeights(const TetMesh& mesh) : mesh_(mesh) {
  if (!mesh.shapes.empty()) {
    const LatticeShapes& shapes = LatticeShapes::instance();
    of_codes_.resize(static_cast<std::size_t>(kLevels * shapes.count()));
    for (int number = 0; number < shapes.count(); ++number) {
      const auto& corners = shapes.shape(number).corners;
      for (int level = 0; level < kLevels; ++level) {
        const double half_side = 0.5 * mesh.lattice_size * (1 << level);
        const auto place = [&](std::size_t k) {
          return Vec3(half_side * corners[k].cast<double>());
        };
        of_codes_[ShapeCode(number, level).value] = weights(place(0), place(1), place(2), place(3));
      }
    }
  }
  others_.resize(mesh.tets.size());
  parallel_for_each(mesh.tet_count(), [&](std::int64_t tet) {
    const auto t = static_cast<std::size_t>(tet);
    if (!mesh.shapes.empty() && mesh.shapes[t].is_standard()) return;
    others_[t] =
        weights(mesh.corner(tet, 0), mesh.corner(tet, 1), mesh.corner(tet, 2), mesh.corner(tet, 3));
  });
}

}  // namespace spindrift
