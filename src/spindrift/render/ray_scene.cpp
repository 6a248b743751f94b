#include "spindrift/render/ray_scene.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include <embree3/rtcore.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/core/stable_length.hpp"
#include "spindrift/render/item_path.hpp"
#include "spindrift/render/smooth_normals.hpp"
#include "spindrift/render/sphere_trace.hpp"

namespace spindrift::render_detail {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::int64_t kChunk = 4096;
// Shapes are traced inside their bounds enlarged by this much (local units), so that rays start
// outside even when the shape fills its bounds.
constexpr double kBoundsMargin = 1e-3;
// A corner that is rounded to float may turn a thin triangle; by no more than this (rad), and
// Embree's own normal will do.
constexpr float kMostTurn = 2e-3f;
constexpr float kRounding = 0x1p-24f;  // of local coordinates, which are about 1
// Step of the differences that give a shape's normal (local units): above the arrival distance, or
// edges would look rounded; far above rounding.
constexpr double kNormalStep = 2e-5;

// Two triangles share an edge, and a ray may meet both at the same distance. Which one Embree keeps
// depends on its tree, and that on the threads that built it: the one with the smaller number wins.
struct Context {
  RTCIntersectContext base;
  Crossings* crossings = nullptr;  // of a shadow ray
  float distance = kInfinity;
  unsigned geometry = 0, primitive = 0;

  Context() { rtcInitIntersectContext(&base); }

  bool takes(float t, unsigned geom, unsigned prim) {
    if (t == distance && (geom > geometry || (geom == geometry && prim > primitive))) return false;
    distance = t;
    geometry = geom;
    primitive = prim;
    return true;
  }
};

void settle_ties(const RTCFilterFunctionNArguments* args) {
  SPINDRIFT_DEBUG_ASSERT(args->N == 1);
  auto& context = *reinterpret_cast<Context*>(args->context);
  const float t = RTCRayN_tfar(args->ray, 1, 0);
  if (!context.takes(t, RTCHitN_geomID(args->hit, 1, 0), RTCHitN_primID(args->hit, 1, 0))) {
    args->valid[0] = 0;
  }
}

// Shadow rays go on through clear surfaces, which are met in the tree's order.
void note_crossing(const RTCFilterFunctionNArguments* args) {
  SPINDRIFT_DEBUG_ASSERT(args->N == 1);
  auto& context = *reinterpret_cast<Context*>(args->context);
  const Vec3f normal(RTCHitN_Ng_x(args->hit, 1, 0), RTCHitN_Ng_y(args->hit, 1, 0),
                     RTCHitN_Ng_z(args->hit, 1, 0));
  const Vec3f direction(RTCRayN_dir_x(args->ray, 1, 0), RTCRayN_dir_y(args->ray, 1, 0),
                        RTCRayN_dir_z(args->ray, 1, 0));
  const float along = normal.dot(direction), length = normal.norm();
  const bool went_on = context.crossings->add(
      {.distance = RTCRayN_tfar(args->ray, 1, 0),
       .cosine = length > 0 ? std::min(1.0f, std::abs(along) / length) : 1.0f,
       .back = along > 0,
       .item = RTCHitN_geomID(args->hit, 1, 0),
       .part = RTCHitN_primID(args->hit, 1, 0)});
  if (went_on) args->valid[0] = 0;
}

RTCRay make_ray(const Ray& from) {
  RTCRay ray{};
  ray.org_x = from.origin.x();
  ray.org_y = from.origin.y();
  ray.org_z = from.origin.z();
  ray.dir_x = from.direction.x();
  ray.dir_y = from.direction.y();
  ray.dir_z = from.direction.z();
  ray.time = from.time;
  ray.tfar = from.far;
  ray.mask = ~0u;
  return ray;
}

Eigen::AlignedBox3f bounds_of(const float* vertices, std::int64_t count) {
  using Box = Eigen::AlignedBox3f;
  const auto bounds = [&](std::int64_t begin, std::int64_t end) {
    Box box;
    for (std::int64_t i = begin; i < end; ++i) {
      const Vec3f x(vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]);
      if (x.allFinite()) box.extend(x);
    }
    return box;
  };
  return parallel_reduce_chunks(count, kChunk, Box(), bounds,
                                [](Box a, const Box& b) { return a.extend(b); });
}

LocalFrame frame_of(const Box3& box) {
  if (box.isEmpty()) return {};
  const double half_diagonal = stable_length(box.sizes()) / 2;
  // A single point has no size; what rounding leaves of it must not be blown up.
  const double least = std::max(1e-100, 1e-14 * box.center().cwiseAbs().maxCoeff());
  return {.origin = box.center(), .scale = std::max(half_diagonal, least)};
}

}  // namespace

bool Crossings::add(const Crossing& crossing) {
  if (count_ == kMost) return false;
  list_[count_++] = crossing;
  return true;
}

void Crossings::sort() {
  std::sort(list_.begin(), list_.begin() + count_, [](const Crossing& a, const Crossing& b) {
    return std::tie(a.distance, a.item, a.part) < std::tie(b.distance, b.item, b.part);
  });
}

struct RayScene::Device {
  RTCDevice device = nullptr;
  RTCScene scene = nullptr;

  Device() {
    // One instruction set, as for our own code: the same picture on every machine.
#ifdef __AVX2__
    device = rtcNewDevice("isa=avx2");
#else
    device = rtcNewDevice(nullptr);
#endif
    if (device == nullptr) check();
    scene = rtcNewScene(device);
    check();
    rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
  }
  ~Device() {
    if (scene != nullptr) rtcReleaseScene(scene);
    if (device != nullptr) rtcReleaseDevice(device);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  void check() const {
    const RTCError error = rtcGetDeviceError(device);
    if (error == RTC_ERROR_NONE) return;
    if (error == RTC_ERROR_OUT_OF_MEMORY) {
      throw SystemError({.file = "picture"}, "memory ran out while the ray tree was built",
                        "render fewer triangles, or on a machine with more memory");
    }
    throw SystemError({.file = "picture"},
                      "Embree failed with error " + std::to_string(static_cast<int>(error)));
  }

  // Takes over the geometry.
  void attach(RTCGeometry geometry, int item) {
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(scene, geometry, static_cast<unsigned>(item));
    rtcReleaseGeometry(geometry);
    check();
  }
};

struct RayScene::MeshPart {
  const Item& item;
  const TriangleMesh& mesh;
  std::vector<CornerNormals> normals;  // by triangle; empty: flat
  float sure_area = 0;                 // twice that above which triangles are not thin, local

  explicit MeshPart(const Item& source) : item(source), mesh(*std::get<MeshPtr>(source.geometry)) {}

  // Instants, evenly spaced, between which vertices go straight.
  [[nodiscard]] unsigned time_steps() const {
    if (!item.motion.empty()) return 2;
    return item.path.empty() ? 1 : static_cast<unsigned>(item.path.size());
  }
  // In m, at a time from 0 to 1.
  [[nodiscard]] Vec3 vertex(std::int64_t v, double time) const {
    const Vec3 x = item.placement.apply(mesh.vertices[v]);
    if (!item.motion.empty()) return x + (time - 0.5) * item.motion[v];
    return moved(x, item.path, time);
  }
  [[nodiscard]] Vec3 corner(std::int64_t t, int k, double time) const {
    return vertex(mesh.triangles[t][k], time);
  }
  // Of the triangle as it is placed, in full precision: slivers keep their normal.
  [[nodiscard]] Vec3f facet_normal(std::int64_t t, double time) const {
    const Vec3 a = corner(t, 0, time), b = corner(t, 1, time), c = corner(t, 2, time);
    return (b - a).cross(c - a).stableNormalized().cast<float>();
  }
  // Embree's is at hand; ours has to fetch the corners.
  [[nodiscard]] Vec3f facet_normal(const RTCHit& hit, float time) const {
    const Vec3f cross(hit.Ng_x, hit.Ng_y, hit.Ng_z);
    const float twice_area = cross.norm();
    if (twice_area > sure_area) return cross / twice_area;
    return facet_normal(hit.primID, double{time});
  }
  // In local units, at rest.
  [[nodiscard]] float longest_edge(const LocalFrame& frame) const {
    const auto longest2 = [&](std::int64_t begin, std::int64_t end) {
      double most = 0;
      for (std::int64_t t = begin; t < end; ++t) {
        const Vec3 a = corner(t, 0, 0.5), b = corner(t, 1, 0.5), c = corner(t, 2, 0.5);
        most =
            std::max({most, (b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
      }
      return most;
    };
    const double most2 = parallel_reduce_chunks(mesh.triangle_count(), kChunk, 0.0, longest2,
                                                [](double x, double y) { return std::max(x, y); });
    return static_cast<float>(std::sqrt(most2) / frame.scale);
  }
  // Of a corner, at a time.
  [[nodiscard]] Vec3f corner_normal(std::int64_t t, int k, float time) const {
    const Vec3f& normal = normals[static_cast<std::size_t>(t)][k];
    if (item.path.empty()) return normal;
    return pose_at(item.path, double{time}).rotation.cast<float>() * normal;
  }
  [[nodiscard]] Vec3f smooth_normal(std::int64_t t, float u, float v, float time) const {
    const Vec3f sum = (1 - u - v) * corner_normal(t, 0, time) + u * corner_normal(t, 1, time) +
                      v * corner_normal(t, 2, time);
    return sum.stableNormalized();
  }
  [[nodiscard]] Vec3f rounded(std::int64_t t, float u, float v, const Vec3f& point, float side,
                              float time, const LocalFrame& frame) const;
};

// The point of a facet, moved out to the rounded surface that interpolated normals pretend. Rays
// from there are not stopped by facets that look away from the light but are shaded as if they did
// not [Hanika 2021, Hacking the Shadow Terminator, Ray Tracing Gems II].
Vec3f RayScene::MeshPart::rounded(std::int64_t t, float u, float v, const Vec3f& point, float side,
                                  float time, const LocalFrame& frame) const {
  const std::array<float, 3> weight = {1 - u - v, u, v};
  Vec3f moved = point;
  for (int k = 0; k < 3; ++k) {
    const Vec3f at = frame.to_local(corner(t, k, time)).cast<float>();
    const Vec3f normal = side * corner_normal(t, k, time);
    moved += weight[k] * std::max(0.0f, (at - point).dot(normal)) * normal;
  }
  return moved;
}

struct RayScene::ShapePart {
  ShapePtr shape;
  const std::vector<Pose>* path;
  const LocalFrame* frame;
  Box3 local_bounds;  // of all its way, enlarged by kBoundsMargin
  bool clear;

  [[nodiscard]] std::optional<Arrival> trace(const RTCRay& ray) const {
    const Vec3 origin(ray.org_x, ray.org_y, ray.org_z), direction(ray.dir_x, ray.dir_y, ray.dir_z);
    const std::optional<Span> span = clip_ray(local_bounds, origin, direction);
    if (!span) return std::nullopt;
    const double scale = frame->scale;
    const double end = std::min(span->end, double{ray.tfar});
    // What moves is met where it rests, by a ray that moves the other way.
    const Pose pose = pose_at(*path, double{ray.time});
    std::optional<Arrival> arrival = sphere_trace(
        *shape, pose.apply_inverse(frame->to_world(origin)), pose.rotation.conjugate() * direction,
        {span->begin * scale, end * scale}, scale);
    if (arrival) arrival->t /= scale;
    return arrival;
  }

  [[nodiscard]] Vec3f normal_at(const Vec3f& local, float time) const {
    const Pose pose = pose_at(*path, double{time});
    const Vec3 at = pose.apply_inverse(frame->to_world(local.cast<double>()));
    const Vec3 normal = pose.rotation * outward_normal(*shape, at, kNormalStep * frame->scale);
    return normal.cast<float>();
  }

  static void bounds_callback(const RTCBoundsFunctionArguments* args) {
    const Box3& box = static_cast<const ShapePart*>(args->geometryUserPtr)->local_bounds;
    const Vec3f low = box.min().cast<float>(), high = box.max().cast<float>();
    RTCBounds& out = *args->bounds_o;
    out.lower_x = low.x();
    out.lower_y = low.y();
    out.lower_z = low.z();
    out.upper_x = high.x();
    out.upper_y = high.y();
    out.upper_z = high.z();
  }

  static void intersect_callback(const RTCIntersectFunctionNArguments* args) {
    SPINDRIFT_DEBUG_ASSERT(args->N == 1);
    if (args->valid[0] == 0) return;
    auto& rayhit = *reinterpret_cast<RTCRayHit*>(args->rayhit);
    const std::optional<Arrival> arrival =
        static_cast<const ShapePart*>(args->geometryUserPtr)->trace(rayhit.ray);
    if (!arrival) return;
    const auto t = static_cast<float>(arrival->t);
    auto& context = *reinterpret_cast<Context*>(args->context);
    if (t > rayhit.ray.tfar || !context.takes(t, args->geomID, args->primID)) return;
    rayhit.ray.tfar = t;
    rayhit.hit.u = arrival->from_inside ? 1.0f : 0.0f;
    rayhit.hit.geomID = args->geomID;
    rayhit.hit.primID = args->primID;
  }

  static void occluded_callback(const RTCOccludedFunctionNArguments* args) {
    SPINDRIFT_DEBUG_ASSERT(args->N == 1);
    if (args->valid[0] == 0) return;
    auto& ray = *reinterpret_cast<RTCRay*>(args->ray);
    const auto& self = *static_cast<const ShapePart*>(args->geometryUserPtr);
    const bool stopped = self.clear ? !self.cross(ray, *args) : self.trace(ray).has_value();
    if (stopped) ray.tfar = -kInfinity;
  }

  // Notes every way in and out. False: there were too many.
  [[nodiscard]] bool cross(RTCRay ray, const RTCOccludedFunctionNArguments& args) const {
    auto& crossings = *reinterpret_cast<Context*>(args.context)->crossings;
    const Vec3f origin(ray.org_x, ray.org_y, ray.org_z), direction(ray.dir_x, ray.dir_y, ray.dir_z);
    float gone = 0;
    while (const std::optional<Arrival> arrival = trace(ray)) {
      gone += static_cast<float>(arrival->t);
      const float along = normal_at(origin + gone * direction, ray.time).dot(direction);
      if (!crossings.add({.distance = gone,
                          .cosine = std::min(1.0f, std::abs(along)),
                          .back = arrival->from_inside,
                          .item = args.geomID,
                          .part = args.primID})) {
        return false;
      }
      gone += kOffset;
      const Vec3f next = origin + gone * direction;
      ray.org_x = next.x();
      ray.org_y = next.y();
      ray.org_z = next.z();
    }
    return true;
  }
};

RayScene::RayScene(const Picture& picture)
    : picture_(picture), frame_(frame_of(bounds(picture))), device_(std::make_unique<Device>()) {
  const std::size_t count = picture.items.size();
  meshes_.resize(count);
  shapes_.resize(count);
  for (int item = 0; item < std::ssize(picture.items); ++item) {
    if (std::holds_alternative<MeshPtr>(picture.items[item].geometry)) {
      add_mesh(item);
    } else {
      add_shape(item);
    }
  }
  rtcCommitScene(device_->scene);
  device_->check();
  RTCBounds box;
  rtcGetSceneBounds(device_->scene, &box);
  if (!(box.lower_x <= box.upper_x)) return;  // nothing there
  const Vec3 margin = Vec3::Constant(kBoundsMargin);
  local_bounds_ = Box3(Vec3(box.lower_x, box.lower_y, box.lower_z) - margin,
                       Vec3(box.upper_x, box.upper_y, box.upper_z) + margin);
}

RayScene::~RayScene() = default;

void RayScene::add_mesh(int item) {
  const Item& source = picture_.items[item];
  auto part = std::make_unique<MeshPart>(source);
  const TriangleMesh& mesh = part->mesh;
  SPINDRIFT_ASSERT(source.motion.empty() || source.motion.size() == mesh.vertices.size());
  SPINDRIFT_ASSERT(source.motion.empty() || source.path.empty());
  if (mesh.triangles.empty()) return;
  RTCGeometry geometry = rtcNewGeometry(device_->device, RTC_GEOMETRY_TYPE_TRIANGLE);
  const auto buffer = [&](RTCBufferType type, unsigned slot, RTCFormat format, std::size_t count) {
    void* data = rtcSetNewGeometryBuffer(geometry, type, slot, format, 12, count);
    if (data == nullptr) {
      rtcReleaseGeometry(geometry);
      device_->check();
    }
    return data;
  };
  const unsigned steps = part->time_steps();
  rtcSetGeometryTimeStepCount(geometry, steps);
  for (unsigned step = 0; step < steps; ++step) {
    auto* vertices = static_cast<float*>(
        buffer(RTC_BUFFER_TYPE_VERTEX, step, RTC_FORMAT_FLOAT3, mesh.vertices.size()));
    const auto fill = [&](std::int64_t i) {
      const double time = steps > 1 ? static_cast<double>(step) / (steps - 1) : 0.5;
      const Vec3f x = frame_.to_local(part->vertex(i, time)).cast<float>();
      std::copy(x.data(), x.data() + 3, vertices + 3 * i);
    };
    parallel_for_each(mesh.vertex_count(), fill, kChunk);
    if (!source.material.is_clear())
      opaque_bounds_.extend(bounds_of(vertices, mesh.vertex_count()));
  }
  auto* triangles = static_cast<std::uint32_t*>(
      buffer(RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, mesh.triangles.size()));
  parallel_for_each(
      mesh.triangle_count(),
      [&](std::int64_t t) {
        for (int k = 0; k < 3; ++k) {
          triangles[3 * t + k] = static_cast<std::uint32_t>(mesh.triangles[t][k]);
        }
      },
      kChunk);
  rtcSetGeometryIntersectFilterFunction(geometry, settle_ties);
  if (source.material.is_clear()) rtcSetGeometryOccludedFilterFunction(geometry, note_crossing);
  device_->attach(geometry, item);
  part->sure_area = 2 * kRounding / kMostTurn * part->longest_edge(frame_);
  if (source.smooth) part->normals = smooth_normals(mesh, source.placement);
  meshes_[item] = std::move(part);
}

void RayScene::add_shape(int item) {
  const Item& source = picture_.items[item];
  auto part = std::make_unique<ShapePart>();
  part->shape = visible_shape(picture_, std::get<ShapePtr>(source.geometry), source.placement);
  part->path = &source.path;
  part->frame = &frame_;
  part->clear = source.material.is_clear();
  const Box3 box = swept_bounds(part->shape->bounds(), source.path);
  if (box.isEmpty()) return;
  const Vec3 margin = Vec3::Constant(kBoundsMargin);
  part->local_bounds =
      Box3(frame_.to_local(box.min()) - margin, frame_.to_local(box.max()) + margin);
  RTCGeometry geometry = rtcNewGeometry(device_->device, RTC_GEOMETRY_TYPE_USER);
  rtcSetGeometryUserPrimitiveCount(geometry, 1);
  rtcSetGeometryUserData(geometry, part.get());
  rtcSetGeometryBoundsFunction(
      geometry, [](const RTCBoundsFunctionArguments* args) { ShapePart::bounds_callback(args); },
      nullptr);
  rtcSetGeometryIntersectFunction(geometry, ShapePart::intersect_callback);
  rtcSetGeometryOccludedFunction(geometry, ShapePart::occluded_callback);
  if (!part->clear) opaque_bounds_.extend(part->local_bounds.cast<float>());
  shapes_[item] = std::move(part);
  device_->attach(geometry, item);
}

bool RayScene::intersect(const Ray& ray, Hit& hit) const {
  Context context;
  RTCRayHit query{};
  query.ray = make_ray(ray);
  query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  rtcIntersect1(device_->scene, &context.base, &query);
  if (query.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
  const Vec3f& direction = ray.direction;
  hit.distance = query.ray.tfar;
  hit.item = static_cast<int>(query.hit.geomID);
  hit.point = ray.origin + hit.distance * direction;
  const MeshPart* mesh = meshes_[hit.item].get();
  hit.facet = mesh != nullptr ? mesh->facet_normal(query.hit, ray.time)
                              : shapes_[hit.item]->normal_at(hit.point, ray.time);
  // A ray that just touches a shape may arrive behind its outline, where the normal looks away.
  hit.back = mesh != nullptr ? hit.facet.dot(direction) > 0 : query.hit.u > 0;
  if (hit.back) hit.facet = -hit.facet;
  hit.normal = hit.facet;
  hit.beyond = hit.point - kOffset * hit.facet;
  if (mesh != nullptr && !mesh->normals.empty()) {
    const Vec3f smooth = mesh->smooth_normal(query.hit.primID, query.hit.u, query.hit.v, ray.time);
    hit.normal = hit.back ? Vec3f(-smooth) : smooth;
    // At the outline an interpolated normal may look away from the viewer: bend it back.
    const float away = hit.normal.dot(direction);
    if (away > 0) hit.normal = (hit.normal - 1.01f * away * direction).normalized();
    if (!(hit.normal.squaredNorm() > 0.5f)) hit.normal = hit.facet;
    // Rays that go through a surface must know its sides: they start from the facet itself.
    if (!mesh->item.material.is_clear()) {
      hit.point = mesh->rounded(query.hit.primID, query.hit.u, query.hit.v, hit.point,
                                hit.back ? -1.0f : 1.0f, ray.time, frame_);
    }
  }
  hit.point += kOffset * hit.facet;
  return true;
}

bool RayScene::occluded(const Ray& ray, Crossings& crossings) const {
  Context context;
  context.crossings = &crossings;
  RTCRay query = make_ray(ray);
  rtcOccluded1(device_->scene, &context.base, &query);
  if (query.tfar < 0) return true;
  crossings.sort();
  return false;
}

}  // namespace spindrift::render_detail
