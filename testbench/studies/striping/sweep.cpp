// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/striping/sweep.h"

#include <algorithm>

#include "testbench/studies/parts/variants.h"

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
    std::vector<std::string> settings = geometry_settings(base, channels, dies);
    settings.insert(settings.end(), {"firmware.allocation.order=" + panel.order,
                                     "firmware.allocation.striping=" + panel.striping,
                                     "firmware.allocation.mode=" + panel.allocation});
    point.configuration = variant_of(base, settings);
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
    VariantIssues issues;
    for (const Panel& panel : panels_of(sweep)) {
        for (const std::uint32_t dies : sweep.dies) {
            for (const std::uint32_t channels : sweep.channels) {
                try {
                    points.push_back(make_point(sweep, panel, channels, dies, base));
                } catch (const platform::ConfigurationError& error) {
                    issues.add(error);
                }
            }
        }
    }
    issues.report();
    return points;
}

}  // namespace solidtlm::testbench::striping
