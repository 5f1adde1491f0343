// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/fragmentation/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "testbench/studies/fragmentation/load.h"

namespace solidtlm::testbench::fragmentation {
namespace {

constexpr double kAllFull = 99.0;     ///< percent: what is left are blocks still being filled
constexpr double kNearlyFull = 95.0;  ///< likewise, partly
constexpr double kHigh = 75.0;        ///< block utilisation, percent
constexpr double kVeryLow = 25.0;
constexpr double kWastedShare = 40.0;  ///< published, percent
constexpr double kNear = 5.0;          ///< percentage points
constexpr double kFar = 15.0;
constexpr double kSmall = 5.0;  ///< share, percent
constexpr double kModest = 10.0;
constexpr double kSlower = -40.0;  ///< published, percent
constexpr double kNearSlower = 10.0;
constexpr double kNoDifference = 5.0;
constexpr double kHardlyAny = 10.0;
constexpr double kSpeedUp = 4.0;     ///< published: at most
constexpr double kReached = 0.95;    ///< of it
constexpr double kOfFormula = 0.05;  ///< measured against the closed form

Verdict judge(bool reproduced, bool partly) {
    return reproduced ? Verdict::reproduced : partly ? Verdict::partly : Verdict::not_reproduced;
}

std::string percent(double value) {
    return fmt::format("{:.1f} %", value);
}

/// FAST with full striping and the rule: what the study's figures are about.
const Observed* studied(std::span<const Observed> all, const char* load) {
    return find(all, System{"fast", "full", true}, load);
}

/// Utilisation of page mapping on a load, the lower of striped and not striped.
std::optional<double> page_map_utilisation(std::span<const Observed> all, const std::string& load) {
    std::optional<double> least;
    for (const Observed& each : all) {
        if (each.system.layer == "page_map" && each.load == load && each.utilisation) {
            least = std::min(least.value_or(*each.utilisation), *each.utilisation);
        }
    }
    return least;
}

void add_page_map(std::span<const Observed> all, std::vector<Claim>& claims) {
    const auto iozone = page_map_utilisation(all, kIozone);
    const auto pc = page_map_utilisation(all, kPcApplication);
    if (!iozone || !pc) {
        return;
    }
    const double least = std::min(*iozone, *pc);
    Claim claim{"A1",
                "page mapping, block utilisation, IOzone / PC application",
                "100 % / 100 %",
                percent(*iozone) + " / " + percent(*pc),
                judge(least >= kAllFull, least >= kNearlyFull),
                ""};
    if (least < 100.0) {
        claim.reason = "blocks that are still being filled count as allocated";
    }
    claims.push_back(std::move(claim));
}

void add_utilisation(const Observed* iozone, const Observed* pc, std::vector<Claim>& claims) {
    if (iozone == nullptr || pc == nullptr || !iozone->utilisation || !pc->utilisation) {
        return;
    }
    const bool ordered = *iozone->utilisation > *pc->utilisation;
    claims.push_back(
        Claim{"A2", "FAST, full striping, block utilisation: IOzone high, PC application very low",
              "high / very low (figure)", percent(*iozone->utilisation) + " / " + percent(*pc->utilisation),
              judge(*iozone->utilisation >= kHigh && *pc->utilisation <= kVeryLow, ordered), ""});
}

void add_shares(const Observed* iozone, const Observed* pc, std::vector<Claim>& claims) {
    if (pc != nullptr) {
        const double share = pc->writes.share(pc->writes.wasted);
        const double off = std::abs(share - kWastedShare);
        claims.push_back(Claim{"A3", "FAST, full striping, share of update_wasted, PC application",
                               "about 40 %", percent(share), judge(off <= kNear, off <= kFar), ""});
    }
    if (iozone != nullptr) {
        const double share = iozone->writes.share(iozone->writes.wasted);
        claims.push_back(Claim{"A4", "FAST, full striping, share of update_wasted, IOzone", "small",
                               percent(share), judge(share <= kSmall, share <= kModest), ""});
    }
}

/// Why the rule costs what it costs: only merges do, and only a log that is used up is merged.
std::string merge_reason(const Observed& with, const Observed& without) {
    const auto merges = [](const Merges& all) { return all.drops + all.switches + all.partial + all.full; };
    if (with.copies == 0 && without.copies == 0) {
        return fmt::format(
            "{} pages went to the log with the rule and {} without, and neither had to copy a page: "
            "the log has room for all of them",
            with.writes.pure + with.writes.wasted, without.writes.pure + without.writes.wasted);
    }
    return fmt::format("{} merges copied {} pages with the rule, {} copied {} without", merges(with.merges),
                       with.copies, merges(without.merges), without.copies);
}

void add_cost(std::span<const Observed> all, const Observed* with, bool is_pc, std::vector<Claim>& claims) {
    const auto cost = with != nullptr ? cost_of_rule(all, *with) : std::nullopt;
    if (!cost) {
        return;
    }
    const Observed* without = find(all, System{"fast", "full", false}, with->load);
    Claim claim;
    claim.id = is_pc ? "A5" : "A6";
    claim.claim = fmt::format("FAST, full striping, throughput with the sequential rule against without, {}",
                              is_pc ? "PC application" : "IOzone");
    claim.published = is_pc ? "-40 %" : "nearly no difference";
    claim.measured = fmt::format("{:+.1f} %{}", *cost, with->mb_per_s ? "" : " (flash work, not timed)");
    const double off = std::abs(*cost);
    claim.verdict = is_pc ? judge(std::abs(*cost - kSlower) <= kNearSlower, *cost <= -kHardlyAny)
                          : judge(off <= kNoDifference, off <= kHardlyAny);
    if (claim.verdict != Verdict::reproduced) {
        claim.reason = merge_reason(*with, *without);
    }
    claims.push_back(std::move(claim));
}

}  // namespace

std::vector<Claim> claims_of(std::span<const Observed> all) {
    std::vector<Claim> claims;
    const Observed* iozone = studied(all, kIozone);
    const Observed* pc = studied(all, kPcApplication);
    add_page_map(all, claims);
    add_utilisation(iozone, pc, claims);
    add_shares(iozone, pc, claims);
    add_cost(all, pc, true, claims);
    add_cost(all, iozone, false, claims);
    return claims;
}

Claim speed_up_claim(std::span<const SpeedUp> measured) {
    Claim claim;
    claim.id = "A7";
    claim.claim = "full striping over 4 dies against none, one write of 8 pages";
    claim.published = "up to 4 times as fast";
    double best = 0.0;
    bool as_computed = true;
    std::string text;
    for (const SpeedUp& each : measured) {
        best = std::max(best, each.measured());
        as_computed &= std::abs(each.measured() / each.expected - 1.0) <= kOfFormula;
        text += fmt::format("{}{:.2f} on {} channel{} ({:.2f} by formula)", text.empty() ? "" : ", ",
                            each.measured(), each.channels, each.channels == 1 ? "" : "s", each.expected);
    }
    claim.measured = text;
    claim.verdict = judge(as_computed && best >= kReached * kSpeedUp && best <= kSpeedUp * (1.0 + kOfFormula),
                          best > 1.0 && best <= kSpeedUp * (1.0 + kOfFormula));
    if (!as_computed) {
        claim.reason = "not what the times of bus and array give";
    }
    return claim;
}

}  // namespace solidtlm::testbench::fragmentation
