// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/result.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "testbench/show/block_map_section.h"
#include "testbench/show/dedup_section.h"
#include "testbench/show/json_number.h"
#include "testbench/show/map_cache_section.h"

namespace solidtlm::testbench {
namespace {

constexpr double kPsPerNs = 1e3;
constexpr double kBytesPerMb = 1e6;

double rate(double amount, double seconds) {
    return seconds > 0.0 ? amount / seconds : 0.0;
}

Json latency_us(const LatencyHistogram& latency) {
    const bool any = latency.count() > 0;
    const auto us = [any](double ps) { return any ? Json(ps / kPsPerUs) : Json(nullptr); };
    const auto percentile = [&](std::uint32_t per_mille) { return us(ps_of(latency.percentile(per_mille))); };
    return {{"mean", us(latency.mean_ps())}, {"p50", percentile(500)},  {"p95", percentile(950)},
            {"p99", percentile(990)},        {"p999", percentile(999)}, {"max", us(ps_of(latency.max()))}};
}

Json operation_section(const OperationMetrics& metrics, double seconds) {
    const auto bytes = static_cast<double>(metrics.bytes);
    return {{"count", metrics.count()},
            {"failed", metrics.failed},
            {"bytes", metrics.bytes},
            {"mb_per_s", rate(bytes / kBytesPerMb, seconds)},
            {"iops", rate(static_cast<double>(metrics.count()), seconds)},
            {"latency_us", latency_us(metrics.latency)}};
}

Json precondition_section(const AgeingReport& ageing) {
    const Json amplification = ageing.last_written_bytes > 0
                                   ? Json(static_cast<double>(ageing.last_programmed_bytes) /
                                          static_cast<double>(ageing.last_written_bytes))
                                   : Json(nullptr);
    return {{"spec", ageing.spec},
            {"text", ageing.text},
            {"wall_time_s", finite(ageing.wall_time_s)},
            {"host_bytes", ageing.host_bytes},
            {"programs", ageing.programs},
            {"erases", ageing.erases},
            {"write_amplification", amplification}};
}

Json host_section(const RunInfo& run, const HostMetrics& host, const OperationMetrics& total) {
    const double seconds = ps_of(host.measured()) / hal::kPsPerSecond;
    const std::uint64_t moved = host[Operation::read].bytes + host[Operation::write].bytes;
    Json section{{"requests", run.requests},
                 {"issued", host.issued()},
                 {"completed", host.completed()},
                 {"failed", host.failed()},
                 {"retries", host.retries()},
                 {"measured_s", seconds},
                 {"mb_per_s", rate(static_cast<double>(moved) / kBytesPerMb, seconds)},
                 {"iops", rate(static_cast<double>(host.completed()), seconds)},
                 {"mean_outstanding", host.mean_outstanding()},
                 {"latency_us", latency_us(total.latency)}};
    for (std::size_t i = 0; i < kOperations; ++i) {
        section[std::string(kOperationNames[i])] =
            operation_section(host[static_cast<Operation>(i)], seconds);
    }
    return section;
}

/// Counts of latencies between edges that all kinds share; empty if no command completed.
Json distribution_section(const HostMetrics& host, const OperationMetrics& total) {
    Json edges = Json::array();
    Json counts = Json::object();
    for (std::size_t i = 0; total.count() > 0 && i < kOperations; ++i) {
        const LatencyHistogram& latency = host[static_cast<Operation>(i)].latency;
        if (latency.count() == 0) {
            continue;
        }
        Json& kind = counts[std::string(kOperationNames[i])] = Json::array();
        const std::vector<LatencyHistogram::Bucket> buckets =
            latency.coarse(std::max(total.latency.min(), Ps{0}), std::max(total.latency.max(), Ps{0}));
        for (const LatencyHistogram::Bucket& bucket : buckets) {
            kind.push_back(bucket.count);
        }
        if (edges.empty()) {
            edges.push_back(ps_of(buckets.front().low) / kPsPerUs);
            for (const LatencyHistogram::Bucket& bucket : buckets) {
                edges.push_back(ps_of(bucket.high) / kPsPerUs);
            }
        }
    }
    return {{"edges_us", std::move(edges)}, {"counts", std::move(counts)}};
}

/// By hal::StageGroup: whether the run has stages of this group.
using StageGroups = std::array<bool, hal::kStageGroups>;

bool has(const StageGroups& groups, hal::Stage stage) {
    return groups[static_cast<std::size_t>(hal::group_of(stage))];
}

StageGroups groups_of(const StageSums& sums) {
    StageGroups groups{true};
    for (std::size_t i = 0; i < hal::kStages; ++i) {
        const auto stage = static_cast<hal::Stage>(i);
        groups[static_cast<std::size_t>(hal::group_of(stage))] |= sums.mean_ps(stage) > 0.0;
    }
    return groups;
}

Json stages_us(const StageSums& sums, const StageGroups& groups) {
    Json stages = Json::object();
    for (std::size_t i = 0; i < hal::kStages; ++i) {
        const auto stage = static_cast<hal::Stage>(i);
        if (has(groups, stage)) {
            stages[std::string(hal::kStageNames[i])] = sums.mean_ps(stage) / kPsPerUs;
        }
    }
    return stages;
}

/// Stages of the commands from the latency bucket of the 99th percentile on; empty if no command completed.
Json slowest_section(const OperationMetrics& metrics, const StageGroups& groups) {
    if (metrics.count() == 0) {
        return Json::object();
    }
    const StageSums slowest = metrics.slowest();
    const std::size_t bucket = LatencyHistogram::coarse_bucket(metrics.latency.percentile(990));
    return {{"from_us", ps_of(LatencyHistogram::coarse_edge(bucket)) / kPsPerUs},
            {"count", slowest.count},
            {"stages_us", stages_us(slowest, groups)}};
}

Json ledger_section(const HostMetrics& host, const OperationMetrics& total) {
    const StageSums all = total.stages.from(Ps{0});
    const StageGroups groups = groups_of(all);
    Json by_operation = Json::object();
    Json slowest_by_operation = Json::object();
    for (std::size_t i = 0; i < kOperations; ++i) {
        const OperationMetrics& metrics = host[static_cast<Operation>(i)];
        if (metrics.count() > 0) {
            const std::string name(kOperationNames[i]);
            by_operation[name] = stages_us(metrics.stages.from(Ps{0}), groups);
            slowest_by_operation[name] = slowest_section(metrics, groups);
        }
    }
    return {{"stages_us", stages_us(all, groups)},
            {"by_operation", std::move(by_operation)},
            {"slowest", slowest_section(total, groups)},
            {"slowest_by_operation", std::move(slowest_by_operation)},
            {"residual_ns", ps_of(host.largest_residual()) / kPsPerNs}};
}

Json counts_section(const NandCounts& counts) {
    return {{"reads", counts.reads}, {"programs", counts.programs}, {"erases", counts.erases}};
}

Json nand_section(const DeviceTelemetry& device) {
    Json section = counts_section(device.nand_total());
    Json by_cause = Json::object();
    for (std::size_t i = 0; i < hal::kCauses; ++i) {
        by_cause[std::string(hal::kCauseNames[i])] = counts_section(device.nand[i]);
    }
    section["by_cause"] = std::move(by_cause);
    section["programmed_bytes"] = device.nand_total().programs * device.page_bytes;
    section["host_written_bytes"] = device.host_written_bytes;
    section["violations"] = Json(device.violations);
    return section;
}

Json write_amplification(const DeviceTelemetry& device) {
    if (device.host_written_bytes == 0) {
        return nullptr;
    }
    return static_cast<double>(device.nand_total().programs * device.page_bytes) /
           static_cast<double>(device.host_written_bytes);
}

Json fractions(const std::vector<double>& values) {
    Json list = Json::array();
    for (const double value : values) {
        list.push_back(finite(value));
    }
    return list;
}

Json holder_section(const std::array<double, hal::kHolders>& values) {
    Json section = Json::object();
    for (std::size_t i = 0; i < hal::kHolders; ++i) {
        section[std::string(hal::kHolderNames[i])] = finite(values[i]);
    }
    return section;
}

Json utilization_section(const DeviceTelemetry& device) {
    Json section{{"link", finite(device.link)},
                 {"core", finite(device.core)},
                 {"dram", finite(device.dram)},
                 {"channels", fractions(device.channels)},
                 {"dies", fractions(device.dies)}};
    if (device.core_by_cause) {
        Json causes = Json::object();
        for (std::size_t cause = 0; cause < hal::kCauses; ++cause) {
            causes[std::string(hal::kCauseNames[cause])] = (*device.core_by_cause)[cause];
        }
        section["core_by_cause"] = std::move(causes);
    }
    if (device.channels_by_holder) {
        section["channels_by_holder"] = holder_section(*device.channels_by_holder);
    }
    if (device.dies_by_holder) {
        section["dies_by_holder"] = holder_section(*device.dies_by_holder);
    }
    return section;
}

std::string compact(const Json& value) {
    // Names from a configuration or a trace may hold arbitrary bytes; those that are not UTF-8 are replaced.
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Appends `value` at the depth of `indent`: indented by two, with a list of plain values on one line.
void append(std::string& text, const Json& value, const std::string& indent) {
    const bool list = value.is_array();
    if (!value.is_structured() || value.empty() ||
        (list && std::none_of(value.begin(), value.end(), [](const Json& e) { return e.is_structured(); }))) {
        text += compact(value);
        return;
    }
    const std::string deeper = indent + "  ";
    std::string_view separator = list ? "[" : "{";
    for (const auto& [key, member] : value.items()) {
        text.append(separator).append("\n").append(deeper);
        separator = ",";
        if (!list) {
            text.append(compact(key)).append(": ");
        }
        append(text, member, deeper);
    }
    text.append("\n").append(indent).append(list ? "]" : "}");
}

/// The metrics except those of blocks that have a section of their own.
Json metrics_section(const hal::Metrics& metrics) {
    constexpr std::array kOwnSections{"block_map.", "dedup.", "energy.", "map_cache."};
    Json section = Json::object();
    for (const auto& [name, metric] : metrics) {
        const auto begins_name = [&name = name](const char* own) { return name.starts_with(own); };
        if (std::ranges::none_of(kOwnSections, begins_name)) {
            section[name] = counter(metric.in_units());
        }
    }
    return section;
}

/// Energy per byte moved by read and write commands, and per command; null without any.
Json energy_section(const hal::Metrics& energy, const HostMetrics& host) {
    double total = 0.0;
    double seconds = 0.0;
    Json parts = Json::object();
    for (const auto& [name, metric] : energy.in_order()) {
        if (name == "seconds") {
            seconds = metric.in_units();
        } else {
            total += metric.in_units();
            parts[name] = finite(metric.in_units());
        }
    }
    const auto per = [total](std::uint64_t count, double unit) {
        return count > 0 ? Json(total / static_cast<double>(count) / unit) : Json(nullptr);
    };
    constexpr double kNano = 1e-9;
    constexpr double kMicro = 1e-6;
    return {{"seconds", seconds},
            {"total_j", total},
            {"mean_power_w", rate(total, seconds)},
            {"nj_per_host_byte", per(host[Operation::read].bytes + host[Operation::write].bytes, kNano)},
            {"uj_per_command", per(host.completed(), kMicro)},
            {"parts_j", std::move(parts)}};
}

}  // namespace

std::string_view version() {
    return SOLIDTLM_VERSION;
}

Json make_result(const RunInfo& run, const HostMetrics& host, const DeviceTelemetry& device,
                 const VerifyCounts& verify) {
    const OperationMetrics total = host.total();
    Json result{{"schema", kResultSchema},
                {"version", version()},
                {"scenario", run.scenario},
                {"seed", run.seed},
                {"config", run.config},
                {"sim_time_s", ps_of(run.sim_time) / hal::kPsPerSecond},
                {"wall_time_s", finite(run.wall_time_s)},
                {"requests_per_wall_s", finite(rate(static_cast<double>(run.requests), run.wall_time_s))},
                {"host", host_section(run, host, total)},
                {"latency_distribution", distribution_section(host, total)},
                {"ledger", ledger_section(host, total)},
                {"nand", nand_section(device)},
                {"write_amplification", write_amplification(device)},
                {"utilization", utilization_section(device)},
                {"verify", {{"reads_checked", verify.reads_checked}, {"mismatches", verify.mismatches}}},
                {"firmware", metrics_section(device.firmware)},
                {"hardware", metrics_section(device.hardware)}};
    if (const hal::Metrics energy = device.hardware.of("energy"); energy.begin() != energy.end()) {
        result["energy"] = energy_section(energy, host);
    }
    if (device.map_cache) {
        result["map_cache"] = map_cache_section(device);
    }
    if (device.block_map) {
        result["block_map"] = block_map_section(device);
    }
    if (device.dedup) {
        result["dedup"] = dedup_section(device);
    }
    if (run.precondition) {
        result["precondition"] = precondition_section(*run.precondition);
    }
    return result;
}

std::string_view verdict_name(Verdict verdict) {
    switch (verdict) {
        case Verdict::reproduced:
            return "reproduced";
        case Verdict::partly:
            return "partly";
        case Verdict::not_reproduced:
            break;
    }
    return "not reproduced";
}

Json make_study_result(const StudyInfo& study, std::span<const Point> points, std::span<const Claim> claims) {
    Json point_list = Json::array();
    for (const Point& point : points) {
        Json result = point.result;
        if (result.is_object()) {  // curves of every point would make the file unusably large
            result.erase("series");
            result.erase("latency_distribution");
        }
        Json entry{{"parameters", point.parameters}, {"result", std::move(result)}};
        if (!point.derived.empty()) {
            entry["derived"] = point.derived;
        }
        point_list.push_back(std::move(entry));
    }
    Json claim_list = Json::array();
    for (const Claim& claim : claims) {
        Json entry{{"id", claim.id},
                   {"claim", claim.claim},
                   {"published", claim.published},
                   {"measured", claim.measured},
                   {"verdict", verdict_name(claim.verdict)}};
        if (!claim.reason.empty()) {
            entry["reason"] = claim.reason;
        }
        claim_list.push_back(std::move(entry));
    }
    return {{"schema", kResultSchema},         {"version", version()},
            {"scenario", study.scenario},      {"seed", study.seed},
            {"config", study.config},          {"wall_time_s", finite(study.wall_time_s)},
            {"points", std::move(point_list)}, {"claims", std::move(claim_list)}};
}

Json without_wall_times(Json document) {
    if (document.is_object()) {
        document.erase("wall_time_s");
        document.erase("requests_per_wall_s");
        if (const auto ageing = document.find("precondition"); ageing != document.end()) {
            ageing->erase("wall_time_s");
        }
        const auto points = document.find("points");
        if (points != document.end()) {
            for (Json& point : *points) {
                point["result"] = without_wall_times(std::move(point["result"]));
            }
        }
    }
    return document;
}

std::string to_text(const Json& document) {
    std::string text;
    append(text, document, "");
    return text + "\n";
}

}  // namespace solidtlm::testbench
