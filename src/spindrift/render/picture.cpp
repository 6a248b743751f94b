#include "spindrift/render/picture.hpp"

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"

namespace spindrift {

namespace {

// How far beyond the domain shapes without end are shown, as a part of its diagonal.
constexpr double kBeyondDomain = 0.02;

bool is_finite(const Box3& box) { return box.min().allFinite() && box.max().allFinite(); }

Box3 placed_bounds(const TriangleMesh& mesh, const Placement& placement) {
  const auto map = [&](std::int64_t begin, std::int64_t end) {
    Box3 box;
    for (std::int64_t t = begin; t < end; ++t) {
      for (int k = 0; k < 3; ++k) {
        const Vec3 x = placement.apply(mesh.corner(t, k));
        if (x.allFinite()) box.extend(x);
      }
    }
    return box;
  };
  return parallel_reduce_chunks(mesh.triangle_count(), 4096, Box3(), map,
                                [](Box3 a, const Box3& b) { return a.extend(b); });
}

}  // namespace

Material liquid_material() {
  // Pure water takes 0.3, 0.06 and 0.01 a metre out of red, green and blue [Pope and Fry 1997].
  // Water of a tank is never that pure, and a preview should show where it is deep: tuned by eye on
  // the dam break, whose water is some 0.3 m deep.
  return {.color = {0, 0, 0},
          .reflectance = 0.02,
          .roughness = 0,
          .refraction = 1.33,
          .absorption = {1.7, 0.45, 0.25}};
}

Material solid_material() { return {.color = {0.46, 0.41, 0.36}}; }

Material highlight_material() {
  return {.color = {0.72, 0.20, 0.035}, .reflectance = 0.02, .roughness = 0.35};
}

ShapePtr visible_shape(const Picture& picture, const ShapePtr& shape, const Placement& placement) {
  SPINDRIFT_ASSERT(shape != nullptr);
  ShapePtr placed = make_placed(shape, placement);
  const Box3 box = placed->bounds();
  if (box.isEmpty() || is_finite(box)) return placed;
  if (!picture.domain || picture.domain->isEmpty() || !(picture.domain->sizes().norm() > 0)) {
    throw InputError({.file = "picture"}, "a shape has no end", "give the picture a domain");
  }
  const Vec3 beyond = Vec3::Constant(kBeyondDomain * picture.domain->sizes().norm());
  return make_intersection(
      {placed, make_box(picture.domain->min() - beyond, picture.domain->max() + beyond)});
}

Box3 bounds(const Picture& picture) {
  Box3 box = picture.domain.value_or(Box3());
  for (const Item& item : picture.items) {
    if (const auto* mesh = std::get_if<MeshPtr>(&item.geometry)) {
      SPINDRIFT_ASSERT(*mesh != nullptr);
      box.extend(placed_bounds(**mesh, item.placement));
    } else {
      const ShapePtr& shape = std::get<ShapePtr>(item.geometry);
      const Box3 visible = visible_shape(picture, shape, item.placement)->bounds();
      // An empty box need not be the neutral element of extend: its sides may be swapped.
      if (!visible.isEmpty()) box.extend(visible);
    }
  }
  return box;
}

}  // namespace spindrift
