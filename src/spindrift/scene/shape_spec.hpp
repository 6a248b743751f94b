// Shapes, placements and motions as the scene writes them down. Lengths in metres.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "spindrift/core/error.hpp"
#include "spindrift/core/vec.hpp"

namespace spindrift {

// Where a part of the scene stands in its file. All places are equal, so that comparing two scenes
// compares what they say, not where they say it.
struct Place : Location {
  bool operator==(const Place&) const { return true; }
};

struct BoxSpec {
  Vec3 min = Vec3::Zero(), max = Vec3::Ones();
  bool operator==(const BoxSpec&) const = default;
};
struct SphereSpec {
  Vec3 center = Vec3::Zero();
  double radius = 1;
  bool operator==(const SphereSpec&) const = default;
};
// What cylinder, capsule and cone have in common.
struct AxialSpec {
  Vec3 from = Vec3::Zero(), to = Vec3::UnitZ();
  double radius = 1;
  bool operator==(const AxialSpec&) const = default;
};
struct CylinderSpec : AxialSpec {
  bool operator==(const CylinderSpec&) const = default;
};
struct CapsuleSpec : AxialSpec {
  bool operator==(const CapsuleSpec&) const = default;
};
struct ConeSpec : AxialSpec {
  bool operator==(const ConeSpec&) const = default;
};
struct TorusSpec {
  Vec3 center = Vec3::Zero(), axis = Vec3::UnitZ();
  double radius = 1, tube = 0.25;
  bool operator==(const TorusSpec&) const = default;
};
struct HalfspaceSpec {
  Vec3 point = Vec3::Zero(), normal = Vec3::UnitZ();
  bool operator==(const HalfspaceSpec&) const = default;
};

// A path as written, and the folder that it is relative to (empty: the current one).
struct FileSpec {
  std::string path, folder;

  [[nodiscard]] std::string resolved() const;
  bool operator==(const FileSpec& other) const { return resolved() == other.resolved(); }
};

// `closed`: an open mesh is an error. `winding`: inside is where the winding number says so.
enum class MeshFill { closed, winding };

struct MeshSpec {
  FileSpec file;
  MeshFill fill = MeshFill::closed;
  Place location;
  bool operator==(const MeshSpec&) const = default;
};

struct ShapeSpec;
enum class Combination { unite, intersect, subtract };

struct CombinationSpec {
  Combination combination = Combination::unite;
  std::vector<ShapeSpec> parts;  // one or more; `subtract`: the first without all the others
  bool operator==(const CombinationSpec&) const;
};

struct RotationSpec {
  Vec3 axis = Vec3::UnitZ();
  double degrees = 0;
  bool operator==(const RotationSpec&) const = default;
};

// Applied in this order.
struct PlacementSpec {
  Vec3 scale = Vec3::Ones();
  RotationSpec rotate;
  Vec3 translate = Vec3::Zero();
  bool operator==(const PlacementSpec&) const = default;
};

struct ShapeSpec {
  std::variant<BoxSpec, SphereSpec, CylinderSpec, CapsuleSpec, ConeSpec, TorusSpec, HalfspaceSpec,
               MeshSpec, CombinationSpec>
      kind;
  PlacementSpec placement;
  Place location;
  bool operator==(const ShapeSpec&) const = default;
};

inline bool CombinationSpec::operator==(const CombinationSpec& other) const {
  return combination == other.combination && parts == other.parts;
}

struct KeyframeSpec {
  double t = 0;
  RotationSpec rotate;
  Vec3 translate = Vec3::Zero();
  bool operator==(const KeyframeSpec&) const = default;
};
struct SpinSpec {
  Vec3 axis = Vec3::UnitZ(), center = Vec3::Zero();
  double rpm = 0;
  bool operator==(const SpinSpec&) const = default;
};
struct MotionSpec {
  std::variant<std::vector<KeyframeSpec>, SpinSpec> kind;
  Place location;
  bool operator==(const MotionSpec&) const = default;
};

}  // namespace spindrift
