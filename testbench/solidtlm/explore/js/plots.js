// SPDX-License-Identifier: Apache-2.0
//
// The explorer's plots. What is picked or brushed is in `chosen`; pick() and brush() tell all plots.

const kFrontColour = "#1f4e89";
const kFeasibleColour = "#6ba3d0";
const kGrey = "#c4ccd4";
const kOpenColour = "#e3b261";
const kPickColour = "#d1495b";

const chosen = { point: null, brushed: null, x: 0, y: Math.min(1, kQuantities.length - 1) };
const listeners = [];
const changed = () => listeners.forEach((listener) => listener());

function pick(point) {
  chosen.point = point;
  document.documentElement.dataset.picked = point ? point.n : "";
  changed();
}

function brush(numbers) {
  chosen.brushed = numbers;
  document.documentElement.dataset.brushed = numbers ? numbers.size : "";
  changed();
}

/** A figure that is drawn again whenever something is picked or brushed; `clicked` gets what was clicked. */
function livePlot(title, caption, height, option, { wide = false, clicked = null, follows = true, ready = null } = {}) {
  const box = figure(title, caption, height, option, { wide });
  const plot = plots.at(-1);
  if (follows) listeners.push(() => plot.chart && setOption(plot));
  plot.ready = () => {
    if (clicked) plot.chart.on("click", clicked);
    ready?.(plot);
  };
  return { box, redraw: () => plot.chart && setOption(plot) };
}

function chooser(label, names, value, choose) {
  const select = element("select", { "aria-label": label }, names.map((name, i) => element("option", i === value ? { value: i, selected: "" } : { value: i }, name)));
  select.addEventListener("change", () => choose(Number(select.value)));
  return element("label", {}, `${label} `, select);
}

const pointHint = (point) => hint(`point ${point.n}, ${stateOf(point)}`, [
  ...kObjectives.map((objective, i) => [null, objective.name, objectiveText(point, i)]),
  ...point.limits.slice(0, 1).map(([stage, share]) => [colourOf(stage, 0), stage, percent(share)]),
  ...study.keys.filter((key) => key.name in point.settings).map((key) => [null, keyName(key.name), settingText(point.settings[key.name])]),
]);
const faded = (point) => chosen.brushed !== null && !chosen.brushed.has(point.n);

/** A logarithmic axis where values differ by orders of magnitude: an overloaded drive takes seconds. */
function wideAxis(values) {
  const numbers = values.filter(isNumber);
  return numbers.length > 1 && Math.min(...numbers) > 0 && Math.max(...numbers) > 50 * Math.min(...numbers) ? { type: "log" } : {};
}

// The front.

function scatterOf(name, points, colour, size, more) {
  const x = kQuantities[chosen.x];
  const y = kQuantities[chosen.y];
  return {
    type: "scatter", name, symbolSize: size, color: colour, cursor: "pointer", ...more,
    data: points.filter((point) => isNumber(x.of(point)) && isNumber(y.of(point)))
      .map((point) => ({ value: [x.of(point), y.of(point)], point, itemStyle: faded(point) ? { opacity: 0.12 } : undefined })),
  };
}

/** Axes show where the points are that may be built, not the worst of those that may not. */
function rangeOf(quantity) {
  const all = measured.filter((point) => point.finished).map(quantity.of).filter(isNumber);
  const good = measured.filter(holds).map(quantity.of).filter(isNumber);
  if (good.length < 2 || all.length === 0) return {};
  const low = Math.min(...good);
  const high = Math.max(...good);
  const room = (high - low || Math.abs(high) || 1) * 0.12;
  const step = 10 ** Math.floor(Math.log10(high - low + 2 * room) - 0.3);
  return { min: Math.max(low >= 0 ? 0 : -Infinity, Math.floor((low - room) / step) * step), max: Math.ceil((high + room) / step) * step };
}

function frontOption() {
  const x = kQuantities[chosen.x];
  const y = kQuantities[chosen.y];
  const stopped = measured.filter((point) => !point.finished);
  const finished = (verdict) => measured.filter((point) => point.finished && point.verdict === verdict && !point.front);
  const open = finished("not known");
  const two = kObjectives.length === 2 && chosen.x < 2 && chosen.y < 2;
  const label = (quantity) => `${quantity.name}${quantity.unit && quantity.unit !== "B" ? `, ${quantity.unit === "us" ? "µs" : quantity.unit}` : ""}`;
  const texts = { formatter: (value) => (x.unit === "B" ? bytes(value) : shortNumber(value)), color: kSoft, fontSize: 11 };
  return {
    grid: { left: 56, right: 22, top: 36, bottom: 44 },
    legend: { ...legendOf(["front", kVerdicts.holds, kVerdicts.breaks, ...(open.length ? [kVerdicts["not known"]] : []), ...(stopped.length ? ["stopped early"] : [])], true), icon: "circle" },
    tooltip: { ...kTooltip, trigger: "item", formatter: ({ data }) => (data.point ? pointHint(data.point) : "") },
    xAxis: axis("value", label(x), { ...rangeOf(x), scale: true, axisLabel: texts, splitLine: { show: true, lineStyle: { color: kRule } } }),
    yAxis: valueAxis(label(y), { ...rangeOf(y), scale: true, axisLabel: { ...texts, formatter: (value) => (y.unit === "B" ? bytes(value) : shortNumber(value)) } }),
    series: [
      scatterOf("stopped early", stopped, "#e4e8ec", 5, { z: 1 }),
      scatterOf(kVerdicts.breaks, finished("breaks"), kGrey, 6, { z: 2 }),
      scatterOf(kVerdicts["not known"], open, kOpenColour, 6, { z: 2 }),
      scatterOf(kVerdicts.holds, finished("holds"), kFeasibleColour, 7, { z: 3 }),
      ...(two ? [{ type: "line", step: chosen.x === 0 ? "end" : "start", silent: true, symbol: "none", lineStyle: { color: kFrontColour, width: 1.2, opacity: 0.5 }, data: [...frontPoints].sort((a, b) => x.of(a) - x.of(b)).map((point) => [x.of(point), y.of(point)]), z: 3 }] : []),
      scatterOf("front", frontPoints, kFrontColour, 10, { z: 4 }),
      { ...scatterOf("picked", chosen.point ? [chosen.point] : [], "transparent", 18, { z: 5, silent: true }), itemStyle: { color: "transparent", borderColor: kPickColour, borderWidth: 2.5 } },
    ],
  };
}

function frontFigure() {
  const plot = livePlot("Every drive that was tried", "Click a drive to see where its time goes. Axes cover the drives that keep all constraints; others may lie outside. Not known: not in a steady state, or its interval reaches over a limit.", 430, frontOption,
    { clicked: ({ data }) => data.point && pick(data.point) });
  const names = kQuantities.map((quantity) => quantity.name);
  const choice = (axisKey) => (i) => { chosen[axisKey] = i; plot.redraw(); };
  return element("div", {}, plot.box, element("div", { class: "chooser" }, chooser("across", names, chosen.x, choice("x")), chooser("up", names, chosen.y, choice("y"))));
}

// The picked point.

function stageBars(point) {
  const stages = Object.entries(point.stages).sort((a, b) => b[1] - a[1]);
  const total = sum(stages.map(([, time]) => time));
  const longest = Math.max(1e-12, ...stages.map(([, time]) => time));
  return element("table", { class: "stages" }, element("tbody", {}, stages.slice(0, 9).map(([stage, time], i) => element("tr", {},
    element("td", {}, words(stage)), element("td", {}, element("div", { class: "bar", style: `width:${(100 * time) / longest}%;background:${colourOf(stage, i)}` })),
    element("td", {}, `${duration(time)}, ${percent(time / total)}`)))));
}

function pickedPanel() {
  const panel = element("div", { class: "picked", "aria-live": "polite" });
  function fill() {
    const point = chosen.point;
    if (!point) {
      panel.replaceChildren(element("p", { class: "soft" }, "No drive is picked. Click one in the plot or in the table."));
      return;
    }
    const pairs = study.keys.filter((key) => key.name in point.settings).map((key) => [key.name, settingText(point.settings[key.name])]);
    const values = kObjectives.map((objective, i) => [words(objective.name), point.values.length ? objectiveText(point, i) : "–"]);
    const metrics = Object.entries(point.metrics).map(([name, value]) => [name, withUnit(value, kMetricUnits[name])]);
    panel.replaceChildren(...[
      element("h3", {}, `Point ${point.n}: `, element("span", { class: point.front ? "good" : holds(point) ? "" : "part" }, stateOf(point))),
      point.reason ? element("p", { class: point.failure ? "bad" : "part" }, point.reason) : null,
      misses(point).length ? element("p", { class: "part" }, misses(point).join("; ")) : null,
      point.state && point.state !== point.reason ? element("p", { class: "soft" }, point.state) : null,
      pairTable([...values, ...metrics.filter(([name]) => !values.some(([other]) => other === name))]),
      pairTable(pairs),
      Object.keys(point.stages).length ? element("p", { class: "soft" }, "Where the time of the mean command goes") : null,
      Object.keys(point.stages).length ? stageBars(point) : null,
      element("pre", {}, point.commands.join("\n\n")),
      element("p", { class: "soft" }, "As a file: ", element("span", { class: "mono" }, point.drive), `; ${number(point.requests)} requests, ${point.seeds} ${point.seeds === 1 ? "seed" : "seeds"}.`),
    ].filter(Boolean));
  }
  listeners.push(fill);
  fill();
  return panel;
}

// All keys at once.

function parallelOption() {
  const axes = [
    ...study.keys.filter((key) => key.values.length > 1).map((key) => ({ name: keyName(key.name), type: "category", data: categoriesOf(key), of: (point) => placeOf(key, point) })),
    ...kObjectives.map((objective, i) => ({ name: words(objective.name), type: "value", scale: true, ...wideAxis(finishedPoints.map((point) => point.values[i])), of: (point) => point.values[i] })),
  ];
  const lines = (points, colour, width, opacity, z) => ({
    type: "parallel", z, smooth: 0.15, inactiveOpacity: 0.02, activeOpacity: 1, progressive: 0, silent: true, lineStyle: { color: colour, width, opacity },
    data: points.map((point) => ({ value: axes.map(({ of }) => of(point)), point: point.n })),
  });
  const shown = finishedPoints.filter((point) => point.values.length);
  return {
    parallel: { left: 64, right: 60, top: 58, bottom: 20, parallelAxisDefault: { nameLocation: "end", nameGap: 12, nameTextStyle: { color: kInk, fontSize: 11.5 }, z: 10, axisLabel: { color: kInk, fontSize: 10.5, textBorderColor: "#fff", textBorderWidth: 3, formatter: (value) => (typeof value === "number" ? shortNumber(value) : String(value)) }, axisLine: { lineStyle: { color: "#aab4bf" } }, areaSelectStyle: { width: 18, borderColor: kFrontColour, color: kFrontColour, opacity: 0.12 } } },
    parallelAxis: axes.map(({ of, ...rest }, dim) => ({ dim, ...rest, nameTruncate: { maxWidth: 150 }, nameRotate: axes.length > 9 ? 18 : 0 })),
    series: [
      lines(shown.filter((point) => !holds(point)), kGrey, 0.8, 0.35, 1),
      lines(shown.filter((point) => holds(point) && !point.front), kFeasibleColour, 0.9, 0.45, 2),
      lines(shown.filter((point) => point.front), kFrontColour, 1.8, 0.95, 3),
      ...(chosen.point?.values.length ? [lines([chosen.point], kPickColour, 3, 1, 4)] : []),
    ],
  };
}

/** Points whose lines pass through every marked part of an axis; null when no part is marked. */
function brushedPoints(plot) {
  const model = plot.chart.getModel();
  let marked = false;
  const inside = new Set();
  model.eachComponent("parallelAxis", (each) => { marked = marked || each.activeIntervals.length > 0; });
  if (!marked) return null;
  model.eachSeriesByType("parallel", (series) => {
    const data = series.getData();
    series.coordinateSystem.eachActiveState(data, (state, index) => {
      if (state === "active") inside.add(data.getRawDataItem(index).point);
    });
  });
  return inside;
}

function parallelFigure() {
  const count = element("span", { class: "soft" });
  const plot = livePlot("All keys and objectives", "A line is a drive. Drag along an axis to keep only drives that pass there, also in the plot above; click the axis to let go. Dark: on the front; grey: breaks a constraint, or not known.", 380, parallelOption, {
    wide: true, follows: false,
    ready: (made) => made.chart.on("axisareaselected", () => {
      const numbers = brushedPoints(made);
      count.textContent = numbers ? ` ${numbers.size} of ${finishedPoints.length} drives` : "";
      brush(numbers);
    }),
  });
  plot.box.querySelector("h3").append(count);
  return plot.box;
}

// Ledger stacks along the front.

function stacksOption() {
  const points = leadingPoints.filter((point) => Object.keys(point.stages).length);
  const totals = {};
  points.forEach((point) => Object.entries(point.stages).forEach(([stage, time]) => { totals[stage] = (totals[stage] ?? 0) + time; }));
  const order = Object.keys(totals).sort((a, b) => totals[b] - totals[a]);
  const shown = order.slice(0, 9);
  const rest = order.slice(9);
  const stack = (name, of, colour) => ({ type: "bar", stack: "all", name, color: colour, barMaxWidth: 46, cursor: "pointer", itemStyle: { borderColor: "#fff", borderWidth: 0.6 }, data: points.map((point) => ({ value: of(point), point })) });
  const names = [...shown, ...(rest.length ? ["others"] : [])];
  return {
    grid: { left: 56, right: 20, top: 64, bottom: 46 },
    legend: { ...legendAbove(names, true), icon: "roundRect" },
    tooltip: { ...kTooltip, trigger: "item", formatter: ({ data, seriesName, color }) => hint(`point ${data.point.n}`, [[color, seriesName, duration(data.value)]]) + pointHint(data.point) },
    xAxis: axis("category", `${words(kObjectives[0].name)} of the drives${frontPoints.length ? " on the front" : ""}`, { data: points.map((point) => withUnit(point.values[0], kObjectives[0].unit)) }),
    yAxis: valueAxis("mean command, µs"),
    series: [...shown.map((stage, i) => stack(stage, (point) => point.stages[stage] ?? 0, colourOf(stage, i))),
      ...(rest.length ? [stack("others", (point) => sum(rest.map((stage) => point.stages[stage])), "#eef0f2")] : [])],
  };
}

const stacksFigure = () => livePlot(frontPoints.length ? "Where the time goes along the front" : "Where the time of the nearest drives goes", "The mean command of each drive, by stage of the ledger. Click a bar to pick the drive.", 360, stacksOption,
  { wide: true, follows: false, clicked: ({ data }) => pick(data.point) }).box;

// Which keys matter.

function importanceFigure() {
  const targets = Object.keys(study.importance);
  if (targets.length === 0) return null;
  let target = targets.includes("front") ? "front" : targets[0];
  const rows = () => Object.entries(study.importance[target]).sort((a, b) => a[1] - b[1]);
  const plot = livePlot("Which keys matter", "PED-ANOVA: how much the best fifth of the drives differs in a key from all of them. Together 100 %.", Math.max(220, 70 + 24 * study.keys.length), () => ({
    grid: { left: 150, right: 50, top: 14, bottom: 40 },
    tooltip: { ...kTooltip, trigger: "item", formatter: ({ name, value }) => hint(name, [[null, target, percent(value)]]) },
    xAxis: axis("value", "share", { axisLabel: { color: kSoft, fontSize: 11, formatter: (value) => `${Math.round(100 * value)} %` }, splitLine: { show: true, lineStyle: { color: kRule } } }),
    yAxis: axis("category", "", { data: rows().map(([name]) => keyName(name)), axisLine: { show: false } }),
    series: [{ type: "bar", color: kFrontColour, barMaxWidth: 16, data: rows().map(([, share]) => share), label: { show: true, position: "right", fontSize: 11, color: kSoft, formatter: ({ value }) => percent(value) } }],
  }), { follows: false });
  return element("div", {}, plot.box, element("div", { class: "chooser" }, chooser("for", targets.map((name) => (name === "front" ? "being near the front" : words(name))), targets.indexOf(target), (i) => { target = targets[i]; plot.redraw(); })));
}

/** Quartiles of a quantity over the values of a key: its main effect. */
function effectsFigure() {
  const keys = study.keys.filter((key) => key.values.length > 1);
  if (keys.length === 0 || finishedPoints.length === 0) return null;
  let key = 0;
  let quantity = Math.min(1, kObjectives.length - 1);
  const spread = (values) => {
    const sorted = [...values].sort((a, b) => a - b);
    const part = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
    return sorted.length ? [sorted[0], part(0.25), part(0.5), part(0.75), sorted.at(-1)] : ["-", "-", "-", "-", "-"];
  };
  const plot = livePlot("What one key does", "Drives with each value of the key, with any values of the other keys: least, quartiles and largest; the number of drives is above.", Math.max(220, 70 + 24 * study.keys.length), () => {
    const names = categoriesOf(keys[key]);
    const of = kQuantities[quantity].of;
    const groups = names.map((_, place) => finishedPoints.filter((point) => placeOf(keys[key], point) === place).map(of).filter(isNumber));
    return {
      grid: { left: 56, right: 16, top: 40, bottom: 44 },
      tooltip: { ...kTooltip, trigger: "item", formatter: ({ dataIndex }) => hint(`${keyName(keys[key].name)} ${names[dataIndex]}`, spread(groups[dataIndex]).map((value, i) => [null, ["least", "quartile", "median", "quartile", "largest"][i], withUnit(value, kQuantities[quantity].unit)])) },
      xAxis: axis("category", keyName(keys[key].name), { data: names }),
      yAxis: valueAxis(`${kQuantities[quantity].name}${kQuantities[quantity].unit ? `, ${kQuantities[quantity].unit}` : ""}`, { scale: true, ...wideAxis(groups.flat()) }),
      series: [{ type: "boxplot", itemStyle: { color: "#dbe7f3", borderColor: kFrontColour }, boxWidth: [8, 34], data: groups.map(spread) },
        { type: "scatter", symbolSize: 0.1, silent: true, data: groups.map((group) => (group.length ? Math.max(...group) : "-")), label: { show: true, position: "top", fontSize: 10.5, color: kSoft, formatter: ({ dataIndex }) => String(groups[dataIndex].length) } }],
    };
  }, { follows: false });
  return element("div", {}, plot.box, element("div", { class: "chooser" },
    chooser("key", keys.map((each) => keyName(each.name)), key, (i) => { key = i; plot.redraw(); }),
    chooser("metric", kQuantities.map((each) => each.name), quantity, (i) => { quantity = i; plot.redraw(); })));
}

// Two keys.

function mapFigure() {
  const keys = study.keys.filter((key) => key.values.length > 1);
  if (keys.length < 2 || finishedPoints.length === 0) return null;
  const wanted = [...keys].sort((a, b) => (at(study.importance, "front", b.name) ?? 0) - (at(study.importance, "front", a.name) ?? 0));
  const state = { x: keys.indexOf(wanted[0]), y: keys.indexOf(wanted[1]), quantity: kObjectives.length > 1 ? 1 : 0 };
  const plot = livePlot("Two keys", "The best drive of each cell over all other keys, and the stage in which its mean command spends the most time. Faint: no drive of the cell is known to keep all constraints. Click a cell to pick its drive.", 400, () => {
    const [x, y, quantity] = [keys[state.x], keys[state.y], kQuantities[state.quantity]];
    const [across, up] = [categoriesOf(x), categoriesOf(y)];
    const better = (a, b) => (holds(a) !== holds(b) ? holds(a) : quantity.less ? quantity.of(a) < quantity.of(b) : quantity.of(a) > quantity.of(b));
    const best = new Map();
    finishedPoints.filter((point) => isNumber(quantity.of(point))).forEach((point) => {
      const cell = `${placeOf(x, point)},${placeOf(y, point)}`;
      if (!best.has(cell) || better(point, best.get(cell))) best.set(cell, point);
    });
    const good = [...best.values()].filter(holds);
    const values = (good.length ? good : [...best.values()]).map(quantity.of);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return {
      grid: { left: 110, right: 84, top: 28, bottom: 46 },
      tooltip: { ...kTooltip, trigger: "item", formatter: ({ data }) => pointHint(data.point) },
      xAxis: axis("category", keyName(x.name), { data: across, axisLine: { show: false } }),
      yAxis: axis("category", keyName(y.name), { data: up, nameLocation: "end", nameGap: 8, nameTextStyle: { color: kSoft, align: "right" }, axisLine: { show: false } }),
      visualMap: { type: "continuous", min: low, max: high > low ? high : low + 1, orient: "vertical", right: 0, top: 24, itemWidth: 12, itemHeight: 120, text: [shortNumber(high), shortNumber(low)], textStyle: { color: kSoft, fontSize: 11 }, inRange: { color: kHeat } },
      series: [{
        type: "heatmap", cursor: "pointer", itemStyle: { borderColor: "#fff", borderWidth: 1.5 }, emphasis: { disabled: true },
        data: [...best].map(([cell, point]) => ({ value: [...cell.split(",").map(Number), quantity.of(point)], point, itemStyle: holds(point) ? undefined : { opacity: 0.35 }, label: { color: holds(point) && low + 0.55 * (high - low) < quantity.of(point) ? "#fff" : kInk } })),
        label: { show: across.length <= 10, fontSize: 10.5, lineHeight: 14, formatter: ({ data }) => `${withUnit(data.value[2], quantity.unit)}\n${words(data.point.limits[0]?.[0] ?? "")}` },
      }],
    };
  }, { wide: true, follows: false, clicked: ({ data }) => data.point && pick(data.point) });
  const names = keys.map((key) => keyName(key.name));
  const choice = (field) => (i) => { state[field] = i; plot.redraw(); };
  return element("div", { class: "wide" }, plot.box, element("div", { class: "chooser" }, chooser("across", names, state.x, choice("x")), chooser("up", names, state.y, choice("y")), chooser("metric", kQuantities.map((each) => each.name), state.quantity, choice("quantity"))));
}

// Progress.

function progressFigure() {
  const last = study.history.at(-1)?.[1] ?? 0;
  return livePlot("Progress", `Hypervolume of the front over the runs, as a share of the last one. Reference point: ${kObjectives.map((objective) => `${words(objective.name)} ${withUnit(objective.reference, objective.unit)}`).join(", ")}.`, 260, () => ({
    grid: { left: 56, right: 20, top: 28, bottom: 44 },
    tooltip: { ...kTooltip, trigger: "axis", formatter: ([item]) => hint(`after ${number(item.value[0])} runs`, [[null, "hypervolume", percent(item.value[1])]]) },
    xAxis: axis("value", "runs", { min: 0, max: study.runs, splitLine: { show: true, lineStyle: { color: kRule } } }),
    yAxis: valueAxis("of the last hypervolume", { max: 1, axisLabel: { color: kSoft, fontSize: 11, formatter: (value) => `${Math.round(100 * value)} %` } }),
    series: [{ type: "line", step: "end", color: kFrontColour, symbolSize: 4, data: [[0, 0], ...study.history.map(([runs, volume]) => [runs, last > 0 ? volume / last : 0])] }],
  }), { wide: true, follows: false }).box;
}
