// SPDX-License-Identifier: Apache-2.0
//
// Published claims beside measurements. A claim declares what was published, how it is measured, and the rule
// by which it counts as reproduced or partly reproduced.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "testbench/show/result.h"
#include "testbench/studies/kit/measured.h"

namespace solidtlm::testbench {

[[nodiscard]] inline Verdict verdict_of(bool reproduced, bool partly) {
    return reproduced ? Verdict::reproduced : partly ? Verdict::partly : Verdict::not_reproduced;
}

// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct Finding {
    Json measured;
    Verdict verdict = Verdict::not_reproduced;
    std::optional<std::string> reason = {};  ///< none: that of the claim, unless it is reproduced
};

// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct PublishedClaim {
    const char* id;
    std::string claim;
    Json published;
    /// Returns nothing if the claim was not measured.
    std::function<std::optional<Finding>(Points)> measure;
    std::string reason = {};  ///< why it is not reproduced, as far as that is known
};

/// The claims that were measured, in order.
[[nodiscard]] inline std::vector<Claim> judge(const std::vector<PublishedClaim>& claims, Points points) {
    std::vector<Claim> judged;
    for (const PublishedClaim& each : claims) {
        if (auto found = each.measure(points)) {
            const bool holds = found->verdict == Verdict::reproduced;
            judged.push_back(Claim{each.id, each.claim, each.published, std::move(found->measured),
                                   found->verdict, found->reason.value_or(holds ? "" : each.reason)});
        }
    }
    return judged;
}

/// The upper of the two middle values. `values` must not be empty.
[[nodiscard]] inline double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace solidtlm::testbench
