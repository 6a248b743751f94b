// What rays meet: the picture's items in an Embree tree, triangles and sphere-traced shapes alike.
//
// Embree computes in float, so everything lives in a local frame: the middle of the scene at the
// origin, its half diagonal 1. Scenes of any size and place then look the same, and the
// tolerances are plain numbers.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <vector>

#include "spindrift/render/picture.hpp"

namespace spindrift::render_detail {

// Points that rays start from are moved this far off their surface, so that no surface shades
// itself. A tenth of a pixel of a picture that the scene fills.
inline constexpr float kOffset = 1e-4f;

struct LocalFrame {
  Vec3 origin = Vec3::Zero();  // m
  double scale = 1;            // m a local unit

  [[nodiscard]] Vec3 to_local(const Vec3& x) const { return (x - origin) / scale; }
  [[nodiscard]] Vec3 to_world(const Vec3& x) const { return origin + scale * x; }
};

// In the local frame; `direction` of length 1.
struct Ray {
  Vec3f origin, direction;
  float time = 0.5f;  // from 0, the shutter opens, to 1, it closes
  float far = std::numeric_limits<float>::infinity();
};

// Normals are of length 1 and on the side that the ray came from.
struct Hit {
  float distance = 0;
  Vec3f point = Vec3f::Zero();   // where rays go on from, on the side that the ray came from
  Vec3f beyond = Vec3f::Zero();  // where rays go on from, on the other side
  Vec3f facet = Vec3f::Zero();   // normal of the surface itself
  Vec3f normal = Vec3f::Zero();  // normal to shade with
  int item = -1;
  bool back = false;  // the ray met the inner side
};

// The surfaces of clear items that a ray goes through, nearest first.
class Crossings {
 public:
  struct Crossing {
    float distance;
    float cosine;  // between ray and surface, 0 to 1
    bool back;     // the ray leaves the item there
    unsigned item, part;
  };
  // More are as good as opaque: next to nothing of the light passes.
  static constexpr int kMost = 32;

  // False: there is no room.
  bool add(const Crossing& crossing);
  void sort();
  [[nodiscard]] const Crossing* begin() const { return list_.data(); }
  [[nodiscard]] const Crossing* end() const { return list_.data() + count_; }

 private:
  int count_ = 0;
  std::array<Crossing, kMost> list_;
};

class RayScene {
 public:
  // Builds the tree. The picture must outlive this. Throws SystemError if memory runs out.
  explicit RayScene(const Picture& picture);
  ~RayScene();
  RayScene(const RayScene&) = delete;
  RayScene& operator=(const RayScene&) = delete;

  // The nearest surface.
  [[nodiscard]] bool intersect(const Ray& ray, Hit& hit) const;
  // Is something opaque in the way? If not, `crossings` is what is clear.
  [[nodiscard]] bool occluded(const Ray& ray, Crossings& crossings) const;

  [[nodiscard]] const LocalFrame& frame() const { return frame_; }
  // Of the items, a little enlarged; empty if there is nothing to meet.
  [[nodiscard]] const Box3& local_bounds() const { return local_bounds_; }
  // Of the items that are not clear, while the shutter is open; empty if all are clear.
  [[nodiscard]] const Eigen::AlignedBox3f& opaque_bounds() const { return opaque_bounds_; }

 private:
  struct Device;
  struct MeshPart;
  struct ShapePart;

  void add_mesh(int item);
  void add_shape(int item);

  const Picture& picture_;
  LocalFrame frame_;
  Box3 local_bounds_;
  Eigen::AlignedBox3f opaque_bounds_;
  std::unique_ptr<Device> device_;
  std::vector<std::unique_ptr<MeshPart>> meshes_;   // by item; null for other kinds
  std::vector<std::unique_ptr<ShapePart>> shapes_;  // by item; null for other kinds
};

}  // namespace spindrift::render_detail
