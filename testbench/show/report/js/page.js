// SPDX-License-Identifier: Apache-2.0
//
// Builds the page from the result that it carries. Fields that are absent are left out, unknown ones listed.

const kKnown = new Set(["schema", "version", "scenario", "seed", "config", "parameters", "sim_time_s", "wall_time_s", "requests_per_wall_s", "host",
  "latency_distribution", "faults", "ledger", "nand", "write_amplification", "utilization", "energy", "verify", "firmware", "hardware", "series", "state", "warnings", "points", "claims", "figures", "traces"]);

function parameterTable(result) {
  const pairs = [...Object.entries(result.parameters ?? {}), ["seed", result.seed]].filter(([, value]) => value !== undefined);
  return pairTable(pairs.map(([name, value]) => [words(name), Array.isArray(value) ? value.map(configValue).join(" ") : configValue(value)]));
}

/** What was run, in a line. */
function inputLine(result) {
  const { trace, workload, pacing, queue_depth: depth } = result.parameters ?? {};
  const what = workload ? `Workload ${workload}` : trace ? `Trace ${[].concat(trace).join(", ")}` : null;
  return what && `${what}${pacing ? `; pacing ${pacing}` : ""}${depth ? `, queue depth ${depth}` : ""}.`;
}

const driveLine = (result) => (at(result, "precondition", "text") ? `Drive: ${plain(result.precondition.text)}.` : null);

const stateLine = (result) => (at(result, "state", "text") ? `State: ${plain(result.state.text)}.` : null);

const isLasting = (state) => ["steady", "unwritten"].includes(state.kind) && state.limited_by !== "host queue";

const warmUpLine = (result) => (at(result, "steady_state", "warm_up", "text") ? `Warm-up: ${plain(result.steady_state.warm_up.text)}.` : null);

function mapKey() {
  const stops = [0, 0.02, 0.1, 0.25, 0.5, 1];
  return element("p", { class: "soft" }, "Colour: ", stops.map((share) => element("span", { style: "margin-right:12px;white-space:nowrap" },
    element("span", { class: "swatch", style: `background:${tint(kInk, Math.sqrt(share))};border:1px solid ${kRule}` }), `${number(100 * share)} %`)));
}

/** What was checked in a run, and what not. */
function runBadge(result) {
  const faults = faultsOf(result);
  if (faults > 0) return { look: "bad", text: `✗ ${faults} ${faults === 1 ? "check does" : "checks do"} not hold` };
  const checked = checksOf(result).filter((check) => check.checked).map((check) => check.what);
  if (!(at(result, "host", "completed") > 0) || checked.length === 0) return { look: "part", text: "nothing was checked: no command completed" };
  const missing = checked.includes("contents") ? "" : "; no contents were checked";
  return { look: "good", text: `✓ checks hold: ${checked.join(", ")}${missing}` };
}

/** The same for all points of a study, and for its claims. `unended`: points that were interrupted. */
function studyBadge(points, claims, unended) {
  const failing = points.filter((point) => faultsOf(point.result) > 0).length;
  if (failing > 0) return { look: "bad", text: `✗ ${failing} ${failing === 1 ? "point fails" : "points fail"} a check` };
  const checked = points.filter((point) => hasChecks(point.result)).length;
  const checks = checked === 0 ? "nothing was checked" : `checks hold at ${checked === points.length ? `all ${number(checked)}` : `${number(checked)} of ${number(points.length)}`} points`;
  const count = (verdict) => claims.filter((claim) => claim.verdict === verdict).length;
  const kept = count("reproduced");
  const [look, mark] = count("not reproduced") > 0 ? ["bad", "✗"] : kept < claims.length || checked === 0 || unended > 0 ? ["part", "◐"] : ["good", "✓"];
  return { look, text: `${mark} ${checks}${unended > 0 ? `; ${number(unended)} more have not ended` : ""}${claims.length ? `; ${kept} of ${claims.length} ${claims.length === 1 ? "claim" : "claims"} reproduced` : ""}` };
}

function runPage(result) {
  const rows = stageRows(result);
  const over = timePlots(result);
  const maps = mapPlots(result);
  const grid = (figures) => (figures.length ? element("div", { class: "grid" }, figures) : null);
  return [
    header(result, "SolidTLM run", [inputLine(result), deviceLine(result.config), idealLinkLine(result), driveLine(result),
      warmUpLine(result), stateLine(result), ...warningsOf(result).map((warning) => `Warning: ${warning}.`)],
      runBadge(result)),
    runTiles(result),
    findings(result),
    kindsOf(result).length ? null : element("p", {}, "No command completed: there is nothing to plot."),
    section("Figures", null, grid(scenarioFigures(result))),
    section("Over time", measuredLine(result), grid(over)),
    section("Latency", "From the moment the host wanted a command to the end of its last frame.", grid(latencyPlots(result)), percentileTable(result)),
    rows.length === 0 ? null : section("Where the time went", "At every instant a command is in exactly one stage; the stages add up to its latency. A wait for a die or channel is split by what held it.",
      stagePlot(rows, "Stages of the mean command, and of the mean of the slowest 1 %", null), stageTable(rows)),
    maps.length === 0 ? null : section("Channels and dies over time", "Each row is a die (channel·die) or a channel. The deeper the colour, the longer it was held in that moment; one map for each of those that held it.",
      mapKey(), maps.map(grid)),
    section("How busy the parts were", null, utilizationTable(result)),
    energySection(result),
    section("Flash operations", null, nandTable(result)),
    section("Checks", null, checkList(checksOf(result))),
    claimsSection(result),
    ...tail(result),
  ];
}

function claimsSection(result) {
  return result.claims?.length ? section("Claims", null, element("div", { class: "scroll" }, claimsTable(result.claims))) : null;
}

function metricsSection(title, metrics) {
  const kDigits = 9;
  const shown = (value) => plain(isNumber(value) && !Number.isInteger(value) ? +value.toPrecision(kDigits) : value);
  return isObject(metrics) && Object.keys(metrics).length ? section(title, null, element("div", { class: "columns" },
    pairTable(Object.entries(metrics).map(([name, value]) => [name, shown(value)])))) : null;
}

/** Parameters and configuration, at the end of every page. */
function tail(result) {
  return [
    tracesSection(result.traces),
    section("Parameters", null, parameterTable(result)),
    metricsSection("Counters of the firmware", result.firmware),
    metricsSection("Counters of the hardware", result.hardware),
    section("Further fields", null, furtherFields(result, kKnown)),
    section("Effective configuration", null, configurationLists(result.config)),
    element("footer", {}, `Schema ${result.schema ?? "unknown"}. Plots: Apache ECharts ${echarts.version} (Apache-2.0).`),
  ];
}

// Studies.

function variedParameters(points) {
  const names = [...new Set(points.flatMap((point) => Object.keys(point.parameters ?? {})))];
  const varied = names.filter((name) => points.length === 1 || points.some((point) => at(point, "parameters", name) !== at(points[0], "parameters", name)));
  return { varied, fixed: names.filter((name) => !varied.includes(name)) };
}

const waitShare = (result, wait) => {
  const stages = at(result, "ledger", "stages_us") ?? {};
  const total = sum(Object.values(stages));
  return total > 0 ? sum(Object.entries(stages).filter(([stage]) => stage.startsWith(wait)).map(([, us]) => us)) / total : undefined;
};

function pointsTable(points) {
  const { varied } = variedParameters(points);
  const measures = [
    ["MB/s", (result) => number(at(result, "host", "mb_per_s"))],
    ["commands/s", (result) => number(at(result, "host", "iops"), 0)],
    ["mean", (result) => duration(at(result, "host", "latency_us", "mean"))],
    ["99 %", (result) => duration(at(result, "host", "latency_us", "p99"))],
    ["longest", (result) => duration(at(result, "host", "latency_us", "max"))],
    ["die wait", (result) => percent(waitShare(result, "die_wait"))],
    ["channel wait", (result) => percent(waitShare(result, "channel_wait"))],
    ["write amplification", (result) => (isNumber(at(result, "write_amplification")) ? number(result.write_amplification, 2) : "–")],
    ["blocks erased", (result) => number(at(result, "nand", "erases"))],
    ["map hits", (result) => percent(at(result, "map_cache", "hit_ratio"))],
    ["map penalty", (result) => duration(at(result, "map_cache", "penalty_us", "closed_form_entries", "total"))],
    ["measured", (result) => duration(at(result, "map_cache", "penalty_us", "measured", "total"))],
    ["duplicates", (result) => number(at(result, "dedup", "duplicates"))],
    ["deduplicating", (result) => duration(at(result, "dedup", "time_us", "total"))],
  ].filter(([, text]) => points.some((point) => !["–", "0"].includes(text(point.result))));
  const rows = points.map((point) => [...varied.map((name) => plain(at(point, "parameters", name))), ...measures.map(([, text]) => text(point.result)),
    !hasChecks(point.result) ? "–" : element("span", { class: faultsOf(point.result) ? "bad" : "good" }, faultsOf(point.result) ? "✗" : "✓")]);
  const numeric = (name) => points.every((point) => isNumber(at(point, "parameters", name)));
  return element("div", { class: "scroll" }, table([...varied.map((name) => ({ text: words(name), number: numeric(name) })),
    ...measures.map(([text]) => ({ text, number: true })), { text: "" }], rows));
}

function pointStages(points) {
  const { varied } = variedParameters(points);
  const rows = points.map((point) => {
    const stages = at(point.result, "ledger", "stages_us") ?? {};
    return { name: varied.map((name) => plain(at(point, "parameters", name))).join(", "), stages, total: sum(Object.values(stages)) };
  }).filter((row) => row.total > 0);
  const kMost = 40;  // bars on a page
  return rows.length === 0 || rows.length > kMost ? null
    : section("Where the time went", "Stages of the mean command of each point.", stagePlot(rows, "Stages by point", varied.map(words).join(", ")));
}

function studyChecks(points) {
  const failing = points.filter((point) => faultsOf(point.result) > 0);
  const checked = points.filter((point) => hasChecks(point.result)).length;
  const without = checked === points.length ? [] : [{ good: null, text: `${number(points.length - checked)} points were computed without a drive: nothing was checked` }];
  if (failing.length === 0) return checkList([...(checked > 0 ? [{ good: true, text: `every check holds at all ${number(checked)} points${without.length ? " with a drive" : ""}` }] : []), ...without]);
  return checkList(failing.flatMap((point) => checksOf(point.result).filter((check) => check.good === false)
    .map(({ text }) => ({ good: false, text: `${Object.entries(point.parameters ?? {}).map(([name, value]) => `${words(name)} ${plain(value)}`).join(", ")}: ${text}` }))));
}

function studyPage(result) {
  const points = result.points;
  const claims = result.claims ?? [];
  const count = (verdict) => claims.filter((claim) => claim.verdict === verdict).length;
  const best = points.filter((point) => isNumber(at(point, "result", "host", "mb_per_s"))).sort((a, b) => b.result.host.mb_per_s - a.result.host.mb_per_s)[0];
  const warned = points.filter((point) => warningsOf(point.result).length > 0);
  const passing = points.filter((point) => at(point, "result", "state", "text") && !isLasting(point.result.state));
  const { varied, fixed } = variedParameters(points);
  const figures = scenarioFigures(result);
  const same = fixed.map((name) => `${words(name)} ${plain(points[0].parameters[name])}`).join(", ");
  return [
    header(result, "SolidTLM study", [inputLine(result), varied.length ? `Varied: ${varied.map(words).join(", ")}.${same ? ` The same everywhere: ${same}.` : ""}` : null, deviceLine(result.config, "The points start from device"), idealLinkLine(result),
      passing.length ? `State: ${number(passing.length)} of ${number(points.length)} points would not go on like this, the first: ${plain(passing[0].result.state.text)}.` : null,
      warned.length ? `Warnings at ${number(warned.length)} of ${number(points.length)} points, the first: ${warningsOf(warned[0].result)[0]}.` : null],
      studyBadge(points, claims, result.points_interrupted ?? 0)),
    element("div", { class: "tiles" },
      tile("Points", number(points.length), "", `run in ${duration(1e6 * result.wall_time_s)}`),
      claims.length ? tile("Claims reproduced", `${count("reproduced")}`, `of ${claims.length}`, `${count("partly")} partly, ${count("not reproduced")} not`) : null,
      best ? tile("Highest throughput", number(best.result.host.mb_per_s), "MB/s", varied.map((name) => `${words(name)} ${plain(at(best, "parameters", name))}`).join(", ")) : null),
    claimsSection(result),
    figures.length ? section("Figures", null, element("div", { class: "grid" }, figures)) : null,
    points.length ? section("Points", null, pointsTable(points)) : null,
    pointStages(points),
    points.length ? section("Checks", null, studyChecks(points)) : null,
    ...tail(result),
  ];
}

function build() {
  const result = JSON.parse(document.getElementById("result").textContent);
  document.title = `${result.scenario ?? "result"} – SolidTLM report`;
  const parts = Array.isArray(result.points) ? studyPage(result) : runPage(result);
  document.getElementById("report").replaceChildren(...parts.flat().filter(Boolean));
  drawPlots();
}

try {
  build();
} catch (error) {
  document.documentElement.dataset.failed = error;
  document.getElementById("report").append(element("p", { class: "bad" }, `This report could not be drawn: ${error}. result.json has the same numbers.`));
  throw error;
}
