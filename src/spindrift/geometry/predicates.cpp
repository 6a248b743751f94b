#include "spindrift/geometry/predicates.hpp"

#include <array>
#include <cmath>

namespace spindrift {

namespace {

// A sum of doubles, smallest first, whose bits do not overlap and none of which is zero: an exact
// number. In place, because meshes with flat parts ask for many.
template <int kCapacity>
struct Expansion {
  std::array<double, kCapacity> components{};
  int size = 0;
};

template <int kCapacity>
void add(Expansion<kCapacity>& e, double b) {
  double carry = b;
  int kept = 0;
  for (int i = 0; i < e.size; ++i) {
    const double component = e.components[i];
    const double sum = carry + component;
    const double virtual_part = sum - carry;
    const double rest = (carry - (sum - virtual_part)) + (component - virtual_part);
    carry = sum;
    if (rest != 0) e.components[kept++] = rest;
  }
  if (carry != 0) e.components[kept++] = carry;
  e.size = kept;
}

template <int kCapacity, int kOther>
void add(Expansion<kCapacity>& e, const Expansion<kOther>& f, double factor) {
  for (int i = 0; i < f.size; ++i) add(e, factor * f.components[i]);
}

Expansion<2> difference(double a, double b) {
  Expansion<2> e;
  add(e, a);
  add(e, -b);
  return e;
}

template <int kFirst, int kSecond>
Expansion<2 * kFirst * kSecond> product(const Expansion<kFirst>& e, const Expansion<kSecond>& f) {
  Expansion<2 * kFirst * kSecond> result;
  for (int i = 0; i < e.size; ++i) {
    for (int j = 0; j < f.size; ++j) {
      const double high = e.components[i] * f.components[j];
      add(result, std::fma(e.components[i], f.components[j], -high));
      add(result, high);
    }
  }
  return result;
}

// a b - c d.
Expansion<16> minor(const Expansion<2>& a, const Expansion<2>& b, const Expansion<2>& c,
                    const Expansion<2>& d) {
  Expansion<16> result;
  add(result, product(a, b), 1);
  add(result, product(c, d), -1);
  return result;
}

int sign(double x) { return (x > 0) - (x < 0); }

template <int kCapacity>
int sign(const Expansion<kCapacity>& e) {
  return e.size == 0 ? 0 : sign(e.components[e.size - 1]);
}

int exact_orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  Expansion<2> m[3][3];
  for (int axis = 0; axis < 3; ++axis) {
    m[0][axis] = difference(a[axis], d[axis]);
    m[1][axis] = difference(b[axis], d[axis]);
    m[2][axis] = difference(c[axis], d[axis]);
  }
  Expansion<192> determinant;  // three products of 2 * 2 * 16 components
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    add(determinant, product(m[0][k], minor(m[1][i], m[2][j], m[1][j], m[2][i])), 1);
  }
  return sign(determinant);
}

constexpr double kUnitRoundoff = 0x1p-53;

}  // namespace

int orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 u = a - d, v = b - d, w = c - d;
  const double xy = v.x() * w.y(), yx = v.y() * w.x();
  const double yz = v.y() * w.z(), zy = v.z() * w.y();
  const double zx = v.z() * w.x(), xz = v.x() * w.z();
  const double determinant = u.x() * (yz - zy) + u.y() * (zx - xz) + u.z() * (xy - yx);
  const double permanent = std::abs(u.x()) * (std::abs(yz) + std::abs(zy)) +
                           std::abs(u.y()) * (std::abs(zx) + std::abs(xz)) +
                           std::abs(u.z()) * (std::abs(xy) + std::abs(yx));
  // Seven roundings on the longest path (difference, product, difference, product, two sums).
  if (std::abs(determinant) > 16 * kUnitRoundoff * permanent) return sign(determinant);
  return exact_orientation(a, b, c, d);
}

int orientation(const Vec2& a, const Vec2& b, const Vec2& c) {
  const double left = (a.x() - c.x()) * (b.y() - c.y());
  const double right = (a.y() - c.y()) * (b.x() - c.x());
  if (std::abs(left - right) > 8 * kUnitRoundoff * (std::abs(left) + std::abs(right))) {
    return sign(left - right);
  }
  return sign(minor(difference(a.x(), c.x()), difference(b.y(), c.y()), difference(a.y(), c.y()),
                    difference(b.x(), c.x())));
}

int projection_axis(const Vec3& a, const Vec3& b, const Vec3& c) {
  for (int axis = 0; axis < 3; ++axis) {
    if (orientation(drop_axis(a, axis), drop_axis(b, axis), drop_axis(c, axis)) != 0) return axis;
  }
  return -1;
}

bool are_collinear(const Vec3& a, const Vec3& b, const Vec3& c) {
  return projection_axis(a, b, c) < 0;
}

}  // namespace spindrift
