#include "spindrift/app/view_tets.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "spindrift/app/view_pack.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/mesh/quality.hpp"
#include "spindrift/mesh/tet_faces.hpp"

namespace spindrift::app {

namespace {

// As many as one can look at.
constexpr std::size_t kWorstTets = 20;

// By sorting: a file may hold tetrahedra that do not fit together.
std::vector<std::array<std::int32_t, 4>> neighbors_of(const TetMesh& mesh) {
  std::vector<std::array<std::int32_t, 4>> neighbors(mesh.tets.size(), {-1, -1, -1, -1});
  const Buffer<FaceUse> uses = sorted_face_uses(mesh);
  for_each_face(std::span<const FaceUse>(uses), [&](std::span<const FaceUse> face) {
    if (face.size() != 2) return;
    for (std::size_t k = 0; k < 2; ++k) {
      const FaceId own = face[k].face();
      neighbors[static_cast<std::size_t>(own >> 2)][static_cast<std::size_t>(own & 3)] =
          static_cast<std::int32_t>(face[1 - k].face() >> 2);
    }
  });
  return neighbors;
}

void put_corner(const TetMesh& mesh, std::int32_t vertex, float* to) {
  for (int axis = 0; axis < 3; ++axis) {
    to[axis] = static_cast<float>(mesh.vertices[static_cast<std::size_t>(vertex)][axis]);
  }
}

void put_face(const TetMesh& mesh, FaceId face, float* to) {
  for (const std::int32_t vertex : face_corners(mesh, face)) {
    put_corner(mesh, vertex, to);
    to += 3;
  }
}

Vec3 barycentre(const TetMesh& mesh, std::int64_t tet) {
  return (mesh.corner(tet, 0) + mesh.corner(tet, 1) + mesh.corner(tet, 2) + mesh.corner(tet, 3)) /
         4;
}

}  // namespace

TetView::TetView(TetFile file) : mesh_(std::move(file.mesh)) {
  neighbors_ = neighbors_of(mesh_);
  measure_shapes();
  measure_arrays(file);
  find_worst();
}

void TetView::measure_shapes() {
  std::vector<float>& sizes = values_[static_cast<std::size_t>(TetMeasure::size)];
  std::vector<float>& angles = values_[static_cast<std::size_t>(TetMeasure::angle)];
  sizes.resize(mesh_.tets.size());
  angles.resize(mesh_.tets.size());
  largest_angle_.resize(mesh_.tets.size());
  parallel_for_each(mesh_.tet_count(), [&](std::int64_t tet) {
    const auto i = static_cast<std::size_t>(tet);
    // The regular tetrahedron of edge a has volume a^3 / (6 sqrt 2).
    sizes[i] = static_cast<float>(std::cbrt(std::abs(mesh_.volume(tet)) * 6 * std::sqrt(2.0)));
    const auto dihedrals = dihedral_angles(mesh_.corner(tet, 0), mesh_.corner(tet, 1),
                                           mesh_.corner(tet, 2), mesh_.corner(tet, 3));
    const auto [least, most] = std::minmax_element(dihedrals.begin(), dihedrals.end());
    angles[i] = static_cast<float>(*least);
    largest_angle_[i] = static_cast<float>(*most);
  });
}

void TetView::measure_arrays(const TetFile& file) {
  if (const TetArray* pressure = file.find("pressure", 1)) {
    values_[static_cast<std::size_t>(TetMeasure::pressure)].assign(pressure->values.begin(),
                                                                   pressure->values.end());
  }
  if (const TetArray* velocity = file.find("velocity", 3)) {
    std::vector<float>& speeds = values_[static_cast<std::size_t>(TetMeasure::speed)];
    speeds.resize(mesh_.tets.size());
    for (std::size_t i = 0; i < speeds.size(); ++i) {
      const double* v = velocity->values.data() + 3 * i;
      speeds[i] = static_cast<float>(std::hypot(v[0], v[1], v[2]));
    }
  }
}

// Those with an angle nearest to 0 or to 180 degrees; of equal ones the first.
void TetView::find_worst() {
  const auto badness = [&](std::int32_t tet) {
    const auto i = static_cast<std::size_t>(tet);
    return std::min(of(TetMeasure::angle)[i], 180 - largest_angle_[i]);
  };
  worst_.resize(mesh_.tets.size());
  std::iota(worst_.begin(), worst_.end(), 0);
  const auto count = static_cast<std::ptrdiff_t>(std::min(kWorstTets, worst_.size()));
  std::partial_sort(worst_.begin(), worst_.begin() + count, worst_.end(),
                    [&](std::int32_t a, std::int32_t b) {
                      const float bad_a = badness(a), bad_b = badness(b);
                      return bad_a != bad_b ? bad_a < bad_b : a < b;
                    });
  worst_.resize(static_cast<std::size_t>(count));
  worst_.shrink_to_fit();
}

std::vector<FaceId> TetView::faces_left(const std::vector<std::uint8_t>& is_left) const {
  std::vector<FaceId> faces;
  for (std::size_t tet = 0; tet < neighbors_.size(); ++tet) {
    if (is_left[tet] == 0) continue;
    for (std::size_t side = 0; side < 4; ++side) {
      const std::int32_t other = neighbors_[tet][side];
      if (other >= 0 && is_left[static_cast<std::size_t>(other)] != 0) continue;
      faces.push_back(static_cast<FaceId>(4 * tet + side));
    }
  }
  return faces;
}

std::string TetView::cut(const Vec3& normal, double offset, TetMeasure measure) const {
  std::vector<std::uint8_t> is_left(mesh_.tets.size());
  parallel_for_each(mesh_.tet_count(), [&](std::int64_t tet) {
    is_left[static_cast<std::size_t>(tet)] = normal.dot(barycentre(mesh_, tet)) <= offset ? 1 : 0;
  });
  const std::vector<FaceId> faces = faces_left(is_left);
  const std::vector<float>& values = of(measure);

  Json about = {{"tets", mesh_.tet_count()},
                {"left", std::count(is_left.begin(), is_left.end(), 1)},
                {"range", nullptr},
                {"measures", Json::array()},
                {"worst", Json::array()}};
  if (!values.empty()) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    about["range"] = {*least, *most};
  }
  for (std::size_t i = 0; i < kTetMeasures.size(); ++i) {
    if (!values_[i].empty()) about["measures"].push_back(kTetMeasures[i]);
  }
  for (const std::int32_t tet : worst_) {
    const auto i = static_cast<std::size_t>(tet);
    about["worst"].push_back({{"tet", tet},
                              {"smallest", of(TetMeasure::angle)[i]},
                              {"largest", largest_angle_[i]},
                              {"at", to_json(barycentre(mesh_, tet))}});
  }

  Pack pack;
  const std::int64_t triangles = std::ssize(faces);
  const std::size_t positions = pack.declare<float>("position", 3, 3 * triangles);
  const std::size_t colours = pack.declare<float>("value", 1, 3 * triangles);
  const std::size_t worst = pack.declare<float>("worst", 3, 12 * std::ssize(worst_));
  pack.lay_out(about);
  const std::span<float> to_positions = pack.array<float>(positions);
  const std::span<float> to_values = pack.array<float>(colours);
  parallel_for_each(triangles, [&](std::int64_t i) {
    const FaceId face = faces[static_cast<std::size_t>(i)];
    put_face(mesh_, face, to_positions.data() + 9 * i);
    const float value = values.empty() ? 0 : values[static_cast<std::size_t>(face >> 2)];
    std::fill_n(to_values.data() + 3 * i, 3, value);
  });
  float* to = pack.array<float>(worst).data();
  for (const std::int32_t tet : worst_) {
    for (FaceId side = 0; side < 4; ++side, to += 9) put_face(mesh_, 4 * FaceId{tet} + side, to);
  }
  return std::move(pack).take();
}

}  // namespace spindrift::app
