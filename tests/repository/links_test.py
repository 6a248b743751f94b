#!/usr/bin/env python3
"""Every relative link of the documents leads to a file that is there."""
import pathlib
import re
import tempfile
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]

FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"""\]\(\s*<?([^()\s<>]+)>?[^()]*\)|(?:href|src)=["']([^"']+)["']""")
DEFINITION = re.compile(r"^\s*\[[^\]]+\]:\s*<?(\S+?)>?\s*$", re.MULTILINE)


def documents(root):
    named = [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    return named + sorted((root / "docs").rglob("*.md"))


def relative_links(text):
    text = CODE.sub("", FENCE.sub("", text))
    targets = [a or b for a, b in LINK.findall(text)] + DEFINITION.findall(text)
    for target in targets:
        path = urllib.parse.unquote(target.split("#")[0])
        if path and not urllib.parse.urlsplit(target).scheme:
            yield path


def broken_links(root):
    return [f"{document.relative_to(root)}: {link}"
            for document in documents(root)
            for link in relative_links(document.read_text(encoding="utf-8"))
            if not (document.parent / link).exists()]


class Links(unittest.TestCase):
    def test_ours_lead_somewhere(self):
        self.assertEqual(broken_links(ROOT), [])

    def test_there_are_some(self):
        links = [link for document in documents(ROOT)
                 for link in relative_links(document.read_text(encoding="utf-8"))]
        self.assertGreater(len(links), 5)
        self.assertIn("docs/scene.md", links)

    def test_broken_ones_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs").mkdir()
            (root / "README.md").write_text(
                "[a](docs/a.md) [b](docs/b.md#part) ![c](c.png \"title\") [d](#here)\n"
                "[e](https://example.org/e) <img src=\"f.svg\"> `[g](g.md)`\n"
                "```\n[h](h.md)\n```\n[i]: i.md\n[j](a%20b.md)\n")
            (root / "CONTRIBUTING.md").write_text("[a](docs/a.md)\n")
            (root / "CHANGELOG.md").write_text("")
            (root / "docs/a.md").write_text("[up](../README.md) [down](docs/a.md)\n")
            (root / "a b.md").write_text("")
            self.assertEqual(broken_links(root),
                             ["README.md: docs/b.md", "README.md: c.png", "README.md: f.svg",
                              "README.md: i.md", "docs/a.md: docs/a.md"])


if __name__ == "__main__":
    unittest.main()
