// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/trace_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "testbench/show/summary_sections.h"

namespace solidtlm::testbench {
namespace {

constexpr std::size_t kMostDevices = 16;  ///< devices that are named; a trace may have thousands

Json devices_of(const TraceAccount& trace) {
    std::vector<TraceAccount::Device> devices = trace.devices;
    std::ranges::stable_sort(devices, std::ranges::greater(), &TraceAccount::Device::requests);
    devices.resize(std::min(devices.size(), kMostDevices));
    Json named = Json::array();
    for (const TraceAccount::Device& device : devices) {
        named.push_back(Json{{"name", device.name}, {"requests", device.requests}});
    }
    return named;
}

Json section_of(const TraceAccount& trace) {
    const TraceCounts& counts = trace.counts;
    const auto sector = [&trace](std::uint64_t value) {
        return trace.has_addresses() ? Json(value) : Json();
    };
    return Json{{"file", trace.path},
                {"format", trace.format},
                {"format_by", trace.why},
                {"requests", trace.requests()},
                {"reads", trace.reads},
                {"writes", trace.writes},
                {"trims", trace.trims},
                {"flushes", trace.flushes},
                {"write_zeroes", trace.write_zeroes},
                {"span_s", std::chrono::duration<double>(trace.span).count()},
                {"lowest_lba", sector(trace.lowest_sector)},
                {"highest_lba", sector(trace.extent_sectors - 1)},
                {"device_count", trace.devices.size()},
                {"devices", devices_of(trace)},
                {"other_devices", counts.other_device},
                {"other_events", counts.other_event},
                {"left_out", trace.outside},
                {"skipped", counts.skipped},
                {"unknown", counts.unknown},
                {"passed_lines", counts.passed},
                {"reordered", counts.reordered},
                {"clamped", counts.clamped}};
}

std::string count_text(const Json& value) {
    return grouped(number(value), 0);
}

/// "3 reads, 1 write"; kinds without requests are left out.
std::string kinds_text(const Json& trace) {
    std::string text;
    for (const auto& [field, one] : {std::pair{"reads", "read"}, std::pair{"writes", "write"},
                                     std::pair{"trims", "trim"}, std::pair{"flushes", "flush"}}) {
        if (number(trace.at(field)) > 0) {
            text += fmt::format("{}{} {}", text.empty() ? ": " : ", ", count_text(trace.at(field)),
                                number(trace.at(field)) == 1 ? one : field);
        }
    }
    return text;
}

std::string devices_text(const Json& trace) {
    std::string text;
    for (const Json& device : trace.at("devices")) {
        text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", device.at("name").get<std::string>(),
                            count_text(device.at("requests")));
    }
    const double more = number(trace.at("device_count")) - static_cast<double>(trace.at("devices").size());
    return text + (more > 0 ? fmt::format(" and {} more", grouped(more, 0)) : "");
}

/// Requests and lines of the file that were not taken over unchanged.
std::string exceptions_text(const Json& trace) {
    constexpr std::array kExceptions{std::pair{"other_devices", "to other devices"},
                                     std::pair{"other_events", "events at another action"},
                                     std::pair{"left_out", "left out at the beginning"},
                                     std::pair{"skipped", "skipped, no read, write, trim or flush"},
                                     std::pair{"unknown", "skipped, an operation that is not known"},
                                     std::pair{"passed_lines", "lines without a command"},
                                     std::pair{"write_zeroes", "writes that are write-zeroes commands"},
                                     std::pair{"reordered", "put in the order of their times"},
                                     std::pair{"clamped", "with an impossible time, given the one before"}};
    std::string text;
    for (const auto& [field, words] : kExceptions) {
        if (number(trace.at(field)) > 0) {
            text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", words, count_text(trace.at(field)));
        }
    }
    return text;
}

}  // namespace

Json trace_section(std::span<const TraceAccount> traces) {
    Json section = Json::array();
    for (const TraceAccount& trace : traces) {
        section.push_back(section_of(trace));
    }
    return section;
}

std::string trace_lines(const Json& section, const TextStyle& style) {
    std::string text;
    const auto add = [&text, &style](const std::string& words, bool stands_out = false) {
        for (const std::string& line : wrap_words(words, style.width - 2)) {
            text += "  " + (stands_out ? style.yellow(line) : line) + '\n';
        }
    };
    for (const Json& trace : section) {
        const std::string name =
            std::filesystem::path(trace.at("file").get<std::string>()).filename().string();
        text += fmt::format("trace {}: {} ({})\n", name, trace.at("format").get<std::string>(),
                            trace.at("format_by").get<std::string>());
        std::string what = fmt::format("{} {}{}, within {}", count_text(trace.at("requests")),
                                       number(trace.at("requests")) == 1 ? "request" : "requests",
                                       kinds_text(trace), seconds_text(number(trace.at("span_s"))));
        if (!trace.at("lowest_lba").is_null()) {
            what += fmt::format(", sectors {} to {}", count_text(trace.at("lowest_lba")),
                                count_text(trace.at("highest_lba")));
        }
        add(what);
        const bool several = number(trace.at("device_count")) > 1;
        if (number(trace.at("device_count")) > 0) {
            add(std::string(several ? "devices " : "device ") + devices_text(trace) +
                    (several ? ": laid on top of each other, as one; --device takes one of them" : ""),
                several);
        }
        if (const std::string exceptions = exceptions_text(trace); !exceptions.empty()) {
            add(exceptions);
        }
    }
    return text;
}

}  // namespace solidtlm::testbench
