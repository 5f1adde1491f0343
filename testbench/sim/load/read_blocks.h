// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "testbench/sim/host/request.h"

namespace solidtlm::testbench {

/// The blocks of 4 KiB that requests read.
class ReadBlocks {
  public:
    void note(const Request& request) {
        if (request.operation != Operation::read) {
            return;
        }
        const std::uint64_t end = (request.lba.value + request.sectors + kSectors - 1) / kSectors;
        read_.resize(std::max<std::size_t>(read_.size(), end));
        for (std::uint64_t block = request.lba.value / kSectors; block < end; ++block) {
            read_[block] = true;
        }
    }
    /// In ascending order, with neighbours in one.
    [[nodiscard]] std::vector<SectorRange> ranges() const {
        std::vector<SectorRange> ranges;
        for (std::uint64_t block = 0; block < read_.size(); ++block) {
            if (!read_[block]) {
                continue;
            }
            const std::uint64_t first = block;
            while (block < read_.size() && read_[block]) {
                ++block;
            }
            ranges.push_back({Lba{first * kSectors}, (block - first) * kSectors});
        }
        return ranges;
    }

  private:
    static constexpr std::uint64_t kSectors = 8;
    std::vector<bool> read_;
};

}  // namespace solidtlm::testbench
