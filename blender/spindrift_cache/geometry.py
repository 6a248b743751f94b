# SPDX-License-Identifier: Apache-2.0
"""Surfaces of a cache as meshes of Blender."""
import math

import numpy

# Walls and obstacles cut the liquid along edges, which must not look round.
SHARP_ANGLE = math.radians(40)
# Cycles blurs a mesh by a point attribute of this name, in metres a second.
VELOCITY = "velocity"


def fill_mesh(mesh, surface):
    """Replaces all that is in the mesh; materials stay."""
    count = len(surface.triangles)
    mesh.clear_geometry()
    mesh.vertices.add(len(surface.points))
    mesh.vertices.foreach_set("co", surface.points.ravel())
    mesh.loops.add(3 * count)
    mesh.loops.foreach_set("vertex_index", surface.triangles.ravel())
    mesh.polygons.add(count)
    if count:
        mesh.polygons.foreach_set("loop_start", numpy.arange(0, 3 * count, 3, dtype=numpy.int32))
        # Newer Blenders know it from where the loops start.
        if not mesh.polygons[0].is_property_readonly("loop_total"):
            mesh.polygons.foreach_set("loop_total", numpy.full(count, 3, dtype=numpy.int32))
        mesh.polygons.foreach_set("use_smooth", numpy.ones(count, dtype=bool))
    attribute = mesh.attributes.new(VELOCITY, "FLOAT_VECTOR", "POINT")
    if len(surface.points):
        attribute.data.foreach_set("vector", surface.velocities.ravel())
    mesh.update(calc_edges=True)
    if hasattr(mesh, "set_sharp_from_angle"):  # Blender 4.1 and newer
        mesh.set_sharp_from_angle(angle=SHARP_ANGLE)
    else:
        mesh.use_auto_smooth = True
        mesh.auto_smooth_angle = SHARP_ANGLE
