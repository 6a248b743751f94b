// Samples of a function at the nodes around its zero set: as many as a contour needs, and hardly
// more.
//
// A guess says where the surface may be; then nodes are added wherever the surface leaves the
// guess, until it is closed. The guess decides about speed only, as long as every part of the
// surface meets it somewhere.
#pragma once

#include <functional>
#include <span>

#include "spindrift/geometry/fields.hpp"
#include "spindrift/geometry/triangle_mesh.hpp"
#include "spindrift/levelset/sampled_field.hpp"

namespace spindrift {

// values[i] = f(points[i]) in lattice units, for points in metres. Called from several threads at
// once.
using NodeFunction = std::function<void(std::span<const Vec3> points, std::span<float> values)>;

// The nodes that a contour near `mesh` would read: the corners of the cells that the triangles'
// boxes touch, and the nodes next to those. Only the places are filled in.
[[nodiscard]] SampledField nodes_near(const TriangleMesh& mesh, const Lattice& lattice);

// All nodes of the blocks in `box` in which a signed distance may vanish. The function may be less
// than the distance, not more. Only the places are filled in.
[[nodiscard]] SampledField nodes_near_zero(const ScalarField& signed_distance, const Box3& box,
                                           const Lattice& lattice);

// The places of both; of one lattice.
[[nodiscard]] SampledField united_nodes(const SampledField& one, const SampledField& other);

// Evaluates `f` at the nodes of `places`, and at all others that the contour of f needs from there.
[[nodiscard]] SampledField sample_surface(SampledField places, const NodeFunction& f);

}  // namespace spindrift
