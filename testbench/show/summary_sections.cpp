// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/summary_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "testbench/show/failures.h"

namespace solidtlm::testbench {
namespace {

std::vector<std::string> kinds_with_commands(const Json& result) {
    std::vector<std::string> kinds;
    for (const std::string_view name : kOperationNames) {
        const std::string kind(name);
        const Json& section = result.at("host").at(kind);
        if (number(section.at("count")) > 0 || number(section.at("failed")) > 0) {
            kinds.push_back(kind);
        }
    }
    return kinds;
}

std::string spread(const Json& values) {
    double sum = 0.0;
    double lowest = std::numeric_limits<double>::infinity();
    double highest = 0.0;
    for (const Json& value : values) {
        sum += number(value);
        lowest = std::min(lowest, number(value));
        highest = std::max(highest, number(value));
    }
    return fmt::format("{:>7}   each {} to {}", percent(sum / static_cast<double>(values.size())),
                       percent(lowest), percent(highest));
}

std::string holders(const Json& section) {
    std::string text;
    for (const auto& [name, share] : section.items()) {
        if (number(share) >= kShownShare / 2) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, percent(number(share)));
        }
    }
    return text;
}

/// Lists the parts without a given power, so that readers do not take them for free.
std::string left_out(const Json& energy) {
    std::string names;
    for (const char* part : {"link", "core"}) {
        double joules = 0.0;
        for (const char* state : {".active", ".idle"}) {
            joules += energy.at("parts_j").value(std::string(part) + state, 0.0);
        }
        if (joules == 0.0) {
            names += (names.empty() ? "" : " and ") + std::string(part);
        }
    }
    return names.empty() ? names : "without " + names + ", for which no power is given (docs/energy.md)";
}

}  // namespace

std::string percent(double fraction) {
    return fmt::format("{:.1f} %", 100.0 * fraction);
}

std::string bar(double share, std::size_t width, bool unicode) {
    const double columns = std::clamp(share, 0.0, 1.0) * static_cast<double>(width);
    if (!unicode) {
        std::string marks(static_cast<std::size_t>(std::lround(columns)), '#');
        return marks;
    }
    constexpr std::array<std::string_view, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const auto eighths = static_cast<std::size_t>(std::lround(columns * 8.0));
    std::string text;
    for (std::size_t i = 0; i < eighths / 8; ++i) {
        text += "█";
    }
    return text + std::string(kEighths[eighths % 8]);
}

std::string heading(const std::string& title, const TextStyle& style) {
    return '\n' + style.bold(title) + '\n';
}

double number(const Json& value) {
    return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

std::string value_text(const Json& value) {
    if (value.is_null()) {
        return "-";
    }
    if (value.is_string()) {
        return value.get<std::string>();
    }
    return value.is_number_float() ? fmt::format("{:.4g}", value.get<double>()) : value.dump();
}

std::string seconds_text(double seconds) {
    if (!std::isfinite(seconds)) {
        return "-";
    }
    if (seconds >= 100.0) {
        return grouped(seconds, 0) + " s";
    }
    const double shown = seconds >= 1.0 ? seconds : seconds >= 1e-3 ? seconds * 1e3 : seconds * 1e6;
    const int decimals = shown >= 99.95 ? 0 : shown >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f} {}", shown, decimals, seconds >= 1.0 ? "s" : seconds >= 1e-3 ? "ms" : "us");
}

std::string latency_text(const Json& latency_us, const char* field) {
    return grouped(number(latency_us.at(field)), 1);
}

std::string ratio_text(const Json& value) {
    return grouped(number(value), 3);
}

/// Failed commands, without those that were outstanding at a power cut and those that the run expects to
/// fail.
static double failed_commands(const Json& result) {
    if (result.value("failures_expected", false)) {
        return 0.0;
    }
    const double lost = result.contains("power") ? number(result.at("power").at("lost_commands")) : 0.0;
    return number(result.at("host").at("failed")) - lost;
}

double count_of_faults(const Json& result) {
    if (!result.contains("host")) {
        return 0.0;  // a table or a layer that was computed without a drive
    }
    double faults = failed_commands(result) + number(result.at("verify").at("mismatches"));
    for (const Json& count : result.at("nand").at("violations")) {
        faults += number(count);
    }
    return faults;
}

std::string throughput_section(const Json& result, const TextStyle& style) {
    const Json& host = result.at("host");
    const std::vector<std::string> kinds = kinds_with_commands(result);
    if (kinds.empty()) {
        return {};
    }
    TextTable table;
    table.column("", Align::left);
    for (const char* column : {"commands", "data", "MB/s", "IOPS", "failed"}) {
        table.column(column, Align::right);
    }
    const auto line = [&](const std::string& label, const Json& count, const std::string& data,
                          const Json& section) {
        table.row({label, grouped(number(count), 0), data, grouped(number(section.at("mb_per_s")), 1),
                   grouped(number(section.at("iops")), number(section.at("iops")) < 100.0 ? 1 : 0),
                   grouped(number(section.at("failed")), 0)});
    };
    for (const std::string& kind : kinds) {
        const Json& section = host.at(kind);
        line(kind, section.at("count"), bytes_text(number(section.at("bytes"))), section);
    }
    if (kinds.size() > 1) {
        const double moved = number(host.at("read").at("bytes")) + number(host.at("write").at("bytes"));
        line("read + write, all commands", host.at("completed"), bytes_text(moved), host);
    }
    return heading(fmt::format("Throughput over {}", seconds_text(number(host.at("measured_s")))), style) +
           table.render(style);
}

std::string latency_section(const Json& result, const TextStyle& style) {
    const Json& host = result.at("host");
    TextTable table;
    table.column("", Align::left);
    for (const char* column : {"mean", "p50", "p95", "p99", "p99.9", "max"}) {
        table.column(column, Align::right);
    }
    const auto line = [&table](const std::string& label, const Json& latency) {
        std::vector<TextTable::Cell> cells{label};
        for (const char* field : {"mean", "p50", "p95", "p99", "p999", "max"}) {
            cells.emplace_back(latency_text(latency, field));
        }
        table.row(std::move(cells));
    };
    std::size_t lines = 0;
    for (const std::string& kind : kinds_with_commands(result)) {
        if (number(host.at(kind).at("count")) > 0) {
            line(kind, host.at(kind).at("latency_us"));
            ++lines;
        }
    }
    if (lines > 1) {
        line("all", host.at("latency_us"));
    }
    return lines == 0 ? std::string{}
                      : heading(fmt::format("Latency, {}", style.us()), style) + table.render(style);
}

std::string nand_section(const Json& result, const TextStyle& style) {
    const Json& nand = result.at("nand");
    TextTable table;
    table.column("cause", Align::left);
    for (const char* column : {"page reads", "page programs", "block erases"}) {
        table.column(column, Align::right);
    }
    const auto line = [&table](const std::string& label, const Json& counts) {
        table.row({label, grouped(number(counts.at("reads")), 0), grouped(number(counts.at("programs")), 0),
                   grouped(number(counts.at("erases")), 0)});
    };
    std::size_t lines = 0;
    for (const auto& [cause, counts] : nand.at("by_cause").items()) {
        const bool any =
            std::any_of(counts.begin(), counts.end(), [](const Json& n) { return number(n) > 0; });
        if (any) {
            line(cause, counts);
            ++lines;
        }
    }
    if (lines != 1) {
        line("all", nand);
    }
    std::string text = heading("NAND operations", style) + table.render(style);
    const Json& amplification = result.at("write_amplification");
    if (!amplification.is_null()) {
        text += fmt::format("  write amplification {}: the host wrote {}, {} were programmed\n",
                            style.bold(ratio_text(amplification)),
                            bytes_text(number(nand.at("host_written_bytes"))),
                            bytes_text(number(nand.at("programmed_bytes"))));
    }
    return text;
}

std::string utilization_section(const Json& result, const TextStyle& style) {
    const Json& utilization = result.at("utilization");
    std::string text = heading("Utilisation", style);
    for (const char* name : {"link", "core", "dram"}) {
        const double share = number(utilization.at(name));
        text += fmt::format("  {:<12}{:>7}   {}\n", name, percent(share),
                            bar(share, kLongestBar / 2, style.unicode));
    }
    for (const auto& [name, by_holder] :
         {std::pair{"channels", "channels_by_holder"}, {"dies", "dies_by_holder"}}) {
        const Json& values = utilization.at(name);
        if (values.empty()) {
            continue;
        }
        text += fmt::format("  {:<12}{}\n", fmt::format("{} {}", values.size(), name), spread(values));
        if (utilization.contains(by_holder)) {
            const std::string shares = holders(utilization.at(by_holder));
            text +=
                shares.empty() ? std::string{} : fmt::format("  {:<12}{:>7}   {}\n", "", "", "by " + shares);
        }
    }
    std::string clean;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = text.find('\n', begin);
        std::string line = text.substr(begin, end - begin);
        line.erase(line.find_last_not_of(' ') + 1);
        clean += line + '\n';
        begin = end + 1;
    }
    return clean;
}

std::string filesystem_lines(const Json& result, const TextStyle& style) {
    const auto section = result.find("filesystem");
    if (section == result.end()) {
        return {};
    }
    const auto value = [&section](const char* name) { return number(section->at(name)); };
    const auto whole = [&value](const char* name) { return grouped(value(name), 0); };
    std::string text = heading("File system", style);
    text += fmt::format("  {} operations/s, {} with the sync behind them ({} operations)\n",
                        whole("operations_per_s"), whole("synced_operations_per_s"), whole("operations"));
    text += fmt::format("  {} commits in {}, {} of it waiting for trims\n", whole("commits"),
                        seconds_text(value("commit_s")), seconds_text(value("commit_trim_s")));
    text += fmt::format("  {} TRIM commands, {} ranges, {} on average\n", whole("trims"),
                        whole("trim_ranges"), seconds_text(value("trim_mean_us") * 1e-6));
    if (value("no_space") > 0) {
        text += "  " + style.red(fmt::format("{} calls found no space", whole("no_space"))) + '\n';
    }
    return text;
}

std::string dedup_lines(const Json& result, const TextStyle& style) {
    const auto section = result.find("dedup");
    if (section == result.end()) {
        return {};
    }
    const auto value = [&section](const char* name) { return number(section->at(name)); };
    const auto whole = [&value](const char* name) { return grouped(value(name), 0); };
    TextTable table;
    table.column("step", Align::left);
    for (const std::string& column :
         {std::string("pages"), std::string("time"), fmt::format("mean {}", style.us())}) {
        table.column(column, Align::right);
    }
    const auto line = [&](const char* label, const char* pages, const char* time) {
        const double count = pages == nullptr ? 0.0 : value(pages);
        const double us = number(section->at("time_us").at(time));
        if (count > 0.0 || us > 0.0) {
            table.row({label, count > 0.0 ? grouped(count, 0) : "-", seconds_text(us / 1e6),
                       count > 0.0 ? grouped(us / count, 1) : "-"});
        }
    };
    line("CRC32", "crcs", "crc");
    line("fingerprint", "fingerprints", "fingerprint");
    line("flash read", nullptr, "read");
    line("comparison", "comparisons", "compare");
    line("all", nullptr, "total");
    std::string text =
        heading("Deduplication, " + section->at("system").get<std::string>(), style) + table.render(style);
    const std::array facts{
        fmt::format(
            "{} duplicates found that share a page now, {} that do not; {} pages of flash saved, {} shared",
            whole("duplicates"), whole("refused"), whole("saved_pages"), whole("shared_pages")),
        fmt::format("host idle {} times, {} pages looked at then, {} still wait", whole("idle_periods"),
                    whole("checked"), whole("waiting")),
        fmt::format("tables of {} hold {} entries, {} forgotten", bytes_text(value("table_bytes")),
                    whole("table_entries"), whole("evicted"))};
    for (const std::string& fact : facts) {
        for (const std::string& each : wrap_words(fact, style.width - 2)) {
            text += "  " + each + '\n';
        }
    }
    return text;
}

std::string energy_section(const Json& result, const TextStyle& style) {
    const auto energy = result.find("energy");
    if (energy == result.end() || number(energy->at("total_j")) <= 0.0) {
        return {};
    }
    const double total = number(energy->at("total_j"));
    std::string facts = fmt::format("{} in {}, {} on average", si_text(total, "J"),
                                    seconds_text(number(energy->at("seconds"))),
                                    si_text(number(energy->at("mean_power_w")), "W"));
    struct Ratio {
        const char* name;
        double joules;  // joules per unit of the field
        const char* per;
    };
    for (const Ratio& ratio :
         {Ratio{"nj_per_host_byte", 1e-9, "per host byte"}, Ratio{"uj_per_command", 1e-6, "per command"}}) {
        if (!energy->at(ratio.name).is_null()) {
            facts += fmt::format(", {} {}", si_text(number(energy->at(ratio.name)) * ratio.joules, "J"),
                                 ratio.per);
        }
    }
    std::vector<std::pair<double, std::string>> parts;
    for (const auto& [name, joules] : energy->at("parts_j").items()) {
        if (number(joules) >= kShownShare * total) {
            parts.emplace_back(number(joules), name);
        }
    }
    std::ranges::stable_sort(parts, std::ranges::greater{}, &std::pair<double, std::string>::first);
    std::string shares;
    for (const auto& [joules, name] : parts) {
        shares += fmt::format("{}{} {}", shares.empty() ? "" : ", ", name, percent(joules / total));
    }
    std::string text = heading("Energy", style);
    for (const std::string& fact : {facts, shares, left_out(*energy)}) {
        for (const std::string& line : wrap_words(fact, style.width - 2)) {
            text += "  " + line + '\n';
        }
    }
    return text;
}

/// How long boots took, with their steps; what the steps found is summed.
std::string boots_text(const Json& power) {
    if (power.at("boots") == 0) {
        return {};
    }
    const auto times = [](const Json& us) {
        return fmt::format("{:>9} on average, {:>9} at most", seconds_text(number(us.at("mean")) / 1e6),
                           seconds_text(number(us.at("max")) / 1e6));
    };
    const auto words = [](std::string name) {
        std::ranges::replace(name, '_', ' ');
        return name;
    };
    std::string text = fmt::format("  {:<20} {}; {} completed\n", "boot", times(power.at("boot_us")),
                                   grouped(number(power.at("boots")), 0));
    for (const Json& step : power.at("boot_steps")) {
        text += fmt::format("    {:<18} {}", words(step.at("name")), times(step.at("us")));
        std::string_view before = "; ";
        for (const auto& [what, count] : step.at("found").items()) {
            if (count != 0) {
                text += fmt::format("{}{} {}", std::exchange(before, ", "), grouped(number(count), 0),
                                    words(what));
            }
        }
        text += '\n';
    }
    return text;
}

std::string power_section(const Json& result, const TextStyle& style) {
    const auto power = result.find("power");
    if (power == result.end() || (power->at("cuts") == 0 && power->at("boots") == 0)) {
        return {};
    }
    std::string text = heading("Power cuts", style);
    text +=
        fmt::format("  {} cuts, {} of them while the drive booted; {} commands were lost with them\n",
                    grouped(number(power->at("cuts")), 0), grouped(number(power->at("interrupted_boots")), 0),
                    grouped(number(power->at("lost_commands")), 0));
    text += boots_text(*power);
    if (const double pages = number(power->at("capacitor_pages")); pages > 0) {
        text += fmt::format("  the capacitor had to last {} at most; {} pages written\n",
                            seconds_text(number(power->at("capacitor_us")) / 1e6), grouped(pages, 0));
    }
    return text;
}

std::string verdict_section(const Json& result, const TextStyle& style) {
    std::string text = heading("Checks", style);
    const double checked = number(result.at("verify").at("reads_checked"));
    const double mismatches = number(result.at("verify").at("mismatches"));
    if (mismatches > 0) {
        text +=
            "  " +
            style.red(fmt::format("{} sectors read back something else than was written ({} reads checked)",
                                  grouped(mismatches, 0), grouped(checked, 0))) +
            '\n';
    } else if (checked > 0) {
        text += fmt::format("  {} reads checked against what was written, all right\n", grouped(checked, 0));
    } else {
        text += "  no data was checked\n";
    }
    const double failed = failed_commands(result);
    if (failed > 0) {
        text += "  " + style.red(fmt::format("{} commands failed", grouped(failed, 0))) + '\n';
        const std::vector<std::string> facts =
            result.contains("failures") ? failure_facts(result.at("failures")) : std::vector<std::string>();
        for (const std::string& fact : facts) {
            for (const std::string& line : wrap_words(fact, style.width - 4)) {
                text += "    " + line + '\n';
            }
        }
    }
    const double residual = number(result.at("ledger").at("residual_ns"));
    text += residual == 0.0
                ? "  the stages of every command add up to its latency\n"
                : "  " +
                      style.red(fmt::format("stages miss the latency by up to {} ns: a bug of the model",
                                            grouped(residual, 3))) +
                      '\n';
    for (const auto& [rule, count] : result.at("nand").at("violations").items()) {
        if (number(count) > 0) {
            text +=
                "  " +
                style.red(fmt::format("NAND rule violated, {}: {} times", rule, grouped(number(count), 0))) +
                '\n';
        }
    }
    return text;
}

}  // namespace solidtlm::testbench
