// SPDX-License-Identifier: Apache-2.0
//
// Inputs of the tests in this folder: commands with known times, and a run with known numbers.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "fw/dedup/counters.h"
#include "testbench/show/figure.h"
#include "testbench/show/result.h"

namespace solidtlm::testbench::testing {

inline constexpr hal::Ps kMicrosecond{1'000'000};

/// A finished command that spends `link` on the link and the rest of its latency in the array.
inline Command finished_command(std::uint64_t sequence, Operation operation, Ps arrival, Ps latency,
                                std::uint32_t sectors, Ps link = Ps{0}) {
    Command command;
    command.sequence = sequence;
    command.operation = operation;
    command.sectors = sectors;
    command.arrival = command.issued_at = arrival;
    command.completed_at = arrival + latency;
    command.ledger.start(hal::Stage::link_transfer, arrival);
    command.ledger.enter(hal::Stage::array, arrival + link);
    command.ledger.enter(hal::Stage::completion, command.completed_at);
    return command;
}

inline void observe(HostMetrics& metrics, Command command) {
    metrics.issued(command);
    metrics.completed(command);
}

/// 100 consecutive reads of 4 KiB that take 1, 2, ... 100 us, with 10 us of each on the link (or all of it if
/// the read is shorter): 5050 us in total. Then a write of 8 KiB, a trim of 1,000 sectors and a flush of 100,
/// 200 and 300 us: the run takes 5650 us.
inline HostMetrics sample_metrics() {
    HostMetrics metrics;
    Ps now{0};
    std::uint64_t sequence = 0;
    const auto next = [&](Operation operation, int us, std::uint32_t sectors) {
        const Ps latency = us * kMicrosecond;
        Command command = finished_command(sequence++, operation, now, latency, sectors,
                                           std::min(latency, 10 * kMicrosecond));
        if (operation == Operation::trim) {
            command.ranges = {{Lba{0}, 600}, {Lba{4096}, 400}};
        }
        observe(metrics, command);
        now += latency;
    };
    for (int us = 1; us <= 100; ++us) {
        next(Operation::read, us, 8);
    }
    next(Operation::write, 100, 16);
    next(Operation::trim, 200, 0);
    next(Operation::flush, 300, 0);
    return metrics;
}

inline RunInfo sample_run() {
    RunInfo run;
    run.scenario = "tb_example";
    run.seed = 7;
    run.config = {{"nand", {{"geometry", {{"channels", 2}}}}}};
    run.sim_time = 6000 * kMicrosecond;
    run.wall_time_s = 0.5;
    run.requests = 102;
    run.precondition =
        AgeingReport{"fill=1,random=2", "aged, fill=1,random=2", 0.25, 98304, 10, 3, 32768, 65536, 0};
    return run;
}

/// Two programs for the host and one for GC, of 16 KiB each, for 32 KiB that the host wrote: amplification
/// 1.5.
inline DeviceTelemetry sample_telemetry() {
    DeviceTelemetry device;
    device.nand[static_cast<std::size_t>(hal::Cause::host)] = {100, 2, 0};
    device.nand[static_cast<std::size_t>(hal::Cause::gc)] = {1, 1, 4};
    device.page_bytes = 16384;
    device.host_written_bytes = 32768;
    device.link = 0.25;
    device.core = 0.125;
    device.dram = 0.0625;
    device.channels = {0.2, 0.4};
    device.dies = {0.1, 0.2, 0.3, 0.4};
    device.dies_by_holder = std::array<double, hal::kHolders>{0.2, 0.0, 0.05, 0.0, 0.0, 0.0, 0.0};
    device.firmware.counter("buffer_hits", "units", "", 12.0);
    device.firmware.state("mean_queue", "commands", "", 1.5);
    device.hardware.counter("energy.nand.read", "J", "", 0.0004);
    device.hardware.counter("energy.nand.program", "J", "", 0.0001);
    device.hardware.counter("energy.dram.background", "J", "", 0.0005);
    device.hardware.counter("energy.seconds", "s", "", 0.006);
    return device;
}

/// Ten pages are deduplicated; eight of the logical pages refer to three shared ones.
inline DeviceTelemetry sample_dedup() {
    DeviceTelemetry device = sample_telemetry();
    device.dedup = DedupTelemetry{"offline_separated"};
    fw::DedupState state;
    fw::DedupCounters& counters = state.counters;
    counters.crcs = 20;
    counters.fingerprints = 10;
    counters.candidates = 12;
    counters.checked = 10;
    counters.duplicates = 5;
    counters.refused = 1;
    counters.idle_periods = 2;
    counters.interrupted = 1;
    counters.crc = 20 * 14 * kMicrosecond;
    counters.fingerprint = 10 * 101 * kMicrosecond;
    counters.read = 1'500 * kMicrosecond;
    state.shared_pages = 3;
    state.references = 8;
    state.waiting = 4;
    state.table_entries = 15;
    state.table_bytes = 65536;
    state.tell(device.firmware);
    device.hardware.counter("hash.crc32_jobs", "jobs", "", 20);
    device.hardware.counter("hash.md5_jobs", "jobs", "", 10);
    device.hardware.time("hash.busy_us", "", 1'260 * kMicrosecond);
    return device;
}

inline Json sample_result() {
    return make_result(sample_run(), sample_metrics(), sample_telemetry(), {100, 0});
}

/// The sample run with deduplication.
inline Json sample_dedup_result() {
    return make_result(sample_run(), sample_metrics(), sample_dedup(), {100, 0});
}

inline Json sample_study() {
    std::vector<Point> points{{{{"channels", 2}, {"policy", "greedy"}}, sample_result()},
                              {{{"channels", 4}, {"policy", "greedy"}}, sample_result()}};
    const std::vector<Claim> claims{
        {"A1", "twice the channels, twice the throughput", "2.0 times", 1.0, Verdict::not_reproduced,
         "both points are the same run"},
        {"A2", "throughput does not fall", "at least 1.0", 1.0, Verdict::reproduced, ""}};
    return make_study_result({"tb_study", 7, sample_run().config, 1.5}, points, claims);
}

/// One figure of each kind, with gaps.
inline std::vector<Figure> sample_figures() {
    constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
    const std::vector<std::string> channels{"1", "2", "4"};
    return {LineFigure{{"line", "Throughput", "The dashed line is the formula."},
                       {"queue depth", true},
                       {"throughput, MB/s"},
                       {{"measured", {{1, 20}, {4, 70}, {16, kGap}, {32, 210}}, false},
                        {"formula", {{1, 21}, {32, 220}}, true}}},
            CategoryFigure{{"lines", "Waiting", ""},
                           CategoryFigure::Look::lines,
                           {"channels"},
                           {"wait, us"},
                           channels,
                           {{"die_wait_host", {30, kGap, 4}, false}, {"limit", {31, 14, 5}, true}}},
            CategoryFigure{{"bars", "Write amplification", ""},
                           CategoryFigure::Look::bars,
                           {"channels"},
                           {"write amplification"},
                           channels,
                           {{"greedy", {2.1, 2.0, 1.9}, false}, {"fifo", {2.5, kGap, 2.4}, false}}},
            CategoryFigure{{"stacked", "Stages", ""},
                           CategoryFigure::Look::stacked_bars,
                           {"channels"},
                           {"latency, us"},
                           channels,
                           {{"array", {50, 50, 50}, false}, {"die_wait_gc", {30, 12, 3}, false}}},
            HistogramFigure{{"histogram", "Latency", ""},
                            {"latency, us", true},
                            {"commands"},
                            {1, 10, 100, 1000},
                            {{"read", {3, 40, 5}}, {"write", {10, kGap, 1}}}},
            HeatmapFigure{{"heatmap", "Throughput by geometry", "Empty cells were not run."},
                          {"channels"},
                          {"dies per channel"},
                          channels,
                          {"1", "2"},
                          {{20.0, 40.0, std::nullopt}, {40.0, 80.0, 160.0}},
                          "MB/s",
                          std::pair{0.0, 200.0}}};
}

}  // namespace solidtlm::testbench::testing
