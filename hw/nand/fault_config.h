// SPDX-License-Identifier: Apache-2.0
//
// The faults of the flash array (docs/reliability.md), as read from the configuration and checked there.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

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
    double eps = 1.48e-3;
    double alpha = 3.90e-10;
    double k = 2.05;
    double beta = 6.28e-5;
    double m = 0.14;
    double n = 0.54;
    double gamma = 3.73e-9;
    double p = 0.33;
    double q = 1.71;
    double age_unit_days = 1.0;  ///< in which t counts; sources disagree: a day or an hour
};

/// Cycles after which blocks fail for good: some early, the others when they are worn out.
struct LifetimeModel {
    std::uint32_t cycles = 0;  ///< scale of a Weibull distribution: 63 % fail before; 0: they do not wear out
    double shape = 10.0;       ///< of that distribution: the larger, the more alike blocks are
    double infant_share = 0.0;         ///< of the blocks, that fail early
    std::uint32_t infant_cycles = 50;  ///< mean number of cycles, exponentially distributed

    [[nodiscard]] bool any() const { return cycles > 0 || infant_share > 0.0; }
};

struct FaultConfig {
    std::uint64_t seed = 1;
    FaultScript script;
    double program_failure = 0.0;  ///< probability that the program of a page fails
    double erase_failure = 0.0;    ///< probability that the erase of a block fails
    LifetimeModel lifetime;
    bool bit_errors = false;  ///< by `rber`
    RberModel rber;
    std::uint32_t cycles = 0;       ///< program and erase cycles of every block before the drive's first
    std::uint64_t age_seconds = 0;  ///< of the data that is there when simulated time begins

    [[nodiscard]] bool any() const {
        return bit_errors || program_failure > 0.0 || erase_failure > 0.0 || lifetime.any() ||
               !script.faults.empty();
    }
};

}  // namespace solidtlm::hw
