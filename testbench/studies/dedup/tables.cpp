// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/dedup/tables.h"

#include <fmt/format.h>

#include "testbench/studies/parts/lines_table.h"

namespace solidtlm::testbench::dedup {
namespace {

std::string loads_text(std::span<const Load> loads, const TextStyle& style) {
    std::vector<Measured> rows;
    rows.reserve(loads.size());
    for (const Load& load : loads) {
        Json properties = load.properties;
        for (const char* share : {"repeated_share", "duplicate_share", "idle_share"}) {
            properties[share] = 100.0 * properties[share].get<double>();
        }
        properties["touched_bytes"] = properties["touched_bytes"].get<double>() / 1e6;
        rows.push_back(Measured{{{"load", load.name}}, std::move(properties), nullptr});
    }
    std::vector<const Measured*> pointers;
    pointers.reserve(rows.size());
    for (const Measured& row : rows) {
        pointers.push_back(&row);
    }
    return lines_table(pointers, "Loads", {"load"},
                       {{"requests", "requests", 0},
                        {"pages written", "written_pages", 0},
                        {"distinct", "distinct_contents", 0},
                        {"repeated %", "repeated_share", 1},
                        {"duplicates %", "duplicate_share", 1},
                        {"touched MB", "touched_bytes", 1},
                        {"idle %", "idle_share", 0},
                        {"gap ms", "mean_gap_ms", 1}},
                       style);
}

std::string system_text(Points points, const std::string& load, const TextStyle& style) {
    const auto of = select(points, {{"part", "systems"}, {"load", load}});
    return lines_table(of, fmt::format("{}: writes and flash", load), {"system"},
                       {{"write mean us", "write_mean_us", 1},
                        {"p99 us", "write_p99_us", 0},
                        {"hash us", "write_hash_us", 1},
                        {"flash us", "write_flash_us", 1},
                        {"buffer us", "write_buffer_us", 1},
                        {"read mean us", "read_mean_us", 1},
                        {"programs", "programs", 0},
                        {"GC moved", "gc_moved_pages", 0},
                        {"erases", "erases", 0}},
                       style) +
           lines_table(of, fmt::format("{}: deduplication", load), {"system"},
                       {{"found", "duplicates", 0},
                        {"candidates", "candidates", 0},
                        {"checked", "checked", 0},
                        {"compared", "comparisons", 0},
                        {"waiting", "waiting", 0},
                        {"unit busy %", "hash_busy_percent", 0},
                        {"us a page", "dedup_page_us", 1},
                        {"time s", "dedup_total_s", 2},
                        {"CRC32 s", "dedup_crc_s", 2},
                        {"MD5 s", "dedup_fingerprint_s", 2},
                        {"reading s", "dedup_read_s", 2},
                        {"comparing s", "dedup_compare_s", 2}},
                       style);
}

std::string sensitivity_text(Points points, const char* parameter, const char* title,
                             const TextStyle& style) {
    return lines_table(select(points, {{"part", "sensitivity"}, {"parameter", parameter}}), title,
                       {"value", "system"},
                       {{"write mean us", "write_mean_us", 1},
                        {"found", "duplicates", 0},
                        {"waiting", "waiting", 0},
                        {"time s", "dedup_total_s", 2},
                        {"GC moved", "gc_moved_pages", 0}},
                       style);
}

}  // namespace

std::string tables_of(Points points, std::span<const Load> loads, const TextStyle& style) {
    std::string text = loads_text(loads, style);
    for (const std::string& load : loads_of(points)) {
        text += system_text(points, load, style);
    }
    text += lines_table(select(points, {{"part", "power"}}), "Power loss after acknowledged duplicates",
                        {"system", "protection", "moment"},
                        {{"pages lost", "lost_pages", 0}, {"of", "pages_at_risk", 0}}, style);
    for (const auto& [parameter, title] : {std::pair("duplicates", "Share of duplicates, %"),
                                           {"idle", "Mean pause between bursts, ms"},
                                           {"speed", "Speed of arrivals"},
                                           {"byte_time", "Time of a byte on the flash bus, ns"},
                                           {"md5", "Time of an MD5 over 4 KiB, us"},
                                           {"table", "Size of the table, KB"}}) {
        text += sensitivity_text(points, parameter, title, style);
    }
    return text;
}

}  // namespace solidtlm::testbench::dedup
