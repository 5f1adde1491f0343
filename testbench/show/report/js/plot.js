// SPDX-License-Identifier: Apache-2.0
//
// Colours, and everything that plots share. A stage, a holder and a kind of operation have one colour each in
// the whole report; the palettes are P. Tol's, which colour-blind readers can tell apart.

const kOperationColours = { read: "#0077bb", write: "#ee7733", trim: "#009988", flush: "#aa3377" };
const kHolderColours = {
  host: "#4477aa", map: "#66ccee", gc: "#ee6677", merge: "#ee8866", wear: "#ccbb44", dedup: "#228833", recovery: "#aa3377", erase: "#7a4b2a",
};
const kStageColours = {
  host_queue: "#737d88", link_wait: "#d3d8dd", link_transfer: "#a6afb9", command_queue: "#474f58",
  firmware_wait: "#dccbe8", firmware_execute: "#9467b0", write_buffer_stall: "#e3b768", gc_stall: "#c8553d",
  map_read: "#66ccee", map_write_back: "#2a8aa8", dram_wait: "#c5e0b8", dram_transfer: "#6a9f4b",
  channel_transfer: "#44aa99", array: "#332288", ecc: "#c2bd4a", hash: "#77752a", completion: "#e9ebee",
  link_wake: "#8d99a6", read_ahead: "#a9d18e",
  doorbell: "#f7e3b0", sq_fetch: "#e8c87a", prp_fetch: "#c9a24a",
  hba_fetch: "#f2c6a0", hba_dma: "#d98c4a", hba_wait: "#f0d8bc", hba_work: "#b07840",
  interrupt_latency: "#cfc3dd", interrupt_wait: "#b8c4d6", host_cpu_wait: "#8fa3bf", host_cpu: "#5b7499",
};
const kOtherColours = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#8d99a6", "#7a4b2a", "#e08214"];
const kInk = "#1c2430";
const kSoft = "#5a6675";
const kRule = "#dde2e8";
const kShade = "#8a94a0";
const kMark = "#b3261e";
const kFont = '"Segoe UI", "Helvetica Neue", Arial, "Liberation Sans", sans-serif';

/** `colour` mixed with white; 1 leaves it, 0 is white. */
function tint(colour, strength) {
  const channels = [1, 3, 5].map((from) => parseInt(colour.slice(from, from + 2), 16));
  return `rgb(${channels.map((value) => Math.round(255 - strength * (255 - value))).join(",")})`;
}

function stageColour(stage) {
  const [, wait, holder] = /^(die|channel)_wait_(.+)$/.exec(stage) ?? [];
  if (wait) return tint(kHolderColours[holder] ?? kSoft, wait === "die" ? 1 : 0.55);
  return kStageColours[stage];
}

const colourOf = (name, index) =>
  stageColour(name) ?? kHolderColours[name] ?? kOperationColours[name] ?? kOtherColours[index % kOtherColours.length];

/** Plots on the page; tests read how many there are and how many were drawn (document.documentElement.dataset). */
const plots = [];

function reportPlots() {
  document.documentElement.dataset.loaded = performance.getEntriesByType("resource").length;
  document.documentElement.dataset.plots = plots.length;
  document.documentElement.dataset.drawn = plots.filter((plot) => plot.drawn).length;
}

/**
 * A figure with heading, plot and caption; `option` of ECharts is a value, or a function of the plot's width. It is drawn
 * by drawPlots() when it stands in the page.
 */
function figure(title, caption, height, option, { wide = false, choice = null } = {}) {
  const box = element("div", { class: "plot", role: "img", "aria-label": title, style: `height:${height}px` });
  plots.push({ box, height, option, wide, chart: null, drawn: false });
  return element("figure", { class: wide ? "wide" : null }, choice, element("h3", {}, title), box,
    caption ? element("figcaption", {}, caption) : null);
}

function setOption(plot) {
  const option = typeof plot.option === "function" ? plot.option(plot.chart.getWidth()) : plot.option;
  plot.chart.setOption({ animation: false, textStyle: { fontFamily: kFont, color: kInk }, ...option }, { notMerge: true });
}

function drawPlot(plot) {
  plot.chart = echarts.init(plot.box, null, { renderer: "svg", height: plot.height });
  plot.chart.on("finished", () => {
    const svg = plot.box.querySelector("svg");
    // Lets the style sheet scale the drawing.
    svg?.setAttribute("viewBox", `0 0 ${plot.chart.getWidth()} ${plot.chart.getHeight()}`);
    plot.drawn = svg !== null && svg.querySelector("path, image") !== null;
    reportPlots();
  });
  setOption(plot);
}

/** Draws everything again at the widths that the plots have now, or at those that `width` gives. */
function resizePlots(width) {
  for (const plot of plots) {
    plot.chart.resize({ width: width ? width(plot) : "auto", height: plot.height });
    if (typeof plot.option === "function") setOption(plot);
    plot.chart.getZr().flush();
  }
}

function drawPlots() {
  reportPlots();
  plots.forEach(drawPlot);
  let pending = 0;
  window.addEventListener("resize", () => {
    clearTimeout(pending);
    pending = setTimeout(() => resizePlots(), 120);
  });
  const kPaper = 700;  // px between the margins of an A4 page
  window.addEventListener("beforeprint", () => resizePlots((plot) => (plot.wide ? kPaper : (kPaper - 18) / 2)));
  window.addEventListener("afterprint", () => resizePlots());
}

/** Buttons, one of them pressed; `chosen` is called with its index. */
function choiceOf(names, chosen) {
  const buttons = names.map((name, i) => element("button", { type: "button", "aria-pressed": i === 0 }, name));
  buttons.forEach((button, i) => button.addEventListener("click", () => {
    buttons.forEach((other, j) => other.setAttribute("aria-pressed", i === j));
    chosen(i);
  }));
  return element("span", { class: "choice" }, buttons);
}

// Parts of options.

function axis(type, name, more) {
  return {
    type, name, nameLocation: "middle", nameGap: type === "category" ? 30 : 28, nameTextStyle: { color: kSoft, fontSize: 12 },
    axisLine: { show: true, lineStyle: { color: "#aab4bf" } }, axisTick: { show: false },
    axisLabel: { color: kSoft, fontSize: 11, hideOverlap: true }, splitLine: { show: false }, ...more,
  };
}

/** A y axis: its name stands above it, lying. */
function valueAxis(name, more) {
  return axis("value", name, {
    nameLocation: "end", nameGap: 12, nameTextStyle: { color: kSoft, fontSize: 11.5, align: "left", padding: [0, 0, 0, -34] },
    axisLine: { show: false }, splitLine: { show: true, lineStyle: { color: kRule } },
    axisLabel: { color: kSoft, fontSize: 11, formatter: (value) => shortNumber(value) }, ...more,
  });
}

const kDurationLabel = { color: kSoft, fontSize: 11, hideOverlap: true, formatter: (us) => (us > 0 ? duration(us).replace(/\.0+ /, " ") : "") };

function shortNumber(value) {
  const size = Math.abs(value);
  if (size >= 1e9) return `${+(value / 1e9).toPrecision(4)} G`;
  if (size >= 1e6) return `${+(value / 1e6).toPrecision(4)} M`;
  if (size >= 1e4) return `${+(value / 1e3).toPrecision(4)} k`;
  return String(+value.toPrecision(4));
}

/** A legend to the right above the plot: lines, or boxes for areas. */
const legendOf = (names, boxes = false) => ({
  show: names.length > 1, data: names, top: 0, right: 0, itemWidth: boxes ? 11 : 16, itemHeight: boxes ? 11 : 3, itemGap: 12, icon: boxes ? "roundRect" : "rect", type: names.length > 8 ? "scroll" : "plain",
  textStyle: { color: kInk, fontSize: 11.5 }, formatter: words,
});

/** Rows that a legend needs in a plot of that width; its look when that may be several, above the plot on the left. */
const legendRows = (names, width) => Math.ceil(sum(names.map((name) => 34 + 6.4 * String(name).length)) / Math.max(200, width - 20));
const legendAbove = (names, boxes) => ({ ...legendOf(names, boxes), type: "plain", left: 0, right: 0 });

/** Tooltip text: a heading, and rows [colour, name, value]. */
function hint(heading, rows) {
  const lines = rows.map(([colour, name, value]) =>
    `<div style="display:flex;gap:14px;justify-content:space-between"><span>${colour
      ? `<span style="display:inline-block;width:9px;height:9px;border-radius:2px;background:${escaped(colour)};margin-right:6px"></span>` : ""}${
      escaped(words(name))}</span><b style="font-weight:600">${escaped(value)}</b></div>`);
  return `<div style="font-size:12px;color:${kInk}"><div style="color:${kSoft}">${escaped(heading)}</div>${lines.join("")}</div>`;
}

const kTooltip = { confine: true, backgroundColor: "#fff", borderColor: "#c3ccd5", padding: [6, 10] };
