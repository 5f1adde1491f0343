// SPDX-License-Identifier: Apache-2.0
//
// The run over time (`series`): curves, and maps of dies and channels.

/** The spans before and after the measured window; none without a warm-up. */
function unmeasured(series) {
  const [begin, end] = series.measured_us ?? [0, series.time_us.at(-1)];
  return [[0, begin], [end, series.time_us.at(-1)]].filter(([from, to]) => to > from);
}

/** Time axis of a series: instants in the unit that suits the length of the run. */
function timeScale(series) {
  const [divisor, unit] = timeUnit(series.time_us.at(-1));
  return { unit, edges: series.time_us.map((us) => us / divisor), lengths: series.time_us.slice(1).map((us, i) => us - series.time_us[i]),
    unmeasured: unmeasured(series).map((span) => span.map((us) => us / divisor)) };
}

/** Shades what was not measured. */
const shade = (scale) => (scale.unmeasured.length === 0 ? undefined : {
  silent: true, itemStyle: { color: kShade, opacity: 0.22 }, data: scale.unmeasured.map(([from, to]) => [{ xAxis: from }, { xAxis: to }]),
});

/** In a map, whose colours a shade would change: lines at the same places. */
const divide = (scale) => (scale.unmeasured.length === 0 ? undefined : {
  silent: true, symbol: "none", label: { show: false }, lineStyle: { color: kMark, width: 1.5, type: "solid" },
  data: scale.unmeasured.map(([from, to]) => ({ xAxis: from > 0 ? from : to })),
});

/** Says where the measured time begins. */
function measuredLine(result) {
  const [begin, end] = at(result, "series", "measured_us") ?? [];
  return isNumber(begin) ? `Measured from ${duration(begin)} to ${duration(end)}, after the warm-up: the shaded time does not count. In the maps, lines stand where it ends and begins. These curves, checks, failures and power cuts are of the whole run.` : null;
}

/** From 0 to the end; the end itself is no round number and not shown. */
const timeAxis = (scale) => axis("value", `time, ${scale.unit}`, {
  min: 0, max: scale.edges.at(-1), axisLabel: { color: kSoft, fontSize: 11, hideOverlap: true, showMaxLabel: false, formatter: (value) => shortNumber(value) },
});

/**
 * The same series with neighbouring intervals made one where they are shorter than 1/`steps` of the time: more cannot be
 * told apart in a plot.
 */
function coarser(series, steps) {
  const times = series.time_us;
  const count = times.length - 1;
  const lengths = times.slice(1).map((us, i) => us - times[i]);
  const starts = [0];
  for (let i = 1; i < count; ++i) {
    if (times[i + 1] - times[starts.at(-1)] > (1.5 * times.at(-1)) / steps) starts.push(i);
  }
  const joined = (values, join) => starts.map((start, i) => join(values.slice(start, starts[i + 1] ?? count), (k) => start + k));
  const total = (values) => joined(values, sum);
  const last = (values) => joined(values, (part) => part.at(-1));
  const mean = (values, weights) => joined(values, (part, index) => {
    const weight = sum(part.map((_, i) => weights[index(i)]));
    return weight > 0 ? sum(part.map((value, i) => (value ?? 0) * weights[index(i)])) / weight : null;
  });
  const overTime = (values) => mean(values, lengths);
  return {
    time_us: [...starts.map((start) => series.time_us[start]), series.time_us.at(-1)],
    measured_us: series.measured_us,
    operations: Object.fromEntries(Object.entries(series.operations ?? {}).map(([kind, values]) => [kind, {
      commands: total(values.commands), bytes: total(values.bytes), mean_latency_us: mean(values.mean_latency_us, values.commands),
    }])),
    worst_latency_us: joined(series.worst_latency_us, (part) => Math.max(...part)),
    queue_depth: overTime(series.queue_depth), unwritten_units: last(series.unwritten_units), free_superblocks: last(series.free_superblocks),
    link_permille: overTime(series.link_permille), core_permille: overTime(series.core_permille), dram_permille: overTime(series.dram_permille),
    channels_mean: overTime(meanBusy(series.channels_permille, series.map_step, count)), dies_mean: overTime(meanBusy(series.dies_permille, series.map_step, count)),
    dedup: series.dedup && { duplicates: total(series.dedup.duplicates), saved: last(series.dedup.saved_pages), waiting: last(series.dedup.waiting) },
  };
}

/** Curves {name, colour, values, dashed}: one value an interval, drawn as steps. */
function timeCurves(scale, title, caption, unit, curves, more = {}) {
  const { log, top, ...options } = more;
  const steps = (values) => [...values.map((value, i) => [scale.edges[i], log && !(value > 0) ? null : value]),
    [scale.edges.at(-1), log && !(values.at(-1) > 0) ? null : values.at(-1)]];
  return figure(title, caption, 230, {
    grid: { left: log ? 50 : 42, right: 14, top: 36, bottom: 40 },
    legend: legendOf(curves.map((curve) => curve.name)),
    tooltip: {
      ...kTooltip, trigger: "axis", axisPointer: { type: "line", lineStyle: { color: "#aab4bf" } },
      formatter: (items) => {
        const index = Math.min(items[0].dataIndex, scale.lengths.length - 1);
        return hint(`${number(scale.edges[index], 3)} to ${number(scale.edges[index + 1], 3)} ${scale.unit}`,
          curves.map((curve) => [curve.colour, curve.name, curve.values[index] === null ? "–" : `${number(curve.values[index])} ${unit}`]));
      },
    },
    xAxis: timeAxis(scale),
    yAxis: valueAxis(log ? "" : unit, log ? { type: "log", axisLabel: kDurationLabel } : { min: 0, max: top }),
    series: curves.map((curve, i) => ({
      markArea: i === 0 ? shade(scale) : undefined,
      type: "line", name: curve.name, step: "end", showSymbol: false, connectNulls: false, data: steps(curve.values),
      color: curve.colour, lineStyle: { width: 1.4, type: curve.dashed ? "dashed" : "solid" },
      areaStyle: curve.area ? { color: curve.colour, opacity: 0.12 } : undefined, emphasis: { disabled: true },
    })),
  }, options);
}

const meanOf = (matrix, column) => sum(matrix.map((row) => row[column])) / matrix.length;

/** Mean busy share over all rows of a map, in percent, for each interval. */
function meanBusy(maps, step, intervals) {
  const holders = Object.values(maps ?? {});
  return Array.from({ length: intervals }, (_, i) =>
    Math.min(100, sum(holders.map((matrix) => meanOf(matrix, Math.floor(i / step)))) / 10));
}

const runningSum = (values) => values.map((_, i) => sum(values.slice(0, i + 1)));

const hasSeries = (result) => isObject(result.series) && (result.series.time_us ?? []).length > 1;
const kMostSteps = 128;

function timePlots(result) {
  if (!hasSeries(result)) return [];
  const series = coarser(result.series, kMostSteps);
  const scale = timeScale(series);
  const operations = Object.entries(series.operations ?? {});
  const curves = (pick, only = () => true) => operations.filter(([name]) => only(name)).map(([name, values]) =>
    ({ name, colour: kOperationColours[name] ?? kSoft, values: pick(values) }));
  const moved = curves((values) => values.bytes.map((count, i) => count / scale.lengths[i]), (name) => name === "read" || name === "write");
  const rates = curves((values) => values.commands.map((count, i) => (1e6 * count) / scale.lengths[i]));
  const latencies = curves((values) => values.mean_latency_us);
  const worst = { name: "worst", colour: kInk, dashed: true, values: series.worst_latency_us.map((us) => (us > 0 ? us : null)) };
  const busy = [
    { name: "link", colour: "#4477aa", values: series.link_permille.map((share) => share / 10) },
    { name: "core", colour: "#aa3377", values: series.core_permille.map((share) => share / 10) },
    { name: "dram", colour: "#228833", values: series.dram_permille.map((share) => share / 10) },
    { name: "channels", colour: "#ccbb44", values: series.channels_mean },
    { name: "dies", colour: "#ee6677", values: series.dies_mean },
  ];
  const changes = (values) => Math.max(...values) - Math.min(...values) > 0.03 * Math.max(...values);
  const level = (title, caption, unit, colour, values) => (changes(values) ? timeCurves(scale, title, caption, unit, [{ name: title, colour, values, area: true }]) : null);
  return [
    moved.length ? timeCurves(scale, "Throughput", "Data read and written, over each interval.", "MB/s", moved) : null,
    timeCurves(scale, "Queue depth", "Commands issued and not completed, mean over each interval.", "commands",
      [{ name: "queue depth", colour: "#4477aa", values: series.queue_depth, area: true }]),
    rates.length ? timeCurves(scale, "Commands completed", "Per second, of each kind.", "commands/s", rates) : null,
    latencies.length ? timeCurves(scale, "Latency", "Mean of the commands that completed in each interval, and the longest of all.", "µs",
      [...latencies, worst], { log: true }) : null,
    timeCurves(scale, "How busy the parts were", "Channels and dies: mean over all of them.", "%", busy, { top: 100 }),
    level("Write buffer", "What was in it and not on flash yet, at the end of each interval.", "mapping units", "#ee7733", series.unwritten_units),
    level("Free superblocks", "Erased and not in use, at the end of each interval.", "superblocks", "#009988", series.free_superblocks),
    series.dedup ? timeCurves(scale, "Deduplication", "Duplicates found since the start; at the end of each interval, copies that are not there, and pages still to be looked at.", "pages", [
      { name: "found", colour: "#4477aa", values: runningSum(series.dedup.duplicates) },
      { name: "saved", colour: "#228833", values: series.dedup.saved, area: true },
      { name: "waiting", colour: "#ee7733", values: series.dedup.waiting },
    ]) : null,
  ].filter(Boolean);
}

// Maps. One picture a holder, all with the same colour scale: white is idle, the full colour is held all the time.

const kMapColours = { ...kHolderColours, busy: kInk };

/** The cells as a picture of width x height pixels; columns are as wide as their intervals are long. */
function mapPicture(map, width, height) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(2 * width));
  canvas.height = Math.max(1, Math.round(2 * height));
  const context = canvas.getContext("2d");
  const x = (edge) => Math.round((canvas.width * (edge - map.edges[0])) / (map.edges.at(-1) - map.edges[0]));
  const y = (row) => Math.round((canvas.height * row) / map.rows.length);
  map.rows.forEach((values, row) => values.forEach((share, column) => {
    context.fillStyle = tint(map.colour, Math.sqrt(Math.min(1, share / 1000)));
    context.fillRect(x(map.edges[column]), y(row), x(map.edges[column + 1]) - x(map.edges[column]), y(row + 1) - y(row));
  }));
  return canvas.toDataURL();
}

function mapOption(map) {
  const every = Math.max(1, Math.ceil(map.rows.length / 16));
  const label = { color: kSoft, fontSize: 10.5, formatter: (value) => (Number.isInteger(value) && value % every === 0 && value < map.rows.length ? map.label(value) : "") };
  return {
    grid: { left: 52, right: 12, top: 8, bottom: 38 },
    tooltip: { ...kTooltip, trigger: "item" },
    xAxis: timeAxis(map),
    yAxis: axis("value", "", { min: 0, max: map.rows.length, interval: 1, inverse: true, axisLabel: { ...label, verticalAlign: "top", margin: 6 } }),
    series: [{
      type: "custom", data: [[map.edges[0], 0]], clip: true, silent: true, markLine: divide(map),
      renderItem: (_, api) => {
        const [left, top] = api.coord([map.edges[0], 0]);
        const [right, bottom] = api.coord([map.edges.at(-1), map.rows.length]);
        const [width, height] = [right - left, bottom - top];
        return { type: "image", style: { image: mapPicture(map, width, height), x: left, y: top, width, height } };
      },
    }],
  };
}

/** Says under the pointer which cell it is. */
function addMapHint(box, map, chartOf) {
  box.addEventListener("mousemove", (event) => {
    const chart = chartOf();
    const frame = box.getBoundingClientRect();
    const [time, row] = chart.convertFromPixel("grid", [event.clientX - frame.left, event.clientY - frame.top]) ?? [];
    const column = map.edges.findIndex((edge, i) => time >= edge && time < map.edges[i + 1]);
    const inside = column >= 0 && row >= 0 && row < map.rows.length;
    box.title = inside ? `${map.what} ${map.label(Math.floor(row))}, ${number(map.edges[column], 3)} to ${
      number(map.edges[column + 1], 3)} ${map.unit}: ${number(map.rows[Math.floor(row)][column] / 10, 1)} % ${map.title}` : "";
  });
}

/** `what` ("die", "channel"), maps by holder, label(row). */
function mapsOf(series, maps, what, label) {
  const holders = Object.keys(maps ?? {});
  if (holders.length === 0) return [];
  const scale = timeScale(series);
  const edges = scale.edges.filter((_, i) => i % series.map_step === 0 || i + 1 === scale.edges.length);
  const total = maps[holders[0]].map((values, row) => values.map((_, column) =>
    Math.min(1000, sum(holders.map((holder) => maps[holder][row][column])))));
  const shown = holders.map((holder) => [holder, `${what}s held for ${holder === "erase" ? "an erase" : holder}`, maps[holder]]);
  if (holders.length > 1) shown.unshift(["busy", `${what}s held, all purposes`, total]);
  const height = Math.min(420, Math.max(90, total.length * (total.length > 16 ? 7 : 14))) + 46;
  return shown.map(([name, title, rows]) => {
    const map = { edges, rows, unit: scale.unit, unmeasured: scale.unmeasured, colour: kMapColours[name] ?? kSoft, what, label, title: name === "busy" ? "held" : `for ${name}` };
    const share = sum(rows.map((values) => sum(values.map((value, i) => value * (edges[i + 1] - edges[i])))));
    const mean = share / (1000 * rows.length * (edges.at(-1) - edges[0]));
    const made = figure(title[0].toUpperCase() + title.slice(1), `${percent(mean)} of the time, over all ${what}s.`, height, () => mapOption(map));
    const plot = plots.at(-1);
    addMapHint(plot.box, map, () => plot.chart);
    return made;
  });
}

/** Channel and number of each die that exists; `nand.geometry.die_blocks` says which do. */
function dieNames(geometry, channels, present) {
  const list = String(geometry.die_blocks ?? "").split(",").filter((text) => text.trim() !== "").map(Number);
  const ofAChannel = list.length > 0 ? geometry.dies : Math.max(1, present / channels);
  const names = [];
  for (let die = 0; die < channels * ofAChannel; ++die) {
    if (list.length === 0 || list[die % list.length] > 0) names.push(`${Math.floor(die / ofAChannel)}·${die % ofAChannel}`);
  }
  return names;
}

/** Maps of dies and of channels. */
function mapPlots(result) {
  if (!hasSeries(result)) return [];
  const series = result.series;
  const names = dieNames(at(result, "config", "nand", "geometry") ?? {}, at(result, "utilization", "channels", "length") ?? 1,
    at(result, "utilization", "dies", "length") ?? 1);
  return [
    mapsOf(series, series.dies_permille, "die", (row) => names[row]),
    mapsOf(series, series.channels_permille, "channel", (row) => String(row)),
  ].filter((maps) => maps.length > 0);
}
