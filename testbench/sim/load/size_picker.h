// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "testbench/sim/load/random.h"
#include "testbench/sim/load/workload.h"

namespace solidtlm::testbench {

[[nodiscard]] inline std::uint64_t largest_sectors(const std::vector<SizeShare>& sizes) {
    return std::max_element(sizes.begin(), sizes.end(),
                            [](const SizeShare& a, const SizeShare& b) { return a.sectors < b.sectors; })
        ->sectors;
}

[[nodiscard]] inline double mean_sectors(const std::vector<SizeShare>& sizes) {
    double weights = 0;
    double sum = 0;
    for (const SizeShare& size : sizes) {
        weights += size.weight;
        sum += size.weight * static_cast<double>(size.sectors);
    }
    return sum / weights;
}

/// Draws sizes from a weighted list.
class SizePicker {
  public:
    explicit SizePicker(const std::vector<SizeShare>& sizes) {
        double sum = 0;
        for (const SizeShare& size : sizes) {
            sum += size.weight;
            sectors_.push_back(size.sectors);
            cumulative_.push_back(sum);
        }
    }
    std::uint64_t operator()(Random& random) const {
        if (sectors_.size() == 1) {
            return sectors_.front();
        }
        const double at = random.real() * cumulative_.back();
        const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end(), at);
        return sectors_[std::min(static_cast<std::size_t>(found - cumulative_.begin()), sectors_.size() - 1)];
    }

  private:
    std::vector<std::uint64_t> sectors_;
    std::vector<double> cumulative_;
};

}  // namespace solidtlm::testbench
