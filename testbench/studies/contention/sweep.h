// SPDX-License-Identifier: Apache-2.0
//
// What a contention study varies, and the points that come of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/configuration.h"
#include "testbench/results/result.h"

namespace solidtlm::testbench::contention {

/// Stands for the whole map in DRAM among the sizes of the cache: larger than any.
constexpr std::uint64_t kWholeMap = 0;

/// Every combination of these is a point. Channels and caches ascend, kWholeMap last.
struct Sweep {
    std::vector<std::uint32_t> channels{1, 2, 4, 8, 16};
    std::vector<std::uint64_t> caches{64U << 10U,  128U << 10U, 256U << 10U,
                                      512U << 10U, 1U << 20U,   kWholeMap};  ///< bytes
    std::vector<std::string> orders{"PCWD", "CWDP"};
    std::vector<std::uint32_t> dies{8};  ///< a channel
    std::vector<std::string> policies{"dftl", "tafp"};
    std::vector<std::uint32_t> depths{8, 32};  ///< requests outstanding
};

/// A panel is everything of a point but channels and cache: one table, one set of figures each.
struct Panel {
    std::string order;
    std::string policy;
    std::uint32_t dies = 1;
    std::uint32_t depth = 1;

    bool operator==(const Panel&) const = default;
    [[nodiscard]] std::string name() const;
};

struct SweepPoint {
    Panel panel;
    std::uint32_t channels = 1;
    std::uint64_t cache_bytes = kWholeMap;
    platform::Configuration configuration;

    [[nodiscard]] std::string name() const;
    [[nodiscard]] Json parameters() const;
};

/// "64KiB", or "whole map".
[[nodiscard]] std::string cache_name(std::uint64_t bytes);

/// All points, panel by panel, in each by cache and then channels. Throws platform::ConfigurationError with
/// what is impossible about any of them, each mistake once.
[[nodiscard]] std::vector<SweepPoint> points_of(const Sweep& sweep, const platform::Configuration& base);

}  // namespace solidtlm::testbench::contention
