// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/striping/sweep.h"

#include <algorithm>
#include <numeric>

namespace solidtlm::testbench::striping {
namespace {

std::vector<Panel> panels_of(const Sweep& sweep) {
    std::vector<Panel> panels;
    for (const std::string& order : sweep.orders) {
        for (const std::string& striping : sweep.striping) {
            for (const std::string& allocation : sweep.allocation) {
                for (const std::string& pattern : sweep.patterns) {
                    for (const std::string& operation : sweep.operations) {
                        panels.push_back(Panel{order, striping, allocation, pattern, operation});
                    }
                }
            }
        }
    }
    return panels;
}

SweepPoint make_point(const Sweep& sweep, const Panel& panel, std::uint32_t channels, std::uint32_t dies,
                      const platform::Configuration& base) {
    SweepPoint point;
    point.panel = panel;
    point.channels = channels;
    point.dies = dies;
    // Packages as large as in the base, unless there are fewer dies than that.
    const std::uint32_t dies_per_way = std::gcd(base.nand.geometry.dies_per_way, dies);
    point.configuration = platform::parse_configuration(
        platform::to_toml(base), "base of the sweep",
        {"nand.geometry.channels=" + std::to_string(channels), "nand.geometry.dies=" + std::to_string(dies),
         "nand.geometry.dies_per_way=" + std::to_string(dies_per_way),
         "firmware.allocation.order=" + panel.order, "firmware.allocation.striping=" + panel.striping,
         "firmware.allocation.mode=" + panel.allocation});
    point.stream.operation = panel.operation == "read" ? Operation::read : Operation::write;
    point.stream.sequential = panel.pattern == "sequential";
    point.stream.bytes = point.stream.sequential ? sweep.sequential_bytes : sweep.random_bytes;
    point.stream.depth = std::min(sweep.depth, point.configuration.sata.queue_depth);
    return point;
}

}  // namespace

std::string Panel::name() const {
    return pattern + " " + operation + ", " + order + ", striping " + striping + ", " + allocation;
}

std::string SweepPoint::name() const {
    return panel.name() + ", " + std::to_string(channels) + " x " + std::to_string(dies);
}

Json SweepPoint::parameters() const {
    return {{"order", panel.order},        {"striping", panel.striping},   {"allocation", panel.allocation},
            {"pattern", panel.pattern},    {"operation", panel.operation}, {"request_bytes", stream.bytes},
            {"queue_depth", stream.depth}, {"channels", channels},         {"dies_per_channel", dies}};
}

std::vector<SweepPoint> points_of(const Sweep& sweep, const platform::Configuration& base) {
    std::vector<SweepPoint> points;
    std::vector<platform::ConfigurationIssue> issues;
    for (const Panel& panel : panels_of(sweep)) {
        for (const std::uint32_t dies : sweep.dies) {
            for (const std::uint32_t channels : sweep.channels) {
                try {
                    points.push_back(make_point(sweep, panel, channels, dies, base));
                } catch (const platform::ConfigurationError& error) {
                    for (const platform::ConfigurationIssue& issue : error.issues()) {
                        const bool known = std::ranges::any_of(
                            issues, [&issue](const auto& other) { return other.text() == issue.text(); });
                        if (!known) {
                            issues.push_back(issue);
                        }
                    }
                }
            }
        }
    }
    if (!issues.empty()) {
        throw platform::ConfigurationError(issues);
    }
    return points;
}

}  // namespace solidtlm::testbench::striping
