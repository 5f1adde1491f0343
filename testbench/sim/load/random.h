// SPDX-License-Identifier: Apache-2.0
//
// Random numbers that are the same on every platform: the standard specifies the engine bit for bit but not
// its distributions, so those are implemented here.
#pragma once

#include <cstdint>
#include <random>

#include "fw/hal/check.h"

namespace solidtlm::testbench {

class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    /// Uniform in [0, 1), a multiple of 2^-53.
    double real() {
        constexpr double kUnit = 0x1p-53;
        return static_cast<double>(engine_() >> 11) * kUnit;
    }

    /// Uniform in [0, limit), without bias (Lemire 2019). REQUIRES: limit > 0.
    std::uint64_t below(std::uint64_t limit) {
        SOLIDTLM_CHECK(limit > 0, "limit is above 0");
        while (true) {
            const Wide product = Wide{engine_()} * limit;
            const auto low = static_cast<std::uint64_t>(product);
            if (low >= limit || low >= -limit % limit) {
                return static_cast<std::uint64_t>(product >> 64);
            }
        }
    }

    bool chance(double share) { return share > 0 && real() < share; }

  private:
    __extension__ using Wide = unsigned __int128;
    std::mt19937_64 engine_;
};

}  // namespace solidtlm::testbench
