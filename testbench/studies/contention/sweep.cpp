// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/contention/sweep.h"

#include "platform/units.h"
#include "testbench/studies/parts/variants.h"

namespace solidtlm::testbench::contention {
namespace {

std::vector<Panel> panels_of(const Sweep& sweep) {
    std::vector<Panel> panels;
    for (const std::string& policy : sweep.policies) {
        for (const std::uint32_t depth : sweep.depths) {
            for (const std::uint32_t dies : sweep.dies) {
                for (const std::string& order : sweep.orders) {
                    panels.push_back(Panel{order, policy, dies, depth});
                }
            }
        }
    }
    return panels;
}

SweepPoint make_point(const Panel& panel, std::uint64_t cache_bytes, std::uint32_t channels,
                      const platform::Configuration& base) {
    std::vector<std::string> settings = geometry_settings(base, channels, panel.dies);
    settings.push_back("firmware.allocation.order=" + panel.order);
    if (cache_bytes == kWholeMap) {
        settings.emplace_back("firmware.map_cache.policy=full_table");
    } else {
        settings.push_back("firmware.map_cache.policy=" + panel.policy);
        settings.push_back("firmware.map_cache.size=" + std::to_string(cache_bytes));
    }
    return SweepPoint{panel, channels, cache_bytes, variant_of(base, settings)};
}

}  // namespace

std::string cache_name(std::uint64_t bytes) {
    return bytes == kWholeMap ? "whole map" : platform::format_size(bytes);
}

std::string Panel::name() const {
    return policy + ", " + order + ", " + std::to_string(dies) + (dies == 1 ? " die" : " dies") +
           " a channel, " + std::to_string(depth) + " outstanding";
}

std::string SweepPoint::name() const {
    return panel.name() + ", " + std::to_string(channels) + (channels == 1 ? " channel, " : " channels, ") +
           cache_name(cache_bytes);
}

Json SweepPoint::parameters() const {
    return {{"order", panel.order},
            {"policy", panel.policy},
            {"dies_per_channel", panel.dies},
            {"queue_depth", panel.depth},
            {"channels", channels},
            {"cache_bytes", cache_bytes == kWholeMap ? Json("whole map") : Json(cache_bytes)}};
}

std::vector<SweepPoint> points_of(const Sweep& sweep, const platform::Configuration& base) {
    std::vector<SweepPoint> points;
    VariantIssues issues;
    for (const Panel& panel : panels_of(sweep)) {
        for (const std::uint64_t cache : sweep.caches) {
            for (const std::uint32_t channels : sweep.channels) {
                try {
                    points.push_back(make_point(panel, cache, channels, base));
                } catch (const platform::ConfigurationError& error) {
                    issues.add(error);
                }
            }
        }
    }
    issues.report();
    return points;
}

}  // namespace solidtlm::testbench::contention
