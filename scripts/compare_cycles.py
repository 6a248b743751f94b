"""The scene of `spindrift render` in Cycles, for scripts/compare-cycles; runs inside Blender.

What has no name here is as in src/spindrift/render/: camera of the script, water of picture.cpp, sun
and sky of studio.cpp.
"""
import math
import sys

import bpy
import numpy as np
from mathutils import Vector

SIZE = (480, 270)
EYE, TARGET, FOV = Vector((3, -3, 2)), Vector((1, 0.5, 0.4)), 26
ABSORPTION = (1.7, 0.45, 0.25)
# Left, right, top and bottom in pixels, on frame 12.
REGIONS = {
    "dry floor": (60, 120, 200, 240),
    "pool, far end": (120, 170, 115, 140),
    "pool, middle": (180, 230, 130, 170),
    "pool, from the side": (110, 160, 160, 185),
    "splash": (310, 380, 150, 200),
}


def material(name, build):
    result = bpy.data.materials.new(name)
    result.use_nodes = True
    nodes, link = result.node_tree.nodes, result.node_tree.links.new
    nodes.clear()
    build(nodes, link, nodes.new("ShaderNodeOutputMaterial"))
    return result


def water(nodes, link, output):
    glass = nodes.new("ShaderNodeBsdfGlass")
    glass.inputs["IOR"].default_value = 1.33
    glass.inputs["Roughness"].default_value = 0
    link(glass.outputs[0], output.inputs["Surface"])
    volume = nodes.new("ShaderNodeVolumeAbsorption")
    density = max(ABSORPTION)
    volume.inputs["Density"].default_value = density
    volume.inputs["Color"].default_value = (*(1 - a / density for a in ABSORPTION), 1)
    link(volume.outputs[0], output.inputs["Volume"])


def matt(color):
    def build(nodes, link, output):
        diffuse = nodes.new("ShaderNodeBsdfDiffuse")
        diffuse.inputs["Color"].default_value = (*color, 1)
        link(diffuse.outputs[0], output.inputs["Surface"])
    return build


def add_objects(path):
    bpy.ops.import_mesh.ply(filepath=path)
    surface = bpy.context.object
    for polygon in surface.data.polygons:
        polygon.use_smooth = True
    surface.data.use_auto_smooth = True
    surface.data.auto_smooth_angle = math.radians(40)
    surface.data.materials.append(material("water", water))
    # Floor and ball reach a millimetre or two into the water: Cycles would show an air gap.
    bpy.ops.mesh.primitive_uv_sphere_add(segments=128, ring_count=64, radius=0.222, location=(1.25, 0.5, 0))
    bpy.ops.object.shade_smooth()
    bpy.context.object.data.materials.append(material("ball", matt((0.46, 0.41, 0.36))))
    bpy.ops.mesh.primitive_plane_add(size=200, location=(0, 0, 0.001))
    bpy.context.object.data.materials.append(material("floor", matt((0.42, 0.43, 0.45))))


def add_camera_and_sun(scene):
    forward = (TARGET - EYE).normalized()
    camera = bpy.data.cameras.new("camera")
    camera.sensor_fit = "VERTICAL"
    camera.angle = math.radians(FOV)
    scene.camera = bpy.data.objects.new("camera", camera)
    scene.camera.location = EYE
    scene.camera.rotation_euler = forward.to_track_quat("-Z", "Y").to_euler()
    azimuth, height = math.atan2(-forward.y, -forward.x) - 0.95, 0.85
    towards = Vector((math.cos(azimuth) * math.cos(height), math.sin(azimuth) * math.cos(height), math.sin(height)))
    light = bpy.data.lights.new("sun", "SUN")
    light.energy, light.color, light.angle = math.pi, (1.78, 1.68, 1.52), 2 * math.atan(0.06)
    sun = bpy.data.objects.new("sun", light)
    sun.rotation_euler = towards.to_track_quat("Z", "Y").to_euler()
    for thing in (scene.camera, sun):
        scene.collection.objects.link(thing)


def add_sky(scene):
    scene.world = bpy.data.worlds.new("sky")
    scene.world.use_nodes = True
    nodes, link = scene.world.node_tree.nodes, scene.world.node_tree.links.new
    nodes.clear()
    place, parts = nodes.new("ShaderNodeTexCoord"), nodes.new("ShaderNodeSeparateXYZ")
    root, ramp = nodes.new("ShaderNodeMath"), nodes.new("ShaderNodeValToRGB")
    sky, output = nodes.new("ShaderNodeBackground"), nodes.new("ShaderNodeOutputWorld")
    root.operation, root.use_clamp = "SQRT", True
    ramp.color_ramp.elements[0].color = (0.525, 0.55, 0.575, 1)
    ramp.color_ramp.elements[1].color = (0.15, 0.23, 0.37, 1)
    sky.inputs["Strength"].default_value = 2
    link(place.outputs["Generated"], parts.inputs[0])
    link(parts.outputs["Z"], root.inputs[0])
    link(root.outputs[0], ramp.inputs["Fac"])
    link(ramp.outputs[0], sky.inputs["Color"])
    link(sky.outputs[0], output.inputs["Surface"])


def render(scene, path):
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 128, False
    scene.cycles.max_bounces = scene.cycles.transmission_bounces = 16
    scene.cycles.blur_glossy = 0.3
    # Blender's own limit takes half the light out of the water: the sun shines into it by rare bright rays.
    scene.cycles.sample_clamp_indirect = 0
    scene.render.resolution_x, scene.render.resolution_y = SIZE
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.filepath = path
    bpy.ops.render.render(write_still=True)


def load(path, raw):
    image = bpy.data.images.load(path)
    if raw:
        image.colorspace_settings.name = "Raw"
    return np.array(image.pixels[:]).reshape(SIZE[1], SIZE[0], 4)[::-1, :, :3]


def light_of(display):
    """What studio.cpp's tone() made the display's values from."""
    y = np.where(display <= 0.04045, display / 12.92, ((display + 0.055) / 1.055) ** 2.4).clip(0, 0.999)
    a, b, c = 2.51 - 2.43 * y, 0.03 - 0.59 * y, -0.14 * y
    return (-b + np.sqrt(b * b - 4 * a * c)) / (2 * a) / 0.62


def display_of(light):
    x = 0.62 * light
    y = (x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14)).clip(0, 1)
    return np.where(y <= 0.0031308, 12.92 * y, 1.055 * y ** (1 / 2.4) - 0.055)


def save(path, pixels):
    height, width = pixels.shape[:2]
    image = bpy.data.images.new("both", width, height)
    image.colorspace_settings.name = "Raw"
    image.pixels = np.concatenate([pixels, np.ones((height, width, 1))], 2)[::-1].ravel()
    image.filepath_raw, image.file_format = path, "PNG"
    image.save()


def main(surface, folder, out):
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    scene = bpy.context.scene
    add_objects(surface)
    add_camera_and_sun(scene)
    add_sky(scene)
    render(scene, folder + "/cycles.exr")
    display = load(folder + "/ours.png", True)
    ours, cycles = light_of(display), load(folder + "/cycles.exr", False)
    save(out, np.concatenate([display, display_of(cycles)], 1))
    print("| part of the picture | Spindrift: red, green, blue | Cycles |\n|---|---|---|")
    for name, (left, right, top, bottom) in REGIONS.items():
        means = [i[top:bottom, left:right].reshape(-1, 3).mean(0) for i in (ours, cycles)]
        print("| " + " | ".join([name] + [", ".join(f"{v:.2f}" for v in mean) for mean in means]) + " |")


main(*sys.argv[sys.argv.index("--") + 1:])
