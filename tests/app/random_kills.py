#!/usr/bin/env python3
"""A liquid that is killed at random instants, again and again, ends in the same frames.

    random_kills.py SPINDRIFT_COMMAND [--kills N] [--seed S]

A small dam break with all outputs is run whole, once. Then it is run and killed (SIGKILL) after a random
time, resumed and killed, and so on until it gets to its end, and starts anew. After each of N kills (default
100), spindrift check must find nothing damaged in what is left, and a copy of it is resumed to its end,
where all files are compared with the whole run's. Says how many kills were where.
"""
import argparse
import collections
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

LAST = 5
SCENE = f"""format = 1
name = "small"
[time]
fps = 60
frames = {LAST}
[domain]
min = [0, 0, 0]
max = [1, 0.5, 0.5]
[resolution]
cells = 12
[[liquid.body]]
shape = {{ box = {{ min = [0, 0, 0], max = [0.4, 0.5, 0.3] }} }}
[[obstacle]]
shape = {{ sphere = {{ center = [0.7, 0.25, 0], radius = 0.12 }} }}
[[probe]]
name = "gauge"
at = [0.5, 0.25]
[output]
mesh = true
levelset = true
"""


def contents(cache):
    """Every file but the log, without times and memory."""
    files = {}
    for path in sorted(cache.rglob("*")):
        name = str(path.relative_to(cache))
        if path.is_file() and name != "log.txt":
            files[name] = path.read_bytes()
            if name.startswith("checkpoint/"):
                files[name] = True  # holds the length of stats.jsonl, in which times are
    lines = [json.loads(line) for line in files["stats.jsonl"].splitlines()]
    files["stats.jsonl"] = [{key: value for key, value in line.items()
                             if key not in ("seconds", "peak_bytes")} for line in lines]
    manifest = json.loads(files["manifest.json"])
    del manifest["checksum"]
    for frame in manifest["frames"]:
        del frame["lines"]["stats.jsonl"]
    files["manifest.json"] = manifest
    return files


def frames_done(cache):
    manifest = cache / "manifest.json"
    return json.loads(manifest.read_bytes())["frames_done"] if manifest.exists() else 0


def is_inside_write(cache):
    """Is there a temporary file, a frame that the manifest does not name, or no checkpoint of its last one?"""
    done = frames_done(cache)
    return (any(re.search(r"\.\d+-\d+$", path.name) for path in cache.rglob(".*"))
            or (cache / f"frames/{done:06}").exists()
            or (done > 0 and not (cache / f"checkpoint/{done - 1:06}.bin").exists()))


class Failure(Exception):
    pass


class Killer:
    def __init__(self, command, folder):
        self.command = command
        scene = folder / "small.toml"
        scene.write_text(SCENE)
        self.run = [command, "run", scene, "--quiet", "--threads", "1", "--out"]
        start = time.monotonic()
        subprocess.run([*self.run, folder / "whole"], check=True, stdout=subprocess.DEVNULL)
        self.whole_seconds = time.monotonic() - start
        self.whole = contents(folder / "whole")

    def resume(self, cache, seconds):
        """Is it killed after so many?"""
        process = subprocess.Popen([*self.run, cache, "--resume"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        try:
            _, said = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return True
        if process.returncode != 0:
            raise Failure(f"exit code {process.returncode}: {said.decode()}")
        return False

    def expect_nothing_damaged(self, cache):
        if frames_done(cache) == 0:
            return  # not even a scene may be there yet
        check = subprocess.run([self.command, "check", cache], stdout=subprocess.PIPE, text=True, check=False)
        if check.returncode != 0:
            raise Failure(check.stdout)

    def expect_whole(self, cache):
        found = contents(cache)
        if found != self.whole:
            differ = [key for key in self.whole.keys() | found.keys() if self.whole.get(key) != found.get(key)]
            raise Failure(f"other contents: {sorted(differ)}")
        self.expect_nothing_damaged(cache)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    dice = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        killer = Killer(arguments.command, folder)
        cache, copy = folder / "killed", folder / "resumed"
        kills = in_writes = rounds = 0
        after_frame = collections.Counter()
        try:
            while kills < arguments.kills:
                if not killer.resume(cache, dice.uniform(0, 0.6 * killer.whole_seconds)):
                    rounds += 1
                    killer.expect_whole(cache)
                    shutil.rmtree(cache)
                    continue
                if not cache.exists():
                    continue  # it had not begun
                kills += 1
                in_writes += is_inside_write(cache)
                after_frame[frames_done(cache) - 1] += 1
                killer.expect_nothing_damaged(cache)
                shutil.copytree(cache, copy)
                killer.resume(copy, None)
                killer.expect_whole(copy)
                shutil.rmtree(copy)
        except Failure as failure:
            print(f"after kill {kills} of seed {arguments.seed}: {failure}")
            return 1
        places = ", ".join(f"{count} after frame {frame}" if frame >= 0 else f"{count} before frame 0"
                           for frame, count in sorted(after_frame.items()))
        print(f"{kills} kills ({places}; {in_writes} of them inside a write), each resumed to its end: "
              f"all {len(killer.whole)} files the same every time. {rounds} of the runs that were killed, and "
              f"killed again, came to their own end, with the same files too. A whole run takes "
              f"{killer.whole_seconds:.1f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
