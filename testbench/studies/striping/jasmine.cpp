// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/striping/jasmine.h"

#include <fmt/format.h>

#include <cmath>

namespace solidtlm::testbench::striping {

const std::vector<JasmineCase>& jasmine_cases() {
    static const std::vector<JasmineCase> cases{
        {"J1", 1, 1, 39.3}, {"J2", 1, 2, 51.4}, {"J3", 1, 3, 49.6}, {"J4", 1, 4, 51.5}, {"J5", 2, 4, 102.8}};
    return cases;
}

Stream jasmine_stream() {
    Stream stream;
    stream.bytes = 32768;
    return stream;
}

platform::Configuration jasmine_configuration(const JasmineCase& which, const platform::Configuration& base) {
    return platform::parse_configuration(platform::to_toml(base), "preset jasmine",
                                         {"nand.geometry.channels=" + std::to_string(which.channels),
                                          "nand.geometry.dies=" + std::to_string(which.ways)});
}

Claim jasmine_claim(const JasmineCase& which, double measured_mb_per_s) {
    constexpr double kReproduced = 0.10;
    constexpr double kPartly = 0.20;
    const double off = measured_mb_per_s / which.published_mb_per_s - 1.0;
    Claim claim;
    claim.id = which.claim;
    claim.claim = fmt::format("32 KB two-plane reads, {} channel{} of {} way{}, MB/s", which.channels,
                              which.channels == 1 ? "" : "s", which.ways, which.ways == 1 ? "" : "s");
    claim.published = which.published_mb_per_s;
    claim.measured = std::round(measured_mb_per_s * 10.0) / 10.0;
    claim.verdict = std::abs(off) <= kReproduced ? Verdict::reproduced
                    : std::abs(off) <= kPartly   ? Verdict::partly
                                                 : Verdict::not_reproduced;
    if (claim.verdict != Verdict::reproduced) {
        claim.reason =
            fmt::format("{:+.0f} %; array time and bus rate of the board are not published", off * 100.0);
    }
    return claim;
}

}  // namespace solidtlm::testbench::striping
