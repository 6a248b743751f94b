# SPDX-License-Identifier: Apache-2.0
"""Objects that show the frame of a cache that the scene is at."""
import bpy
from bpy.app.handlers import persistent

from . import cache as caches
from . import geometry

STAMP = "spindrift_stamp"  # of a mesh: which frame of which cache it holds

_open = {}  # caches by their folder


def open_cache(folder):
    path = bpy.path.abspath(folder)
    if path not in _open:
        _open[path] = caches.Cache(path)
    return _open[path]


def frame_of(settings, scene, cache):
    """The cache's frame to show; before the first and after the last one, those."""
    return min(max(scene.frame_current - settings.start, 0), cache.frame_count - 1)


def show_frame(item, scene):
    """Puts the frame into the object's mesh, unless it is there. Says what is wrong in the panel."""
    settings = item.spindrift
    try:
        cache = open_cache(settings.folder)
        if scene.frame_current - settings.start >= cache.frame_count:
            cache.reload()
        if cache.frame_count == 0:
            raise caches.CacheError("no frame is finished yet")
        frame = frame_of(settings, scene, cache)
        stamp = cache.stamp(frame)
        if item.data.get(STAMP) != stamp:
            geometry.fill_mesh(item.data, cache.surface(frame))
            item.data[STAMP] = stamp
        settings.problem = ""
    except caches.CacheError as error:
        settings.problem = str(error)


def animated_objects():
    return [item for item in bpy.data.objects if item.type == "MESH" and item.spindrift.folder]


@persistent
def on_frame_change(scene, _depsgraph=None):
    for item in animated_objects():
        show_frame(item, scene)


@persistent
def on_load(_file=None):
    _open.clear()
    on_frame_change(bpy.context.scene)


def register():
    bpy.app.handlers.frame_change_pre.append(on_frame_change)
    bpy.app.handlers.load_post.append(on_load)


def unregister():
    bpy.app.handlers.frame_change_pre.remove(on_frame_change)
    bpy.app.handlers.load_post.remove(on_load)
    _open.clear()
