// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/contention/derived.h"

#include "testbench/studies/parts/panels.h"

namespace solidtlm::testbench::contention {
namespace {

Json values_of(const MeasuredPoint& point) {
    const Measured& measured = point.measured;
    Json json{{"mb_per_s", measured.mb_per_s},
              {"hit_ratio", measured.hit_ratio},
              {"limit", limit_name(limit_of(measured))},
              {"bound_mb_per_s", point.bounds.least()},
              {"bound_by", kResourceNames[static_cast<std::size_t>(point.bounds.binding())]},
              {"measured_of_bound", point.of_bound()}};
    for (std::size_t i = 0; i < kResources; ++i) {
        json["bound_" + std::string(kResourceNames[i]) + "_mb_per_s"] = point.bounds.mb_per_s[i];
    }
    for (std::size_t i = 0; i < kParts; ++i) {
        json["share_" + std::string(kPartNames[i])] = measured.shares[i];
    }
    json["channel_wait_share"] = measured.channel_wait_share();
    json["die_wait_share"] = measured.die_wait_share();
    json["miss_share"] = measured.miss_share();
    json["miss_without_waiting_us"] = point.demand.miss_us;
    json["busiest_channel"] = measured.channels.most;
    json["busiest_die"] = measured.dies.most;
    return json;
}

/// Marks the points at which an answer lies.
void mark(std::span<const MeasuredPoint> points, std::span<const Answer> answers, const std::string& what,
          std::vector<Json>& json) {
    for (const Answer& answer : answers) {
        if (answer.knee) {
            Json& point = json[static_cast<std::size_t>(answer.point - points.data())];
            point["enough_" + what] = true;
            point["more_" + what + "_gain"] = answer.knee->gain;
        }
    }
}

}  // namespace

std::vector<Json> derived(std::span<const MeasuredPoint> points) {
    std::vector<Json> json;
    for (const MeasuredPoint& point : points) {
        json.push_back(values_of(point));
    }
    for (const std::span<const MeasuredPoint> panel : by_panel(points)) {
        mark(points, enough_channels(panel), "channels", json);
        mark(points, enough_cache(panel), "cache", json);
    }
    return json;
}

}  // namespace solidtlm::testbench::contention
