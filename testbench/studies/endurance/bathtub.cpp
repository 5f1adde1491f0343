// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>

#include "testbench/studies/endurance/endurance.h"

namespace solidtlm::testbench::endurance {
namespace {

constexpr double kCyclesOfRate = 100.0;

struct Bin {
    double went_bad = 0.0;
    double superblock_cycles = 0.0;
};

}  // namespace

std::vector<std::pair<double, double>> bathtub(const Selected& lives, double bin_cycles) {
    std::map<std::int64_t, Bin> bins;
    for (const Measured* life : lives) {
        double cycles = 0.0;
        double bad = 0.0;
        for (const Json& sample : life->more["samples"]) {
            const double cycles_now = sample["mean_cycles"];
            const double bad_now = sample["retired_superblocks"];
            Bin& bin = bins[std::llround(std::floor((cycles + cycles_now) / 2.0 / bin_cycles))];
            bin.went_bad += bad_now - bad;
            bin.superblock_cycles += (cycles_now - cycles) * life->value("superblocks");
            cycles = cycles_now;
            bad = bad_now;
        }
    }
    std::vector<std::pair<double, double>> rates;
    for (const auto& [number, bin] : bins) {
        if (bin.superblock_cycles > 0.0) {
            rates.emplace_back((static_cast<double>(number) + 0.5) * bin_cycles,
                               kCyclesOfRate * bin.went_bad / bin.superblock_cycles);
        }
    }
    return rates;
}

double bin_cycles_of(const Selected& lives) {
    constexpr double kBins = 20.0;
    double longest = 1.0;
    for (const Measured* life : lives) {
        longest = std::max(longest, life->value("mean_cycles"));
    }
    return longest / kBins;
}

double share_with_bad_superblocks(const Selected& lives, double days) {
    const auto bad = std::ranges::count_if(lives, [days](const Measured* life) {
        const auto first = life->find("days_to_first_bad");
        return first && *first <= days;
    });
    return lives.empty() ? 0.0 : static_cast<double>(bad) / static_cast<double>(lives.size());
}

}  // namespace solidtlm::testbench::endurance
