#include "spindrift/app/embree_baseline.hpp"

#include <cmath>
#include <limits>

#include <embree3/rtcore.h>

#include "spindrift/geometry/triangle.hpp"

namespace spindrift::app {

struct EmbreeBaseline::Scene {
  TriangleMesh mesh;
  RTCDevice device = rtcNewDevice(nullptr);
  RTCScene scene = rtcNewScene(device);

  ~Scene() {
    rtcReleaseScene(scene);
    rtcReleaseDevice(device);
  }
};

namespace {

struct Nearest {
  const TriangleMesh* mesh;
  Vec3 point;
  double distance2 = std::numeric_limits<double>::infinity();
};

// Embree walks its tree; the distance to a triangle is ours to compute.
bool visit_triangle(RTCPointQueryFunctionArguments* arguments) {
  Nearest& nearest = *static_cast<Nearest*>(arguments->userPtr);
  const std::int64_t t = arguments->primID;
  const Vec3 q = closest_point_on_triangle(nearest.point, nearest.mesh->corner(t, 0),
                                           nearest.mesh->corner(t, 1), nearest.mesh->corner(t, 2));
  const double distance2 = (q - nearest.point).squaredNorm();
  if (distance2 >= nearest.distance2) return false;
  nearest.distance2 = distance2;
  arguments->query->radius = static_cast<float>(std::sqrt(distance2));
  return true;
}

}  // namespace

EmbreeBaseline::EmbreeBaseline(const TriangleMesh& mesh) : scene_(std::make_unique<Scene>()) {
  scene_->mesh = mesh;
  RTCGeometry geometry = rtcNewGeometry(scene_->device, RTC_GEOMETRY_TYPE_TRIANGLE);
  auto* vertices = static_cast<float*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0,
                                                               RTC_FORMAT_FLOAT3, 3 * sizeof(float),
                                                               mesh.vertices.size()));
  for (const Vec3& v : mesh.vertices) {
    for (int axis = 0; axis < 3; ++axis) *vertices++ = static_cast<float>(v[axis]);
  }
  auto* indices = static_cast<unsigned*>(
      rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                              3 * sizeof(unsigned), mesh.triangles.size()));
  for (const Triangle& t : mesh.triangles) {
    for (const std::int32_t v : t) *indices++ = static_cast<unsigned>(v);
  }
  rtcCommitGeometry(geometry);
  rtcAttachGeometry(scene_->scene, geometry);
  rtcReleaseGeometry(geometry);
  rtcCommitScene(scene_->scene);
}

EmbreeBaseline::~EmbreeBaseline() = default;

double EmbreeBaseline::closest_distance2(const Vec3& point) const {
  Nearest nearest{&scene_->mesh, point};
  RTCPointQuery query{};
  query.x = static_cast<float>(point.x());
  query.y = static_cast<float>(point.y());
  query.z = static_cast<float>(point.z());
  query.radius = std::numeric_limits<float>::infinity();
  RTCPointQueryContext context;
  rtcInitPointQueryContext(&context);
  rtcPointQuery(scene_->scene, &query, &context, visit_triangle, &nearest);
  return nearest.distance2;
}

double EmbreeBaseline::first_hit(const Vec3& origin, const Vec3& direction) const {
  RTCRayHit ray{};
  ray.ray.org_x = static_cast<float>(origin.x());
  ray.ray.org_y = static_cast<float>(origin.y());
  ray.ray.org_z = static_cast<float>(origin.z());
  ray.ray.dir_x = static_cast<float>(direction.x());
  ray.ray.dir_y = static_cast<float>(direction.y());
  ray.ray.dir_z = static_cast<float>(direction.z());
  ray.ray.tfar = std::numeric_limits<float>::infinity();
  ray.ray.mask = ~0U;
  ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcIntersect1(scene_->scene, &context, &ray);
  return ray.hit.geomID == RTC_INVALID_GEOMETRY_ID ? -1 : static_cast<double>(ray.ray.tfar);
}

}  // namespace spindrift::app
