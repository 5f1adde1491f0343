// SPDX-License-Identifier: Apache-2.0
#include "testbench/torture/draws.h"

#include <cmath>

#include "fw/hal/check.h"
#include "hw/tlm/content.h"

namespace solidtlm::testbench {
namespace {

constexpr double kWords = 18446744073709551616.0;  // 2^64

}  // namespace

Draws Draws::nth(std::uint64_t n) const {
    return Draws(hw::split_mix64(state_ ^ hw::split_mix64(n)));
}

std::uint64_t Draws::below(std::string_view name, std::uint64_t limit) const {
    SOLIDTLM_CHECK(limit > 0, "there is a number below the limit");
    return word(name) % limit;
}

bool Draws::chance(std::string_view name, double share) const {
    return static_cast<double>(word(name)) < share * kWords;
}

double Draws::waiting_time(std::string_view name) const {
    return -std::log((static_cast<double>(word(name)) + 1) / (kWords + 1));
}

std::uint64_t Draws::word(std::string_view name) const {
    std::uint64_t mixed = hw::split_mix64(state_ ^ name.size());
    for (const char letter : name) {
        mixed = hw::split_mix64(mixed ^ static_cast<unsigned char>(letter));
    }
    return mixed;
}

}  // namespace solidtlm::testbench
