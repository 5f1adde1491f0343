# SPDX-License-Identifier: Apache-2.0
"""The explorer as functions."""
import unittest
from unittest import mock

import solidtlm as st
from solidtlm.explore import packages
from solidtlm.tests.support import CHANNELS, InFolder

STUDY = {"title": "Test", "base": {"preset": "tiny"}, "space": {CHANNELS: [1, 2, 4]},
         "workload": {"spec": "random,read=0.7"}, "objectives": {"channels": "minimise channels",
                                                                  "speed": "maximise throughput"},
         "search": {"proposer": "grid", "rungs": [300]}}
FIT = {"title": "Fit", "base": {"preset": "tiny"}, "arguments": ["--workload", "random,read=0,count=2000"],
       "space": {CHANNELS: [1, 2, 4]}}


class Searches(InFolder):
    def test_a_search(self):
        found = st.search(STUDY, store=self.folder)
        self.assertEqual((found.started, found.points[CHANNELS]), (3, [1, 2, 4]))
        self.assertTrue(set(found.front[CHANNELS]) <= {1, 2, 4} and len(found.front) >= 1)
        self.assertIn("channels = 4", found.drive(2))
        self.assertIn("<title>Test", found.page())
        self.assertTrue(found._repr_html_().startswith("<iframe"))
        self.assertEqual(st.search(STUDY, store=self.folder).started, 0)
        self.assertEqual(st.search(STUDY, store=self.folder, set={"search.rungs": [400]}).started, 3)

    def test_the_answer_where_nothing_holds(self):
        answer = st.search({**STUDY, "constraints": ["channels <= 0.5"]}, store=self.folder).answer
        self.assertEqual((answer["front"], answer["undecided"]), ([], []))
        self.assertEqual([(each["settings"][CHANNELS], each["verdict"], each["missed"][0]["by"])
                          for each in answer["nearest"]], [(1, "breaks", 1.0), (2, "breaks", 3.0), (4, "breaks", 7.0)])

    def test_a_fit(self):
        true = st.run(preset="tiny", workload="random,read=0,count=2000", set={CHANNELS: 2})
        fit = {**FIT, "measurement": [{"value": "mean", "found": true["mean"], "tolerance": "1%"},
                                      {"value": "throughput", "found": true["throughput"], "tolerance": "1%"}]}
        found = st.fit(fit, store=self.folder)
        self.assertEqual(found.best["parameters"][CHANNELS], 2)
        self.assertGreaterEqual(found.consistent, 1)
        self.assertIn(found.verdict, found.text)
        self.assertEqual(len(found.sets), 3)

    def test_mistakes(self):
        with self.assertRaises(st.UserError) as caught:
            st.search({**STUDY, "space": {"nand.geometry.chanels": [1]}, "objectives": {"speed": "maximise thruput"}},
                      store=self.folder)
        self.assertIn("did you mean nand.geometry.channels?", str(caught.exception))
        self.assertIn("did you mean throughput?", str(caught.exception))
        with self.assertRaisesRegex(st.UserError, "none.toml"):
            st.search("none.toml", store=self.folder)
        with self.assertRaisesRegex(st.UserError, "measurement"):
            st.fit(FIT, store=self.folder)

    def test_a_package_that_is_missing(self):
        with mock.patch.object(packages, "kNeeded", ("no_such_package",)), \
                self.assertRaisesRegex(st.MissingPackage, "no_such_package: pip install 'solidtlm\\[explore\\]'"):
            st.search(STUDY, store=self.folder)


if __name__ == "__main__":
    unittest.main()
