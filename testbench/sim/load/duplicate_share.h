// SPDX-License-Identifier: Apache-2.0
//
// Controls the share of duplicates among the blocks written: too few raise the chance that the next blocks
// repeat something, too many lower it. Without this control, a few long runs could shift the share of a whole
// workload.
#pragma once

#include <algorithm>
#include <cstdint>

namespace solidtlm::testbench {

class DuplicateShare {
  public:
    /// `run`: mean number of blocks repeated from one decision. If a run begins with probability p at each
    /// block outside a run, gaps have (1 - p) / p blocks on average, and runs have the share s of the blocks
    /// if p = s / (s + run (1 - s)).
    DuplicateShare(double share, double run) : share_(share), chance_(share / (share + run * (1 - share))) {}

    /// The probability that a run begins at the next block.
    [[nodiscard]] double chance() const {
        constexpr double kWindow = 1024;  ///< number of missing blocks at which a run is certain
        const double missing = share_ * static_cast<double>(blocks_) - static_cast<double>(duplicates_);
        return share_ > 0 ? std::clamp(chance_ + missing / kWindow, 0.0, 1.0) : 0;
    }
    void add(std::uint64_t blocks, bool duplicates) {
        blocks_ += blocks;
        duplicates_ += duplicates ? blocks : 0;
    }

  private:
    double share_;
    double chance_;
    std::uint64_t blocks_ = 0;
    std::uint64_t duplicates_ = 0;
};

}  // namespace solidtlm::testbench
