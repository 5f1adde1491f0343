// SPDX-License-Identifier: Apache-2.0
//
// The one board with published numbers of striping: 32 KB two-plane reads on the Jasmine OpenSSD (Indilinx
// Barefoot) with 1 to 4 ways on one channel, and with two channels of 4 ways. platform/presets/jasmine.toml
// says how array time and bus rate, which are not published, were chosen.
#pragma once

#include <vector>

#include "platform/configuration.h"
#include "testbench/results/result.h"
#include "testbench/studies/striping/stream.h"

namespace solidtlm::testbench::striping {

struct JasmineCase {
    const char* claim;  ///< its id
    std::uint32_t channels;
    std::uint32_t ways;
    double published_mb_per_s;
};
[[nodiscard]] const std::vector<JasmineCase>& jasmine_cases();

/// Sequential reads of 32 KiB, 32 outstanding: a superpage each.
[[nodiscard]] Stream jasmine_stream();

/// The base with the channels and ways of a case. Throws platform::ConfigurationError.
[[nodiscard]] platform::Configuration jasmine_configuration(const JasmineCase& which,
                                                            const platform::Configuration& base);

/// Reproduced within 10 %, partly within 20 %.
[[nodiscard]] Claim jasmine_claim(const JasmineCase& which, double measured_mb_per_s);

}  // namespace solidtlm::testbench::striping
