# SPDX-License-Identifier: Apache-2.0
"""The page in headless Chromium: everything is drawn, nothing is loaded, the console is empty, and picking
works."""
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from solidtlm.explore.tests.support import STUDY, InFolder

# Actions of a user: clicks a point of the plot, a row of the table, a heading; drags along an axis.
ACTIONS = """
<script>
const note = (name, value) => { document.documentElement.dataset[name] = value; };
const front = plots[0];
const target = frontPoints.at(-1);
const [x, y] = front.chart.convertToPixel({ xAxisIndex: 0, yAxisIndex: 0 }, [kQuantities[0].of(target), kQuantities[1].of(target)]);
const canvas = front.box.querySelector("svg").parentElement;
const place = canvas.getBoundingClientRect();
for (const kind of ["mousemove", "mousedown", "mouseup", "click"]) {
  canvas.dispatchEvent(new MouseEvent(kind, { bubbles: true, clientX: place.left + x, clientY: place.top + y, view: window }));
}
note("byplot", chosen.point.n === target.n);
note("panel", document.querySelector(".picked h3").textContent);
note("ledger", document.querySelectorAll(".picked .bar").length);
const heads = [...document.querySelectorAll(".table-of-points th")];
heads[2].click();
const shown = [...document.querySelectorAll(".table-of-points tbody tr")].map((row) => Number(row.children[2].textContent.replace(/,/g, "")));
note("sorted", shown.filter((value) => value > 0).every((value, i, all) => i === 0 || all[i - 1] <= value));
document.querySelectorAll(".table-of-points tbody tr")[3].click();
note("byrow", chosen.point.n === Number(document.querySelectorAll(".table-of-points tbody tr")[3].children[0].textContent));
const lines = plots.find((plot) => plot.box.getAttribute("aria-label") === "All keys and objectives");
lines.chart.dispatchAction({ type: "axisAreaSelect", parallelAxisId: lines.chart.getModel().queryComponents({ mainType: "parallelAxis" })[0].id, intervals: [[0, 1]] });
</script>
"""


def opened(page):
    """(attributes of the root element, text, console) after the page's scripts have run."""
    with tempfile.TemporaryDirectory() as profile:
        run = subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
             "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={profile}", "--window-size=1400,1000",
             "--virtual-time-budget=20000", "--enable-logging=stderr", "--v=0", "--dump-dom", f"file://{page}"],
            capture_output=True, text=True, check=False, timeout=120)
    html = run.stdout
    data = dict(re.findall(r' data-([a-z]+)="([^"]*)"', html[:html.find("<head")]))
    console = [line for line in run.stderr.splitlines() if "CONSOLE" in line]
    return data, html[html.find("<main"):html.find("</main>")], console


@unittest.skipUnless(shutil.which("chromium"), "there is no browser")
class Page(InFolder):
    def page(self, text, actions=""):
        self.study(text)
        self.explore("run")
        path = Path(self.folder) / "out/explore/study/explore.html"
        if actions:
            html = path.read_text()
            path.write_text(actions.join(html.rpartition("</body>")[::2]))
        return opened(path)

    def sound(self, data, text, console):
        self.assertEqual(console, [])
        self.assertEqual(data["plots"], data["drawn"])
        self.assertEqual(data["loaded"], "0")
        self.assertNotIn("undefined", text)
        self.assertNotIn("NaN", text)

    def test_picking_sorting_and_brushing(self):
        data, text, console = self.page(STUDY.replace("runs = 60", "runs = 120"), ACTIONS)
        self.sound(data, text, console)
        self.assertEqual(data["plots"], "7")
        for done in ("byplot", "byrow", "sorted"):
            self.assertEqual(data[done], "true", done)
        self.assertIn("on the front", data["panel"])
        self.assertGreater(int(data["ledger"]), 2)
        self.assertGreater(int(data["brushed"]), 0)
        self.assertIn("tb_replay --set", text)

    def test_nothing_is_feasible_and_one_objective(self):
        text = STUDY.replace('latency = "minimise p99"\n', "").replace("p99 < 500us", "p99 < 1us")
        data, shown, console = self.page(text)
        self.sound(data, shown, console)
        self.assertIn("no drive keeps all constraints", shown)
        self.assertRegex(shown, r"Near: point \d+ with price .*: p99 &lt; 1us missed by .* ± .* of its limit; array takes")

    def test_what_is_not_known(self):
        with mock.patch.dict("os.environ", {"STUB_STATE": "none"}):
            data, shown, console = self.page(STUDY)
        self.sound(data, shown, console)
        self.assertEqual(shown.count("does not tell whether a drive was in a steady state"), 1)
        self.assertRegex(shown, r"<td>not known</td>")

    def test_text_of_a_study_is_text(self):
        title = "<b>&amp;</script><script>alert(1)</script>"
        data, shown, console = self.page(STUDY.replace('title = "Test"', f'title = "{title}"'))
        self.sound(data, shown, console)
        self.assertNotIn("<b>", shown)


if __name__ == "__main__":
    unittest.main()
