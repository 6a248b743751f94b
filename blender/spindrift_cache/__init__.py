# SPDX-License-Identifier: Apache-2.0
"""Shows caches of Spindrift as animated objects."""
import pathlib

import bpy

from . import animation, material
from . import cache as caches

bl_info = {
    "name": "Spindrift caches",
    "author": "The Spindrift authors",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "File > Import > Spindrift cache",
    "description": "Liquids of Spindrift as animated objects that read their frame on demand",
    "category": "Import-Export",
}


def _show(settings, context):
    animation.show_frame(settings.id_data, context.scene)


class SpindriftSettings(bpy.types.PropertyGroup):
    folder: bpy.props.StringProperty(name="Cache", description="The folder that spindrift run made",
                                     subtype="DIR_PATH", update=_show)
    start: bpy.props.IntProperty(name="Start", description="The scene's frame that shows frame 0",
                                 default=1, update=_show)
    problem: bpy.props.StringProperty()


class ImportCache(bpy.types.Operator):
    """Import a cache of Spindrift as an animated object"""
    bl_idname = "import_scene.spindrift"
    bl_label = "Import Spindrift cache"
    bl_options = {"REGISTER", "UNDO"}

    directory: bpy.props.StringProperty(subtype="DIR_PATH")
    filter_folder: bpy.props.BoolProperty(default=True, options={"HIDDEN"})
    start: bpy.props.IntProperty(name="Start", description="The scene's frame that shows frame 0",
                                 default=1)
    set_scene: bpy.props.BoolProperty(name="Set frames of the scene", default=True,
                                      description="Take the frame rate and the range of frames")

    def invoke(self, context, _event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        folder = str(pathlib.Path(bpy.path.abspath(self.directory)))
        try:
            cache = caches.Cache(folder)
        except caches.CacheError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        scene = context.scene
        if self.set_scene:
            set_frames(scene, cache, self.start)
        mesh = bpy.data.meshes.new(cache.name)
        mesh.materials.append(material.water())
        item = bpy.data.objects.new(cache.name, mesh)
        context.collection.objects.link(item)
        item.spindrift.start = self.start
        item.spindrift.folder = folder
        context.view_layer.objects.active = item
        # The handler changes meshes while a picture is made: the interface must keep away.
        scene.render.use_lock_interface = True
        animation.show_frame(item, scene)
        if item.spindrift.problem:
            self.report({"WARNING"}, item.spindrift.problem)
        return {"FINISHED"}


def set_frames(scene, cache, start):
    # Blender has whole frames a second, and a divisor.
    scene.render.fps = max(1, round(cache.fps))
    scene.render.fps_base = scene.render.fps / cache.fps
    scene.frame_start = start
    scene.frame_end = start + max(cache.frame_count, 1) - 1


class ReloadCache(bpy.types.Operator):
    """Look for new frames of the cache"""
    bl_idname = "object.spindrift_reload"
    bl_label = "Reload"

    def execute(self, context):
        item = context.object
        item.data.pop(animation.STAMP, None)
        animation.on_load()
        return {"FINISHED"}


class CachePanel(bpy.types.Panel):
    bl_idname = "OBJECT_PT_spindrift"
    bl_label = "Spindrift cache"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "object"

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "MESH"

    def draw(self, context):
        settings = context.object.spindrift
        layout = self.layout
        layout.prop(settings, "folder")
        if not settings.folder:
            return
        layout.prop(settings, "start")
        if settings.problem:
            layout.label(text=settings.problem, icon="ERROR")
        else:
            cache = animation.open_cache(settings.folder)
            layout.label(text=f"{cache.frame_count} of {cache.frames_asked} frames, "
                              f"{cache.fps:g} a second")
        layout.operator(ReloadCache.bl_idname)


def _menu(self, _context):
    self.layout.operator(ImportCache.bl_idname, text="Spindrift cache (folder)")


CLASSES = (SpindriftSettings, ImportCache, ReloadCache, CachePanel)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)
    bpy.types.Object.spindrift = bpy.props.PointerProperty(type=SpindriftSettings)
    bpy.types.TOPBAR_MT_file_import.append(_menu)
    animation.register()


def unregister():
    animation.unregister()
    bpy.types.TOPBAR_MT_file_import.remove(_menu)
    del bpy.types.Object.spindrift
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
