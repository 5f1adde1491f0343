// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulation/power_cut_options.h"

#include <algorithm>

#include "testbench/workload/units.h"

namespace solidtlm::testbench {
namespace {

constexpr const char* kGroup = "Power cuts";

/// 0, and an error text, where `text` is no duration above 0.
Ps parse(const std::string& option, const std::string& text, std::vector<std::string>& errors) {
    const auto value = parse_duration(text);
    if (value && *value > Ps{0}) {
        return *value;
    }
    errors.push_back(option + ": found " + (text.empty() ? "nothing" : text) +
                     "; allowed: " + std::string(kDurationExample) + ", more than 0");
    return Ps{0};
}

}  // namespace

void PowerCutOptions::add_to(CLI::App& app) {
    app.add_option("--power-cut-at", at_, "Instants of simulated time at which the drive loses power")
        ->type_name("T[,T...]")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->group(kGroup);
    app.add_option("--power-cut-every", every_,
                   "It loses power so long after each time it is ready, until the run ends")
        ->type_name("T")
        ->group(kGroup);
    app.add_option("--power-off", off_, "It stays without power so long; 1ms if not given")
        ->type_name("T")
        ->group(kGroup);
}

std::vector<std::string> PowerCutOptions::check(PowerCuts& cuts) const {
    std::vector<std::string> errors;
    for (const std::string& instant : at_) {
        cuts.at.push_back(parse("--power-cut-at", instant, errors));
    }
    std::sort(cuts.at.begin(), cuts.at.end());
    if (every_) {
        cuts.every = parse("--power-cut-every", *every_, errors);
    }
    if (off_) {
        cuts.off = parse("--power-off", *off_, errors);
        if (at_.empty() && !every_) {
            errors.emplace_back(
                "--power-off: found without a power cut; allowed: with --power-cut-at or "
                "--power-cut-every");
        }
    }
    return errors;
}

}  // namespace solidtlm::testbench
