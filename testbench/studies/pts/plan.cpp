// SPDX-License-Identifier: Apache-2.0
//
// The tests as the specification has them, and what differs from it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "platform/units.h"
#include "testbench/studies/pts/pts.h"

namespace solidtlm::testbench::pts {
namespace {

constexpr std::uint64_t kKiB = hal::kKiB;
const std::vector<std::uint64_t> kBlocks{1024 * kKiB, 128 * kKiB, 64 * kKiB, 32 * kKiB,
                                         16 * kKiB,   8 * kKiB,   4 * kKiB,  512};
const std::vector<std::uint64_t> kReadPercents{100, 95, 65, 50, 35, 5, 0};
/// PTS-E and PTS-C.
constexpr double kEnterpriseRange = 1.0;
constexpr double kClientRange = 0.75;
/// Of the active range, written in simulated time after it was overwritten without.
constexpr double kLead = 0.1;
/// A round of write saturation writes at least this share of the active range.
constexpr std::uint64_t kSaturationRounds = 50;

std::vector<Cell> cells_of(const std::vector<std::uint64_t>& read_percents,
                           const std::vector<std::uint64_t>& blocks, bool sequential = false) {
    std::vector<Cell> cells;
    for (const std::uint64_t reads : read_percents) {
        for (const std::uint64_t block : blocks) {
            cells.push_back({block, static_cast<std::uint32_t>(reads), sequential});
        }
    }
    return cells;
}

/// Indices of those of `wanted` that are among `cells`; all cells if none of them is.
std::vector<std::size_t> tracked_of(const std::vector<Cell>& cells, const std::vector<Cell>& wanted) {
    std::vector<std::size_t> tracked;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (std::ranges::find(wanted, cells[i]) != wanted.end()) {
            tracked.push_back(i);
        }
    }
    if (tracked.empty()) {
        tracked.resize(cells.size());
        std::iota(tracked.begin(), tracked.end(), std::size_t{0});
    }
    return tracked;
}

std::vector<std::uint64_t> values_or(const std::vector<std::uint64_t>& given,
                                     const std::vector<std::uint64_t>& usual) {
    std::vector<std::uint64_t> values = given.empty() ? usual : given;
    std::ranges::sort(values, std::greater());
    return values;
}

bool cells_are_short(const Options& options) {
    return options.cell.time < kCellTime;
}

void tell_length(const TestPlan& plan, std::vector<std::string>& deviations) {
    if (plan.length.requests > 0) {
        deviations.push_back(fmt::format("a cell is {} requests, not a minute", plan.length.requests));
    } else if (plan.length.time != kCellTime) {
        deviations.push_back(
            fmt::format("a cell lasts {}, not a minute", platform::format_duration(plan.length.time)));
    }
    if (plan.length.written_bytes > 0) {
        deviations.push_back(fmt::format("a round lasts at least until 1/{} of the active range is written",
                                         kSaturationRounds));
    }
    if (plan.most_rounds < kMostRounds) {
        deviations.push_back(fmt::format("at most {} rounds, not {}", plan.most_rounds, kMostRounds));
    }
}

void tell_drive(const Options& options, const TestPlan& plan, std::vector<std::string>& deviations) {
    if (options.cached() != options.client()) {
        deviations.push_back(options.client() ? "the write cache is off, and PTS-C has it on"
                                              : "the write cache is on, and PTS-E has it off");
    }
    if (plan.sequential_fills > 0.0 || plan.random_fills > 0.0) {
        deviations.emplace_back("preconditioning takes no simulated time");
    }
    if (plan.random_fills > 0.0) {
        deviations.push_back(fmt::format(
            "then {} times the active range is written at random, 4 KiB each, without simulated time, and "
            "{} times with it",
            platform::format_number(plan.random_fills), platform::format_number(kLead)));
    }
}

TestPlan base_of(const std::string& test, const Options& options,
                 const platform::Configuration& configuration) {
    TestPlan plan;
    plan.test = test;
    plan.length = options.cell;
    plan.depth = options.depth;
    plan.most_rounds = options.rounds;
    const double share = options.client() ? kClientRange : kEnterpriseRange;
    const auto bytes =
        static_cast<std::uint64_t>(share * static_cast<double>(configuration.exported_bytes()));
    plan.range_bytes = bytes / hal::kMiB * hal::kMiB;  // whole blocks of every size
    plan.random_fills = options.overwrite.value_or(cells_are_short(options) ? 1.0 : 0.0);
    return plan;
}

TestPlan iops_plan(const Options& options, const platform::Configuration& configuration) {
    TestPlan plan = base_of("iops", options, configuration);
    plan.cells = iops_cells(options);
    plan.tracked =
        tracked_of(plan.cells, {{4 * kKiB, 0, false}, {64 * kKiB, 65, false}, {1024 * kKiB, 100, false}});
    const std::size_t whole = kBlocks.size() * kReadPercents.size();
    if (plan.cells != iops_cells({})) {
        plan.deviations.push_back(
            fmt::format("{} cells were chosen, and the specification has {}", plan.cells.size(), whole));
    }
    return plan;
}

TestPlan throughput_plan(std::uint64_t block, const Options& options,
                         const platform::Configuration& configuration) {
    TestPlan plan = base_of("throughput", options, configuration);
    plan.cells = cells_of({100, 0}, {block}, true);
    plan.tracked = tracked_of(plan.cells, {{block, 0, true}});
    plan.sequential_bytes = block;
    plan.random_fills = options.overwrite.value_or(0.0);
    return plan;
}

TestPlan latency_plan(const Options& options, const platform::Configuration& configuration) {
    TestPlan plan = base_of("latency", options, configuration);
    plan.cells = cells_of({100, 65, 0}, {8 * kKiB, 4 * kKiB, 512});
    plan.tracked = tracked_of(plan.cells, {{4 * kKiB, 0, false}});
    plan.quantity = Tracked::mean_latency;
    plan.depth = 1;
    plan.deviations.emplace_back(
        "without the 20 minutes of 4 KiB writes after the rounds, and with 99.9 % in "
        "place of 99.999 %");
    return plan;
}

TestPlan saturation_plan(const Options& options, const platform::Configuration& configuration) {
    TestPlan plan = base_of("saturation", options, configuration);
    plan.cells = {{4 * kKiB, 0, false}};
    plan.sequential_fills = 0.0;
    plan.random_fills = options.overwrite.value_or(0.0);
    plan.most_written_bytes =
        static_cast<std::uint64_t>(options.fills * static_cast<double>(plan.range_bytes));
    constexpr std::uint32_t kDay = 24 * 60;
    plan.most_rounds = kDay;
    if (cells_are_short(options)) {
        plan.length.written_bytes = plan.range_bytes / kSaturationRounds;
    }
    if (options.fills != kSaturationFills) {
        plan.deviations.push_back(fmt::format("{} times the active range is written, not {}",
                                              platform::format_number(options.fills), kSaturationFills));
    }
    return plan;
}

}  // namespace

std::vector<Cell> iops_cells(const Options& options) {
    return cells_of(values_or(options.read_percents, kReadPercents), values_or(options.blocks, kBlocks));
}

std::vector<TestPlan> plans_of(const Options& options, const platform::Configuration& configuration) {
    std::vector<TestPlan> plans;
    for (const std::string& test : options.tests) {
        if (test == "iops") {
            plans.push_back(iops_plan(options, configuration));
        } else if (test == "throughput") {
            plans.push_back(throughput_plan(1024 * kKiB, options, configuration));
            plans.push_back(throughput_plan(128 * kKiB, options, configuration));
        } else if (test == "latency") {
            plans.push_back(latency_plan(options, configuration));
        } else {
            plans.push_back(saturation_plan(options, configuration));
        }
    }
    for (TestPlan& plan : plans) {
        if (plan.random_fills > 0.0) {
            plan.lead_bytes = static_cast<std::uint64_t>(kLead * static_cast<double>(plan.range_bytes));
        }
        tell_length(plan, plan.deviations);
        tell_drive(options, plan, plan.deviations);
    }
    return plans;
}

}  // namespace solidtlm::testbench::pts
