// SPDX-License-Identifier: Apache-2.0
//
// The counters of a block, each declared once beside its variable: name, unit, meaning, and how windows of
// time and power cuts affect it. Results, reports and docs/metrics.md are made from these declarations.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fw/hal/check.h"
#include "fw/hal/types.h"

namespace solidtlm::hal {

enum class MetricKind : std::uint8_t {
    counter,  ///< grows: windows show differences, power cycles are added up
    state,    ///< the present value
    maximum,  ///< the largest value since power was first applied, in windows too
};

struct Metric {
    MetricKind kind = MetricKind::counter;
    std::string_view unit;  ///< as in results; empty if it has none
    std::string_view what;
    double value = 0.0;     ///< exact: times are counted in ps
    double per_unit = 1.0;  ///< this much of `value` is one `unit`
    std::size_t place = 0;  ///< position in the order in which names were first reported

    [[nodiscard]] double in_units() const { return value / per_unit; }
};

/// Metrics by name. Metrics that several blocks report under one name (the channels of a drive) are
/// combined.
class Metrics {
  public:
    template <class Number>
    void counter(const std::string& name, std::string_view unit, std::string_view what, Number value) {
        add(name, {MetricKind::counter, unit, what, static_cast<double>(value)});
    }
    template <class Number>
    void state(const std::string& name, std::string_view unit, std::string_view what, Number value) {
        add(name, {MetricKind::state, unit, what, static_cast<double>(value)});
    }
    template <class Number>
    void maximum(const std::string& name, std::string_view unit, std::string_view what, Number value) {
        add(name, {MetricKind::maximum, unit, what, static_cast<double>(value)});
    }
    void time(const std::string& name, std::string_view what, Ps value) {
        add(name, {MetricKind::counter, "us", what, static_cast<double>(value.count()), kPsPerUs});
    }
    /// Reports one metric per cause: NAME.gc and so on.
    void time(const std::string& name, std::string_view what, const std::array<Ps, kCauses>& values) {
        for (std::size_t cause = 0; cause < kCauses; ++cause) {
            time(name + "." + std::string(kCauseNames[cause]), what, values[cause]);
        }
    }
    void longest(const std::string& name, std::string_view what, Ps value) {
        add(name, {MetricKind::maximum, "us", what, static_cast<double>(value.count()), kPsPerUs});
    }
    /// Adds the metrics of an earlier power cycle of the drive.
    void add_past(const Metrics& past) {
        for (const auto& [name, metric] : past.in_order()) {
            if (metric.kind != MetricKind::state) {
                add(name, metric);
            }
        }
    }
    /// The metrics of the time since `earlier`. REQUIRES: `earlier` holds earlier metrics of the same blocks.
    [[nodiscard]] Metrics since(const Metrics& earlier) const {
        Metrics rest = *this;
        for (const auto& [name, before] : earlier.metrics_) {
            const auto now = rest.metrics_.find(name);
            SOLIDTLM_CHECK(now != rest.metrics_.end(), "`earlier` holds metrics of the same blocks");
            now->second.value -= before.kind == MetricKind::counter ? before.value : 0.0;
        }
        return rest;
    }
    /// In alphabetical order.
    [[nodiscard]] auto begin() const { return metrics_.begin(); }
    [[nodiscard]] auto end() const { return metrics_.end(); }
    /// Metrics of one block, each under the rest of its name after `block` and a dot.
    [[nodiscard]] Metrics of(const std::string& block) const {
        Metrics part;
        for (const auto& [name, metric] : in_order()) {
            if (name.starts_with(block + ".")) {
                part.add(name.substr(block.size() + 1), metric);
            }
        }
        return part;
    }
    /// In the order in which they were first reported.
    [[nodiscard]] std::vector<std::pair<std::string, Metric>> in_order() const {
        std::vector<std::pair<std::string, Metric>> all(begin(), end());
        std::ranges::sort(all, {}, [](const auto& told) { return told.second.place; });
        return all;
    }
    /// Null if no block reports the metric.
    [[nodiscard]] const Metric* find(const std::string& name) const {
        const auto told = metrics_.find(name);
        return told == metrics_.end() ? nullptr : &told->second;
    }
    /// Value of a metric in its unit. The metric must exist.
    [[nodiscard]] double at(const std::string& name) const { return metrics_.at(name).in_units(); }
    /// Value of a count. The metric must exist.
    [[nodiscard]] std::uint64_t count(const std::string& name) const {
        return static_cast<std::uint64_t>(at(name));
    }
    /// An exact time. The metric must exist.
    [[nodiscard]] Ps time_at(const std::string& name) const {
        return Ps{static_cast<std::int64_t>(metrics_.at(name).value)};
    }

  private:
    static constexpr double kPsPerUs = 1e6;

    void add(const std::string& name, const Metric& metric) {
        const auto [told, fresh] = metrics_.try_emplace(name, metric);
        if (fresh) {
            told->second.place = metrics_.size();
        } else {
            double& value = told->second.value;
            value = metric.kind == MetricKind::maximum ? std::max(value, metric.value) : value + metric.value;
        }
    }

    std::map<std::string, Metric> metrics_;
};

}  // namespace solidtlm::hal
