// SPDX-License-Identifier: Apache-2.0
#include "testbench/torture/bench/speed_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "testbench/show/text_table.h"

namespace solidtlm::testbench {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr double kBytesPerMb = 1e6;

double number(const Json& sample, const char* key) {
    return sample.at(key).get<double>();
}

/// {"min", "median", "max"} of one value over all samples.
Json spread(const std::vector<SpeedSample>& samples,
            const std::function<double(const SpeedSample&)>& value_of) {
    std::vector<double> values;
    values.reserve(samples.size());
    for (const SpeedSample& sample : samples) {
        values.push_back(value_of(sample));
    }
    std::ranges::sort(values);
    return {{"min", values.front()}, {"median", values[values.size() / 2]}, {"max", values.back()}};
}

double requests(const SpeedSample& sample) {
    return number(sample.sample, "requests");
}

double cpu_ns_per_request(const SpeedSample& sample) {
    return number(sample.sample, "cpu_s") * kNsPerSecond / requests(sample);
}

double bare_event_ns(const SpeedSample& sample) {
    return (sample.before.method_ns + sample.after.method_ns) / 2;
}

/// Agenda entries per request, by module and in total; equal in every run.
Json entries_per_request(const Json& sample) {
    const double count = number(sample, "requests");
    Json by_module = Json::object();
    double all = 0.0;
    for (const auto& [module, entries] : sample.at("entries").items()) {
        by_module[module] = entries.get<double>() / count;
        all += by_module[module].get<double>();
    }
    return {{"all", all}, {"by_module", std::move(by_module)}};
}

std::string rate_text(const Json& spread) {
    return grouped(spread.at("median").get<double>(), 0);
}

}  // namespace

Json speed_section(const CaseMeasurement& measurement) {
    const std::vector<SpeedSample>& samples = measurement.samples;
    std::uint64_t peak = 0;
    for (const SpeedSample& sample : samples) {
        peak = std::max(peak, sample.peak_memory_bytes);
    }
    const Json& first = samples.front().sample;
    const double kernel_events = number(first, "kernel_events") / number(first, "requests");
    const double simulated_iops = number(first, "requests") / number(first, "simulated_s");
    const SpeedCase& speed_case = *measurement.speed_case;
    return {
        {"case", speed_case.name},
        {"settings", speed_case.settings},
        {"workload", speed_case.workload},
        {"requests", first.at("requests")},
        {"requests_per_wall_s",
         spread(samples, [](const auto& each) { return requests(each) / number(each.sample, "wall_s"); })},
        {"requests_per_cpu_s",
         spread(samples, [](const auto& each) { return requests(each) / number(each.sample, "cpu_s"); })},
        {"cpu_ns_per_request", spread(samples, cpu_ns_per_request)},
        {"bare_event_ns", spread(samples, bare_event_ns)},
        {"bare_wait_ns",
         spread(samples,
                [](const auto& each) { return (each.before.thread_ns + each.after.thread_ns) / 2; })},
        {"entries_per_request", entries_per_request(first)},
        {"kernel_events_per_request", kernel_events},
        {"bare_events_per_request",
         spread(samples, [](const auto& each) { return cpu_ns_per_request(each) / bare_event_ns(each); })},
        {"peak_memory_bytes", peak},
        {"map_table_bytes", measurement.map_table_bytes},
        {"simulated",
         {{"iops", simulated_iops},
          {"mb_per_s", simulated_iops * static_cast<double>(speed_case.request_bytes) / kBytesPerMb}}}};
}

std::string speed_table(const Json& document, const TextStyle& style) {
    TextTable table;
    table.column("case", Align::left);
    for (const char* heading : {"requests/s", "per CPU s", "min", "max", "ns/request", "entries", "events",
                                "bare ns", "in bare", "memory", "MB/s"}) {
        table.column(heading, Align::right);
    }
    for (const Json& entry : document.at("cases")) {
        const double memory =
            entry.at("peak_memory_bytes").get<double>() - entry.at("map_table_bytes").get<double>();
        table.row({entry.at("case").get<std::string>(), rate_text(entry.at("requests_per_wall_s")),
                   rate_text(entry.at("requests_per_cpu_s")),
                   grouped(number(entry.at("requests_per_cpu_s"), "min"), 0),
                   grouped(number(entry.at("requests_per_cpu_s"), "max"), 0),
                   rate_text(entry.at("cpu_ns_per_request")),
                   grouped(number(entry.at("entries_per_request"), "all"), 1),
                   grouped(number(entry, "kernel_events_per_request"), 4),
                   grouped(number(entry.at("bare_event_ns"), "median"), 1),
                   grouped(number(entry.at("bare_events_per_request"), "median"), 1), bytes_text(memory),
                   grouped(number(entry.at("simulated"), "mb_per_s"), 1)});
    }
    return table.render(style);
}

}  // namespace solidtlm::testbench
