#!/usr/bin/env python3
"""A liquid that is killed at random instants, again and again, ends in the same frames.

    random_kills.py SPINDRIFT_COMMAND [--kills N] [--seed S]

A small dam break with all outputs is run whole, once. Then it is run and killed (SIGKILL) after a random
time, resumed and killed, and so on; each time that it gets to its end, its frames are compared with the
whole run's, and it starts anew. Ends after N kills (default 100), and says how many were where.
"""
import argparse
import json
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

SCENE = """format = 1
name = "small"
[time]
fps = 60
frames = 5
[domain]
min = [0, 0, 0]
max = [1, 0.5, 0.5]
[resolution]
cells = 12
[[liquid.body]]
shape = { box = { min = [0, 0, 0], max = [0.4, 0.5, 0.3] } }
[[obstacle]]
shape = { sphere = { center = [0.7, 0.25, 0], radius = 0.12 } }
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
        if path.is_file() and name != "log.txt" and not name.startswith("checkpoint/"):
            files[name] = path.read_bytes()
    lines = [json.loads(line) for line in files["stats.jsonl"].splitlines()]
    files["stats.jsonl"] = [{key: value for key, value in line.items()
                             if key not in ("seconds", "peak_bytes")} for line in lines]
    manifest = json.loads(files["manifest.json"])
    del manifest["checksum"]
    for frame in manifest["frames"]:
        del frame["lines"]["stats.jsonl"]
    files["manifest.json"] = manifest
    return files


def half_written(cache):
    """Files that are named as if they were whole, and are not: all that the manifest names must be whole."""
    manifest = json.loads((cache / "manifest.json").read_bytes())
    wrong = []
    for frame in manifest["frames"]:
        for name, entry in frame["files"].items():
            path = cache / f"frames/{frame['frame']:06}/{name}"
            if not path.is_file() or path.stat().st_size != entry["bytes"]:
                wrong.append(str(path))
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    dice = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        scene = folder / "small.toml"
        scene.write_text(SCENE)
        run = [arguments.command, "run", scene, "--quiet", "--threads", "1"]
        start = time.monotonic()
        subprocess.run([*run, "--out", folder / "whole"], check=True, stdout=subprocess.DEVNULL)
        whole_seconds = time.monotonic() - start
        whole = contents(folder / "whole")

        kills = in_writes = rounds = 0
        cache = folder / "killed"
        while kills < arguments.kills:
            process = subprocess.Popen([*run, "--out", cache, "--resume"], stdout=subprocess.DEVNULL)
            try:
                process.wait(timeout=dice.uniform(0, 0.6 * whole_seconds))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
                kills += 1
                # A temporary file, or lines or a frame that the manifest does not name yet.
                left = [path for path in cache.rglob(".*") if re.search(r"\.\d+-\d+$", path.name)]
                in_writes += bool(left)
                wrong = half_written(cache) if (cache / "manifest.json").exists() else []
                if wrong:
                    print(f"kill {kills} of seed {arguments.seed}: half written: {wrong}")
                    return 1
                continue
            if process.returncode != 0:
                print(f"after kill {kills} of seed {arguments.seed}: exit code {process.returncode}")
                return 1
            found = contents(cache)
            if found != whole:
                differ = [key for key in whole.keys() | found.keys() if whole.get(key) != found.get(key)]
                print(f"after kill {kills} of seed {arguments.seed}: other contents: {sorted(differ)}")
                return 1
            check = subprocess.run([arguments.command, "check", cache], stdout=subprocess.PIPE, text=True,
                                   check=False)
            if check.returncode != 0:
                print(check.stdout)
                return 1
            rounds += 1
            subprocess.run(["rm", "-rf", cache], check=True)
        # The last one to its end as well.
        subprocess.run([*run, "--out", cache, "--resume"], check=True, stdout=subprocess.DEVNULL)
        if contents(cache) != whole:
            print("after the last kill: other contents")
            return 1
        print(f"{kills} kills, {in_writes} of them inside a write, {rounds + 1} runs brought to their end: "
              f"all {len(whole)} files the same (a whole run takes {whole_seconds:.1f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
