# SPDX-License-Identifier: Apache-2.0
"""Water that can be rendered as it is."""
import bpy

NAME = "Spindrift water"


def water():
    """Made once a file; what the user changed stays."""
    material = bpy.data.materials.get(NAME)
    if material is not None:
        return material
    material = bpy.data.materials.new(NAME)
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    nodes.clear()
    output = nodes.new("ShaderNodeOutputMaterial")
    glass = nodes.new("ShaderNodeBsdfGlass")
    glass.inputs["IOR"].default_value = 1.333
    glass.inputs["Roughness"].default_value = 0.0
    # Clear over decimetres, blue-green over metres.
    depth = nodes.new("ShaderNodeVolumeAbsorption")
    depth.inputs["Color"].default_value = (0.35, 0.75, 0.85, 1.0)
    depth.inputs["Density"].default_value = 1.5
    links.new(glass.outputs["BSDF"], output.inputs["Surface"])
    links.new(depth.outputs["Volume"], output.inputs["Volume"])
    glass.location, depth.location, output.location = (-220, 80), (-220, -140), (40, 0)
    # For the viewport without nodes.
    material.diffuse_color = (0.2, 0.5, 0.7, 1.0)
    return material
