// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "platform/configuration_keys.h"
#include "platform/fault_script.h"

namespace solidtlm::platform {
namespace {

using namespace kinds;

constexpr std::uint64_t kLargestSeed = std::numeric_limits<std::int64_t>::max();  // of TOML
constexpr std::uint64_t kOldest = 3'153'600'000;                                  // 100 years, in seconds
constexpr std::uint64_t kMostCycles = 10'000'000;

}  // namespace

std::vector<ConfigurationKey> fault_keys() {
    return {
        {"faults.seed", SOLIDTLM_FIELD(nand.faults.seed), integer(0, kLargestSeed),
         "Chooses the individual drive: which operations fail, which bits. Independent of seed."},
        {"faults.script", SOLIDTLM_FIELD(nand.faults.script), fault_script(),
         "Faults that are asked for, separated by semicolons (reliability.md)."},
        {"faults.program_failure", SOLIDTLM_FIELD(nand.faults.program_failure), number(0.0, 1.0),
         "Probability that the program of a page fails."},
        {"faults.erase_failure", SOLIDTLM_FIELD(nand.faults.erase_failure), number(0.0, 1.0),
         "Probability that the erase of a block fails."},
        {"faults.bit_errors", SOLIDTLM_FIELD(nand.faults.bit_errors), boolean(),
         "Pages have raw bit errors by the model of faults.rber, which ECC corrects or not."},
        {"faults.cycles", SOLIDTLM_FIELD(nand.faults.cycles), integer(0, kMostCycles, "cycles"),
         "Program and erase cycles that every block has behind it when the drive is made."},
        {"faults.age", SOLIDTLM_FIELD(nand.faults.age_seconds), age(0, kOldest),
         "How old the data is that the drive holds when simulated time begins."},
        {"faults.lifetime.cycles", SOLIDTLM_FIELD(nand.faults.lifetime.cycles),
         integer(0, kMostCycles, "cycles"),
         "Cycles after which blocks are worn out: the scale of a Weibull distribution, at which 63 % have "
         "failed; 0: they do not wear out."},
        {"faults.lifetime.shape", SOLIDTLM_FIELD(nand.faults.lifetime.shape), number(0.1, 1000.0),
         "Shape of that distribution: the larger, the more alike blocks are."},
        {"faults.lifetime.infant_share", SOLIDTLM_FIELD(nand.faults.lifetime.infant_share), number(0.0, 1.0),
         "Share of the blocks that fail early."},
        {"faults.lifetime.infant_cycles", SOLIDTLM_FIELD(nand.faults.lifetime.infant_cycles),
         integer(1, kMostCycles, "cycles"),
         "Cycles after which these fail on average, exponentially distributed."},
        {"faults.rber.eps", SOLIDTLM_FIELD(nand.faults.rber.eps), number(0.0, 1.0),
         "Raw bit error rate: eps + alpha PE^k + beta PE^m t^n + gamma PE^p r^q."},
        {"faults.rber.alpha", SOLIDTLM_FIELD(nand.faults.rber.alpha), number(0.0, 1.0),
         "Factor of wear, cycles PE."},
        {"faults.rber.k", SOLIDTLM_FIELD(nand.faults.rber.k), number(0.0, 10.0),
         "Exponent of wear, cycles PE."},
        {"faults.rber.beta", SOLIDTLM_FIELD(nand.faults.rber.beta), number(0.0, 1.0),
         "Factor of retention, cycles PE and age t."},
        {"faults.rber.m", SOLIDTLM_FIELD(nand.faults.rber.m), number(0.0, 10.0),
         "Exponent of the cycles in retention."},
        {"faults.rber.n", SOLIDTLM_FIELD(nand.faults.rber.n), number(0.0, 10.0),
         "Exponent of the age in retention."},
        {"faults.rber.gamma", SOLIDTLM_FIELD(nand.faults.rber.gamma), number(0.0, 1.0),
         "Factor of read disturb, cycles PE and reads r of the block over its pages."},
        {"faults.rber.p", SOLIDTLM_FIELD(nand.faults.rber.p), number(0.0, 10.0),
         "Exponent of the cycles in read disturb."},
        {"faults.rber.q", SOLIDTLM_FIELD(nand.faults.rber.q), number(0.0, 10.0),
         "Exponent of the reads in read disturb."},
        {"faults.rber.age_unit_days", SOLIDTLM_FIELD(nand.faults.rber.age_unit_days), number(1e-9, 365.0),
         "Days that are one in t: 1 for days, 0.0416667 for hours."},
    };
}

}  // namespace solidtlm::platform
