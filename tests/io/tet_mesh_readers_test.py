#!/usr/bin/python3
"""Our tetrahedral meshes, read by VTK and by Gmsh.

    tet_mesh_readers_test.py SAMPLES_PROGRAM [unittest options]

The program writes sample.vtu, sample.msh and sample.mesh into a folder: 6 x 5 x 4 cubes of side 0.5 m,
each cut into five and sheared, 15 m3 in all; and the same called tagged, with the faces at the top tagged
air and the other boundary faces solid. Debian's Python, whichever comes first in PATH: only it sees
Debian's VTK and Gmsh.
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import gmsh
    import vtk
except ImportError as missing:
    print(f"skipped: no module {missing.name}; scripts/setup --all installs VTK and Gmsh")
    sys.exit(77)

TETS = 6 * 5 * 4 * 5
VERTICES = 7 * 6 * 5
BOUNDARY_TRIANGLES = 2 * 2 * (6 * 5 + 5 * 4 + 4 * 6)
AIR_TRIANGLES = 2 * 6 * 5
AIR, SOLID = 1, 2
VOLUME = 15.0

program = None


def volume_of(corners):
    a, b, c, d = corners
    u, v, w = ([p[k] - a[k] for k in range(3)] for p in (b, c, d))
    return (w[0] * (u[1] * v[2] - u[2] * v[1]) + w[1] * (u[2] * v[0] - u[0] * v[2])
            + w[2] * (u[0] * v[1] - u[1] * v[0])) / 6


class Readers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        subprocess.run([program, cls.folder], check=True)

    def vtk_opens(self, name):
        errors = []
        reader = vtk.vtkXMLUnstructuredGridReader()
        reader.AddObserver("ErrorEvent", lambda *_: errors.append("error"))
        reader.AddObserver("WarningEvent", lambda *_: errors.append("warning"))
        reader.SetFileName(str(self.folder / name))
        reader.Update()
        self.assertEqual(errors, [])
        return reader.GetOutput()

    def expect_triangles(self, triangles):
        """(tag, corners) of each: air at the top, all facing outwards, the boundary as a whole."""
        self.assertEqual(len(triangles), BOUNDARY_TRIANGLES)
        self.assertEqual(sum(tag == AIR for tag, _ in triangles), AIR_TRIANGLES)
        for tag, corners in triangles:
            self.assertEqual(tag, AIR if all(p[2] == 2 for p in corners) else SOLID)
        # The divergence theorem: outward triangles enclose the volume.
        enclosed = sum(volume_of([(0, 0, 0), *corners]) for _, corners in triangles)
        self.assertAlmostEqual(enclosed, VOLUME, delta=1e-12)

    def test_vtk_reads_tagged_faces(self):
        grid = self.vtk_opens("tagged.vtu")
        self.assertEqual(grid.GetNumberOfPoints(), VERTICES)
        self.assertEqual(grid.GetNumberOfCells(), TETS + BOUNDARY_TRIANGLES)
        data = grid.GetCellData()
        tags, numbers = data.GetArray("boundary"), data.GetArray("number")
        triangles = []
        for i in range(grid.GetNumberOfCells()):
            cell = grid.GetCell(i)
            if i < TETS:
                self.assertEqual(cell.GetCellType(), vtk.VTK_TETRA)
                self.assertEqual((tags.GetValue(i), numbers.GetValue(i)), (0, i))
                continue
            self.assertEqual(cell.GetCellType(), vtk.VTK_TRIANGLE)
            self.assertEqual(numbers.GetValue(i), 0)
            triangles.append((tags.GetValue(i), [cell.GetPoints().GetPoint(k) for k in range(3)]))
        self.expect_triangles(triangles)

    def test_vtk_reads_labelled_cells(self):
        measure = vtk.vtkCellSizeFilter()
        measure.SetInputData(self.vtk_opens("cubes.vtu"))
        measure.Update()
        cubes = measure.GetOutput()
        self.assertEqual([cubes.GetCellType(0), cubes.GetCellType(1)], [12, 12])
        for cube, side in ((0, 1), (1, 2)):
            self.assertEqual(cubes.GetCellData().GetArray("side").GetTuple1(cube), side)
            self.assertAlmostEqual(cubes.GetCellData().GetArray("Volume").GetTuple1(cube), side**3)
        line = self.vtk_opens("line.vtu")
        self.assertEqual([line.GetNumberOfCells(), line.GetCellType(0)], [1, 3])
        self.assertEqual(line.GetBounds()[4:], (0, 3))
        self.assertEqual(line.GetCellData().GetArray("length").GetTuple1(0), 3)
        points = self.vtk_opens("points.vtu")
        self.assertEqual([points.GetNumberOfCells(), points.GetCellType(1)], [2, 1])
        self.assertEqual(points.GetCellData().GetArray("z").GetTuple1(1), 3)

    def test_vtk_reads_the_vtu(self):
        grid = self.vtk_opens("sample.vtu")
        self.assertEqual(grid.GetNumberOfPoints(), VERTICES)
        self.assertEqual(grid.GetNumberOfCells(), TETS)
        self.assertEqual(grid.GetPoints().GetDataType(), vtk.VTK_DOUBLE)

        data = grid.GetCellData()
        self.assertEqual(data.GetNumberOfArrays(), 3)
        volumes = data.GetArray("volume <m3>")
        barycentres = data.GetArray("barycentre")
        numbers = data.GetArray("number")
        self.assertEqual(barycentres.GetNumberOfComponents(), 3)
        self.assertEqual(numbers.GetDataType(), vtk.VTK_INT)
        total = 0.0
        for t in range(TETS):
            cell = grid.GetCell(t)
            self.assertEqual(cell.GetCellType(), vtk.VTK_TETRA)
            corners = [cell.GetPoints().GetPoint(k) for k in range(4)]
            volume = volume_of(corners)
            self.assertAlmostEqual(volumes.GetValue(t), volume, delta=1e-15)
            self.assertEqual(numbers.GetValue(t), t)
            for axis in range(3):
                middle = sum(corner[axis] for corner in corners) / 4
                self.assertAlmostEqual(barycentres.GetTuple3(t)[axis], middle, delta=1e-14)
            total += volume
        self.assertAlmostEqual(total, VOLUME, delta=1e-12)

        # VTK's own view: the orientation, and that faces meet.
        quality = vtk.vtkMeshQuality()
        quality.SetInputData(grid)
        quality.SetTetQualityMeasureToVolume()
        quality.Update()
        least, greatest = quality.GetOutput().GetCellData().GetArray("Quality").GetRange()
        self.assertAlmostEqual(least, 0.125 / 6, delta=1e-12)
        self.assertAlmostEqual(greatest, 0.125 / 3, delta=1e-12)
        surface = vtk.vtkGeometryFilter()
        surface.SetInputData(grid)
        surface.Update()
        self.assertEqual(surface.GetOutput().GetNumberOfCells(), BOUNDARY_TRIANGLES)

    def gmsh_opens(self, name):
        gmsh.initialize(["gmsh"], readConfigFiles=False)
        self.addCleanup(gmsh.finalize)
        gmsh.option.setNumber("General.Terminal", 0)
        gmsh.logger.start()
        self.addCleanup(gmsh.logger.stop)
        gmsh.open(str(self.folder / name))
        complaints = [line for line in gmsh.logger.get()
                      if line.startswith(("Warning", "Error"))]
        self.assertEqual(complaints, [])
        tags, coordinates, _ = gmsh.model.mesh.getNodes()
        self.assertEqual(len(set(tags)), VERTICES)
        place = {tag: coordinates[3 * i:3 * i + 3] for i, tag in enumerate(tags)}
        _, nodes = gmsh.model.mesh.getElementsByType(4)
        self.assertEqual(len(nodes), 4 * TETS)
        volumes = [volume_of([place[node] for node in nodes[i:i + 4]])
                   for i in range(0, len(nodes), 4)]
        self.assertAlmostEqual(sum(volumes), VOLUME, delta=1e-12)
        self.assertGreater(min(volumes), 0)
        return place

    def gmsh_triangles(self, place):
        triangles = []
        for dimension, tag in gmsh.model.getEntities(2):
            kinds, _, nodes = gmsh.model.mesh.getElements(dimension, tag)
            self.assertEqual(list(kinds), [2])
            triangles += [(tag, [place[node] for node in nodes[0][i:i + 3]])
                          for i in range(0, len(nodes[0]), 3)]
        return triangles

    def test_gmsh_reads_tagged_faces(self):
        place = self.gmsh_opens("tagged.msh")
        self.assertEqual(gmsh.model.getEntities(), [(2, AIR), (2, SOLID), (3, 1)])
        names = {gmsh.model.getPhysicalName(*group): list(gmsh.model.getEntitiesForPhysicalGroup(*group))
                 for group in gmsh.model.getPhysicalGroups()}
        self.assertEqual(names, {"air": [AIR], "solid": [SOLID], "liquid": [1]})
        self.expect_triangles(self.gmsh_triangles(place))

    def test_gmsh_reads_tagged_faces_of_the_medit_file(self):
        place = self.gmsh_opens("tagged.mesh")
        self.expect_triangles(self.gmsh_triangles(place))

    def test_gmsh_reads_the_msh(self):
        self.gmsh_opens("sample.msh")
        self.assertEqual(gmsh.model.getEntities(), [(3, 1)])
        box = gmsh.model.getBoundingBox(3, 1)
        for value, expected in zip(box, (0, 0, 0, 3.6, 2.5, 2)):
            self.assertAlmostEqual(value, expected, delta=1e-6)

    def test_gmsh_reads_the_medit_file(self):
        self.gmsh_opens("sample.mesh")
        _, nodes = gmsh.model.mesh.getElementsByType(2)
        self.assertEqual(len(nodes), 3 * BOUNDARY_TRIANGLES)


if __name__ == "__main__":
    program = sys.argv.pop(1)
    unittest.main()
