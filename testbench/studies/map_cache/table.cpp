// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/map_cache/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "testbench/results/text_table.h"

namespace solidtlm::testbench::map_cache {
namespace {

std::string size_text(std::uint64_t bytes) {
    return bytes % hal::kKiB == 0 ? fmt::format("{} KiB", bytes / hal::kKiB) : fmt::format("{} B", bytes);
}

/// The caches of each load, in order.
std::vector<std::span<const Measured>> by_load(std::span<const Measured> all) {
    std::vector<std::span<const Measured>> loads;
    for (std::size_t begin = 0; begin < all.size();) {
        std::size_t end = begin + 1;
        while (end < all.size() && all[end].load == all[begin].load) {
            ++end;
        }
        loads.push_back(all.subspan(begin, end - begin));
        begin = end;
    }
    return loads;
}

struct Quantity {
    std::string title;
    bool more_is_better;
    std::function<std::optional<double>(const Measured&)> value;
    int digits;
};

std::vector<Quantity> quantities(bool timed) {
    std::vector<Quantity> all{
        {"hit ratio, %", true, [](const Measured& m) { return kPercent * m.hit_ratio; }, 2},
        {"mean penalty of a page request, us: closed form, bytes of the entries (the study's figure)", false,
         [](const Measured& m) { return m.entries.total; }, 1},
        {"mean penalty, us: closed form, whole sectors or codewords", false,
         [](const Measured& m) { return m.bus.total; }, 1}};
    if (timed) {
        all.push_back(
            {"mean penalty, us: measured, waiting for dies, channels and core included", false,
             [](const Measured& m) { return m.measured ? std::optional(m.measured->total) : std::nullopt; },
             1});
    }
    return all;
}

/// The best of each size stands out.
TextTable::Cell cell(double value, bool best, int digits) {
    TextTable::Cell text(fmt::format("{}{:.{}f}", best ? "*" : "", value, digits));
    if (best) {
        text.paint = [](const TextStyle& style, const std::string& padded) { return style.green(padded); };
    }
    return text;
}

std::string matrix(std::span<const Measured> load, const Quantity& quantity, const TextStyle& style) {
    std::set<std::uint64_t> sizes;
    std::vector<std::string> policies;
    for (const Measured& each : load) {
        sizes.insert(each.size_bytes);
        if (std::ranges::find(policies, each.policy.name) == policies.end()) {
            policies.push_back(each.policy.name);
        }
    }
    const auto value = [&](const std::string& policy, std::uint64_t size) -> std::optional<double> {
        const Measured* found = find(load, load.front().load, policy, size);
        return found == nullptr ? std::nullopt : quantity.value(*found);
    };
    TextTable table;
    table.column(quantity.title.substr(0, quantity.title.find(':')), Align::left);
    std::map<std::uint64_t, double> best;
    for (const std::uint64_t size : sizes) {
        table.column(size_text(size), Align::right);
        for (const std::string& policy : policies) {
            if (const auto number = value(policy, size)) {
                const auto [at, first] = best.try_emplace(size, *number);
                at->second =
                    quantity.more_is_better ? std::max(at->second, *number) : std::min(at->second, *number);
            }
        }
    }
    for (const std::string& policy : policies) {
        std::vector<TextTable::Cell> cells{policy};
        for (const std::uint64_t size : sizes) {
            const auto number = value(policy, size);
            cells.push_back(number
                                ? cell(*number, policies.size() > 1 && *number == best[size], quantity.digits)
                                : TextTable::Cell("failed"));
        }
        table.row(std::move(cells));
    }
    return table.render(style);
}

std::string parts(std::span<const Measured> load, const TextStyle& style) {
    TextTable table;
    table.column("policy", Align::left);
    for (const char* heading : {"size", "hit %", "rm", "pf", "rf", "sectors: rm", "pf", "rf"}) {
        table.column(heading, Align::right);
    }
    const bool timed = load.front().measured.has_value();
    if (timed) {
        for (const char* heading : {"measured: rm", "pf", "rf"}) {
            table.column(heading, Align::right);
        }
    }
    const auto add = [](std::vector<TextTable::Cell>& cells, const Penalty& penalty) {
        for (const double part : {penalty.rm, penalty.pf, penalty.rf}) {
            cells.emplace_back(fmt::format("{:.1f}", part));
        }
    };
    for (const Measured& each : load) {
        std::vector<TextTable::Cell> cells{each.policy.name, size_text(each.size_bytes),
                                           fmt::format("{:.2f}", kPercent * each.hit_ratio)};
        add(cells, each.entries);
        add(cells, each.bus);
        if (timed) {
            add(cells, each.measured.value_or(Penalty{}));
        }
        table.row(std::move(cells));
    }
    return table.render(style);
}

/// "11.64 (11.7)": ours, and what the study prints.
std::string beside(double value, std::optional<double> published, int digits) {
    const std::string ours = grouped(value, digits);
    return published ? fmt::format("{} ({})", ours, grouped(*published, digits)) : ours;
}

}  // namespace

std::string cache_tables(std::span<const Measured> all, bool details, const TextStyle& style) {
    std::string text;
    for (const std::span<const Measured> load : by_load(all)) {
        const bool timed =
            std::ranges::any_of(load, [](const auto& each) { return each.measured.has_value(); });
        for (const Quantity& quantity : quantities(timed)) {
            text += "\n" + style.bold(load.front().load + ": " + quantity.title) + "\n";
            text += matrix(load, quantity, style);
        }
        if (details) {
            text += "\n" + style.bold(load.front().load + ": parts of the mean penalty, us") + "\n";
            text += parts(load, style);
        }
    }
    return text;
}

std::string load_table(std::span<const Load> loads, const TextStyle& style) {
    constexpr double kPage = 4096.0;
    constexpr double kTranslationPage = 4096.0 * 1024.0;
    TextTable table;
    table.column("load (published)", Align::wrap);
    for (const char* heading : {"range GiB", "unique GiB", "requests", "page requests", "reads %", "KiB"}) {
        table.column(heading, Align::right);
    }
    for (const Load& load : loads) {
        const LoadProperties& p = load.properties;
        const auto found = std::ranges::find_if(published_loads(),
                                                [&load](const auto& each) { return each.name == load.name; });
        const PublishedLoad* row = found == published_loads().end() ? nullptr : &*found;
        const auto published = [row](double PublishedLoad::*member) {
            return row == nullptr ? std::nullopt : std::optional(row->*member);
        };
        const bool by_translation_page = row != nullptr && row->unique_by_translation_page;
        const double unique = by_translation_page
                                  ? static_cast<double>(p.distinct_translation_pages()) * kTranslationPage
                                  : static_cast<double>(p.distinct_pages()) * kPage;
        table.row(
            {load.name,
             beside(static_cast<double>(p.range_bytes()) / hal::kGiB, published(&PublishedLoad::range_gib),
                    1),
             beside(unique / hal::kGiB, published(&PublishedLoad::unique_gib), 1),
             beside(static_cast<double>(p.requests()), published(&PublishedLoad::requests), 0),
             beside(static_cast<double>(p.page_requests()), published(&PublishedLoad::page_requests), 0),
             beside(kPercent * p.read_share(), published(&PublishedLoad::read_percent), 1),
             beside(p.mean_bytes() / static_cast<double>(hal::kKiB), published(&PublishedLoad::mean_kib),
                    0)});
    }
    return "\n" + style.bold("Loads, and table 2 of the study") + "\n" + table.render(style);
}

std::string reduction_table(std::span<const Comparison> table, const TextStyle& style) {
    if (table.empty()) {
        return {};
    }
    TextTable text;
    text.column("bsb against", Align::left);
    std::set<std::uint64_t> sizes;
    std::vector<std::pair<std::string, std::string>> rows;
    for (const Comparison& each : table) {
        sizes.insert(each.size_bytes);
        if (std::ranges::find(rows, std::pair(each.load, each.against)) == rows.end()) {
            rows.emplace_back(each.load, each.against);
        }
    }
    for (const std::uint64_t size : sizes) {
        text.column(size_text(size), Align::right);
    }
    for (const auto& row : rows) {
        std::vector<TextTable::Cell> cells{fmt::format("{}, {}", row.first, row.second)};
        for (const std::uint64_t size : sizes) {
            const auto found = std::ranges::find_if(table, [&](const Comparison& each) {
                return each.load == row.first && each.against == row.second && each.size_bytes == size;
            });
            cells.emplace_back(found == table.end()
                                   ? std::string("-")
                                   : fmt::format("{:+.1f} ({:+.0f})",
                                                 std::round(10.0 * found->measured) / 10.0 + 0.0,
                                                 found->published));
        }
        text.row(std::move(cells));
    }
    return "\n" + style.bold("Table 3: reduction of the mean penalty by bsb, %, and what the study prints") +
           "\n" + text.render(style);
}

}  // namespace solidtlm::testbench::map_cache
