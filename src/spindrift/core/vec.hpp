// Small vectors, matrices and boxes: names for the Eigen types that all modules share.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace spindrift {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Vec3f = Eigen::Vector3f;
using Vec3i = Eigen::Vector3i;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;
using Box3 = Eigen::AlignedBox3d;  // default-constructed: empty

}  // namespace spindrift
