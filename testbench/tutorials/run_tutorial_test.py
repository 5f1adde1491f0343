#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A page that is wrong must not pass."""
import sys
import unittest

sys.dont_write_bytecode = True
from run_tutorial import Mistake, blocks_of, difference, follow


class Echo:
    """Instead of a shell: prints the commands."""

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


if __name__ == "__main__":
    unittest.main()
