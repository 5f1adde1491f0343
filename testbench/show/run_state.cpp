// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/run_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "testbench/show/json_number.h"
#include "testbench/show/text_table.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kFirstCommands = 64;  ///< in a section of equal numbers of commands, at first
/// A load that writes nothing settles within a few times the commands that are under way.
constexpr std::uint64_t kLeastCommands = 1000;
constexpr double kTimesOutstanding = 50;
/// Share of the commands that may find the host's queue full.
constexpr double kSeldomFull = 0.1;

/// Two significant digits, rounded up.
std::uint64_t about(double commands) {
    const double step = std::max(1.0, std::pow(10.0, std::floor(std::log10(std::max(commands, 1.0))) - 1.0));
    return static_cast<std::uint64_t>(std::ceil(commands / step) * step);
}

std::string interval_text(const Quantity& quantity, const Interval& interval) {
    const int decimals = interval.value >= 1000 ? 0 : interval.value >= 100 ? 1 : 2;
    return fmt::format("{} {}{}{} +- {:.1f} %", quantity.label, grouped(interval.value, decimals),
                       quantity.unit.empty() ? "" : " ", quantity.unit, 100 * interval.share());
}

}  // namespace

RunState::RunState(StateFacts facts, const HostMetrics& metrics, RoundLog::Probe flash)
    : facts_(std::move(facts)),
      metrics_(metrics),
      flash_(std::move(flash)),
      by_rounds_(facts_.round_bytes),
      by_commands_(kFirstCommands) {}

void RunState::begin(Ps at) {
    begun_ = true;
    at_begin_ = flash_();
    const Mark mark = mark_of(metrics_, at_begin_, at);
    by_rounds_.begin(mark);
    by_commands_.begin(mark);
    issued_ = 0;
    issued_late_ = 0;
}

void RunState::issued(const Command& command, Ps at) {
    if (!begun_) {
        begin(command.arrival);
    }
    ++issued_;
    const bool waited = at > command.arrival;
    issued_late_ += waited && metrics_.outstanding() >= facts_.queue_depth ? 1 : 0;
}

bool RunState::completed(const Command& command) {
    bool new_section = false;
    const auto look = [&](SectionLog& log, std::uint64_t progress) {
        if (log.due(progress)) {
            log.add(mark_of(metrics_, flash_(), command.completed_at), progress);
            new_section = true;
        }
    };
    look(by_rounds_, written());
    look(by_commands_, metrics_.completed());
    return new_section && !facts_.known.empty() && known();
}

double RunState::rounds() const {
    return static_cast<double>(written()) / static_cast<double>(facts_.round_bytes);
}

bool RunState::collected() const {
    return flash_().erased_bytes > at_begin_.erased_bytes;
}

std::uint64_t RunState::least_commands() const {
    return std::max(kLeastCommands,
                    static_cast<std::uint64_t>(kTimesOutstanding * metrics_.mean_outstanding()));
}

SteadyState RunState::steady_state() const {
    if (written() == 0) {
        return metrics_.completed() < least_commands() ? SteadyState({}) : SteadyState(by_commands_.work());
    }
    return SteadyState(by_rounds_.work(), kLeastSections);
}

SteadyState::Verdict RunState::verdict() const {
    if (written() > 0 && !collected() && (!facts_.aged || rounds() >= kLeastSections)) {
        return SteadyState::Verdict::filling;
    }
    return steady_state().verdict();
}

std::uint64_t RunState::missing() const {
    if (verdict() != SteadyState::Verdict::too_short) {
        return 0;
    }
    const auto completed = static_cast<double>(metrics_.completed());
    if (written() == 0) {
        return about(static_cast<double>(least_commands()) - completed);
    }
    return about(completed * (static_cast<double>(kLeastSections) / rounds() - 1.0));
}

const SectionLog* RunState::sections() const {
    switch (verdict()) {
        case SteadyState::Verdict::too_short:
            return nullptr;
        case SteadyState::Verdict::unwritten:
            return &by_commands_;
        default:
            return collected() ? &by_rounds_ : &by_commands_;
    }
}

bool RunState::known() const {
    const SteadyState::Verdict now = verdict();
    if (now != SteadyState::Verdict::steady && now != SteadyState::Verdict::unwritten) {
        return false;
    }
    const SectionLog* log = sections();
    return std::ranges::all_of(facts_.known, [log](const Precision& asked) {
        const auto interval = log->interval(*find_quantity(asked.quantity));
        return interval && interval->share() <= asked.share;
    });
}

double RunState::full_share() const {
    return issued_ > 0 ? static_cast<double>(issued_late_) / static_cast<double>(issued_) : 0.0;
}

bool RunState::limited_by_queue() const {
    return facts_.open && full_share() > kSeldomFull;
}

Json RunState::limited_by() const {
    if (!facts_.open) {
        return "queue depth";
    }
    return limited_by_queue() ? Json("host queue") : Json(nullptr);
}

std::string RunState::verdict_text() const {
    const SteadyState state = steady_state();
    switch (verdict()) {
        case SteadyState::Verdict::steady:
            return fmt::format("steady over {:.0f} rounds of collection", std::floor(rounds()));
        case SteadyState::Verdict::unwritten:
            return "steady, nothing was written";
        case SteadyState::Verdict::drifting:
            return "drifting: " + state.drift_text();
        case SteadyState::Verdict::filling:
            return collected() ? "filling: more was programmed than erased"
                               : "filling: nothing was collected, because free space did not fall to the "
                                 "threshold";
        case SteadyState::Verdict::too_short:
            break;
    }
    const std::string more =
        fmt::format("; about {} commands more would do", grouped(static_cast<double>(missing()), 0));
    if (written() == 0) {
        return "too short to judge" + more;
    }
    return fmt::format("too short to judge, {:.2g} of {} rounds of collection",
                       std::floor(10 * rounds()) / 10, kLeastSections) +
           more;
}

std::string RunState::limit_text() const {
    return limited_by_queue() ? fmt::format(
                                    "; the host's queue of {} was full for {:.0f} % of the commands, and "
                                    "{:.0f} were under way or waited on average",
                                    facts_.queue_depth, 100 * full_share(), metrics_.mean_outstanding())
                              : "";
}

Json RunState::to_json() const {
    const SectionLog* log = sections();
    Json intervals = Json::object();
    struct Shown {
        const Quantity* quantity = nullptr;
        Interval interval;
        double of_asked = 0.0;
    };
    std::optional<Shown> shown;
    std::vector<std::string> unknown;
    std::vector<Precision> asked = facts_.known;
    if (asked.empty()) {
        asked = {{"p99", 1.0}};
    }
    for (const Quantity& quantity : quantities()) {
        const auto wanted = std::ranges::find(asked, quantity.name, &Precision::quantity);
        const auto interval = log == nullptr ? std::nullopt : log->interval(quantity);
        if (interval) {
            intervals[quantity.name] = {{"value", interval->value}, {"half_width", interval->half_width}};
        }
        if (wanted == asked.end()) {
            continue;
        }
        if (!interval) {
            unknown.emplace_back(quantity.label);
        } else if (const double of_asked = interval->share() / wanted->share;
                   !shown || of_asked > shown->of_asked) {
            shown = Shown{&quantity, *interval, of_asked};
        }
    }
    std::string text = verdict_text();
    if (shown) {
        text += fmt::format("; {} (95 %, {} sections)", interval_text(*shown->quantity, shown->interval),
                            shown->interval.sections);
    }
    for (const std::string& name : unknown) {
        text += "; " + name + " not known";
    }
    text += limit_text();
    return {{"kind", verdict_name(verdict())},
            {"quantity", shown ? Json(shown->quantity->name) : Json(nullptr)},
            {"half_width", shown ? Json(shown->interval.share()) : Json(nullptr)},
            {"rounds", shown ? shown->interval.sections : 0},
            {"limited_by", limited_by()},
            {"missing", missing()},
            {"text", text},
            {"intervals", intervals}};
}

}  // namespace solidtlm::testbench
