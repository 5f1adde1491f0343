// SPDX-License-Identifier: Apache-2.0
//
// What the page shows, and in which words.

const study = JSON.parse(document.getElementById("data").textContent);
const kMetricUnits = { throughput: "MB/s", iops: "1/s", mean: "us", p99: "us", p999: "us", wa: "" };

function withUnit(value, unit) {
  if (!isNumber(value)) return "–";
  if (unit === "us") return duration(value);
  if (unit === "B") return bytes(value);
  const text = Math.abs(value) >= 1e5 ? shortNumber(value) : Number.isInteger(value) ? number(value) : number(value, digitsFor(value));
  return unit ? `${text} ${unit}` : text;
}

const lastName = (key) => key.slice(key.lastIndexOf(".") + 1);
/** The last part of a key's name, or two of them where keys share it. */
function keyName(key) {
  const alike = study.keys.filter((other) => lastName(other.name) === lastName(key)).length;
  return words(alike > 1 ? key.split(".").slice(-2).join(" ") : lastName(key));
}

const kObjectives = study.objectives;
const axisName = (objective) => `${words(objective.name)}${objective.unit ? `, ${objective.unit}` : ""}${objective.maximise ? " (more is better)" : " (less is better)"}`;
const objectiveText = (point, i) => {
  const unit = kObjectives[i].unit;
  const half = point.half[i];
  return `${withUnit(point.values[i], unit)}${isNumber(half) && half > 1e-9 * Math.abs(point.values[i]) ? ` ± ${withUnit(half, unit)}` : ""}`;
};

const measured = study.points.filter((point) => point.values.length > 0);
const finishedPoints = study.points.filter((point) => point.finished);
const frontPoints = study.points.filter((point) => point.front).sort((a, b) => a.values[0] - b.values[0]);

/** The front, or the points nearest to it. */
const leadingPoints = frontPoints.length ? frontPoints : study.nearest.map((n) => study.points[n]);

/** What can be drawn of a point: objectives, and the usual metrics. */
const kQuantities = [
  ...kObjectives.map((objective, i) => ({ name: words(objective.name), unit: objective.unit, of: (point) => point.values[i], less: !objective.maximise })),
  ...Object.keys(kMetricUnits).filter((name) => !kObjectives.some((objective) => objective.name === name) && finishedPoints.some((point) => name in point.metrics))
    .map((name) => ({ name, unit: kMetricUnits[name], of: (point) => point.metrics[name], less: !["throughput", "iops"].includes(name) })),
];

const settingText = (value) => (value === undefined || value === null ? "–" : String(value));
/** The values of a key as texts, in its order; "–" where a point does not set it. */
function categoriesOf(key) {
  const texts = key.values.map(settingText);
  return study.points.some((point) => !(key.name in point.settings)) ? [...texts, "–"] : texts;
}
const placeOf = (key, point) => categoriesOf(key).indexOf(settingText(point.settings[key.name]));

const kVerdicts = { holds: study.constraints.length ? "keeps all constraints" : "beaten by the front", breaks: "breaks a constraint", "not known": "not known" };
const holds = (point) => point.verdict === "holds";

function stateOf(point) {
  if (point.failure) return point.failure[0];
  if (!point.finished) return `stopped after ${number(point.requests)} requests`;
  return point.front ? "on the front" : kVerdicts[point.verdict];
}

/** The constraints that a drive does not keep, or that are not known, each with how far it is from its limit. */
const misses = (point) => point.constraints.map((each, i) => ({ text: study.constraints[i], ...each })).filter(({ verdict }) => verdict !== "holds")
  .map(({ text, missed, half }) => `${text} ${missed > 0 ? `missed by ${percent(missed)}` : `kept by ${percent(-missed)}`}${half ? ` ± ${percent(half)}` : ""} of its limit`);

const limitText = (point) => (point.limits.length ? `; ${words(point.limits[0][0])} takes ${percent(point.limits[0][1])} of a command's time` : "");
