#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a page with errors does not pass."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from run_tutorial import Mistake, blocks_of, difference, follow, imports_of, missing


class Echo:
    """Replaces the shell: prints the commands."""

    def __init__(self):
        self.built = []

    def run(self, commands):
        return commands + "\n"

    def make(self, commands):
        self.built.append(commands)


def page(*blocks):
    return "\n".join(f"Some text.\n\n```{kind}\n{content}\n```\n" for kind, content in blocks)


class Difference(unittest.TestCase):
    def test_equal_output_passes(self):
        self.assertIsNone(difference("a\n  b 1.5\n", "a\n  b 1.5\n"))

    def test_another_number_fails(self):
        self.assertIn("b 1.6", difference("a\nb 1.5", "a\nb 1.6\n"))

    def test_a_line_too_many_or_too_few_fails(self):
        self.assertIsNotNone(difference("a\nc", "a\nb\nc\n"))
        self.assertIsNotNone(difference("a", "a\nb\n"))
        self.assertIsNotNone(difference("a\nb", "a\n"))

    def test_dots_alone_skip_lines(self):
        self.assertIsNone(difference("...\nb\n...\nd", "a\nb\nc\nc\nd\n"))
        self.assertIsNone(difference("a\n...", "a\nb\nc\n"))
        self.assertIsNone(difference("a\n...\nb", "a\nb\n"))

    def test_order_counts_even_with_dots(self):
        self.assertIsNotNone(difference("...\nb\n...\na\n...", "a\nb\n"))

    def test_dots_within_a_line_stand_for_any_text(self):
        self.assertIsNone(difference("4 points in ... s", "4 points in 10.2 s\n"))
        self.assertIsNotNone(difference("4 points in ... s", "5 points in 10.2 s\n"))

    def test_other_characters_stand_for_themselves(self):
        self.assertIsNotNone(difference("1.5 (x)*", "105 (x)*\n"))

    def test_spaces_count_but_at_the_end(self):
        self.assertIsNotNone(difference("a b", "a  b\n"))
        self.assertIsNone(difference("a b", "a b  \n"))


class Follow(unittest.TestCase):
    def test_output_is_that_of_the_block_before(self):
        follow(page(("sh", "one"), ("sh", "two"), ("text", "two")), Echo())
        with self.assertRaises(Mistake):
            follow(page(("sh", "one"), ("sh", "two"), ("text", "one")), Echo())

    def test_a_mistake_says_its_line(self):
        with self.assertRaisesRegex(Mistake, "line 9"):
            follow(page(("sh", "one"), ("text", "other")), Echo())

    def test_what_builds_is_not_run(self):
        echo = Echo()
        follow(page(("sh build", "cmake"), ("sh", "one")), echo)
        self.assertEqual(echo.built, ["cmake"])

    def test_output_without_commands_fails(self):
        with self.assertRaises(Mistake):
            follow(page(("text", "one")), Echo())

    def test_a_page_without_commands_fails(self):
        with self.assertRaises(Mistake):
            follow("Only text.", Echo())

    def test_unknown_and_open_blocks_fail(self):
        with self.assertRaises(Mistake):
            follow(page(("sh", "one"), ("bash", "two")), Echo())
        with self.assertRaises(Mistake):
            blocks_of("```sh\none\n")


class Missing(unittest.TestCase):
    """Whether a page can be run depends on what it runs with the Python of .venv."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source = Path(folder.name)
        (self.source / "read.py").write_text("import json\nfrom there_is_none.of_these import name\n")
        (self.source / "plain.py").write_text("import os.path\nfrom . import own\n")

    def with_python(self):
        (self.source / ".venv/bin").mkdir(parents=True)
        (self.source / ".venv/bin/python3").symlink_to(sys.executable)

    def test_imports(self):
        self.assertEqual(imports_of("import a.b, c\nfrom d.e import f\nfrom . import g\n"), {"a", "c", "d"})

    def test_a_module_that_is_not_installed(self):
        self.with_python()
        self.assertEqual(missing("```sh\n.venv/bin/python3 read.py x | cat\n```", self.source), ["there_is_none"])
        self.assertEqual(missing("```sh\n.venv/bin/python3 plain.py\n```", self.source), [])

    def test_no_python(self):
        self.assertEqual(missing("```sh\n.venv/bin/python3 plain.py\n```", self.source), [".venv/bin/python3"])
        self.assertEqual(missing("```sh\necho\n```", self.source), [])


if __name__ == "__main__":
    unittest.main()
