// SPDX-License-Identifier: Apache-2.0
//
// The figures that a scenario put into its result (`figures`).

const isLog = (axisData) => Boolean(axisData?.log);
const positive = (value, log) => (isNumber(value) && (!log || value > 0) ? value : null);

function categoryLabels(categories, width) {
  const room = Math.max(24, (width - 80) / Math.max(1, categories.length));
  const longest = Math.max(0, ...categories.map((name) => String(name).length)) * 6.2;
  return { color: kSoft, fontSize: 11, hideOverlap: true, rotate: longest > room ? 40 : 0 };
}

function figureTooltip(unit) {
  return {
    ...kTooltip, trigger: "axis", axisPointer: { type: "line", lineStyle: { color: "#aab4bf" } },
    formatter: (items) => hint(`${items[0].axisValueLabel ?? items[0].axisValue}`, items.map((item) => {
      const value = Array.isArray(item.value) ? item.value.at(-1) : item.value;
      return [item.color, item.seriesName, isNumber(value) ? number(value) : "–"];
    })) + `<div style="font-size:11px;color:${kSoft}">${escaped(unit)}</div>`,
  };
}

function figureFrame(data, width) {
  const names = data.series.map((series) => series.name);
  const categories = data.x.categories;
  const labels = categories ? categoryLabels(categories, width) : { color: kSoft, fontSize: 11, hideOverlap: true, formatter: (value) => shortNumber(value) };
  const rows = legendRows(names, width - 90);  // the axis' name stands on the left
  const boxes = data.kind !== "line";
  return {
    grid: { left: 50, right: 20, top: rows > 1 ? 36 + 20 * rows : 38, bottom: labels.rotate ? 86 : 42 },
    legend: { ...(rows > 1 ? legendAbove(names, boxes) : legendOf(names, boxes)), data: legendItems(data.series) }, tooltip: figureTooltip(data.y.label),
    xAxis: categories ? axis("category", data.x.label, { data: categories, axisLabel: labels, nameGap: labels.rotate ? 68 : 28 })
      : axis(isLog(data.x) ? "log" : "value", data.x.label, { scale: true, axisLabel: labels, splitLine: { show: true, lineStyle: { color: kRule } } }),
    yAxis: valueAxis(data.y.label, isLog(data.y) ? { type: "log" } : {}),
  };
}

// How dashed lines differ, in the plot and in the legend.
const kDashes = [{ type: "dashed", icon: "path://M0 0H6V3H0zM10 0H16V3H10z" }, { type: "dotted", icon: "path://M0 0H2V3H0zM5 0H7V3H5zM10 0H12V3H10zM15 0H17V3H15z" }];

/** With one dashed line for each solid one, it has that one's colour: they are to be compared. Otherwise it is dark, and dashes differ. */
function lineLooks(series) {
  const solid = series.filter(({ dashed }) => !dashed);
  const pairs = 2 * solid.length === series.length;
  const looks = new Map(solid.map((each, i) => [each, { colour: colourOf(each.name, i) }]));
  series.filter(({ dashed }) => dashed).forEach((each, i) => looks.set(each,
    pairs ? { colour: looks.get(solid[i]).colour, dash: kDashes[0] } : { colour: kInk, dash: kDashes[i % kDashes.length] }));
  return series.map((each) => looks.get(each));
}

function legendItems(series) {
  const looks = lineLooks(series);
  return series.map(({ name }, i) => (looks[i].dash ? { name, icon: looks[i].dash.icon } : name));
}

const lineLook = (series, i, { colour, dash }) => ({
  name: series.name, color: colour, symbol: ["circle", "rect", "triangle", "diamond"][i % 4], symbolSize: dash ? 0 : 6,
  lineStyle: { width: 1.8, type: dash ? dash.type : "solid" }, emphasis: { disabled: true }, connectNulls: false,
});

/** The ends of a numeric axis, and powers of two where they are what was measured. */
function numericRange(data) {
  const values = data.series.flatMap(({ values: points }) => points.map(([x]) => x)).filter((x) => isNumber(x) && (!isLog(data.x) || x > 0));
  if (!isLog(data.x) || values.length === 0) return {};
  const twos = values.every((x) => Number.isInteger(Math.log2(x)));
  return { min: Math.min(...values), max: Math.max(...values), logBase: twos ? 2 : 10 };
}

function lineOption(data, width) {
  const looks = lineLooks(data.series);
  const frame = figureFrame(data, width);
  return {
    ...frame,
    xAxis: data.x.categories ? frame.xAxis : { ...frame.xAxis, ...numericRange(data) },
    series: data.series.map((series, i) => ({
      type: "line", ...lineLook(series, i, looks[i]),
      data: series.values.map((value) => (Array.isArray(value) ? [value[0], positive(value[1], isLog(data.y))] : positive(value, isLog(data.y))))
        .map((value) => (Array.isArray(value) && isLog(data.x) && !(value[0] > 0) ? [null, null] : value)),
    })),
  };
}

function barOption(data, width) {
  return {
    ...figureFrame(data, width),
    series: data.series.map((series, i) => ({
      type: "bar", name: series.name, color: colourOf(series.name, i), barMaxWidth: 46, stack: data.kind === "stacked_bar" ? "all" : undefined,
      itemStyle: { borderColor: "#fff", borderWidth: data.kind === "stacked_bar" ? 0.6 : 0 }, emphasis: { disabled: true },
      data: series.values.map((value) => positive(value, isLog(data.y))),
    })),
  };
}

function histogramOption(data, width) {
  const steps = (values) => values.flatMap((value, i) => [[data.edges[i], positive(value, isLog(data.y))], [data.edges[i + 1], positive(value, isLog(data.y))]])
    .filter(([x]) => !isLog(data.x) || x > 0);
  const frame = figureFrame(data, width);
  return {
    ...frame,
    xAxis: { ...frame.xAxis, min: data.edges.find((edge) => !isLog(data.x) || edge > 0), max: data.edges.at(-1), splitLine: { show: false } },
    series: data.series.map((series, i) => ({
      type: "line", name: series.name, color: colourOf(series.name, i), showSymbol: false, lineStyle: { width: 1.5 }, areaStyle: { opacity: 0.2 },
      emphasis: { disabled: true }, data: steps(series.values),
    })),
  };
}

// From light to dark, readable in grey; after "YlGnBu" of ColorBrewer.
const kHeat = ["#f7fbd9", "#c7e9b4", "#7fcdbb", "#41b6c4", "#1d91c0", "#225ea8", "#0c2c84"];

function heatmapOption(data, width) {
  const values = data.cells.flat().filter(isNumber);
  const [low, high] = data.range ?? (values.length ? [Math.min(...values), Math.max(...values)] : [0, 1]);
  const cells = data.cells.flatMap((row, y) => row.map((value, x) => [x, y, isNumber(value) ? value : null]));
  const roomy = (width - 130) / data.x.categories.length > 34 && data.y.categories.length <= 40;
  const labels = categoryLabels(data.x.categories, width);
  const names = !data.y.categories.every((name) => Number.isFinite(Number(name)));  // from above; numbers grow upwards
  const left = 24 + Math.min(150, 6.3 * Math.max(2, ...data.y.categories.map((name) => String(name).length)));
  return {
    grid: { left: left + 14, right: 74, top: 26, bottom: labels.rotate ? 84 : 42 },
    tooltip: {
      ...kTooltip, trigger: "item",
      formatter: ({ value }) => hint(`${data.x.label} ${data.x.categories[value[0]]}, ${data.y.label} ${data.y.categories[value[1]]}`,
        [[null, isNumber(value[2]) ? number(value[2]) : "no value", data.unit]]),
    },
    xAxis: axis("category", data.x.label, { data: data.x.categories, axisLabel: { ...labels, hideOverlap: !roomy }, axisLine: { show: false }, nameGap: labels.rotate ? 66 : 28 }),
    yAxis: axis("category", data.y.label, { data: data.y.categories, inverse: names, nameLocation: names ? "start" : "end", nameGap: 8, nameTextStyle: { color: kSoft, align: "right" }, axisLine: { show: false }, axisLabel: { color: kSoft, fontSize: 11, width: 150, overflow: "truncate" } }),
    visualMap: {
      type: "continuous", min: low, max: high > low ? high : low + 1, calculable: false, orient: "vertical", right: 0, top: 24, itemWidth: 12, itemHeight: Math.max(40, Math.min(120, 26 * data.y.categories.length - 20)),
      text: [shortNumber(high), shortNumber(low)], textStyle: { color: kSoft, fontSize: 11 }, inRange: { color: kHeat }, outOfRange: { color: "#fff" },
    },
    series: [{
      type: "heatmap", data: cells.map((cell) => (cell[2] === null ? { value: [cell[0], cell[1], "-"] } : { value: cell, label: { color: low + 0.55 * (high - low) < cell[2] ? "#fff" : kInk } })),
      itemStyle: { borderColor: "#fff", borderWidth: 1.5 }, emphasis: { disabled: true },
      label: { show: roomy, fontSize: 10.5, formatter: ({ value }) => (isNumber(value[2]) ? shortNumber(+value[2].toPrecision(3)) : "") },
    }],
  };
}

const kFigureOptions = { line: lineOption, bar: barOption, stacked_bar: barOption, histogram: histogramOption, heatmap: heatmapOption };

function scenarioFigures(result) {
  return (Array.isArray(result.figures) ? result.figures : []).filter((data) => kFigureOptions[data.kind]).map((data) => {
    const map = data.kind === "heatmap";
    const height = map ? Math.max(190, 90 + 26 * data.y.categories.length) : 300;
    const wide = (data.x.categories?.length ?? 0) > (map ? 10 : 14);
    const title = map && data.unit ? `${data.title}, ${data.unit}` : data.title;
    return figure(title, data.caption, height, (width) => kFigureOptions[data.kind](data, width), { wide });
  });
}
