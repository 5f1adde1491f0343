// SPDX-License-Identifier: Apache-2.0
//
// The run over time (`series`): curves, and maps of dies and channels.

/** Time axis of a series: instants in the unit that suits the length of the run. */
function timeScale(series) {
  const [divisor, unit] = timeUnit(series.time_us.at(-1));
  return { unit, edges: series.time_us.map((us) => us / divisor), lengths: series.time_us.slice(1).map((us, i) => us - series.time_us[i]) };
}

/** Curves {name, colour, values, dashed}: one value an interval, drawn as steps. */
function timeCurves(scale, title, caption, unit, curves, more = {}) {
  const { log, top, ...options } = more;
  const steps = (values) => [...values.map((value, i) => [scale.edges[i], log && !(value > 0) ? null : value]),
    [scale.edges.at(-1), log && !(values.at(-1) > 0) ? null : values.at(-1)]];
  return figure(title, caption, 230, {
    grid: { left: 42, right: 14, top: 44, bottom: 40 },
    legend: legendOf(curves.map((curve) => curve.name)),
    tooltip: {
      ...kTooltip, trigger: "axis", axisPointer: { type: "line", lineStyle: { color: "#aab4bf" } },
      formatter: (items) => {
        const index = Math.min(items[0].dataIndex, scale.lengths.length - 1);
        return hint(`${number(scale.edges[index], 3)} to ${number(scale.edges[index + 1], 3)} ${scale.unit}`,
          curves.map((curve) => [curve.colour, curve.name, curve.values[index] === null ? "–" : `${number(curve.values[index])} ${unit}`]));
      },
    },
    xAxis: axis("value", `time, ${scale.unit}`, { min: 0, max: scale.edges.at(-1), axisLabel: { color: kSoft, fontSize: 11, hideOverlap: true, formatter: (value) => shortNumber(value) } }),
    yAxis: valueAxis(unit, log ? { type: "log" } : { min: 0, max: top }),
    series: curves.map((curve) => ({
      type: "line", name: curve.name, step: "end", showSymbol: false, connectNulls: false, data: steps(curve.values),
      color: curve.colour, lineStyle: { width: 1.6, type: curve.dashed ? "dashed" : "solid" },
      areaStyle: curve.area ? { color: curve.colour, opacity: 0.12 } : undefined, emphasis: { disabled: true },
    })),
  }, options);
}

const meanOf = (matrix, column) => sum(matrix.map((row) => row[column])) / matrix.length;

/** Mean busy share over all rows of a map, in percent, for each interval; null without a map. */
function meanBusy(maps, step, intervals) {
  const holders = Object.values(maps ?? {});
  if (holders.length === 0) return null;
  return Array.from({ length: intervals }, (_, i) =>
    Math.min(100, sum(holders.map((matrix) => meanOf(matrix, Math.floor(i / step)))) / 10));
}

function timePlots(result) {
  const series = result.series;
  if (!isObject(series) || (series.time_us ?? []).length < 2) return [];
  const scale = timeScale(series);
  const operations = Object.entries(series.operations ?? {});
  const curves = (pick, only = () => true) => operations.filter(([name]) => only(name)).map(([name, values]) =>
    ({ name, colour: kOperationColours[name] ?? kSoft, values: pick(values), area: true }));
  const moved = curves((values) => values.bytes.map((count, i) => count / scale.lengths[i]), (name) => name === "read" || name === "write");
  const rates = curves((values) => values.commands.map((count, i) => (1e6 * count) / scale.lengths[i]));
  const latencies = curves((values) => values.mean_latency_us).map((curve) => ({ ...curve, area: false }));
  const worst = { name: "worst", colour: kInk, dashed: true, values: series.worst_latency_us.map((us) => (us > 0 ? us : null)) };
  const busy = [
    { name: "link", colour: "#4477aa", values: series.link_permille.map((share) => share / 10) },
    { name: "core", colour: "#aa3377", values: series.core_permille.map((share) => share / 10) },
    { name: "dram", colour: "#228833", values: series.dram_permille.map((share) => share / 10) },
    { name: "channels", colour: "#ccbb44", values: meanBusy(series.channels_permille, series.map_step, scale.lengths.length) },
    { name: "dies", colour: "#ee6677", values: meanBusy(series.dies_permille, series.map_step, scale.lengths.length) },
  ].filter((curve) => curve.values);
  return [
    moved.length ? timeCurves(scale, "Throughput", "Data read and written, over each interval.", "MB/s", moved) : null,
    timeCurves(scale, "Queue depth", "Commands issued and not completed, mean over each interval.", "commands",
      [{ name: "queue depth", colour: "#4477aa", values: series.queue_depth, area: true }]),
    rates.length ? timeCurves(scale, "Commands completed", "A second, of each kind.", "commands/s", rates) : null,
    latencies.length ? timeCurves(scale, "Latency", "Mean of the commands that completed in each interval, and the longest of all.", "µs",
      [...latencies, worst], { log: true }) : null,
    timeCurves(scale, "How busy the parts were", "Channels and dies: mean over all of them.", "%", busy, { top: 100 }),
    timeCurves(scale, "Write buffer and free space", "Units in the write buffer that are not on flash yet, and erased superblocks not in use.", "",
      [{ name: "unwritten_units", colour: "#ee7733", values: series.unwritten_units },
        { name: "free_superblocks", colour: "#009988", values: series.free_superblocks }]),
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
    xAxis: axis("value", `time, ${map.unit}`, { min: map.edges[0], max: map.edges.at(-1), axisLabel: { color: kSoft, fontSize: 11, formatter: (value) => shortNumber(value) } }),
    yAxis: axis("value", "", { min: 0, max: map.rows.length, interval: 1, inverse: true, axisLabel: { ...label, verticalAlign: "top", margin: 6 } }),
    series: [{
      type: "custom", data: [[map.edges[0], 0]], clip: true, silent: true,
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
  if (holders.length > 1) shown.unshift(["busy", `${what}s held, whatever for`, total]);
  const height = Math.min(420, Math.max(90, total.length * (total.length > 16 ? 7 : 14))) + 46;
  return shown.map(([name, title, rows]) => {
    const map = { edges, rows, unit: scale.unit, colour: kMapColours[name] ?? kSoft, what, label, title: name === "busy" ? "held" : `for ${name}` };
    const share = sum(rows.map((values) => sum(values.map((value, i) => value * (edges[i + 1] - edges[i])))));
    const mean = share / (1000 * rows.length * (edges.at(-1) - edges[0]));
    const made = figure(title[0].toUpperCase() + title.slice(1), `${percent(mean)} of the time, over all ${what}s.`, height, () => mapOption(map));
    const plot = plots.at(-1);
    addMapHint(plot.box, map, () => plot.chart);
    return made;
  });
}

function mapPlots(result) {
  const series = result.series;
  if (!isObject(series) || (series.time_us ?? []).length < 2) return [];
  const channels = at(result, "utilization", "channels", "length") ?? 1;
  const diesAChannel = Math.max(1, (at(result, "utilization", "dies", "length") ?? 1) / channels);
  return [
    ...mapsOf(series, series.dies_permille, "die", (row) => `${Math.floor(row / diesAChannel)}·${row % diesAChannel}`),
    ...mapsOf(series, series.channels_permille, "channel", (row) => String(row)),
  ];
}
