// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/dry_run.h"

#include "fw/hal/check.h"
#include "platform/ssd.h"
#include "testbench/sim/spec/dry_run_end.h"

namespace solidtlm::testbench {

void end_dry_run(const platform::Configuration& configuration, const std::string& planned) {
    SOLIDTLM_CHECK(sc_core::sc_get_top_level_objects().empty(), "nothing was elaborated in this process");
    const platform::Ssd ssd("ssd", configuration);
    throw DryRunEnd{planned};
}

}  // namespace solidtlm::testbench
