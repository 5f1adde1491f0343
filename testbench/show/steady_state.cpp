// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/steady_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "testbench/show/json_number.h"

namespace solidtlm::testbench {
namespace {

constexpr double kLeastErased = 1.0 - kMostSlope;  // as a share of the programmed bytes

double ratio(double amount, std::uint64_t of) {
    return of > 0 ? amount / static_cast<double>(of) : 0.0;
}

using Parts = std::vector<RoundWork>;

Parts parts_of(std::span<const RoundWork> rounds) {
    Parts parts(std::min(rounds.size(), kSteadyRounds));
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::size_t from = i * rounds.size() / parts.size();
        const std::size_t to = (i + 1) * rounds.size() / parts.size();
        for (const RoundWork& round : rounds.subspan(from, to - from)) {
            parts[i] += round;
        }
    }
    return parts;
}

template <class Value>
Drift drift_of(const Parts& parts, Value value) {
    std::vector<double> values(parts.size());
    std::ranges::transform(parts, values.begin(), value);
    return Drift(values);
}

Json drift_section(const std::optional<Drift>& drift) {
    return drift ? Json{{"mean", drift->mean}, {"excursion", drift->excursion}, {"slope", drift->slope}}
                 : Json(nullptr);
}

}  // namespace

Drift::Drift(std::span<const double> values)
    : mean(std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size())) {
    if (mean == 0.0) {
        return;
    }
    const auto [smallest, largest] = std::ranges::minmax(values);
    excursion = (largest - smallest) / mean;
    const auto steps = static_cast<double>(values.size() - 1);
    double product = 0.0;
    double square = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double x = static_cast<double>(i) - steps / 2;
        product += x * values[i];
        square += x * x;
    }
    slope = steps * product / square / mean;
}

bool Drift::steady() const {
    return excursion <= kMostExcursion && std::abs(slope) <= kMostSlope;
}

RoundWork& RoundWork::operator+=(const RoundWork& other) {
    commands += other.commands;
    latency += other.latency;
    written_bytes += other.written_bytes;
    programmed_bytes += other.programmed_bytes;
    erased_bytes += other.erased_bytes;
    return *this;
}

SteadyState::SteadyState(std::span<const RoundWork> rounds, std::size_t least) {
    if (rounds.size() < least) {
        return;
    }
    const Parts parts = parts_of(rounds);
    const RoundWork all = std::accumulate(parts.begin(), parts.end(), RoundWork{},
                                          [](RoundWork sum, const RoundWork& part) { return sum += part; });
    latency_us_ = drift_of(parts, [](const RoundWork& part) {
        return ratio(static_cast<double>(part.latency) / kPsPerUs, part.commands);
    });
    if (all.written_bytes > 0) {
        write_amplification_ = drift_of(parts, [](const RoundWork& part) {
            return ratio(static_cast<double>(part.programmed_bytes), part.written_bytes);
        });
    }
    const bool filling =
        static_cast<double>(all.erased_bytes) < kLeastErased * static_cast<double>(all.programmed_bytes);
    if (!latency_us_->steady() || (write_amplification_ && !write_amplification_->steady())) {
        verdict_ = Verdict::drifting;
    } else if (!write_amplification_) {
        verdict_ = Verdict::unwritten;
    } else {
        verdict_ = filling ? Verdict::filling : Verdict::steady;
    }
}

Json SteadyState::to_json() const {
    return {{"verdict", verdict_name(verdict_)},
            {"write_amplification", drift_section(write_amplification_)},
            {"mean_latency_us", drift_section(latency_us_)}};
}

std::string SteadyState::drift_text() const {
    const auto of = [](const Drift& drift) {
        return fmt::format("by {:.1f} % (slope {:.1f} %)", 100 * drift.excursion, 100 * drift.slope);
    };
    return (write_amplification_
                ? "write amplification varies " + of(*write_amplification_) + ", mean latency "
                : std::string("mean latency varies ")) +
           of(*latency_us_);
}

std::string_view verdict_name(SteadyState::Verdict verdict) {
    switch (verdict) {
        case SteadyState::Verdict::steady:
            return "steady";
        case SteadyState::Verdict::drifting:
            return "drifting";
        case SteadyState::Verdict::filling:
            return "filling";
        case SteadyState::Verdict::unwritten:
            return "unwritten";
        case SteadyState::Verdict::too_short:
            break;
    }
    return "too short";
}

}  // namespace solidtlm::testbench
