// SPDX-License-Identifier: Apache-2.0
//
// Power states of the SATA link: their keys, and what they need.
#include <fmt/format.h>

#include <array>

#include "platform/configuration_keys.h"
#include "platform/configuration_rules.h"

namespace solidtlm::platform {
namespace {

using namespace kinds;
using namespace std::chrono_literals;

constexpr std::array<std::string_view, hw::kLinkPowerStates> kAfter{
    "sata.power.partial_after", "sata.power.slumber_after", "sata.power.devsleep_after"};

}  // namespace

std::vector<ConfigurationKey> link_power_keys() {
    const auto after = duration(Ps{0}, 100s);
    const auto exit = duration(Ps{0}, 1s);
    return {
        {kAfter[0], SOLIDTLM_FIELD(sata.power[0].after), after,
         "The link enters Partial when no command is outstanding and no frame has come for so long; 0: "
         "never."},
        {kAfter[1], SOLIDTLM_FIELD(sata.power[1].after), after,
         "The same for Slumber; 0: never. Deeper states begin later."},
        {kAfter[2], SOLIDTLM_FIELD(sata.power[2].after), after, "The same for DevSleep; 0: never."},
        {"sata.power.partial_exit", SOLIDTLM_FIELD(sata.power[0].exit), exit,
         "Until the link is up again; the standard allows 10 us."},
        {"sata.power.slumber_exit", SOLIDTLM_FIELD(sata.power[1].exit), exit,
         "The same for Slumber; the standard allows 10 ms."},
        {"sata.power.devsleep_exit", SOLIDTLM_FIELD(sata.power[2].exit), exit,
         "The same for DevSleep (DETO; 20 ms unless the drive says otherwise)."},
    };
}

void check_link_power(const Configuration& c, Rules& rules) {
    const auto& states = c.sata.power;
    for (std::size_t deep = 1; deep < states.size(); ++deep) {
        for (std::size_t light = 0; light < deep; ++light) {
            rules.require(!states[deep].used() || states[light].after < states[deep].after,
                          {kAfter[deep], kAfter[light]},
                          fmt::format("found {}; allowed: 0, or later than {} ({})",
                                      format_duration(states[deep].after), kAfter[light],
                                      format_duration(states[light].after)));
        }
    }
}

}  // namespace solidtlm::platform
