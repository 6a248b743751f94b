#!/usr/bin/python3
"""What `spindrift export` writes, read by VTK, OpenVDB and Blender.

    export_readers_test.py SPINDRIFT_COMMAND [unittest options]

Debian's Python: only it sees Debian's VTK and OpenVDB.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

try:
    import numpy
    import pyopenvdb
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError as missing:
    print(f"skipped: no module {missing.name}; scripts/setup --all installs what this needs")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FRAMES = 4
CELLS = 24

command = None

# Runs in Blender: imports each file, and says what is in it.
IN_BLENDER = """
import bpy, json, sys
for path in sys.argv[sys.argv.index("--") + 1:]:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if path.endswith(".obj"):
        bpy.ops.wm.obj_import(filepath=path, forward_axis="Y", up_axis="Z")
    elif path.endswith(".ply"):
        bpy.ops.import_mesh.ply(filepath=path)
    elif path.endswith(".vdb"):
        bpy.ops.object.volume_import(filepath=path)
        volume = bpy.context.object.data
        volume.grids.load()
        print("READ", json.dumps({"grids": {grid.name: grid.data_type for grid in volume.grids}}))
        continue
    elif path.endswith(".usda"):
        if not getattr(bpy.app.build_options, "usd", False):
            print("READ", json.dumps({"skipped": "this Blender was built without USD"}))
            continue
        bpy.ops.wm.usd_import(filepath=path)
    mesh = next(item for item in bpy.data.objects if item.type == "MESH").data
    print("READ", json.dumps({"vertices": len(mesh.vertices), "faces": len(mesh.polygons),
                              "first": list(mesh.vertices[0].co), "valid": not mesh.validate()}))
"""


def read_surface(path):
    data = path.read_bytes()
    head, body = data.split(b"end_header\n", 1)
    vertices, faces = (int(head.split(b"element " + word)[1].split()[0]) for word in (b"vertex ", b"face "))
    numbers = numpy.frombuffer(body, "<f4", 6 * vertices).reshape(-1, 6)
    triangles = numpy.frombuffer(body, numpy.dtype([("n", "u1"), ("v", "<i4", 3)]), faces,
                                 24 * vertices)["v"]
    return numbers[:, :3], numbers[:, 3:], triangles


def enclosed_volume(points, triangles):
    a, b, c = (points[triangles[:, k]].astype(float) for k in range(3))
    return numpy.einsum("ij,ij->i", a, numpy.cross(b, c)).sum() / 6


def distance_to_triangles(place, points, triangles):
    """The least over all of them."""
    a, b, c = (points[triangles[:, k]].astype(float) - place for k in range(3))
    normal = numpy.cross(b - a, c - a)
    squares = numpy.full(len(triangles), numpy.inf)
    is_above = numpy.ones(len(triangles), bool)
    for start, end in ((a, b), (b, c), (c, a)):
        way = end - start
        length2 = numpy.maximum(numpy.einsum("ij,ij->i", way, way), 1e-30)
        along = numpy.clip(-numpy.einsum("ij,ij->i", start, way) / length2, 0, 1)
        closest = start + along[:, None] * way
        squares = numpy.minimum(squares, numpy.einsum("ij,ij->i", closest, closest))
        is_above &= numpy.einsum("ij,ij->i", numpy.cross(way, -start), normal) > 0
    area2 = numpy.maximum(numpy.einsum("ij,ij->i", normal, normal), 1e-30)
    height2 = numpy.einsum("ij,ij->i", a, normal)**2 / area2
    return numpy.where(is_above, height2, squares).min()**0.5


class Exports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.cache = cls.folder / "dam.cache"
        subprocess.run([command, "run", ROOT / "scenes/dam_break.toml", "--out", cls.cache, "--quiet",
                        "--frames", f"0:{FRAMES}", "--set", f"resolution.cells={CELLS}",
                        "--set", "output.mesh=true", "--set", "output.levelset=true"],
                       check=True, stdout=subprocess.DEVNULL)
        for kind in ("ply", "obj", "vtu", "vdb", "usda"):
            subprocess.run([command, "export", cls.cache, "--to", kind, "-o", cls.folder / kind],
                           check=True, stdout=subprocess.DEVNULL)
        cls.stats = [json.loads(line) for line in (cls.cache / "stats.jsonl").read_text().splitlines()]

    def surface(self, frame):
        return read_surface(self.cache / f"frames/{frame:06}/surface.ply")

    def test_vtk_reads_the_time_series(self):
        series = xml.etree.ElementTree.parse(self.folder / "vtu/dam_break.pvd").getroot()
        steps = [(float(each.get("timestep")), each.get("file")) for each in series.iter("DataSet")]
        self.assertEqual([time for time, _ in steps], [frame / 24 for frame in range(FRAMES + 1)])
        for frame, (_, name) in enumerate(steps):
            errors = []
            reader = vtk.vtkXMLUnstructuredGridReader()
            reader.AddObserver("ErrorEvent", lambda *_: errors.append("error"))
            reader.SetFileName(str(self.folder / "vtu" / name))
            reader.Update()
            self.assertEqual(errors, [])
            grid = reader.GetOutput()
            self.assertEqual(grid.GetNumberOfCells(), self.stats[frame]["tets"])
            pressure = vtk_to_numpy(grid.GetCellData().GetArray("pressure"))
            velocity = vtk_to_numpy(grid.GetCellData().GetArray("velocity"))
            self.assertEqual(velocity.shape, (len(pressure), 3))
            speed = numpy.linalg.norm(velocity, axis=1).max()
            self.assertAlmostEqual(speed, self.stats[frame]["max_speed"], delta=1e-9 + 1e-9 * speed)
            size = vtk.vtkCellSizeFilter()
            size.SetInputData(grid)
            size.Update()
            volumes = vtk_to_numpy(size.GetOutput().GetCellData().GetArray("Volume"))
            # The mesh fits the liquid to a few per cent of its volume.
            self.assertAlmostEqual(volumes.sum() / self.stats[frame]["volume"], 1, delta=0.05)
            # Kinetic energy of what is in the file is the ledger's, without what has no mass.
            liquid = vtk_to_numpy(grid.GetCellData().GetArray("liquid"))
            self.assertTrue(((liquid >= 0) & (liquid <= 1)).all())
            kinetic = 500 * (liquid * volumes * (velocity**2).sum(axis=1)).sum()
            self.assertAlmostEqual(kinetic, self.stats[frame]["ledger"]["kinetic"],
                                   delta=1e-6 * (1 + kinetic))

    def test_openvdb_reads_the_level_set(self):
        for frame in range(FRAMES + 1):
            path = str(self.folder / f"vdb/dam_break.{frame:06}.vdb")
            grids, _ = pyopenvdb.readAll(path)
            self.assertEqual(sorted(grid.name for grid in grids), ["surface", "velocity"])
            for grid in grids:
                self.assertEqual(grid.metadata["file_voxel_count"], grid.activeVoxelCount())
                box = (grid.metadata["file_bbox_min"], grid.metadata["file_bbox_max"])
                self.assertEqual(box, grid.evalActiveVoxelBoundingBox())
            surface = pyopenvdb.read(path, "surface")
            self.assertEqual(surface.gridClass, "level set")
            voxel = 2 / CELLS / 2
            self.assertAlmostEqual(surface.transform.voxelSize()[0], voxel, delta=1e-12)
            self.assertAlmostEqual(surface.background, 3 * voxel, delta=1e-6)
            points, velocities, triangles = self.surface(frame)
            # The distance vanishes at the vertices: to second order between the nodes.
            accessor = surface.getConstAccessor()
            velocity = pyopenvdb.read(path, "velocity")
            moving = velocity.getConstAccessor()
            for i in range(0, len(points), max(1, len(points) // 200)):
                place = [float(x) / voxel for x in points[i]]
                near = tuple(round(x) for x in place)
                distance = accessor.getValue(near)
                away = voxel * sum((a - b)**2 for a, b in zip(near, place))**0.5
                self.assertLessEqual(abs(distance), away + 1e-4 * voxel)
                cell = tuple(round(float(x) * CELLS / 2) for x in points[i])
                value = moving.getValue(cell)
                # Half a cell away, the liquid moves about the same.
                scale = 1 + self.stats[frame]["max_speed"]
                self.assertLess(max(abs(a - b) for a, b in zip(value, velocities[i])), 0.8 * scale)
            # All over the band it is the distance to the triangles.
            count = surface.activeVoxelCount()
            for i, item in enumerate(surface.iterOnValues()):
                if i % max(1, count // 200) != 0:
                    continue
                place = voxel * numpy.array(item.min, float)
                exact = distance_to_triangles(place, points, triangles)
                self.assertAlmostEqual(abs(item.value), exact, delta=1e-4 * voxel)
            # Turned back to triangles: the same volume.
            new_points, new_quads = surface.convertToQuads()
            halves = numpy.concatenate([new_quads[:, [0, 1, 2]], new_quads[:, [0, 2, 3]]])
            volume = abs(enclosed_volume(new_points, halves))
            self.assertAlmostEqual(volume / enclosed_volume(points, triangles), 1, delta=0.03)

    def test_blender_reads_ply_obj_vdb_and_usd(self):
        script = self.folder / "read.py"
        script.write_text(IN_BLENDER)
        files = [self.folder / f"{kind}/dam_break.{FRAMES:06}.{kind}" for kind in ("ply", "obj", "vdb")]
        files.append(self.folder / "usda/dam_break.usda")
        done = subprocess.run(["blender", "--background", "--factory-startup", "--python-exit-code", "1",
                               "--python", script, "--", *files], check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        read = [json.loads(line[5:]) for line in done.stdout.splitlines() if line.startswith("READ ")]
        self.assertEqual(len(read), 4, done.stdout)
        points, _, triangles = self.surface(FRAMES)
        for mesh in read[:2]:
            self.assertEqual((mesh["vertices"], mesh["faces"]), (len(points), len(triangles)))
            for a, b in zip(mesh["first"], points[0]):
                self.assertAlmostEqual(a, float(b), delta=1e-6)
        self.assertEqual(read[2]["grids"], {"surface": "FLOAT", "velocity": "VECTOR_FLOAT"})
        if "skipped" in read[3]:
            print(f"USD: {read[3]['skipped']}")
        else:
            first = self.surface(0)
            self.assertEqual((read[3]["vertices"], read[3]["faces"]), (len(first[0]), len(first[2])))

    def test_velocities_in_obj_follow_their_vertices(self):
        points, velocities, _ = self.surface(FRAMES)
        lines = (self.folder / f"obj/dam_break.{FRAMES:06}.obj").read_text().splitlines()
        found = [numpy.array(line.split()[1:], float) for line in lines if line.startswith("v ")]
        moving = [numpy.array(line.split()[1:], float) for line in lines if line.startswith("#vel ")]
        numpy.testing.assert_array_equal(numpy.array(found, "f4"), points)
        numpy.testing.assert_array_equal(numpy.array(moving, "f4"), velocities)

    def test_usd_text_has_every_frame(self):
        """By USD's grammar, as far as it is used: Debian has no program that reads it."""
        text = (self.folder / "usda/dam_break.usda").read_text()
        self.assertTrue(text.startswith("#usda 1.0\n"))
        for attribute, index in (("point3f[] points", 0), ("vector3f[] velocities", 1),
                                 ("int[] faceVertexIndices", 2)):
            body = re.search(re.escape(attribute) + r"\.timeSamples = \{\n(.*?)\n        \}", text, re.S)[1]
            samples = dict(re.findall(r"^ +(\d+): \[(.*)\],$", body, re.M))
            self.assertEqual(sorted(map(int, samples)), list(range(FRAMES + 1)))
            for frame, values in samples.items():
                numbers = numpy.array(re.findall(r"[-+.e0-9]+", values), "f4" if index < 2 else "i4")
                numpy.testing.assert_array_equal(numbers, self.surface(int(frame))[index].ravel())


if __name__ == "__main__":
    command = sys.argv.pop(1)
    unittest.main()
