// SPDX-License-Identifier: Apache-2.0
//
// Puts the page together.

const count = (points) => number(points.length);

function tiles() {
  const tile = (name, value, more) => element("div", { class: "tile" }, element("div", { class: "name" }, name), element("div", { class: "value" }, value), element("div", { class: "more" }, more));
  const open = finishedPoints.filter((point) => point.verdict === "not known");
  const failed = study.points.filter((point) => point.failure);
  const best = (objective, i) => {
    const values = frontPoints.map((point) => point.values[i]);
    return tile(`best ${words(objective.name)}`, values.length ? withUnit((objective.maximise ? Math.max : Math.min)(...values), objective.unit) : "–", objective.text);
  };
  return element("div", { class: "tiles" },
    tile("runs", number(study.runs), `${count(study.points)} drives of ${shortNumber(study.combinations)} that are possible`),
    tile("on the front", count(frontPoints), study.constraints.length ? `${count(finishedPoints.filter(holds))} of ${count(finishedPoints)} keep all constraints${open.length ? `, ${count(open)} not known` : ""}` : `of ${count(finishedPoints)} that had the longest run`),
    tile("cannot be", count(failed), failed.length ? [...new Set(failed.map((point) => point.failure[0]))].join(", ") : "no drive failed"),
    kObjectives.map(best));
}

/** What an architect would say first. */
function answersList() {
  const lines = [];
  if (frontPoints.length === 0) {
    lines.push(`No drive that was tried is known to keep all constraints: ${study.constraints.join(", ")}.`);
    leadingPoints.forEach((point) => lines.push(`Near: point ${point.n} with ${kObjectives.map((objective, i) => `${words(objective.name)} ${objectiveText(point, i)}`).join(", ")}: ${[...misses(point), point.reason].filter(Boolean).join("; ")}${limitText(point)}.`));
  } else {
    kObjectives.forEach((objective, i) => {
      const best = frontPoints.reduce((a, b) => ((objective.maximise ? b.values[i] > a.values[i] : b.values[i] < a.values[i]) ? b : a));
      const rest = kObjectives.map((other, j) => (j === i ? null : `${words(other.name)} ${objectiveText(best, j)}`)).filter(Boolean);
      lines.push(`${objective.maximise ? "Most" : "Least"} ${words(objective.name)}: point ${best.n} with ${objectiveText(best, i)}${rest.length ? ` (${rest.join(", ")})` : ""}${limitText(best)}${best.state ? `; ${best.state}` : ""}.`);
    });
    const open = study.undecided.map((n) => study.points[n]);
    if (open.length) lines.push(`Not known of ${count(open)} that may lie on the front: ${open.slice(0, 3).map((point) => `point ${point.n} (${point.reason})`).join(", ")}${open.length > 3 ? ", …" : ""}.`);
    const fixed = study.keys.filter((key) => key.values.length > 1 && frontPoints.length > 2 && new Set(frontPoints.map((point) => settingText(point.settings[key.name]))).size === 1 && key.name in frontPoints[0].settings);
    if (fixed.length) lines.push(`Alike on all of the front: ${fixed.map((key) => `${keyName(key.name)} ${settingText(frontPoints[0].settings[key.name])}`).join(", ")}.`);
  }
  if (study.notJudged) lines.push(study.notJudged);
  const shares = Object.entries(study.importance.front ?? study.importance[kObjectives[0].name] ?? {}).sort((a, b) => b[1] - a[1]).slice(0, 3);
  if (shares.length) lines.push(`What decides most: ${shares.map(([name, share]) => `${keyName(name)} (${percent(share)})`).join(", ")}.`);
  for (const [name, found] of Object.entries(study.interactions)) {
    lines.push(`Keys that act on each other, of the variance of ${words(name)}: ${found.map(([first, second, share]) => `${keyName(first)} with ${keyName(second)} (${percent(share)})`).join(", ")}.`);
  }
  const wide = finishedPoints.filter((point) => !point.tight);
  if (study.ci) lines.push(wide.length ? `${count(wide)} drives have intervals wider than ${percent(study.ci)}: too many seeds would have been needed, or they are beaten in any case.` : `All intervals are narrower than ${percent(study.ci)}.`);
  return element("ul", { class: "findings" }, lines.map((line) => element("li", {}, line)));
}

function pointTable() {
  const columns = [
    { name: "point", of: (point) => point.n, text: (point) => number(point.n), number: true },
    { name: "verdict", of: stateOf, text: stateOf },
    ...kObjectives.map((objective, i) => ({ name: words(objective.name), of: (point) => point.values[i], text: (point) => (point.values.length ? objectiveText(point, i) : "–"), number: true })),
    ...study.keys.map((key) => ({ name: keyName(key.name), of: (point) => placeOf(key, point), text: (point) => settingText(point.settings[key.name]), number: key.ordered })),
    { name: "limited by", of: (point) => point.limits[0]?.[0], text: (point) => (point.limits.length ? `${words(point.limits[0][0])} ${percent(point.limits[0][1])}` : point.failure ? point.failure[1] : "") },
    { name: "state", of: (point) => point.state, text: (point) => point.state },
  ];
  const rows = new Map(study.points.map((point) => {
    const look = point.front ? "on-front" : holds(point) ? "" : "out";
    const row = element("tr", { class: look }, columns.map((column) => element("td", { class: column.number ? "number" : null }, column.text(point))));
    row.addEventListener("click", () => pick(point));
    return [point, row];
  }));
  const body = element("tbody", {});
  const heads = columns.map((column) => element("th", { class: column.number ? "number" : null }, column.name));
  function sortBy(column, down) {
    const order = [...rows.keys()].sort((a, b) => {
      const [x, y] = [columns[column].of(a), columns[column].of(b)];
      if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
      return (down ? -1 : 1) * (typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y)));
    });
    body.replaceChildren(...order.map((point) => rows.get(point)));
    heads.forEach((head, i) => head.setAttribute("aria-sort", i === column ? (down ? "descending" : "ascending") : "none"));
  }
  heads.forEach((head, i) => head.addEventListener("click", () => sortBy(i, head.getAttribute("aria-sort") === "ascending")));
  listeners.push(() => rows.forEach((row, point) => row.classList.toggle("chosen", point === chosen.point)));
  sortBy(0, false);
  return element("div", { class: "table-of-points" }, element("table", { class: "full" }, element("thead", {}, element("tr", {}, heads)), body));
}

function asked() {
  return [
    ["objectives", kObjectives.map((objective) => `${objective.name}: ${objective.text}`).join("; ")],
    ["constraints", study.constraints.join("; ") || "none"],
    ["workloads", study.workloads.map((each) => `${each.name}${study.workloads.length > 1 ? ` (weight ${each.weight})` : ""}`).join("; ")],
    ["ageing", study.precondition || "none: new drives"],
    ["requests", study.rungs.map((each) => number(each)).join(", then ")],
    ["seeds", study.seeds.join(", ")],
    ["proposer", study.proposer],
    ["ended", study.ended],
    ["executable", study.program],
  ];
}

function explorerPage() {
  const grid = (...figures) => element("div", { class: "grid" }, figures.filter(Boolean));
  return [
    element("header", {}, element("div", {}, element("div", { class: "kicker" }, "SolidTLM explorer"), element("h1", {}, study.title),
      study.question ? element("p", {}, study.question) : null, study.constraints.length ? element("p", { class: "soft" }, `Constraints: ${study.constraints.join(", ")}`) : null),
    element("span", { class: `badge ${frontPoints.length ? "good" : "bad"}` }, frontPoints.length ? `${count(frontPoints)} drives on the front` : "no drive keeps all constraints")),
    tiles(), answersList(),
    section("The front", null, element("div", { class: "beside" }, frontFigure(), pickedPanel())),
    leadingPoints.length ? section(frontPoints.length ? "Along the front" : "The nearest drives", null, grid(stacksFigure())) : null,
    section("All at once", null, grid(finishedPoints.length ? parallelFigure() : null)),
    section("What the keys do", null, grid(importanceFigure(), effectsFigure(), mapFigure())),
    section("The search", null, grid(progressFigure()), pairTable(asked())),
    section("Every drive", null, element("p", { class: "soft" }, "Click a heading to sort, a row to pick. The same table lies beside this page: ",
      element("a", { href: "points.csv" }, "points.csv"), ", ", element("a", { href: "points.parquet" }, "points.parquet"), "; configuration files are in ", element("span", { class: "mono" }, "drives/"), "."), pointTable()),
    section("The study", null, element("pre", {}, study.study)),
    element("footer", {}, `From ${study.file}. Plots: Apache ECharts ${echarts.version} (Apache-2.0).`),
  ].filter(Boolean);
}

document.title = `${study.title} - SolidTLM explorer`;
document.getElementById("explorer").replaceChildren(...explorerPage());
drawPlots();
plots.forEach((plot) => plot.ready?.());
if (leadingPoints.length) pick(leadingPoints[0]);
