// SPDX-License-Identifier: Apache-2.0
//
// Prints the properties and the locality of traces and generated workloads side by side, without a device.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "testbench/results/terminal.h"
#include "testbench/results/text_table.h"
#include "testbench/studies/load_properties.h"
#include "testbench/trace/trace.h"
#include "testbench/workload/units.h"
#include "testbench/workload/workload.h"

namespace {

using namespace solidtlm::testbench;

constexpr double kKiB = 1024;
constexpr double kGiB = kKiB * kKiB * kKiB;
constexpr std::int32_t kShort = 64;  ///< entries in the largest forward window of the study, 256 bytes
constexpr std::string_view kDeviceExample = "1TiB";

std::string fixed(double value, int decimals) {
    std::string text(32, '\0');
    text.resize(static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.*f", decimals, value)));
    return text;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
    constexpr double kPercent = 100;
    return whole > 0 ? fixed(kPercent * static_cast<double>(part) / static_cast<double>(whole), 1) : "-";
}

std::unique_ptr<RequestSource> open_load(const std::string& load, const std::string& format,
                                         std::uint64_t device_sectors) {
    if (std::filesystem::exists(load)) {
        TraceOptions options;
        options.path = load;
        options.format = format;
        return open_trace(options);
    }
    return make_workload(parse_workload(load, device_sectors));
}

TextTable headings() {
    TextTable table;
    table.column("load", Align::wrap);
    for (const char* heading : {"requests", "KiB", "pages", "read %", "range GiB", "unique GiB", "TP",
                                "fifth %", "miss %", "0 %", "+1..64", "+65..", "-1..64", "-65.."}) {
        table.column(heading, Align::right);
    }
    return table;
}

void add_row(TextTable& table, const std::string& load, const LoadProperties& properties) {
    constexpr double kPageBytes = 4096;
    constexpr double kPercent = 100;
    const SleHistogram& sle = properties.sle();
    const auto share = [&](std::int32_t first, std::int32_t last) {
        return percent(sle.count(first, last), sle.total());
    };
    table.row({load, std::to_string(properties.requests()), fixed(properties.mean_bytes() / kKiB, 2),
               std::to_string(properties.page_requests()), fixed(kPercent * properties.read_share(), 1),
               fixed(static_cast<double>(properties.range_bytes()) / kGiB, 2),
               fixed(static_cast<double>(properties.distinct_pages()) * kPageBytes / kGiB, 3),
               std::to_string(properties.distinct_translation_pages()),
               fixed(kPercent * properties.share_of_top_fifth(), 1), percent(sle.misses(), sle.total()),
               share(0, 0), share(1, kShort), share(kShort + 1, kLargestDistance), share(-kShort, -1),
               share(-kLargestDistance, -kShort - 1)});
}

}  // namespace

int main(int argc, char* argv[]) {
    CLI::App app{
        "Properties of block traces and workloads: requests, mean length, pages of 4 KiB touched, "
        "addresses,\n"
        "distinct data, translation pages of 4 MiB touched (TP), share of the most used fifth of the pages, "
        "and\n"
        "where requests lie relative to the one that had their translation page cached (percent of the page\n"
        "requests; the request that misses counts as 0)."};
    std::vector<std::string> loads;
    std::string format;
    std::string device{kDeviceExample};
    app.add_option("load", loads, "Trace files, or workloads as --workload takes them")->required();
    app.add_option("--format", format, "Format of the traces [by content]");
    app.add_option("--device", device, "Size of the drive that workloads are made for")
        ->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    try {
        const auto bytes = parse_size(device);
        if (!bytes || *bytes < solidtlm::hal::kSectorBytes) {
            throw InputError("--device: found '" + device + "', expected " + std::string(kSizeExample));
        }
        TextTable table = headings();
        for (const std::string& load : loads) {
            LoadProperties properties;
            properties.add_all(*open_load(load, format, *bytes / solidtlm::hal::kSectorBytes));
            add_row(table, std::filesystem::path(load).filename().string(), properties);
        }
        std::cout << table.render(style_for(1));
    } catch (const InputError& error) {
        std::cerr << "error: " << error.what() << "\n";
        return 2;
    }
    return 0;
}
