# SPDX-License-Identifier: Apache-2.0
"""The sources of packages: the conda recipe and the source package."""
import importlib.util
import re
import shutil
import subprocess
import sys
import tarfile
import unittest
from pathlib import Path

from solidtlm.tests.support import InFolder

ROOT = Path(__file__).resolve().parents[3]
RECIPE = ROOT / "packaging" / "conda" / "recipe.yaml"
# Debian's names of libraries that have other names on conda-forge.
CONDA = {"libarchive-dev": "libarchive", "libcli11-dev": "cli11", "libssl-dev": "openssl", "libtomlplusplus-dev": "tomlplusplus",
         "nlohmann-json3-dev": "nlohmann_json", "zlib1g-dev": "zlib"}
NOT_THERE = ("libgtest-dev", "nbdkit-plugin-dev")  # tests are not built; conda-forge has no nbdkit


def needs(*names):
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing, f"{', '.join(missing)} is missing")


class CondaRecipe(unittest.TestCase):
    @needs("yaml")
    def test_it_has_the_version_and_every_library(self):
        import yaml
        recipe = yaml.safe_load(RECIPE.read_text())
        version = re.search(r"project\(solidtlm VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertEqual(recipe["context"]["version"], version)
        wanted = re.findall(r"^\S+-dev$", (ROOT / "scripts" / "packages" / "build.txt").read_text(), re.MULTILINE)
        self.assertGreater(len(wanted), 8)
        names = {CONDA.get(each, each.removeprefix("lib").removesuffix("-dev")) for each in wanted
                 if each not in NOT_THERE}
        self.assertEqual(names - set(recipe["requirements"]["host"]), set())
        for file in recipe["about"]["license_file"]:
            self.assertTrue((ROOT / file).is_file(), file)

    @needs("rattler_build")
    def test_rattler_build_renders_it(self):
        import rattler_build
        machine = rattler_build.VariantConfig({"c_stdlib": ["sysroot"], "c_stdlib_version": ["2.28"],
                                               "python": ["3.12.*"]})
        rendered = rattler_build.Stage0Recipe.from_yaml(RECIPE.read_text()).render(machine)
        self.assertEqual([each.recipe.package.name for each in rendered], ["solidtlm"])


class SourcePackage(InFolder):
    @needs("scikit_build_core")
    def test_it_has_every_file(self):
        if shutil.which("git") is None:
            self.skipTest("git is not installed (scripts/setup clients)")
        listed = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=False)
        if listed.returncode != 0:
            self.skipTest("there is no Git repository")
        made = subprocess.run(
            [sys.executable, "-c", "import sys; from scikit_build_core.build import "
             f"build_sdist; build_sdist({str(self.folder)!r})"], cwd=ROOT, capture_output=True, text=True, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        with tarfile.open(next(self.folder.glob("*.tar.gz"))) as package:
            found = {name.partition("/")[2] for name in package.getnames()}
        self.assertEqual(set(listed.stdout.split("\n")[:-1]) - found, set())


if __name__ == "__main__":
    unittest.main()
