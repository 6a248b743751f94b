#include "spindrift/geometry/predicates.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace spindrift {

namespace {

// A sum of doubles, smallest first, whose bits do not overlap: an exact number. Zeros may occur.
using Expansion = std::vector<double>;

void add(Expansion& e, double b) {
  double carry = b;
  for (double& component : e) {
    const double sum = carry + component;
    const double virtual_part = sum - carry;
    const double rest = (carry - (sum - virtual_part)) + (component - virtual_part);
    carry = sum;
    component = rest;
  }
  e.push_back(carry);
}

Expansion difference(double a, double b) {
  Expansion e = {a};
  add(e, -b);
  return e;
}

Expansion product(const Expansion& e, const Expansion& f) {
  Expansion result;
  for (double x : e) {
    for (double y : f) {
      const double high = x * y;
      add(result, std::fma(x, y, -high));
      add(result, high);
    }
  }
  return result;
}

Expansion difference(Expansion e, const Expansion& f) {
  for (double component : f) add(e, -component);
  return e;
}

Expansion sum(Expansion e, const Expansion& f) {
  for (double component : f) add(e, component);
  return e;
}

int sign(double x) { return (x > 0) - (x < 0); }

int sign(const Expansion& e) {
  const auto largest = std::find_if(e.rbegin(), e.rend(), [](double x) { return x != 0; });
  return largest == e.rend() ? 0 : sign(*largest);
}

int exact_orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  Expansion m[3][3];
  for (int axis = 0; axis < 3; ++axis) {
    m[0][axis] = difference(a[axis], d[axis]);
    m[1][axis] = difference(b[axis], d[axis]);
    m[2][axis] = difference(c[axis], d[axis]);
  }
  const auto minor = [&](int i, int j) {
    return difference(product(m[1][i], m[2][j]), product(m[1][j], m[2][i]));
  };
  return sign(sum(sum(product(m[0][0], minor(1, 2)), product(m[0][1], minor(2, 0))),
                  product(m[0][2], minor(0, 1))));
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
  return sign(difference(product(difference(a.x(), c.x()), difference(b.y(), c.y())),
                         product(difference(a.y(), c.y()), difference(b.x(), c.x()))));
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
