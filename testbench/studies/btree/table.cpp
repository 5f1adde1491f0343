// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/btree/table.h"

#include <fmt/format.h>

#include <functional>

#include "testbench/results/text_table.h"

namespace solidtlm::testbench::btree {
namespace {

std::string whole(double value) {
    return grouped(value, 0);
}
std::string whole(std::uint64_t value) {
    return grouped(static_cast<double>(value), 0);
}

struct Row {
    const char* name;
    std::function<double(const Counts&)> value;
};

std::string ratio(double found, double wanted) {
    return fmt::format("{:.2f}", found / wanted);
}

std::vector<Row> count_rows() {
    constexpr double kThousand = 1000;
    return {{"writes", [](const Counts& counts) { return static_cast<double>(counts.writes); }},
            {"erases", [](const Counts& counts) { return static_cast<double>(counts.erases); }},
            {"cost, k", [](const Counts& counts) { return counts.cost() / kThousand; }}};
}

std::string numbers(const std::vector<std::uint32_t>& values) {
    std::string text;
    for (const std::uint32_t value : values) {
        text += (text.empty() ? "" : " / ") + std::to_string(value);
    }
    return text;
}

}  // namespace

std::string size_text(std::uint32_t bytes) {
    return bytes % 1024 == 0 ? fmt::format("{} KB", bytes / 1024) : fmt::format("{} B", bytes);
}

std::string tree_table(std::span<const TreeFacts> trees, const TextStyle& style) {
    TextTable table;
    for (const char* heading : {"page", "pages", "levels", "buffer hits", "page reads", "page writes"}) {
        table.column(heading, Align::right);
    }
    for (const TreeFacts& tree : trees) {
        table.row({size_text(tree.page_bytes), whole(std::uint64_t{tree.pages}), std::to_string(tree.height),
                   whole(tree.buffer.hits), whole(tree.buffer.reads), whole(tree.buffer.writes)});
    }
    return table.render(style);
}

std::string count_table(const Table& cells, std::span<const std::uint32_t> sizes, bool as_published,
                        const TextStyle& style) {
    TextTable table;
    table.column("layer", Align::left);
    table.column("", Align::left);
    for (const std::uint32_t size : sizes) {
        table.column(size_text(size) + ": study", Align::right);
        table.column("here", Align::right);
        table.column("ratio", Align::right);
    }
    for (const Layer layer : kLayers) {
        for (const Row& row : count_rows()) {
            std::vector<TextTable::Cell> line{
                row.name == std::string("writes") ? std::string(layer_name(layer)) : "", row.name};
            for (const std::uint32_t size : sizes) {
                const double here = row.value(cells.at({layer, size}));
                const auto study = published(layer, size);
                line.emplace_back(study ? whole(row.value(*study)) : "-");
                line.emplace_back(whole(here));
                line.emplace_back(study && as_published ? ratio(here, row.value(*study)) : "-");
            }
            table.row(std::move(line));
        }
    }
    return table.render(style);
}

std::string drive_table(std::span<const DriveCell> cells, const TextStyle& style) {
    TextTable table;
    table.column("layer", Align::left);
    for (const char* heading : {"page", "seconds", "mean write ms", "p99 ms", "mean read ms", "writes",
                                "erases", "as counted", "reads compared"}) {
        table.column(heading, Align::right);
    }
    for (const DriveCell& cell : cells) {
        table.row({std::string(layer_name(cell.layer)), size_text(cell.page_bytes),
                   fmt::format("{:.1f}", cell.seconds), fmt::format("{:.2f}", cell.write_ms),
                   fmt::format("{:.1f}", cell.p99_write_ms), fmt::format("{:.2f}", cell.read_ms),
                   whole(cell.counts.writes), whole(cell.counts.erases),
                   cell.counts == cell.counted ? "yes" : "NO", whole(cell.reads_checked)});
    }
    return table.render(style);
}

std::string fit_table(std::span<const Fit> fits, const TextStyle& style) {
    TextTable table;
    table.column("held equal", Align::left);
    for (const char* heading : {"tree pages", "buffer pages", "entry", "logs", "mirrors"}) {
        table.column(heading, Align::right);
    }
    table.column("page order", Align::left);
    table.column("off by", Align::right);
    for (const Fit& fit : fits) {
        std::string sizes;
        for (const std::uint32_t size : fit.page_bytes) {
            sizes += (sizes.empty() ? "" : " / ") + size_text(size);
        }
        table.row({fit.what, sizes, numbers(fit.buffer_pages), std::to_string(fit.entry_bytes),
                   std::to_string(fit.log_blocks),
                   fit.mirror_blocks == 0 ? "all" : std::to_string(fit.mirror_blocks),
                   fit.ascending ? "ascending" : "any", fmt::format("{:.2f} x", fit.factor())});
    }
    return table.render(style);
}

}  // namespace solidtlm::testbench::btree
