// SPDX-License-Identifier: Apache-2.0
//
// Numbers as text, and elements. Text from the result goes into the page as text only, never as markup.

/** Element `tag` with attributes; children are elements or text, null is left out. */
function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

function escaped(text) {
  const names = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return String(text).replace(/[&<>"']/g, (letter) => names[letter]);
}

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const sum = (values) => values.reduce((total, value) => total + (isNumber(value) ? value : 0), 0);
/** The member of a nested object, or undefined: at(result, "host", "read", "count"). */
const at = (value, ...names) => names.reduce((inner, name) => (inner === null || inner === undefined ? undefined : inner[name]), value);

/** Digits behind the point so that about three digits are seen. */
function digitsFor(value) {
  const size = Math.abs(value);
  return size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : Math.min(8, 2 - Math.floor(Math.log10(size)));
}

function number(value, digits) {
  if (!isNumber(value)) return "–";
  const places = digits ?? (Number.isInteger(value) ? 0 : digitsFor(value));
  return value.toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places });
}

const percent = (share) => (!isNumber(share) ? "–" : share > 0 && share < 0.0005 ? "<0.1 %" : `${number(100 * share, 1)} %`);

/** [divisor, unit] that suit a number of microseconds. */
function timeUnit(us) {
  const size = Math.abs(us);
  if (size >= 120e6) return [60e6, "min"];
  if (size >= 1e6) return [1e6, "s"];
  if (size >= 1e3) return [1e3, "ms"];
  return size >= 1 || size === 0 ? [1, "µs"] : [1e-3, "ns"];
}

function duration(us) {
  if (!isNumber(us)) return "–";
  if (us > 0 && us < 1e-5) return "<0.01 ns";  // a mean below the resolution
  const [divisor, unit] = timeUnit(us);
  return `${number(us / divisor, digitsFor(us / divisor))} ${unit}`;
}

/** Three significant digits with an SI prefix: 4.12 J, 32.3 µJ. */
function si(value, unit) {
  if (!isNumber(value)) return "–";
  const prefixes = ["p", "n", "µ", "m", "", "k", "M", "G", "T"];
  let prefix = 4;
  while (value !== 0 && Math.abs(value) < 0.9995 && prefix > 0) {
    value *= 1000;
    --prefix;
  }
  while (Math.abs(value) >= 999.5 && prefix + 1 < prefixes.length) {
    value /= 1000;
    ++prefix;
  }
  const size = Math.abs(value);
  return `${number(value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2)} ${prefixes[prefix]}${unit}`;
}

function bytes(count) {
  if (!isNumber(count)) return "–";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  let value = count;
  while (value >= 1024 && unit + 1 < units.length) {
    value /= 1024;
    ++unit;
  }
  return `${number(value, Number.isInteger(value) ? 0 : digitsFor(value))} ${units[unit]}`;
}

/** A value of the result as it would be written by hand. */
function plain(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") return Number.isInteger(value) && Math.abs(value) < 1e15 ? number(value) : String(value);
  if (Array.isArray(value)) return value.map(plain).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const words = (name) => String(name).replaceAll("_", " ");

/** Rows [name, value] of a small table; nested objects become dotted names. */
function flatten(value, prefix = "") {
  return Object.entries(value).flatMap(([name, inner]) =>
    isObject(inner) && Object.keys(inner).length > 0 ? flatten(inner, `${prefix}${name}.`) : [[prefix + name, inner]]);
}

/** Table from headings {text, number} and rows of text or elements. */
function table(headings, rows, attributes) {
  const cell = (tag, content, column) => element(tag, headings[column].number ? { class: "number" } : {}, content);
  return element("table", attributes,
    element("thead", {}, element("tr", {}, headings.map((heading, i) => cell("th", heading.text, i)))),
    element("tbody", {}, rows.map((row) => element("tr", row.total ? { class: "total" } : {},
      (row.cells ?? row).map((content, i) => cell("td", content, i))))));
}

/** Names, and short values, are not broken into lines. */
function pairTable(pairs, attributes) {
  const kShort = 16;
  const look = (value) => (String(value).length <= kShort ? "mono short" : "mono");
  return element("table", attributes, element("tbody", {}, pairs.map(([name, value]) =>
    element("tr", {}, element("td", { class: "mono" }, name), element("td", { class: look(value) }, value)))));
}

function section(title, note, ...children) {
  const shown = children.flat().filter(Boolean);
  return shown.length === 0 ? null
    : element("section", {}, element("h2", {}, title), note ? element("p", { class: "soft" }, note) : null, shown);
}
