# SPDX-License-Identifier: Apache-2.0
"""Reads caches of Spindrift. Knows nothing of Blender; docs/cache.md describes the files."""
import json
import pathlib

import numpy

NEWEST_FORMAT = 1


class CacheError(Exception):
    """What is wrong, for the user."""


class Surface:
    """The liquid's surface in one frame."""

    def __init__(self, points, velocities, triangles):
        self.points = points          # n x 3, m
        self.velocities = velocities  # n x 3, m/s
        self.triangles = triangles    # m x 3


class Cache:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.reload()

    def reload(self):
        """Reads the manifest again: a run may have added frames."""
        path = self.folder / "manifest.json"
        try:
            manifest = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise CacheError(f"{self.folder} is not a cache of Spindrift: {error.strerror}") from error
        except ValueError as error:
            raise CacheError(f"{path} is damaged: {error}") from error
        try:
            if manifest["format"] > NEWEST_FORMAT:
                raise CacheError(f"{path} has format {manifest['format']}, and this add-on reads up to "
                                 f"{NEWEST_FORMAT}: use a newer one")
            self.name = manifest["scene"]
            self.fps = float(manifest["fps"])
            self.frames = manifest["frames"]
            self.frames_asked = manifest["frames_asked"]
        except (KeyError, TypeError) as error:
            raise CacheError(f"{path} is damaged: {error}") from error

    @property
    def frame_count(self):
        return len(self.frames)

    def stamp(self, frame):
        """Changes with what a frame holds."""
        entry = self.frames[frame]["files"].get("surface.ply", {})
        return f"{self.folder}:{frame}:{entry.get('bytes')}:{entry.get('checksum')}"

    def surface(self, frame):
        if not 0 <= frame < self.frame_count:
            raise CacheError(f"{self.folder} has no frame {frame}")
        if "surface.ply" not in self.frames[frame]["files"]:
            raise CacheError(f"frame {frame} of {self.folder} has no surface: "
                             "run the scene with output.surface = true")
        return read_ply(self.folder / "frames" / f"{frame:06}" / "surface.ply")


def read_ply(path):
    """A surface.ply of a cache: binary, vertices with velocities, triangles."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CacheError(f"{path} cannot be read: {error.strerror}") from error
    end = data.find(b"end_header\n")
    if not data.startswith(b"ply\nformat binary_little_endian 1.0\n") or end < 0:
        raise CacheError(f"{path} is damaged: it is not a surface of Spindrift")
    begin = end + len(b"end_header\n")
    counts = {words[1]: int(words[2]) for words in
              (line.split() for line in data[:end].decode("ascii", "replace").splitlines())
              if len(words) == 3 and words[0] == "element" and words[2].isdigit()}
    vertex = numpy.dtype("<f4")
    face = numpy.dtype([("corners", "u1"), ("vertices", "<i4", 3)])
    vertices, faces = counts.get("vertex", 0), counts.get("face", 0)
    if len(data) - begin != 24 * vertices + 13 * faces:
        raise CacheError(f"{path} is damaged: its length is wrong")
    numbers = numpy.frombuffer(data, vertex, 6 * vertices, begin).reshape(-1, 6)
    triangles = numpy.frombuffer(data, face, faces, begin + 24 * vertices)["vertices"]
    if faces and (triangles.min() < 0 or triangles.max() >= vertices):
        raise CacheError(f"{path} is damaged: a triangle has a corner that is not there")
    return Surface(numpy.ascontiguousarray(numbers[:, :3]), numpy.ascontiguousarray(numbers[:, 3:]),
                   numpy.ascontiguousarray(triangles))
