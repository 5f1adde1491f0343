// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/section_log.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fw/hal/check.h"

namespace solidtlm::testbench {
namespace {

using enum Operation;

constexpr std::array kQuantities{
    Quantity{"throughput", "MB/s", "throughput", std::nullopt, 0},
    Quantity{"iops", "/s", "rate", std::nullopt, 0},
    Quantity{"mean", "us", "mean", std::nullopt, 0},
    Quantity{"p50", "us", "p50", std::nullopt, 500},
    Quantity{"p95", "us", "p95", std::nullopt, 950},
    Quantity{"p99", "us", "p99", std::nullopt, 990},
    Quantity{"p999", "us", "p99.9", std::nullopt, 999},
    Quantity{"read_mean", "us", "mean of reads", read, 0},
    Quantity{"read_p99", "us", "p99 of reads", read, 990},
    Quantity{"read_p999", "us", "p99.9 of reads", read, 999},
    Quantity{"write_mean", "us", "mean of writes", write, 0},
    Quantity{"write_p99", "us", "p99 of writes", write, 990},
    Quantity{"write_p999", "us", "p99.9 of writes", write, 999},
    Quantity{"wa", "", "write amplification", std::nullopt, 0},
};

constexpr std::size_t kMostSections = 32;
constexpr std::size_t kFewSections = 5;  ///< fewer are taken only if more do not have enough commands

std::span<const Mark::Kind> kinds_of(const Quantity& quantity, const Mark& mark) {
    const std::span<const Mark::Kind> all(mark.kinds);
    return quantity.operation ? all.subspan(static_cast<std::size_t>(*quantity.operation), 1) : all;
}

std::uint64_t commands_of(const Quantity& quantity, const Mark& from, const Mark& to) {
    std::uint64_t commands = 0;
    for (const Mark::Kind& kind : kinds_of(quantity, to)) {
        commands += kind.commands;
    }
    for (const Mark::Kind& kind : kinds_of(quantity, from)) {
        commands -= kind.commands;
    }
    return commands;
}

double percentile_us(const Quantity& quantity, const Mark& from, const Mark& to) {
    std::vector<LatencyHistogram::Growth> growths;
    growths.reserve(kOperations);
    const auto before = kinds_of(quantity, from);
    const auto after = kinds_of(quantity, to);
    for (std::size_t i = 0; i < after.size(); ++i) {
        growths.push_back({before[i].counts, after[i].counts});
    }
    return static_cast<double>(LatencyHistogram::percentile(growths, quantity.per_mille).count()) / kPsPerUs;
}

}  // namespace

std::span<const Quantity> quantities() {
    return kQuantities;
}

const Quantity* find_quantity(std::string_view name) {
    const auto* const found = std::ranges::find(kQuantities, name, &Quantity::name);
    return found == kQuantities.end() ? nullptr : found;
}

Mark mark_of(const HostMetrics& metrics, const FlashWork& flash, Ps at) {
    Mark mark{at, flash, {}};
    for (std::size_t i = 0; i < kOperations; ++i) {
        const OperationMetrics& metric = metrics[static_cast<Operation>(i)];
        mark.kinds[i] = {metric.count(), metric.bytes, metric.latency.sum(), metric.latency.counts()};
    }
    return mark;
}

std::optional<double> value_between(const Quantity& quantity, const Mark& from, const Mark& to) {
    const std::uint64_t commands = commands_of(quantity, from, to);
    const auto seconds = static_cast<double>((to.at - from.at).count()) * 1e-12;
    const auto moved = [&](Operation operation) {
        const auto i = static_cast<std::size_t>(operation);
        return static_cast<double>(to.kinds[i].bytes - from.kinds[i].bytes);
    };
    if (quantity.name == "wa") {
        const auto programmed = static_cast<double>(to.flash.programmed_bytes - from.flash.programmed_bytes);
        return moved(write) > 0 ? std::optional(programmed / moved(write)) : std::nullopt;
    }
    if (commands == 0 || seconds <= 0) {
        return std::nullopt;
    }
    if (quantity.name == "throughput") {
        constexpr double kMegabyte = 1e6;
        return (moved(read) + moved(write)) / kMegabyte / seconds;
    }
    if (quantity.name == "iops") {
        return static_cast<double>(commands) / seconds;
    }
    if (quantity.per_mille > 0) {
        return percentile_us(quantity, from, to);
    }
    WidePs latency = 0;
    for (const Mark::Kind& kind : kinds_of(quantity, to)) {
        latency += kind.latency;
    }
    for (const Mark::Kind& kind : kinds_of(quantity, from)) {
        latency -= kind.latency;
    }
    return static_cast<double>(latency) / static_cast<double>(commands) / kPsPerUs;
}

void SectionLog::begin(Mark mark) {
    marks_.clear();
    marks_.push_back(std::move(mark));
    step_ /= scale_;
    scale_ = 1;
    next_ = step_;
}

void SectionLog::add(Mark mark, std::uint64_t progress) {
    marks_.push_back(std::move(mark));
    if (marks_.size() == kMostMarks) {
        for (std::size_t i = 0; 2 * i < kMostMarks; ++i) {
            std::swap(marks_[i], marks_[2 * i]);
        }
        marks_.resize(kMostMarks / 2 + 1);
        step_ *= 2;
        scale_ *= 2;
    }
    next_ = (progress / step_ + 1) * step_;
}

std::vector<RoundWork> SectionLog::work() const {
    std::vector<RoundWork> work;
    work.reserve(sections());
    for (std::size_t i = 1; i < marks_.size(); ++i) {
        const Mark& from = marks_[i - 1];
        const Mark& to = marks_[i];
        RoundWork& section = work.emplace_back();
        for (std::size_t kind = 0; kind < kOperations; ++kind) {
            section.commands += to.kinds[kind].commands - from.kinds[kind].commands;
            section.latency += to.kinds[kind].latency - from.kinds[kind].latency;
        }
        const auto written = static_cast<std::size_t>(write);
        section.written_bytes = to.kinds[written].bytes - from.kinds[written].bytes;
        section.programmed_bytes = to.flash.programmed_bytes - from.flash.programmed_bytes;
        section.erased_bytes = to.flash.erased_bytes - from.flash.erased_bytes;
    }
    return work;
}

std::optional<Interval> SectionLog::interval(const Quantity& quantity) const {
    std::optional<Interval> widest;
    std::size_t together = (sections() + kMostSections - 1) / kMostSections;
    for (; together > 0 && sections() / together >= kLeastSections; together += (together + 1) / 2) {
        if (widest && sections() / together < kFewSections) {
            break;
        }
        const auto interval = interval_of(quantity, together);
        if (interval && (!widest || interval->half_width > widest->half_width)) {
            widest = interval;
        }
    }
    return widest;
}

std::optional<Interval> SectionLog::interval_of(const Quantity& quantity, std::size_t together) const {
    const std::size_t count = sections() / together;
    const std::size_t first = sections() - count * together;
    const auto all = value_between(quantity, marks_[first], marks_.back());
    if (!all) {
        return std::nullopt;
    }
    double squares = 0.0;
    for (std::size_t i = first; i < sections(); i += together) {
        const Mark& from = marks_[i];
        const Mark& to = marks_[i + together];
        const auto value = value_between(quantity, from, to);
        if (!value || commands_of(quantity, from, to) < quantity.least_commands()) {
            return std::nullopt;
        }
        squares += (*value - *all) * (*value - *all);
    }
    const auto n = static_cast<double>(count);
    return Interval{*all, student_t(count - 1) * std::sqrt(squares / (n - 1) / n), count};
}

double student_t(std::size_t degrees_of_freedom) {
    // from the usual tables, for 1 to 31 degrees of freedom
    constexpr std::array<double, kMostSections - 1> kTable{
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201,
        2.179,  2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074,
        2.069,  2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042, 2.040};
    SOLIDTLM_CHECK(degrees_of_freedom >= 1 && degrees_of_freedom <= kTable.size(), "it is in the table");
    return kTable[degrees_of_freedom - 1];
}

}  // namespace solidtlm::testbench
