// How much each tetrahedron counts at its vertices, for vertex_velocity.cpp.
//
//   w = V / (|e1|^2 |e2|^2 |e3|^2)    with the volume and the three edges that meet in the vertex
#pragma once

#include <array>
#include <vector>

#include "spindrift/mesh/tet_mesh.hpp"

namespace spindrift {

class CornerWeights {
 public:
  // The mesh must outlive this.
  explicit CornerWeights(const TetMesh& mesh);

  // Of corner 4 tet + k.
  [[nodiscard]] double at(std::int32_t corner) const {
    const auto t = static_cast<std::size_t>(corner >> 2);
    const bool is_known = !mesh_.shapes.empty() && mesh_.shapes[t].is_standard();
    const OfTet& all = is_known ? of_codes_[mesh_.shapes[t].value] : others_[t];
    return all[static_cast<std::size_t>(corner & 3)];
  }

 private:
  using OfTet = std::array<double, 4>;
  [[nodiscard]] static OfTet weights(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

  const TetMesh& mesh_;
  // By ShapeCode: most tetrahedra have the shapes of a lattice, whose weights stay in the cache.
  std::vector<OfTet> of_codes_;
  Buffer<OfTet> others_;  // of every tetrahedron; those of lattice shapes hold anything
};

}  // namespace spindrift
