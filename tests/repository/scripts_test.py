#!/usr/bin/env python3
"""Tests of scripts/check-layers and scripts/test-summary, on small trees made for them."""
import pathlib
import subprocess
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"

TABLE = """# Architecture

## Modules

| module | holds |
|---|---|
| `core` | errors |
| `geometry` | shapes |
| `scene` | TOML |

| `other` | a table that is not the first |
"""


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    return done.returncode, done.stdout


class CheckLayers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.write("docs/architecture.md", TABLE)
        self.write("src/spindrift/core/error.hpp", "// Errors.\n#pragma once\n#include <string>\n")
        self.write("src/spindrift/geometry/shape.hpp",
                   '#pragma once\n#include "spindrift/core/error.hpp"\n')
        self.write("src/spindrift/scene/scene.cpp",
                   '#include "spindrift/geometry/shape.hpp"\n#include <toml++/toml.h>\n')
        self.write("tests/support/random.hpp",
                   '#pragma once\n#include "spindrift/core/error.hpp"\n')
        self.write("tests/core/error_test.cpp",
                   '#include "spindrift/core/error.hpp"\n#include "support/random.hpp"\n')

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def check(self):
        return run(SCRIPTS / "check-layers", "--root", self.root)

    def expect(self, *lines):
        code, output = self.check()
        self.assertEqual(output.splitlines(), list(lines))
        self.assertEqual(code, 1 if lines else 0)

    def test_good_tree_passes(self):
        self.expect()

    def test_include_from_below_is_found(self):
        self.write("src/spindrift/core/log.cpp",
                   '#include <string>\n#  include "spindrift/geometry/shape.hpp"\n')
        self.expect("src/spindrift/core/log.cpp:2: core must not include geometry, "
                    "which is below it")

    def test_include_from_below_is_found_in_tests(self):
        self.write("tests/geometry/shape_test.cpp", '#include "spindrift/scene/scene.hpp"\n')
        self.expect("tests/geometry/shape_test.cpp:1: geometry must not include scene, "
                    "which is below it")

    def test_include_from_below_is_found_through_a_test_helper(self):
        self.write("tests/support/random.hpp",
                   '#pragma once\n#include "spindrift/scene/scene.hpp"\n')
        self.expect("tests/core/error_test.cpp:2: core must not include scene, which is below it")

    def test_helpers_come_from_the_tests_folder_or_from_beside_the_test(self):
        self.write("tests/core/helper.hpp", "#pragma once\n")
        self.write("tests/core/error_test.cpp",
                   '#include "core/helper.hpp"\n#include "helper.hpp"\n'
                   '#include "../core/helper.hpp"\n')
        self.expect('tests/core/error_test.cpp:3: "../core/helper.hpp" is not of the form '
                    '"spindrift/MODULE/NAME.hpp"')

    def test_order_comes_from_the_document(self):
        self.write("docs/architecture.md", TABLE.replace("geometry", "x").replace("scene", "geometry")
                   .replace("`x`", "`scene`"))
        self.expect("src/spindrift/scene/scene.cpp:1: scene must not include geometry, "
                    "which is below it")

    def test_missing_table_is_an_error(self):
        self.write("docs/architecture.md", "# Nothing\n")
        self.expect("docs/architecture.md: has no table of modules")

    def test_folder_that_is_no_module_is_found(self):
        self.write("src/spindrift/other/a.cpp", "")
        self.expect("src/spindrift/other: not in docs/architecture.md")

    def test_header_without_pragma_once_is_found(self):
        self.write("src/spindrift/core/log.hpp", "// Log.\n#include <string>\n#pragma once\n")
        self.expect("src/spindrift/core/log.hpp:2: write #pragma once before everything else")

    def test_other_ways_to_include_are_found(self):
        self.write("src/spindrift/core/log.cpp",
                   '#include "error.hpp"\n#include "../core/error.hpp"\n'
                   '#include <spindrift/core/error.hpp>\n#include "spindrift/nowhere/a.hpp"\n')
        place = "src/spindrift/core/log.cpp"
        wanted = '"spindrift/MODULE/NAME.hpp"'
        self.expect(f'{place}:1: "error.hpp" is not of the form {wanted}',
                    f'{place}:2: "../core/error.hpp" is not of the form {wanted}',
                    f'{place}:3: write #include "spindrift/core/error.hpp"',
                    f'{place}:4: "spindrift/nowhere/a.hpp" is in no module of docs/architecture.md')

    def test_libraries_of_one_module_stay_there(self):
        self.write("src/spindrift/geometry/a.cpp",
                   "#include <tbb/parallel_for.h>\n#include <thread>\n#include <toml++/toml.h>\n")
        place = "src/spindrift/geometry/a.cpp"
        self.expect(f"{place}:1: only core may include <tbb/parallel_for.h>",
                    f"{place}:2: only core may include <thread>",
                    f"{place}:3: only scene may include <toml++/toml.h>")


class TestSummary(unittest.TestCase):
    PASSED = '<testcase name="A.a" status="run"/>'
    FAILED = '<testcase name="A.b" status="fail"><failure message=""/></testcase>'
    SKIPPED = ('<testcase name="A.c" status="notrun">'
               '<skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>')
    MISSING = ('<testcase name="A.d" status="notrun">'
               '<skipped message="Unable to find executable"/></testcase>')

    def summary(self, *runs, also_failed=0):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for number, cases in enumerate(runs):
                path = pathlib.Path(folder) / f"run{number}.xml"
                path.write_text("<testsuite>" + "".join(cases) + "</testsuite>", encoding="utf-8")
                paths.append(path)
            paths = paths or [pathlib.Path(folder) / "*.xml"]
            return run(SCRIPTS / "test-summary", "--also-failed", also_failed, *paths)

    def test_adds_up_runs(self):
        self.assertEqual(self.summary([self.PASSED, self.PASSED], [self.PASSED]),
                         (0, "3 passed, 0 failed\n"))

    def test_failures_are_named_and_fail(self):
        self.assertEqual(self.summary([self.PASSED, self.FAILED]),
                         (1, "failed: A.b (run0)\n1 passed, 1 failed\n"))

    def test_skipped_is_neither_but_a_missing_program_is_a_failure(self):
        self.assertEqual(self.summary([self.PASSED, self.SKIPPED, self.MISSING]),
                         (1, "skipped: A.c (run0)\nfailed: A.d (run0)\n1 passed, 1 failed\n"))

    def test_broken_steps_count(self):
        self.assertEqual(self.summary(also_failed=1), (1, "0 passed, 1 failed\n"))

    def test_no_tests_at_all_fail(self):
        self.assertEqual(self.summary([]), (1, ""))


if __name__ == "__main__":
    unittest.main()
