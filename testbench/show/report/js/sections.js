// SPDX-License-Identifier: Apache-2.0
//
// The parts of the page that are words and tables.

/**
 * What must hold in a result of one run: {good, what, checked, text}, where `good` is null if it was not checked. What the
 * result does not say is left out.
 */
function checksOf(result) {
  if (!isObject(result)) return [{ good: false, text: "there is no result" }];
  const checks = [];
  const add = (what, value, good, text) => {
    if (value !== undefined) checks.push({ good, what, checked: good !== null, text });
  };
  const failed = at(result, "host", "failed");
  const expected = at(result, "failures_expected") === true;
  add("commands", failed, failed === 0 || expected, failed === 0 ? `${number(at(result, "host", "completed"))} commands completed, none failed`
    : `${number(failed)} of ${number(at(result, "host", "issued"))} commands failed${expected ? ", as they may in this run" : ""}`);
  const lost = (at(result, "host", "issued") ?? 0) - (at(result, "host", "completed") ?? 0) - (failed ?? 0);
  if (lost > 0) add("commands", lost, false, `${number(lost)} commands never ended`);
  const mismatches = at(result, "verify", "mismatches");
  const checked = at(result, "verify", "reads_checked");
  add("contents", mismatches, mismatches > 0 ? false : checked > 0 || null, mismatches > 0 ? `${number(mismatches)} sectors read back something else than what was written`
    : checked > 0 ? `${number(checked)} reads checked against what had been written, all right` : "no read was checked against what had been written");
  const residual = at(result, "ledger", "residual_ns");
  add("stages", residual, residual === 0, residual === 0 ? "the stages of every command add up to its latency exactly"
    : `the stages of a command miss its latency by ${number(residual)} ns`);
  const violations = at(result, "nand", "violations");
  const broken = sum(Object.values(violations ?? {}));
  add("NAND rules", violations, broken === 0, broken === 0 ? "no NAND rule was broken"
    : `NAND operations refused: ${Object.entries(violations).map(([rule, count]) => `${words(rule)} ${number(count)}`).join(", ")}`);
  // The run's own words say more.
  const faults = (Array.isArray(result.faults) ? result.faults : []).map((fault) => ({ good: false, text: plain(fault) }));
  return faults.length > 0 ? [...faults, ...checks.filter((check) => check.good !== false)] : checks;
}

const faultsOf = (result) => checksOf(result).filter((check) => check.good === false).length;

/** False: a result without commands, of a table or a layer that was computed without a drive. */
const hasChecks = (result) => checksOf(result).length > 0;

const warningsOf = (result) => (Array.isArray(result?.warnings) ? result.warnings.map(plain) : []);

function checkList(checks) {
  return element("ul", { class: "checks" }, checks.map(({ good, text }) =>
    element("li", text.includes("\n") ? { class: "lines" } : {},
      element("span", { class: `mark ${good === null ? "soft" : good ? "good" : "bad"}` }, good === null ? "–" : good ? "✓" : "✗"), text)));
}

function tile(name, value, unit, more) {
  return element("div", { class: "tile" }, element("div", { class: "name" }, name),
    element("div", { class: "value" }, value, unit ? element("small", {}, ` ${unit}`) : null), [].concat(more ?? []).filter(Boolean).map((line) => element("div", { class: "more" }, line)));
}

function header(result, kicker, subtitle, badge) {
  return element("header", {},
    element("div", {}, element("div", { class: "kicker" }, kicker), element("h1", {}, result.scenario ?? "SolidTLM"),
      subtitle.filter(Boolean).map((line) => element("p", { class: "soft" }, line))),
    element("div", { class: `badge ${badge.look}` }, badge.text));
}

/** Says that the link is ideal, in a run or at points of a study. */
function idealLinkLine(result) {
  const ideal = (one) => at(one, "config", "sata", "generation") === "ideal";
  const points = Array.isArray(result.points) ? result.points : [];
  const count = points.filter((point) => ideal(point.result)).length;
  if (points.length ? count === 0 : !ideal(result)) return null;
  const where = points.length && count < points.length ? ` at ${number(count)} of ${number(points.length)} points` : "";
  return `Ideal link${where}: frames take no time (sata.generation=ideal).`;
}

/** What the drive took, and what for; parts without a power are not listed. */
function energySection(result) {
  const energy = result.energy;
  if (!isObject(energy) || !(energy.total_j > 0)) return null;
  const parts = Object.entries(energy.parts_j ?? {}).filter(([, joules]) => joules > 0).sort((a, b) => b[1] - a[1]);
  const perByte = isNumber(energy.nj_per_host_byte) ? `, ${si(1e-9 * energy.nj_per_host_byte, "J")} per host byte` : "";
  const perCommand = isNumber(energy.uj_per_command) ? `, ${si(1e-6 * energy.uj_per_command, "J")} per command` : "";
  return section("Energy", `${si(energy.total_j, "J")}, ${si(energy.mean_power_w, "W")} on average${perByte}${perCommand}. Parts that are not listed have no power in the configuration.`,
    table([{ text: "part" }, { text: "energy", number: true }, { text: "share", number: true }],
      parts.map(([name, joules]) => [name, si(joules, "J"), percent(joules / energy.total_j)])));
}

/** What was read of each trace. */
function tracesSection(traces) {
  if (!Array.isArray(traces) || traces.length === 0) return null;
  const counts = (trace, ...names) => names.filter((name) => trace[name] > 0).map((name) => `${words(name)} ${number(trace[name])}`).join(", ");
  const devices = (trace) => {
    const named = (trace.devices ?? []).map((device) => `${plain(device.name)} (${number(device.requests)})`);
    if (trace.device_count > named.length) named.push(`${number(trace.device_count - named.length)} more`);
    return `${named.join(", ")}${trace.device_count > 1 ? "; laid on top of each other, as one" : ""}`;
  };
  const rows = traces.map((trace) => [plain(trace.file), `${plain(trace.format)} (${plain(trace.format_by)})`, number(trace.requests),
    counts(trace, "reads", "writes", "trims", "flushes", "write_zeroes"), duration(1e6 * trace.span_s),
    isNumber(trace.lowest_lba) ? `${number(trace.lowest_lba)} to ${number(trace.highest_lba)}` : "–", devices(trace),
    counts(trace, "other_devices", "other_events", "left_out", "skipped", "unknown", "passed_lines", "reordered", "clamped")]);
  return section("Traces", "What was read of them, and what of them is not in the run as it stands in the file.", element("div", { class: "scroll" },
    table(["file", "format", "requests", "of these", "within", "sectors", "devices", "exceptions"].map((text) => ({ text, number: text === "requests" })), rows)));
}

/** One line about the device, from its configuration. */
function deviceLine(config, lead = "Device") {
  const geometry = at(config, "nand", "geometry");
  if (!geometry) return null;
  const { channels, dies, planes, blocks, pages, page_size: page } = geometry;
  const differ = Boolean(geometry.die_blocks);
  const shape = differ ? `${plain(at(config, "derived", "total_dies"))} dies that differ` : `${plain(dies)} dies`;
  const parts = [`${plain(channels)} channels ${differ ? "with" : "×"} ${shape} × ${plain(planes)} planes`];
  const raw = at(config, "derived", "raw_bytes") ?? channels * dies * planes * blocks * pages * page;
  if (isNumber(raw)) parts.push(`${bytes(raw)} of flash`);
  if (isNumber(page)) parts.push(`pages of ${bytes(page)}`);
  const order = at(config, "firmware", "allocation", "order");
  if (order) parts.push(`striping ${order}`);
  return `${config.preset ? `${lead} ${config.preset}` : lead}: ${parts.join(", ")}.`;
}

function runTiles(result) {
  const host = result.host ?? {};
  // The two kinds that matter most, on lines of their own.
  const split = (kinds, text) => (kinds.length > 1 ? kinds.slice(0, 2).map((kind) => `${kind} ${text(host[kind])}`) : kinds.length === 1 ? [`${kinds[0]} only`] : []);
  const moving = kindsOf(result).filter((kind) => kind === "read" || kind === "write");
  const mean = at(host, "latency_us", "mean");
  const measured = at(result, "series", "measured_us") !== undefined;
  const timed = (us) => (isNumber(us) ? duration(us).split(" ") : ["–", ""]);
  return element("div", { class: "tiles" },
    tile("Throughput", number(host.mb_per_s), "MB/s", split(moving, (kind) => number(kind.mb_per_s))),
    tile("Commands per second", number(host.iops, host.iops >= 100 ? 0 : undefined), "", split(kindsOf(result), (kind) => number(kind.iops, 0))),
    tile("Mean latency", ...timed(mean), split(kindsOf(result), (kind) => duration(kind.latency_us.mean))),
    tile("99 % within", ...timed(at(host, "latency_us", "p99")), [`99.9 % within ${duration(at(host, "latency_us", "p999"))}`, `longest ${duration(at(host, "latency_us", "max"))}`]),
    tile("Write amplification", isNumber(result.write_amplification) ? number(result.write_amplification, 2) : "–", "",
      isNumber(result.write_amplification) ? `${number(at(result, "nand", "erases"))} blocks erased` : "nothing written"),
    tile(measured ? "Measured" : "Simulated", ...timed(isNumber(result.sim_time_s) ? 1e6 * result.sim_time_s : undefined),
      [measured ? `${number(host.completed)} commands` : "", `${measured ? "whole run: " : ""}${number(host.requests)} requests`,
        isNumber(result.wall_time_s) ? `took ${duration(1e6 * result.wall_time_s)} to run` : ""]));
}

/** Sentences about what the numbers say. */
function findings(result) {
  const found = [];
  const [all] = stageRows(result);
  if (all) {
    const largest = Object.entries(all.stages).sort((a, b) => b[1] - a[1]).filter(([, us]) => us >= 0.05 * all.total).slice(0, 3);
    found.push(`Where the time of a mean command went: ${largest.map(([stage, us]) => `${words(stage)} ${percent(us / all.total)}`).join(", ")}.`);
  }
  const used = result.utilization;
  if (used) {
    const mean = (values) => (values?.length ? sum(values) / values.length : undefined);
    const parts = [["the link", used.link], ["the firmware core", used.core], ["DRAM", used.dram], ["the channels (mean)", mean(used.channels)], ["the dies (mean)", mean(used.dies)]]
      .filter(([, share]) => isNumber(share)).sort((a, b) => b[1] - a[1]);
    if (parts.length > 0 && parts[0][1] > 0) {
      found.push(`Busiest: ${parts.slice(0, 3).map(([name, share]) => `${name} ${percent(share)}`).join(", ")}.`);
    }
  }
  const by = at(result, "nand", "by_cause");
  const programs = at(result, "nand", "programs");
  if (by && programs > 0 && sum(Object.entries(by).filter(([cause]) => cause !== "host").map(([, counts]) => counts.programs)) > 0) {
    found.push(`Pages were programmed ${Object.entries(by).filter(([, counts]) => counts.programs > 0)
      .map(([cause, counts]) => `${percent(counts.programs / programs)} for ${cause}`).join(", ")}.`);
  }
  return found.length === 0 ? null : element("ul", { class: "findings" }, found.map((text) => element("li", {}, text)));
}

function utilizationTable(result) {
  const used = result.utilization;
  if (!isObject(used)) return null;
  const range = (values) => (values?.length > 1 ? `each ${percent(Math.min(...values))} to ${percent(Math.max(...values))}` : "");
  const split = (shares) => Object.entries(shares ?? {}).filter(([, share]) => share >= 0.0005).map(([name, share]) => `${name} ${percent(share)}`).join(", ");
  const mean = (values) => sum(values ?? []) / Math.max(1, (values ?? []).length);
  const rows = [["link", percent(used.link), ""], ["firmware core", percent(used.core), split(used.core_by_cause)], ["DRAM", percent(used.dram), ""],
    [`${(used.channels ?? []).length} channels`, percent(mean(used.channels)), [range(used.channels), split(used.channels_by_holder)].filter(Boolean).join("; for ")],
    [`${(used.dies ?? []).length} dies`, percent(mean(used.dies)), [range(used.dies), split(used.dies_by_holder)].filter(Boolean).join("; for ")]];
  return table([{ text: "part" }, { text: "busy", number: true }, { text: "" }], rows);
}

function nandTable(result) {
  const nand = result.nand;
  if (!isObject(nand)) return null;
  const rows = Object.entries(nand.by_cause ?? {}).filter(([, counts]) => sum(Object.values(counts)) > 0)
    .map(([cause, counts]) => [element("span", {}, element("span", { class: "swatch", style: `background:${kHolderColours[cause] ?? kSoft}` }), cause),
      number(counts.reads), number(counts.programs), number(counts.erases)]);
  rows.push({ total: true, cells: ["all", number(nand.reads), number(nand.programs), number(nand.erases)] });
  return table([{ text: "for" }, { text: "pages read", number: true }, { text: "pages programmed", number: true }, { text: "blocks erased", number: true }], rows);
}

const kVerdicts = { reproduced: ["good", "✓"], partly: ["part", "◐"], "not reproduced": ["bad", "✗"] };

function claimsTable(claims) {
  const rows = claims.map((claim) => {
    const [look, mark] = kVerdicts[claim.verdict] ?? ["part", "?"];
    return [plain(claim.id), plain(claim.claim), plain(claim.published), plain(claim.measured),
      element("span", { class: look, style: "white-space:nowrap;font-weight:600" }, `${mark} ${plain(claim.verdict)}`), claim.reason ? plain(claim.reason) : ""];
  });
  const reasons = claims.some((claim) => claim.reason);
  const headings = ["", "claim", "published", "measured", "verdict", ...(reasons ? ["reason"] : [])].map((text) => ({ text }));
  return table(headings, reasons ? rows : rows.map((row) => row.slice(0, 5)), { class: "full" });
}

function configurationLists(config) {
  if (!isObject(config)) return null;
  const groups = Object.entries(config).filter(([, value]) => isObject(value));
  const loose = Object.entries(config).filter(([, value]) => !isObject(value));
  const group = (name, pairs) => element("section", {}, element("h3", {}, name), pairTable(pairs.map(([key, value]) => [key, configValue(value)])));
  return element("div", { class: "columns" }, loose.length ? group("run", loose) : null,
    groups.map(([name, value]) => group(name, flatten(value))));
}

/** As in the configuration file: numbers without separators. */
const configValue = (value) => (typeof value === "string" ? value : JSON.stringify(value));

/** Fields that the page has no place of its own for. */
function furtherFields(result, known) {
  const rest = Object.entries(result).filter(([name]) => !known.has(name));
  return rest.map(([name, value]) => element("div", { class: "together" }, element("h3", {}, words(name)),
    isObject(value) ? pairTable(flatten(value).slice(0, 400).map(([key, inner]) => [key, configValue(inner)])) : element("pre", {}, JSON.stringify(value, null, 1).slice(0, 20000))));
}
