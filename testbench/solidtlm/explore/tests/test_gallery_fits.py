# SPDX-License-Identifier: Apache-2.0
"""The predictions that fit.toml of a gallery drive lists agree with its fitted values, and no value is at a
limit."""
import tempfile
import tomllib
import unittest
from pathlib import Path

from solidtlm.explore.fit.study import read_fit
from solidtlm.explore.program import contents
from solidtlm.explore.units import quantity

kGallery = Path(__file__).resolve().parents[3] / "studies" / "gallery"
kMostParameters = 4


def fitted_values():
    """(file, key, table) of every fitted value of the gallery."""
    for path in sorted(kGallery.rglob("*.toml")):
        if path.name != "fit.toml":
            for key, value in tomllib.loads(path.read_text()).get("values", {}).items():
                if "fitted" in value:
                    yield path, key, value


def published(figure):
    """The value of "DRIVE/CAMPAIGN/TEST/DEPTH/METRIC"."""
    drive, campaign, test, depth, metric = figure.split("/")
    for each in tomllib.loads((kGallery / "drives" / drive / f"{campaign}.toml").read_text())["test"]:
        if each["name"] == test:
            for row in each["figures"]:
                named = dict(zip(each["columns"], row))
                if named["depth"] == int(depth):
                    return named[metric]
    raise KeyError(figure)


class GalleryFits(unittest.TestCase):
    def test_few_parameters_and_published_figures(self):
        fits = sorted(kGallery.glob("drives/*/fit.toml"))
        self.assertTrue(fits)
        for path in fits:
            with self.subTest(path.parent.name):
                study, mistakes = read_fit(path)
                self.assertEqual([str(each) for each in mistakes], [])
                self.assertLessEqual(len(study.parameters), kMostParameters)
                for each in study.measurements:
                    self.assertEqual(each.found, published(each.name), each.name)

    def test_values_are_fitted_to_what_was_named(self):
        named = {each.name for path in kGallery.glob("drives/*/fit.toml") for each in read_fit(path)[0].measurements}
        for path, key, value in fitted_values():
            with self.subTest(f"{path.parent.name}/{path.name}: {key}"):
                self.assertTrue(named & set(value["figures"]))

    def test_no_value_is_at_a_limit_of_its_range(self):
        def first(value):
            return value if isinstance(value, (int, float)) else quantity(value.split(",")[0])

        for path, key, value in fitted_values():
            with self.subTest(f"{path.parent.name}/{path.name}: {key}"):
                numbers = [first(each) for each in value["range"]]
                self.assertTrue(min(numbers) < first(value["is"]) < max(numbers), value)

    def test_a_folder_counts_by_what_its_files_hold(self):
        with tempfile.TemporaryDirectory() as outer:
            folder = Path(outer).resolve() / "my-drive"
            folder.mkdir()
            (folder / "drive.toml").write_text("title = 'one'\n")
            (folder / "fit.toml").write_text('arguments = ["./"]\n[space]\na = [1]\n[[measurement]]\nvalue = "iops"\n'
                                             'found = 1\ntolerance = "1%"\n')
            [argument] = read_fit(folder / "fit.toml")[0].command(read_fit(folder / "fit.toml")[0].runs[0])
            self.assertEqual(argument, str(folder))
            before = contents(argument)
            (folder / "fit.toml").write_text("title = 'no run reads it'\n")
            self.assertEqual(contents(argument), before)
            (folder / "drive.toml").write_text("title = 'another'\n")
            self.assertNotEqual(contents(argument), before)


if __name__ == "__main__":
    unittest.main()
