// SPDX-License-Identifier: Apache-2.0
//
// The enterprise workload of JESD219 (docs/workloads.md): requests of mixed sizes. Half of them begin in the
// first 5 % of the range, 30 % in the next 15 %, and 20 % in the rest.
#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "testbench/sim/load/pattern.h"

namespace solidtlm::testbench {

class Jesd219Picker final : public AddressPicker {
  public:
    explicit Jesd219Picker(const WorkloadConfig& config)
        : align_(config.align_sectors), range_(config.end_sector - config.first_sector) {}

    std::uint64_t pick(std::uint64_t sectors, Random& random) override {
        struct Group {
            double end;       ///< as a share of the range
            double requests;  ///< share of the requests that go there or before it
        };
        constexpr std::array<Group, 3> kGroups{{{0.05, 0.5}, {0.2, 0.8}, {1.0, 1.0}}};
        const std::uint64_t all = range_ / align_;
        const std::uint64_t places = (range_ - sectors) / align_ + 1;
        const double drawn = random.real();
        std::uint64_t first = 0;
        for (const Group& group : kGroups) {
            const std::uint64_t end =
                std::min(places, static_cast<std::uint64_t>(group.end * static_cast<double>(all)));
            if (drawn < group.requests && end > first) {
                return (first + random.below(end - first)) * align_;
            }
            first = end;
        }
        return random.below(places) * align_;  // the request is too long for the group
    }

  private:
    std::uint64_t align_;
    std::uint64_t range_;
};

/// fio's version of the load (examples/jesd219.fio) has 40 % of reads, and starts at multiples of 4 KiB.
inline WorkloadConfig jesd219_defaults(std::vector<SizeShare> sizes) {
    WorkloadConfig config;
    config.read_share = 0.4;
    config.sizes = std::move(sizes);
    return config;
}

}  // namespace solidtlm::testbench
