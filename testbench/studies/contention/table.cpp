// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/contention/table.h"

#include <fmt/format.h>

#include "testbench/results/text_table.h"
#include "testbench/studies/parts/panels.h"

namespace solidtlm::testbench::contention {
namespace {

using Cells = std::vector<TextTable::Cell>;

std::string percent(double fraction) {
    return fmt::format("{:.0f}", 100.0 * fraction);
}

std::string tenth(double value) {
    return fmt::format("{:.1f}", value);
}

void columns(TextTable& table, std::initializer_list<const char*> headings) {
    for (const char* heading : headings) {
        table.column(heading, Align::right);
    }
}

std::string matrix(std::span<const MeasuredPoint> panel, const TextStyle& style) {
    TextTable table;
    table.column("map cache", Align::left);
    const std::vector<std::uint32_t> channels = channels_of(panel);
    for (const std::uint32_t count : channels) {
        table.column(std::to_string(count) + (count == 1 ? " channel" : " channels"), Align::right);
    }
    for (const std::uint64_t cache : caches_of(panel)) {
        Cells cells{cache_name(cache)};
        for (const std::uint32_t count : channels) {
            const MeasuredPoint* point = find(panel, count, cache);
            cells.emplace_back(point == nullptr ? std::string("failed")
                                                : fmt::format("{:.1f} {:<11}", point->measured.mb_per_s,
                                                              limit_name(limit_of(point->measured))));
        }
        table.row(std::move(cells));
    }
    return table.render(style);
}

std::string throughput_rows(std::span<const MeasuredPoint> panel, const TextStyle& style) {
    TextTable table;
    columns(table, {"ch", "cache", "hit %", "MB/s", "bound", "%"});
    table.column("by", Align::left);
    columns(table, {"mean us", "p99 us", "link", "ch", "of map", "die", "of map", "most", "core"});
    table.column("limit", Align::left);
    for (const MeasuredPoint& point : panel) {
        const Measured& measured = point.measured;
        table.row({std::to_string(point.channels), cache_name(point.cache_bytes), percent(measured.hit_ratio),
                   tenth(measured.mb_per_s), tenth(point.bounds.least()), percent(point.of_bound()),
                   std::string(kResourceNames[static_cast<std::size_t>(point.bounds.binding())]),
                   grouped(measured.mean_us, 0), grouped(measured.p99_us, 0), percent(measured.link),
                   percent(measured.channels.mean), percent(measured.channels.map),
                   percent(measured.dies.mean), percent(measured.dies.map), percent(measured.dies.most),
                   percent(measured.core), std::string(limit_name(limit_of(measured)))});
    }
    return table.render(style);
}

/// Where the time goes, in percent of the mean request.
std::string share_rows(std::span<const MeasuredPoint> panel, const TextStyle& style) {
    TextTable table;
    columns(table, {"ch", "cache", "link", "core", "queue", "dram,ecc", "bus", "array", "bus wait", "for map",
                    "die wait", "for map"});
    columns(table,
            {"miss:", "lock", "core,ecc", "bus", "array", "bus wait", "for map", "die wait", "for map"});
    for (const MeasuredPoint& point : panel) {
        const Measured& m = point.measured;
        const auto waits = [&m](Part host, Part map, Part gc) {
            return percent(m.share(host) + m.share(map) + m.share(gc));
        };
        table.row(
            {std::to_string(point.channels),
             cache_name(point.cache_bytes),
             percent(m.share(Part::link)),
             percent(m.share(Part::core)),
             percent(m.share(Part::queue)),
             percent(m.share(Part::dram_ecc)),
             percent(m.share(Part::channel_transfer)),
             percent(m.share(Part::array)),
             waits(Part::channel_wait_host, Part::channel_wait_map, Part::channel_wait_gc),
             percent(m.share(Part::channel_wait_map)),
             waits(Part::die_wait_host, Part::die_wait_map, Part::die_wait_gc),
             percent(m.share(Part::die_wait_map)),
             percent(m.miss_share()),
             percent(m.share(Part::miss_queue)),
             percent(m.share(Part::miss_core) + m.share(Part::miss_dram_ecc)),
             percent(m.share(Part::miss_channel_transfer)),
             percent(m.share(Part::miss_array)),
             waits(Part::miss_channel_wait_host, Part::miss_channel_wait_map, Part::miss_channel_wait_gc),
             percent(m.share(Part::miss_channel_wait_map)),
             waits(Part::miss_die_wait_host, Part::miss_die_wait_map, Part::miss_die_wait_gc),
             percent(m.share(Part::miss_die_wait_map))});
    }
    return table.render(style);
}

enum class Dimension : std::uint8_t { channels, cache };

std::string answers(std::span<const Answer> lines, Dimension dimension, const TextStyle& style) {
    if (lines.empty()) {
        return {};
    }
    const bool channels = dimension == Dimension::channels;
    TextTable table;
    table.column(channels ? "map cache" : "channels", Align::left);
    columns(table, {channels ? "enough channels" : "enough cache", "hit %", "MB/s", "next %", "rest %"});
    table.column("what limits there", Align::wrap);
    for (const Answer& line : lines) {
        const Measured& measured = line.point->measured;
        const std::string at =
            channels ? std::to_string(line.point->channels) : cache_name(line.point->cache_bytes);
        const bool hits = !channels && measured.hit_ratio >= kAllHit;
        table.row({channels ? cache_name(line.cache_bytes) : std::to_string(line.channels),
                   line.knee ? at : "above " + at, percent(measured.hit_ratio), tenth(measured.mb_per_s),
                   line.knee ? tenth(100.0 * line.knee->gain) : "-",
                   line.knee ? tenth(100.0 * line.knee->rest) : "-",
                   (hits ? "everything hits; " : "") + limit_text(measured)});
    }
    return style.bold(channels ? "Where more channels stop helping" : "Where a larger cache stops helping") +
           " (no further doubling gains 5 %)\n" + table.render(style);
}

/// Rows of a panel in a few words, such as "64KiB from 8 (misses), 128KiB from 8 (misses)".
std::string row_list(std::span<const Answer> lines, Dimension dimension) {
    std::string text;
    for (const Answer& line : lines) {
        const Limit limit = limit_of(line.point->measured);
        const bool full = limit == Limit::link || limit == Limit::channels;
        const bool wanted = dimension == Dimension::channels
                                ? limit == Limit::misses
                                : full && line.point->measured.hit_ratio < kAllHit;
        if (!line.knee || !wanted) {
            continue;
        }
        text += text.empty() ? "" : ", ";
        text += dimension == Dimension::channels
                    ? fmt::format("{} from {}", cache_name(line.cache_bytes), line.channels)
                    : fmt::format("{} from {} ({})", line.channels, cache_name(line.cache_bytes),
                                  limit_name(limit));
    }
    return text;
}

/// What the study asks, over all panels.
std::string in_short(std::span<const MeasuredPoint> points, Dimension dimension, const TextStyle& style) {
    TextTable table;
    table.column("panel", Align::left);
    table.column(
        dimension == Dimension::channels ? "map cache, from how many channels" : "channels, from what cache",
        Align::wrap);
    bool any = false;
    for (const std::span<const MeasuredPoint> panel : by_panel(points)) {
        const std::string rows = row_list(
            dimension == Dimension::channels ? enough_channels(panel) : enough_cache(panel), dimension);
        if (!rows.empty()) {
            table.row({panel.front().panel.name(), rows});
            any = true;
        }
    }
    const std::string title = dimension == Dimension::channels
                                  ? "More channels stop helping because misses come one after another"
                                  : "A larger cache stops helping because the channels or the link are full";
    return "\n" + style.bold(title) + "\n" + (any ? table.render(style) : "nowhere in this sweep\n");
}

}  // namespace

std::string tables(std::span<const MeasuredPoint> points, bool details, const TextStyle& style) {
    std::string text;
    for (const std::span<const MeasuredPoint> panel : by_panel(points)) {
        text += "\n" + style.bold(panel.front().panel.name()) + "\n";
        text += matrix(panel, style);
        if (details) {
            text += "\n" + throughput_rows(panel, style) + "\n" + share_rows(panel, style);
        }
        const std::string more_channels = answers(enough_channels(panel), Dimension::channels, style);
        const std::string more_cache = answers(enough_cache(panel), Dimension::cache, style);
        text += (more_channels.empty() ? "" : "\n" + more_channels) +
                (more_cache.empty() ? "" : "\n" + more_cache);
    }
    text += in_short(points, Dimension::channels, style) + in_short(points, Dimension::cache, style);
    return text;
}

}  // namespace solidtlm::testbench::contention
