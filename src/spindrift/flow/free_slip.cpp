#include "spindrift/flow/free_slip.hpp"

#include <vector>

#include <Eigen/Eigenvalues>

namespace spindrift {
namespace {

// Normals closer than this belong to one wall: 40 degrees. Curved obstacles that the mesh resolves
// turn by less from face to face; walls of tanks and steps meet at more.
constexpr double kSameWall = 0.766;

// Of the sum of n n^T of the walls. Two of them at 40 degrees have 0.23.
constexpr double kLeastEigenvalue = 0.1;

struct Wall {
  Vec3 normal;
  double normal_velocity;
};

std::vector<Wall> find_walls(std::span<const SolidFace> faces) {
  std::vector<Wall> walls;
  std::vector<SolidFace> left(faces.begin(), faces.end());
  while (!left.empty()) {
    std::size_t largest = 0;
    for (std::size_t i = 1; i < left.size(); ++i) {
      if (left[i].area.squaredNorm() > left[largest].area.squaredNorm()) largest = i;
    }
    const Vec3 normal = left[largest].area.normalized();
    Vec3 area = Vec3::Zero();
    double flow = 0;
    std::vector<SolidFace> others;
    for (const SolidFace& face : left) {
      const double size = face.area.norm();
      if (size > 0 && normal.dot(face.area) >= kSameWall * size) {
        area += face.area;
        flow += size * face.normal_velocity;
      } else if (size > 0) {
        others.push_back(face);
      }
    }
    if (area.norm() > 0) walls.push_back({area.normalized(), flow / area.norm()});
    left = std::move(others);
  }
  return walls;
}

// Whether all faces are of one wall, as they mostly are: that of the largest, summed as
// find_walls() does, but without memory.
bool is_one_wall(std::span<const SolidFace> faces, Wall& wall) {
  if (faces.empty()) return false;
  std::size_t largest = 0;
  for (std::size_t i = 1; i < faces.size(); ++i) {
    if (faces[i].area.squaredNorm() > faces[largest].area.squaredNorm()) largest = i;
  }
  const Vec3 normal = faces[largest].area.normalized();
  Vec3 area = Vec3::Zero();
  double flow = 0;
  for (const SolidFace& face : faces) {
    const double size = face.area.norm();
    if (!(size > 0)) continue;
    if (!(normal.dot(face.area) >= kSameWall * size)) return false;
    area += face.area;
    flow += size * face.normal_velocity;
  }
  if (!(area.norm() > 0)) return false;
  wall = {area.normalized(), flow / area.norm()};
  return true;
}

// On its own: Eigen's solver rounds as the compiler happens to lay out what is around it.
[[gnu::noinline]] Vec3 along_walls(const Vec3& velocity, std::span<const SolidFace> faces) {
  const std::vector<Wall> walls = find_walls(faces);
  Mat3 normals = Mat3::Zero();
  Vec3 missing = Vec3::Zero();
  for (const Wall& wall : walls) {
    normals += wall.normal * wall.normal.transpose();
    missing += (wall.normal_velocity - wall.normal.dot(velocity)) * wall.normal;
  }
  if (walls.size() <= 1) return velocity + missing;
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(normals);
  Vec3 result = velocity;
  for (int k = 0; k < 3; ++k) {
    const double value = solver.eigenvalues()[k];
    const Vec3 direction = solver.eigenvectors().col(k);
    if (value > kLeastEigenvalue) result += direction.dot(missing) / value * direction;
  }
  return result;
}

}  // namespace

Vec3 with_free_slip(const Vec3& velocity, std::span<const SolidFace> faces) {
  Wall wall;
  if (!is_one_wall(faces, wall)) return along_walls(velocity, faces);
  Vec3 missing = Vec3::Zero();
  missing += (wall.normal_velocity - wall.normal.dot(velocity)) * wall.normal;
  return velocity + missing;
}

}  // namespace spindrift
