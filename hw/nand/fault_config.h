// SPDX-License-Identifier: Apache-2.0
//
// The faults of the flash array (docs/reliability.md), as read from the configuration and checked there.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "fw/hal/key.h"
#include "fw/hal/types.h"

namespace solidtlm::hw {

/// A scripted fault. Parts of the address that its kind does not use are 0.
struct ScriptedFault {
    enum class Kind : std::uint8_t {
        program,  ///< the nth program of a page of the block fails
        erase,    ///< the nth erase of the block fails
        page,     ///< no data written to this page can be corrected
        plane,    ///< the plane no longer answers, from `at` on
        die,      ///< no plane of the die answers, from `at` on
    };
    Kind kind = Kind::program;
    hal::FlashAddress address;
    std::uint64_t nth = 1;  ///< 1 is the first since the drive was made
    hal::Ps at{0};
};

struct FaultScript {
    std::vector<ScriptedFault> faults;
    std::string text;  ///< as the user wrote it
};

/// Raw bit error rate of a page, after Kim et al. (FAST 2019), 72-layer TLC:
/// eps + alpha PE^k + beta PE^m t^n + gamma PE^p r^q, with PE cycles of the block, the age t of the data, and
/// r reads of the block since its erase over its pages.
struct RberModel {
    SOLIDTLM_KEYS(RberModel);
    SOLIDTLM_KEY(double, eps, 1.48e-3, key.number(0.0, 1.0),
                 "Raw bit error rate: eps + alpha PE^k + beta PE^m t^n + gamma PE^p r^q.");
    SOLIDTLM_KEY(double, alpha, 3.90e-10, key.number(0.0, 1.0), "Factor of wear, cycles PE.");
    SOLIDTLM_KEY(double, k, 2.05, key.number(0.0, 10.0), "Exponent of wear, cycles PE.");
    SOLIDTLM_KEY(double, beta, 6.28e-5, key.number(0.0, 1.0), "Factor of retention, cycles PE and age t.");
    SOLIDTLM_KEY(double, m, 0.14, key.number(0.0, 10.0), "Exponent of the cycles in retention.");
    SOLIDTLM_KEY(double, n, 0.54, key.number(0.0, 10.0), "Exponent of the age in retention.");
    SOLIDTLM_KEY(double, gamma, 3.73e-9, key.number(0.0, 1.0),
                 "Factor of read disturb, cycles PE and reads r of the block over its pages.");
    SOLIDTLM_KEY(double, p, 0.33, key.number(0.0, 10.0), "Exponent of the cycles in read disturb.");
    SOLIDTLM_KEY(double, q, 1.71, key.number(0.0, 10.0), "Exponent of the reads in read disturb.");
    /// In which t counts; sources disagree: a day or an hour.
    SOLIDTLM_KEY(double, age_unit_days, 1.0, key.number(1e-9, 365.0),
                 "Days that are one in t: 1 for days, 0.0416667 for hours.");
};

/// Cycles after which blocks fail for good: some early, the others when they are worn out.
struct LifetimeModel {
    SOLIDTLM_KEYS(LifetimeModel);
    SOLIDTLM_KEY(std::uint32_t, cycles, 0, key.integer(0, 10'000'000, "cycles"),
                 "Cycles after which blocks are worn out: the scale of a Weibull distribution, at which 63 % "
                 "have failed; 0: they do not wear out.");
    SOLIDTLM_KEY(double, shape, 10.0, key.number(0.1, 1000.0),
                 "Shape of that distribution: the larger, the more alike blocks are.");
    SOLIDTLM_KEY(double, infant_share, 0.0, key.number(0.0, 1.0), "Share of the blocks that fail early.");
    SOLIDTLM_KEY(std::uint32_t, infant_cycles, 50, key.integer(1, 10'000'000, "cycles"),
                 "Cycles after which these fail on average, exponentially distributed.");

    [[nodiscard]] bool any() const { return cycles > 0 || infant_share > 0.0; }
};

struct FaultConfig {
    SOLIDTLM_KEYS(FaultConfig);
    SOLIDTLM_KEY(std::uint64_t, seed, 1, key.integer(0, key.kMostInteger),
                 "Chooses the individual drive: which operations fail, which bits. Independent of seed.");
    SOLIDTLM_KEY(FaultScript, script, , key.fault_script(),
                 "Faults that are asked for, separated by semicolons (reliability.md).");
    SOLIDTLM_KEY(double, program_failure, 0.0, key.number(0.0, 1.0),
                 "Probability that the program of a page fails.");
    SOLIDTLM_KEY(double, erase_failure, 0.0, key.number(0.0, 1.0),
                 "Probability that the erase of a block fails.");
    SOLIDTLM_KEY(bool, bit_errors, false, key.boolean(),
                 "Pages have raw bit errors by the model of faults.rber, which ECC corrects or not.");
    SOLIDTLM_KEY(std::uint32_t, cycles, 0, key.integer(0, 10'000'000, "cycles"),
                 "Program and erase cycles that every block has behind it when the drive is made.");
    SOLIDTLM_KEY_AS("age", std::uint64_t, age_seconds, 0, key.age(0, 3'153'600'000),
                    "How old the data is that the drive holds when simulated time begins.");
    SOLIDTLM_KEY_TABLE(LifetimeModel, lifetime);
    SOLIDTLM_KEY_TABLE(RberModel, rber);

    [[nodiscard]] bool any() const {
        return bit_errors || program_failure > 0.0 || erase_failure > 0.0 || lifetime.any() ||
               !script.faults.empty();
    }
};

}  // namespace solidtlm::hw
