// SPDX-License-Identifier: Apache-2.0
//
// Cuts the measured part of a run into sections, and says how well the run knows its numbers: the interval
// of a quantity follows from its values in the sections (sectioning, Asmussen and Glynn, "Stochastic
// Simulation" (2007), III.5; Student's t over sections).
//
// Garbage collection returns to a parallel unit when the host has filled one of its superblocks, so what a
// drive does repeats with a period of one superblock per parallel unit of host writes: a collection round.
// Parts of a round say nothing about the others, and numbers within it depend on each other. So a section is
// one or more whole rounds, if anything is collected; without collection, sections are equal numbers of
// commands.
//
// Nothing is done for a command: marks keep what HostMetrics had counted at an instant, and a section is the
// difference of two. When there are kMostMarks, every second one is dropped.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "testbench/show/host_metrics.h"
#include "testbench/show/round_log.h"

namespace solidtlm::testbench {

constexpr std::size_t kLeastSections = 3;

/// What had been counted at an instant.
struct Mark {
    struct Kind {
        std::uint64_t commands = 0;
        std::uint64_t bytes = 0;
        WidePs latency = 0;
        std::vector<LatencyHistogram::Count> counts;
    };
    Ps at{0};
    FlashWork flash;
    std::array<Kind, kOperations> kinds;
};

/// A quantity whose interval can be known, by the name that formulas of studies use.
struct Quantity {
    std::string_view name;
    std::string_view unit;
    std::string_view label;              ///< in a sentence
    std::optional<Operation> operation;  ///< of these commands alone
    std::uint32_t per_mille = 0;         ///< a percentile; 0: none
    /// Commands that a section must have for its value to mean something: ten beyond the percentile.
    [[nodiscard]] std::uint64_t least_commands() const {
        constexpr std::uint64_t kBeyond = 10;
        return per_mille > 0 ? kBeyond * 1000 / (1000 - per_mille) : 2 * kBeyond;
    }
};
[[nodiscard]] std::span<const Quantity> quantities();
/// None: there is none with this name.
[[nodiscard]] const Quantity* find_quantity(std::string_view name);

/// 95 % interval about the value of the whole measured part.
struct Interval {
    double value = 0.0;
    double half_width = 0.0;
    std::size_t sections = 0;
    /// Half width as a share of the value.
    [[nodiscard]] double share() const { return value > 0.0 ? half_width / value : 0.0; }
};

/// Sections of one kind: whole rounds, or equal numbers of commands.
class SectionLog {
  public:
    static constexpr std::size_t kMostMarks = 65;

    /// A section is `step` long at first.
    explicit SectionLog(std::uint64_t step) : step_(step), next_(step) {}

    void begin(Mark mark);
    /// Whether it is time for a mark; `progress`: bytes or commands since begin().
    [[nodiscard]] bool due(std::uint64_t progress) const { return progress >= next_; }
    void add(Mark mark, std::uint64_t progress);

    [[nodiscard]] std::size_t sections() const { return marks_.empty() ? 0 : marks_.size() - 1; }
    /// Sections in units of the first step.
    [[nodiscard]] std::uint64_t steps_per_section() const { return scale_; }
    [[nodiscard]] std::vector<RoundWork> work() const;
    /// The widest of the intervals with 32 sections and fewer, longer ones, because neighbours may depend on
    /// each other. None: there are fewer than kLeastSections with enough commands.
    [[nodiscard]] std::optional<Interval> interval(const Quantity& quantity) const;

  private:
    /// With sections of so many. REQUIRES: there are at least two.
    [[nodiscard]] std::optional<Interval> interval_of(const Quantity& quantity, std::size_t together) const;

    std::uint64_t step_;
    std::uint64_t next_;
    std::uint64_t scale_ = 1;
    std::vector<Mark> marks_;
};

/// The value of a quantity between two marks; none: nothing was counted that it is about.
[[nodiscard]] std::optional<double> value_between(const Quantity& quantity, const Mark& from, const Mark& to);

[[nodiscard]] Mark mark_of(const HostMetrics& metrics, const FlashWork& flash, Ps at);

/// The 97.5 % quantile of Student's t.
[[nodiscard]] double student_t(std::size_t degrees_of_freedom);

}  // namespace solidtlm::testbench
