#include "spindrift/surface/contact_points.hpp"

#include <algorithm>
#include <cmath>

namespace spindrift {
namespace {

// All in lattice units.
constexpr double kStep = 0.05;      // for gradients
constexpr double kClose = 1e-6;     // to both surfaces, at the end
constexpr double kFarthest = 0.75;  // from the start: farther away triangles would fold
constexpr double kDeepest = 0.5;    // in a solid, at the end
constexpr double kOffLiquid = 0.1;  // from the liquid's surface, at the end

struct Contact {
  Vec3 point, start;  // m
  Vec3 a, b;          // gradients of liquid and solid, 1
  double f = 0, g = 0;
  bool is_done = false;
};

// Newton's method in the plane of the two gradients, which are found anew only where it is slow.
class ContactSearch {
 public:
  ContactSearch(const CutBounds& bounds, std::vector<Vec3>& points)
      : bounds_(bounds), spacing_(bounds.lattice().spacing) {
    for (const Vec3& point : points) {
      contacts_.push_back({point, point, Vec3::Zero(), Vec3::Zero()});
      active_.push_back(active_.size());
    }
  }

  void run(std::vector<Vec3>& points) {
    constexpr int kRounds = 3;
    constexpr int kStepsInRound = 4;
    for (int round = 0; round < kRounds && !active_.empty(); ++round) {
      find_gradients();
      for (int step = 0; step < kStepsInRound && !active_.empty(); ++step) {
        for (const std::size_t i : active_) move(contacts_[i]);
        find_values();
      }
    }
    // Where a solid has an edge the steps get stuck a little before it: so that the liquid's
    // surface stays smooth there.
    for (const std::size_t i : active_) {
      Contact& c = contacts_[i];
      move_by(c, -c.f / c.a.squaredNorm() * c.a);
    }
    find_values();
    // Where there is hardly any liquid, its slope may lead anywhere.
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Contact& c = contacts_[i];
      const bool is_lost = c.g > kDeepest || std::abs(c.f) > kOffLiquid;
      points[i] = is_lost ? c.start : c.point;
    }
  }

 private:
  void find_gradients() {
    evaluate(7, [&](std::size_t, int k) {
      if (k == 0) return Vec3(Vec3::Zero());
      return Vec3((k % 2 == 1 ? kStep : -kStep) * Vec3::Unit((k - 1) / 2));
    });
    for (std::size_t k = 0; k < active_.size(); ++k) {
      Contact& c = contacts_[active_[k]];
      const float* liquid = liquid_.data() + 7 * k;
      const double* solid = solid_.data() + 7 * k;
      c.f = liquid[0];
      c.g = solid[0];
      for (int axis = 0; axis < 3; ++axis) {
        c.a[axis] = (double{liquid[1 + 2 * axis]} - liquid[2 + 2 * axis]) / (2 * kStep);
        c.b[axis] = (solid[1 + 2 * axis] - solid[2 + 2 * axis]) / (2 * kStep);
      }
      const double aa = c.a.squaredNorm();
      const double bb = c.b.squaredNorm();
      const double ab = c.a.dot(c.b);
      c.is_done = aa == 0 || bb == 0 || aa * bb - ab * ab < 0.01 * aa * bb;
    }
    drop_done();
  }

  void find_values() {
    evaluate(1, [](std::size_t, int) { return Vec3(Vec3::Zero()); });
    for (std::size_t k = 0; k < active_.size(); ++k) {
      Contact& c = contacts_[active_[k]];
      c.f = liquid_[k];
      c.g = solid_[k];
      c.is_done = std::abs(c.f) < kClose && std::abs(c.g) < kClose;
    }
    drop_done();
  }

  // Both functions, at `count` points for each active contact.
  template <class Offset>
  void evaluate(int count, const Offset& offset) {
    points_.clear();
    for (const std::size_t i : active_) {
      for (int k = 0; k < count; ++k) {
        points_.emplace_back(contacts_[i].point + spacing_ * offset(i, k));
      }
    }
    liquid_.resize(points_.size());
    solid_.resize(points_.size());
    bounds_.liquid(points_, liquid_);
    bounds_.solid(points_, solid_);
  }

  // Least change: x = -J^T (J J^T)^-1 f, with the rows a and b.
  void move(Contact& c) const {
    const double aa = c.a.squaredNorm();
    const double bb = c.b.squaredNorm();
    const double ab = c.a.dot(c.b);
    const double determinant = aa * bb - ab * ab;
    const double u = (bb * c.f - ab * c.g) / determinant;
    const double v = (aa * c.g - ab * c.f) / determinant;
    move_by(c, -(u * c.a + v * c.b));
  }
  void move_by(Contact& c, const Vec3& way) const {
    c.point += spacing_ * way;
    const Vec3 moved = c.point - c.start;
    const double most = kFarthest * spacing_;
    if (moved.norm() > most) c.point = c.start + moved * (most / moved.norm());
  }

  void drop_done() {
    std::erase_if(active_, [&](std::size_t i) { return contacts_[i].is_done; });
  }

  const CutBounds& bounds_;
  double spacing_;
  std::vector<Contact> contacts_;
  std::vector<std::size_t> active_;
  std::vector<Vec3> points_;
  std::vector<float> liquid_;
  std::vector<double> solid_;
};

}  // namespace

void project_to_contact(const CutBounds& bounds, std::vector<Vec3>& points) {
  ContactSearch(bounds, points).run(points);
}

}  // namespace spindrift
