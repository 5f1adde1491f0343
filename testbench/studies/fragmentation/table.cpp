// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/fragmentation/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "testbench/results/text_table.h"

namespace solidtlm::testbench::fragmentation {
namespace {

struct Published {
    const char* load;
    double gib;
    double mean_kib;
};
constexpr std::array<Published, 2> kTableOne{{{kIozone, 3.42, 58.68}, {kPcApplication, 1.62, 13.53}}};

std::string count(std::uint64_t value) {
    return grouped(static_cast<double>(value), 0);
}

std::string decimals(double value, int digits) {
    return grouped(value, digits);
}

TextTable system_table(bool timed) {
    TextTable table;
    table.column("layer", Align::left);
    table.column("rule", Align::left);
    for (const char* heading :
         {"data", "pure", "wasted", "util", "switch", "partial", "full", "drop", "copied", "erased", "WA"}) {
        table.column(heading, Align::right);
    }
    table.column(timed ? "MB/s" : "bound", Align::right);
    return table;
}

std::vector<TextTable::Cell> cells_of(const Observed& each) {
    const PageWrites& writes = each.writes;
    return {each.system.layer,
            each.system.rule ? "on" : "off",
            decimals(writes.share(writes.data), 1),
            decimals(writes.share(writes.pure), 1),
            decimals(writes.share(writes.wasted), 1),
            each.utilisation ? decimals(*each.utilisation, 1) : std::string("-"),
            count(each.merges.switches),
            count(each.merges.partial),
            count(each.merges.full),
            count(each.merges.drops),
            count(each.copies),
            count(each.work.erases),
            decimals(each.write_amplification(), 2),
            decimals(each.throughput(), 1)};
}

}  // namespace

std::string load_table(std::span<const NamedProfile> loads, double scale, const TextStyle& style) {
    TextTable table;
    table.column("load", Align::left);
    for (const char* heading :
         {"requests", "GiB", "mean KiB", "written GiB", "published GiB", "published KiB"}) {
        table.column(heading, Align::right);
    }
    for (const auto& [load, profile] : loads) {
        std::vector<TextTable::Cell> cells{
            load, count(profile.requests), decimals(static_cast<double>(profile.bytes) / hal::kGiB, 2),
            decimals(profile.mean_kib(), 2),
            decimals(static_cast<double>(profile.written_bytes) / hal::kGiB, 2)};
        const auto* published = std::ranges::find_if(
            kTableOne, [&name = load](const Published& each) { return name == each.load; });
        const bool known = published != kTableOne.end();
        cells.emplace_back(known ? decimals(published->gib * scale, 2) : std::string("-"));
        cells.emplace_back(known ? decimals(published->mean_kib, 2) : std::string("-"));
        table.row(std::move(cells));
    }
    std::string text = "\n" + style.bold("Loads (table 1 of the study)") + "\n" + table.render(style);
    if (scale != 1.0) {
        text += fmt::format("Drive, log and the study's two workloads are {} of their full size.\n", scale);
    }
    return text;
}

std::string system_tables(std::span<const Observed> all, const TextStyle& style) {
    const bool timed =
        std::ranges::any_of(all, [](const Observed& each) { return each.mb_per_s.has_value(); });
    std::string text;
    for (const std::string& load : loads_of(all)) {
        for (const std::string& striping : stripings_of(all)) {
            TextTable table = system_table(timed);
            for (const Observed& each : all) {
                if (each.load == load && each.system.striping == striping) {
                    table.row(cells_of(each));
                }
            }
            text += fmt::format("\n{}\n{}", style.bold(fmt::format("{}, striping {}", load, striping)),
                                table.render(style));
        }
    }
    text +=
        "\ndata, pure, wasted: percent of the page writes that are write_data, update_pure, update_wasted\n"
        "util: block utilisation at the end, percent; switch, partial, full, drop: merges\n"
        "copied: pages; erased: NAND blocks; WA: write amplification\n";
    return text + (timed ? "" : "bound: MB/s that the flash work allows if every die is always busy\n");
}

}  // namespace solidtlm::testbench::fragmentation
