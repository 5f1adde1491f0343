// SPDX-License-Identifier: Apache-2.0
//
// How long commands took, and in which stages.

const kKinds = ["read", "write", "trim", "flush"];
const kindsOf = (result) => kKinds.filter((kind) => at(result, "host", kind, "count") > 0);

function percentileTable(result) {
  const kinds = kindsOf(result);
  if (kinds.length === 0) return null;
  const names = [["mean", "mean"], ["p50", "50 %"], ["p95", "95 %"], ["p99", "99 %"], ["p999", "99.9 %"], ["max", "longest"]];
  const rowOf = (name, colour, count, latency) => [element("span", {}, colour ? element("span", { class: "swatch", style: `background:${colour}` }) : null, name),
    number(count), ...names.map(([field]) => duration(latency?.[field]))];
  const rows = kinds.map((kind) => rowOf(kind, kOperationColours[kind], result.host[kind].count, result.host[kind].latency_us));
  if (kinds.length > 1) rows.push({ total: true, cells: rowOf("all", null, result.host.completed, result.host.latency_us) });
  return element("div", { class: "scroll together" }, table([{ text: "" }, { text: "commands", number: true },
    ...names.map(([, text]) => ({ text, number: true }))], rows));
}

/** Buckets of `latency_distribution`, several made one where they are finer than can be seen. */
function mergedBuckets(distribution) {
  const edges = distribution.edges_us;
  const merge = Math.max(1, Math.ceil((edges.length - 1) / 96));
  const keep = edges.map((_, i) => i).filter((i) => i % merge === 0 || i === edges.length - 1);
  const counts = {};
  for (const [kind, values] of Object.entries(distribution.counts)) {
    counts[kind] = keep.slice(1).map((to, i) => sum(values.slice(keep[i], to)));
  }
  return { edges: keep.map((i) => edges[i]), counts };
}

function histogramPlot(distribution) {
  const { edges, counts } = mergedBuckets(distribution);
  const kinds = Object.keys(counts);
  const least = edges[0] > 0 ? edges[0] : edges[1] / 2;
  const x = (i) => Math.max(edges[i], least);
  const series = kinds.map((kind) => {
    const total = sum(counts[kind]);
    const steps = counts[kind].flatMap((count, i) => [[x(i), (100 * count) / total], [x(i + 1), (100 * count) / total]]);
    return {
      type: "line", name: kind, color: kOperationColours[kind], showSymbol: false, emphasis: { disabled: true }, lineStyle: { width: 1.4 },
      areaStyle: { opacity: 0.18 }, data: [[least, 0], ...steps, [edges.at(-1), 0]],
    };
  });
  return figure("How many took how long", "Share of the commands of each kind, by latency.", 270, {
    grid: { left: 42, right: 18, top: 36, bottom: 42 }, legend: legendOf(kinds, true), series,
    tooltip: {
      ...kTooltip, trigger: "axis",
      formatter: (items) => {
        const us = items[0].value[0];
        const bucket = Math.max(0, edges.findIndex((edge, i) => us >= edge && us < (edges[i + 1] ?? Infinity)));
        const index = Math.min(bucket, edges.length - 2);
        return hint(`${duration(edges[index])} to ${duration(edges[index + 1])}`, kinds.map((kind) =>
          [kOperationColours[kind], kind, `${number(counts[kind][index])} = ${percent(counts[kind][index] / sum(counts[kind]))}`]));
      },
    },
    xAxis: axis("log", "latency", { min: least, max: edges.at(-1), axisLabel: { ...kDurationLabel, showMinLabel: false, showMaxLabel: false } }),
    yAxis: valueAxis("% of the kind", { min: 0 }),
  });
}

/** Percentiles on a scale of nines: -log10(1 - p). */
function percentilePlot(result) {
  const { edges_us: edges, counts } = result.latency_distribution;
  const kinds = Object.keys(counts);
  const nines = (share) => -Math.log10(Math.max(1e-12, 1 - share));
  let right = 1;
  const series = kinds.map((kind) => {
    const total = sum(counts[kind]);
    let seen = 0;
    const data = [];
    counts[kind].forEach((count, i) => {
      if (count === 0) return;
      if (data.length === 0 && edges[i] > 0) data.push([0, edges[i]]);
      seen += count;
      if (seen < total) data.push([nines(seen / total), edges[i + 1]]);
    });
    const end = Math.max(1, nines(1 - 1 / total));
    data.push([end, at(result, "host", kind, "latency_us", "max") ?? edges.at(-1)]);
    right = Math.max(right, end);
    return { type: "line", name: kind, color: kOperationColours[kind], showSymbol: false, emphasis: { disabled: true }, lineStyle: { width: 1.8 }, data };
  });
  const label = (value) => (value === 0 ? "0 %" : value === 1 ? "90 %" : Number.isInteger(value) ? `${"99.999999999".slice(0, value === 2 ? 2 : value + 1)} %` : "");
  return figure("Percentiles", "How long that share of the commands of a kind took at most.", 270, {
    grid: { left: 54, right: 24, top: 36, bottom: 42 }, legend: legendOf(kinds), series,
    tooltip: {
      ...kTooltip, trigger: "axis",
      formatter: (items) => hint(`${number(100 * (1 - 10 ** -items[0].value[0]), 3)} %`, items.map((item) => [item.color, item.seriesName, duration(item.value[1])])),
    },
    xAxis: axis("value", "share of the commands", { min: 0, max: right, interval: 1, axisLabel: { color: kSoft, fontSize: 11, formatter: label }, splitLine: { show: true, lineStyle: { color: kRule } } }),
    yAxis: valueAxis("", { type: "log", axisLabel: kDurationLabel }),
  });
}

function latencyPlots(result) {
  const distribution = result.latency_distribution;
  return isObject(distribution) && (distribution.edges_us ?? []).length > 1 ? [histogramPlot(distribution), percentilePlot(result)] : [];
}

// Stages.

/** Rows {name, stages, total} of a ledger: all commands, then each kind, then the slowest of all. */
function stageRows(result) {
  const ledger = result.ledger ?? {};
  const kinds = Object.entries(ledger.by_operation ?? {});
  const slowest = ledger.slowest?.stages_us;
  const rows = [...(kinds.length === 1 ? [] : [["all", ledger.stages_us ?? {}]]), ...kinds, ...(slowest ? [["slowest 1 %", slowest]] : [])];
  return rows.map(([name, stages]) => ({ name, stages, total: sum(Object.values(stages)) })).filter((row) => row.total > 0);
}

/** Stages that any row spends time in, in the ledger's own order. */
const stagesIn = (rows) => [...new Set(rows.flatMap((row) => Object.keys(row.stages)))].filter((stage) => rows.some((row) => row.stages[stage] > 0));

/** Stacked bars, one a row, lying; `share`: of the row's total in percent, otherwise microseconds. */
function stageOption(rows, share, width) {
  const stages = stagesIn(rows);
  const shown = stages.filter((stage) => rows.some((row) => row.stages[stage] >= 0.005 * row.total));
  const value = (row, stage) => (share ? (100 * (row.stages[stage] ?? 0)) / row.total : row.stages[stage] ?? 0);
  const longest = Math.max(...rows.map((row) => sum(stages.map((stage) => value(row, stage)))));
  const names = rows.map((row) => `${row.name}  ${duration(row.total)}`);
  const left = 24 + Math.min(0.3 * width, 6.6 * Math.max(...names.map((name) => name.length)));
  return {
    grid: { left, right: 22, top: 12 + 21 * legendRows(shown, width), bottom: 40 },
    legend: { ...legendAbove(shown, true), show: true },
    tooltip: {
      ...kTooltip, trigger: "item",
      formatter: (item) => {
        const row = rows[item.dataIndex];
        return hint(row.name, [[item.color, item.seriesName, `${duration(row.stages[item.seriesName])} = ${percent(row.stages[item.seriesName] / row.total)}`]]);
      },
    },
    xAxis: axis("value", share ? "share of the mean latency, %" : "µs of the mean command", { min: 0, max: share ? 100 : longest, splitLine: { show: true, lineStyle: { color: kRule } } }),
    yAxis: axis("category", "", { inverse: true, data: names, axisLabel: { color: kInk, fontSize: 12, width: left - 12, overflow: "truncate" } }),
    series: stages.map((stage, i) => ({
      type: "bar", stack: "latency", name: stage, color: colourOf(stage, i), barMaxWidth: 30, barCategoryGap: "28%", emphasis: { focus: "series" },
      itemStyle: { borderColor: "#fff", borderWidth: 0.6 },
      data: rows.map((row) => value(row, stage)),
      label: {
        show: true, fontSize: 10.5, color: isDark(colourOf(stage, i)) ? "#fff" : kInk,
        formatter: (item) => (item.value * (width - left - 22) > longest * 7 * words(stage).length ? words(stage) : ""),
      },
    })),
  };
}

function isDark(colour) {
  const probe = document.createElement("canvas").getContext("2d");
  probe.fillStyle = colour;
  const [red, green, blue] = [1, 3, 5].map((from) => parseInt(probe.fillStyle.slice(from, from + 2), 16));
  return 0.3 * red + 0.59 * green + 0.11 * blue < 140;
}

function stagePlot(rows, title, caption) {
  let share = true;
  const choice = choiceOf(["share", "µs"], (index) => {
    share = index === 0;
    setOption(plot);
  });
  const made = figure(title, caption, 96 + 44 * rows.length, (width) => stageOption(rows, share, width), { wide: true, choice: rows.length > 1 ? choice : null });
  const plot = plots.at(-1);
  return made;
}

function stageTable(rows) {
  const stages = stagesIn(rows).sort((a, b) => rows[0].stages[b] - rows[0].stages[a]);
  const body = stages.map((stage) => [
    element("span", {}, element("span", { class: "swatch", style: `background:${colourOf(stage, 0)}` }), words(stage)),
    ...rows.flatMap(({ stages: times, total }) => (times[stage] > 0 ? [duration(times[stage]), percent(times[stage] / total)] : ["", ""]))]);
  body.push({ total: true, cells: ["latency", ...rows.flatMap((row) => [duration(row.total), "100 %"])] });
  return element("div", { class: "scroll" }, table([{ text: "stage" }, ...rows.flatMap((row) => [{ text: row.name, number: true }, { text: "", number: true }])], body));
}
