# SPDX-License-Identifier: Apache-2.0
"""The notebooks of docs/notebooks run, and their statements are true."""
import importlib.util
import unittest
from pathlib import Path

from solidtlm.tests.support import InFolder

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "notebooks"
# Statements of the text, in the notebook's own names.
SAID = {
    "how-many-channels": """
dies = [row["nand.geometry.channels"] * row["nand.geometry.dies"] for row in found]
full = [speed for count, speed in zip(dies, found["throughput"]) if count >= 8]
assert max(full) < 1.01 * min(full) and len(full) == 6
assert all(row["limited_by"].startswith("die_wait_host") for count, row in zip(dies, found) if count < 8)
assert found.started == 12
""",
    "where-the-p99-comes-from": """
assert max(before.ledger, key=more)["stage"] == "die_wait_host"
assert after["p99"] < before["p99"] / 2
""",
    "my-trace-on-three-drives": """
assert drives["jasmine"].limits[0][0] == "die_wait_host"
assert drives["default"].limits[0][0] == drives["enterprise"].limits[0][0] == "link_wait"
assert drives["enterprise"]["throughput"] < 1.1 * drives["default"]["throughput"]
""",
}


@unittest.skipUnless(importlib.util.find_spec("nbclient") and importlib.util.find_spec("ipykernel"),
                     "nbclient or ipykernel is missing")
class Notebooks(InFolder):
    def test_each(self):
        import nbformat
        from nbclient import NotebookClient
        self.assertEqual({path.stem for path in FOLDER.glob("*.ipynb")}, set(SAID))
        for name, said in SAID.items():
            with self.subTest(name):
                book = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
                self.assertFalse([cell for cell in book.cells if cell.get("outputs")], "it is kept without outputs")
                book.cells.append(nbformat.v4.new_code_cell(said))
                NotebookClient(book, timeout=300, kernel_name="python3",
                               resources={"metadata": {"path": str(self.folder)}}).execute()
                shown = [kind for cell in book.cells for output in cell.get("outputs", []) for kind in output["data"]]
                self.assertIn("text/html", shown)
                plots = sum(".plot(" in cell.source for cell in book.cells)
                self.assertEqual(shown.count("image/png"), plots)


if __name__ == "__main__":
    unittest.main()
