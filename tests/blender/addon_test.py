#!/usr/bin/python3
"""The Blender add-on in Blender: installed from its zip, a cache imported, frames stepped, one rendered.

    addon_test.py SPINDRIFT_COMMAND [PICTURE]

Runs a small dam break, then itself inside of Blender. With PICTURE, keeps what was rendered there. Debian's
Python: under another one Blender would look for its modules there.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FRAMES = 8


def outside(command, picture):
    """Makes the zip and the cache, and calls Blender."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        package = folder / "addon.zip"
        subprocess.run([ROOT / "scripts/make-blender-addon", package], check=True)
        cache = folder / "dam.cache"
        subprocess.run([command, "run", ROOT / "scenes/dam_break.toml", "--out", cache, "--quiet",
                        "--frames", f"0:{FRAMES}", "--set", "resolution.cells=24"],
                       check=True, stdout=subprocess.DEVNULL)
        # Nothing of the user's own Blender.
        environment = dict(os.environ, BLENDER_USER_RESOURCES=str(folder), HOME=str(folder),
                           BLENDER_USER_CONFIG=str(folder / "config"),
                           BLENDER_USER_SCRIPTS=str(folder / "scripts"))
        done = subprocess.run(["blender", "--background", "--factory-startup", "--python-exit-code", "1",
                               "--python", __file__, "--", package, cache, picture or folder / "out.png"],
                              env=environment, check=False, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        print(done.stdout)
        if done.returncode != 0 or "addon test passed" not in done.stdout:
            return 1
    return 0


# ---- Inside of Blender

def read_vertices(path):
    """Another reader of PLY than the add-on's."""
    import struct
    data = path.read_bytes()
    head, body = data.split(b"end_header\n", 1)
    count = int(head.split(b"element vertex ")[1].split()[0])
    return [struct.unpack_from("<6f", body, 24 * i) for i in range(count)]


def expect_frame(item, cache, frame):
    expected = read_vertices(cache / f"frames/{frame:06}/surface.ply")
    mesh = item.data
    assert len(mesh.vertices) == len(expected), (frame, len(mesh.vertices), len(expected))
    velocity = mesh.attributes["velocity"]
    assert (velocity.domain, velocity.data_type) == ("POINT", "FLOAT_VECTOR")
    for i in range(0, len(expected), 97):
        assert tuple(mesh.vertices[i].co) == expected[i][:3], (frame, i)
        assert tuple(velocity.data[i].vector) == expected[i][3:], (frame, i)
    assert mesh.validate(verbose=True) is False, "Blender had to repair the mesh"
    assert all(polygon.use_smooth for polygon in mesh.polygons)


def add_stage(bpy):
    """A light floor and walls of sky, so that water shows."""
    from mathutils import Vector
    for item in list(bpy.data.objects):
        if item.type in ("MESH", "LIGHT", "CAMERA"):
            bpy.data.objects.remove(item)
    bpy.ops.mesh.primitive_plane_add(size=8, location=(1, 0.5, -0.002))
    floor = bpy.context.object
    paint = bpy.data.materials.new("floor")
    paint.use_nodes = True
    paint.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (0.75, 0.6, 0.4, 1)
    floor.data.materials.append(paint)
    bpy.ops.object.light_add(type="SUN", location=(0, 0, 5), rotation=(0.6, 0.3, 0))
    bpy.context.object.data.energy = 3
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.location = (3.2, -2.6, 1.7)
    camera.rotation_euler = (Vector((0.9, 0.5, 0.25)) - camera.location).to_track_quat("-Z", "Y").to_euler()
    bpy.context.collection.objects.link(camera)
    scene = bpy.context.scene
    scene.camera = camera
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.6, 0.75, 0.95, 1)


def render(bpy, path, size=(480, 270), samples=24):
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = samples
    scene.cycles.use_denoising = False
    scene.cycles.seed = 1
    scene.render.resolution_x, scene.render.resolution_y = size
    scene.render.resolution_percentage = 100
    scene.render.filepath = str(path)
    scene.render.image_settings.file_format = "PNG"
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(str(path), check_existing=False)
    import numpy
    pixels = numpy.array(image.pixels[:]).reshape(size[1], size[0], 4)[:, :, :3]
    bpy.data.images.remove(image)
    return pixels


def inside(package, cache, picture):
    import bpy
    import numpy
    bpy.ops.preferences.addon_install(filepath=str(package), overwrite=True)
    assert bpy.ops.preferences.addon_enable(module="spindrift_cache") == {"FINISHED"}
    add_stage(bpy)
    scene = bpy.context.scene

    try:
        result = bpy.ops.import_scene.spindrift(directory=str(cache.parent))
    except RuntimeError as error:
        result = str(error)
    assert "is not a cache of Spindrift" in str(result), result

    assert bpy.ops.import_scene.spindrift(directory=str(cache)) == {"FINISHED"}
    item = bpy.context.view_layer.objects.active
    assert item.name == "dam_break" and item.spindrift.problem == "", item.spindrift.problem
    assert (scene.frame_start, scene.frame_end) == (1, FRAMES + 1)
    assert abs(scene.render.fps / scene.render.fps_base - 24) < 1e-6
    for frame in (0, 1, 5, FRAMES, 2, 0):
        scene.frame_set(1 + frame)
        expect_frame(item, cache, frame)
    # Beyond the ends: the first and the last one.
    scene.frame_set(-5)
    expect_frame(item, cache, 0)
    scene.frame_set(100)
    expect_frame(item, cache, FRAMES)
    # A frame later.
    item.spindrift.start = 2
    scene.frame_set(4)
    expect_frame(item, cache, 2)
    item.spindrift.start = 1

    # The file remembers it.
    saved = picture.parent / "saved.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(saved))
    bpy.ops.wm.open_mainfile(filepath=str(saved))
    saved.unlink()
    scene = bpy.context.scene
    item = bpy.data.objects["dam_break"]
    scene.frame_set(1 + 3)
    expect_frame(item, cache, 3)

    # Rendered: the water is there, where it is, and blurred along its way.
    scene.frame_set(1 + FRAMES)
    sharp = render(bpy, picture)
    item.hide_render = True
    dry = render(bpy, picture.parent / "dry.png")
    item.hide_render = False
    changed = numpy.abs(sharp - dry).max(axis=2) > 0.05
    share = changed.mean()
    rows, columns = numpy.nonzero(changed)
    print(f"water covers {100 * share:.1f} % of the picture, columns {columns.min()} to {columns.max()}")
    assert 0.05 < share < 0.6, share
    assert sharp.mean() > 0.1 and sharp.std() > 0.05
    scene.render.use_motion_blur = True
    scene.render.motion_blur_shutter = 1.0
    blurred = render(bpy, picture.parent / "blurred.png")
    # By velocities of up to metres a second, frames of 1/24 s: many pixels differ, far beyond noise.
    print(f"blur changes {100 * (numpy.abs(blurred - sharp).max(axis=2) > 0.1).mean():.1f} %")
    assert (numpy.abs(blurred - sharp).max(axis=2) > 0.1).mean() > 0.01
    item.data.attributes.remove(item.data.attributes["velocity"])
    still = render(bpy, picture.parent / "still.png")
    moved, kept = (numpy.abs(other - sharp).mean() for other in (blurred, still))
    print(f"mean change with velocities {moved:.5f}, without {kept:.5f}")
    assert moved > 2 * kept, (moved, kept)
    for name in ("dry.png", "blurred.png", "still.png"):
        (picture.parent / name).unlink()
    print("addon test passed")


if __name__ == "__main__":
    if "--" in sys.argv:
        inside(*(pathlib.Path(word) for word in sys.argv[sys.argv.index("--") + 1:]))
    elif len(sys.argv) in (2, 3):
        sys.exit(outside(sys.argv[1], pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) == 3 else None))
    else:
        sys.exit(__doc__)
