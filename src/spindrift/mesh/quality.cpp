#include "spindrift/mesh/quality.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "spindrift/core/parallel.hpp"

namespace spindrift {

namespace {

constexpr std::int64_t kChunk = 8192;
constexpr double kDegree = std::numbers::pi / 180;
constexpr int kBinsOfARightAngle = kDihedralBins / 2;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using BinBounds = std::array<double, kDihedralBins + 1>;

// |n_i| |n_j| times cosine and sine of the dihedral angle at each edge, where n_i is the normal of
// a face with the length of twice its area. The sine is 6 V |e|: no cancellation in flat
// tetrahedra.
struct Dihedrals {
  std::array<double, 6> cosine, sine;
  double six_volumes;
};

Dihedrals dihedrals_of(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 ab = b - a, ac = c - a, ad = d - a, bc = c - b, bd = d - b, cd = d - c;
  // Outward, opposite a, b, c and d.
  const Vec3 na = bc.cross(bd), nb = ad.cross(ac), nc = ab.cross(ad), nd = ac.cross(ab);
  Dihedrals result;
  result.six_volumes = 0 - nd.dot(ad);  // the minus alone would make -0 of 0
  // The faces that meet in an edge are those opposite the other two vertices.
  result.cosine = {-nc.dot(nd), -nb.dot(nd), -nb.dot(nc), -na.dot(nd), -na.dot(nc), -na.dot(nb)};
  const std::array<double, 6> squares = {ab.squaredNorm(), ac.squaredNorm(), ad.squaredNorm(),
                                         bc.squaredNorm(), bd.squaredNorm(), cd.squaredNorm()};
  const double height = std::abs(result.six_volumes);
  for (int k = 0; k < 6; ++k) result.sine[k] = height * std::sqrt(squares[k]);
  return result;
}

// False where a face has no area, and for numbers that are not finite.
bool has_angle(double cosine, double sine) {
  const double sum = std::abs(cosine) + sine;
  return sum > 0 && sum < kInfinity;
}

// Grows with the angle from 0 at 0 degrees over 1 at 90 to 2 at 180, as exactly as the angle itself
// and without its cost: the place where its ray meets the diamond |x| + |y| = 1.
double diamond_angle(double cosine, double sine) {
  if (!has_angle(cosine, sine)) return 0;
  const double share = sine / (std::abs(cosine) + sine);
  return cosine >= 0 ? share : 2 - share;
}

// Diamond angles of the bins' bounds.
BinBounds bin_bounds() {
  BinBounds bounds;
  for (int k = 0; k <= kDihedralBins; ++k) {
    const double angle = k * kDihedralBinDegrees * kDegree;
    bounds[k] = diamond_angle(std::cos(angle), std::sin(angle));
  }
  bounds[kBinsOfARightAngle] = 1;  // cos(pi / 2) is not quite 0
  bounds[kDihedralBins] = kInfinity;
  return bounds;
}

// The diamond angle is within 4 degrees of the angle: the guess is off by one bin at most.
int bin_of(double diamond, const BinBounds& bounds) {
  int bin = std::min(static_cast<int>(diamond * kBinsOfARightAngle), kDihedralBins - 1);
  bin -= diamond < bounds[bin] ? 1 : 0;
  bin += diamond >= bounds[bin + 1] ? 1 : 0;
  return bin;
}

// A value and the first tetrahedron that has it.
struct Found {
  double value;
  std::int64_t tet = -1;

  void lower(double other, std::int64_t t) {
    if (other < value) *this = {other, t};
  }
  void raise(double other, std::int64_t t) {
    if (other > value) *this = {other, t};
  }
};

// One chunk's share; angles as diamond angles.
struct Part {
  Found min_angle{kInfinity}, max_angle{-kInfinity}, min_volume{kInfinity};
  double volume = 0;
  std::int64_t not_positive = 0;
  std::array<std::int64_t, kDihedralBins> bins{};
};

Part measure(const TetMesh& mesh, const BinBounds& bounds, std::int64_t begin, std::int64_t end) {
  Part part;
  for (std::int64_t t = begin; t < end; ++t) {
    const Dihedrals angles =
        dihedrals_of(mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2), mesh.corner(t, 3));
    double least = kInfinity, greatest = -kInfinity;
    for (int k = 0; k < 6; ++k) {
      const double angle = diamond_angle(angles.cosine[k], angles.sine[k]);
      least = std::min(least, angle);
      greatest = std::max(greatest, angle);
      ++part.bins[bin_of(angle, bounds)];
    }
    const double volume = angles.six_volumes / 6;
    part.min_angle.lower(least, t);
    part.max_angle.raise(greatest, t);
    part.min_volume.lower(volume, t);
    part.volume += volume;
    if (!(volume > 0)) ++part.not_positive;
  }
  return part;
}

Part combine(Part a, const Part& b) {
  a.min_angle.lower(b.min_angle.value, b.min_angle.tet);
  a.max_angle.raise(b.max_angle.value, b.max_angle.tet);
  a.min_volume.lower(b.min_volume.value, b.min_volume.tet);
  a.volume += b.volume;
  a.not_positive += b.not_positive;
  for (int k = 0; k < kDihedralBins; ++k) a.bins[k] += b.bins[k];
  return a;
}

// `value_of` makes the value from the tetrahedron's six angles.
template <class ValueOf>
ExtremeTet extreme(const TetMesh& mesh, std::int64_t tet, const ValueOf& value_of) {
  ExtremeTet result;
  if (tet < 0) return result;
  const std::array<Vec3, 4> corners = {mesh.corner(tet, 0), mesh.corner(tet, 1),
                                       mesh.corner(tet, 2), mesh.corner(tet, 3)};
  result.tet = tet;
  result.barycentre = (corners[0] + corners[1] + corners[2] + corners[3]) / 4;
  const auto angles = dihedral_angles(corners[0], corners[1], corners[2], corners[3]);
  result.value = value_of(angles);
  return result;
}

}  // namespace

std::array<double, 6> dihedral_angles(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Dihedrals dihedrals = dihedrals_of(a, b, c, d);
  std::array<double, 6> degrees;
  for (int k = 0; k < 6; ++k) {
    const double cosine = dihedrals.cosine[k], sine = dihedrals.sine[k];
    degrees[k] = has_angle(cosine, sine) ? std::atan2(sine, cosine) / kDegree : 0;
  }
  return degrees;
}

TetQuality measure_quality(const TetMesh& mesh) {
  const BinBounds bounds = bin_bounds();
  const Part whole = parallel_reduce_chunks(
      mesh.tet_count(), kChunk, Part{},
      [&](std::int64_t begin, std::int64_t end) { return measure(mesh, bounds, begin, end); },
      combine);
  using Angles = std::array<double, 6>;
  TetQuality quality;
  quality.tets = mesh.tet_count();
  quality.vertices = mesh.vertex_count();
  quality.min_dihedral = extreme(mesh, whole.min_angle.tet, [](const Angles& angles) {
    return *std::min_element(angles.begin(), angles.end());
  });
  quality.max_dihedral = extreme(mesh, whole.max_angle.tet, [](const Angles& angles) {
    return *std::max_element(angles.begin(), angles.end());
  });
  quality.min_volume =
      extreme(mesh, whole.min_volume.tet, [&](const Angles&) { return whole.min_volume.value; });
  quality.dihedrals = whole.bins;
  quality.volume = whole.volume;
  quality.not_positive = whole.not_positive;
  return quality;
}

}  // namespace spindrift
