// SPDX-License-Identifier: Apache-2.0
//
// What a striping study varies, and the points that come of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/configuration.h"
#include "testbench/results/result.h"
#include "testbench/studies/striping/stream.h"

namespace solidtlm::testbench::striping {

/// Every combination of these is a point.
struct Sweep {
    std::vector<std::uint32_t> channels{1, 2, 4, 8, 16};
    std::vector<std::uint32_t> dies{1, 2, 4, 8};  ///< a channel
    std::vector<std::string> orders{"PCWD", "CWDP"};
    std::vector<std::string> striping{"full", "none"};
    std::vector<std::string> allocation{"static", "dynamic"};
    std::vector<std::string> patterns{"sequential", "random"};
    std::vector<std::string> operations{"read", "write"};
    std::uint32_t sequential_bytes = 131072;  ///< of a request
    std::uint32_t random_bytes = 4096;
    std::uint32_t depth = 32;
};

/// A panel is everything of a point but channels and dies: one table, one heat map each.
struct Panel {
    std::string order;
    std::string striping;
    std::string allocation;
    std::string pattern;
    std::string operation;

    bool operator==(const Panel&) const = default;
    [[nodiscard]] std::string name() const;
};

struct SweepPoint {
    Panel panel;
    std::uint32_t channels = 1;
    std::uint32_t dies = 1;
    platform::Configuration configuration;
    Stream stream;

    [[nodiscard]] std::string name() const;
    [[nodiscard]] Json parameters() const;
};

/// All points, panel by panel, in each by dies and then channels. Throws platform::ConfigurationError with
/// what is impossible about any of them, each mistake once.
[[nodiscard]] std::vector<SweepPoint> points_of(const Sweep& sweep, const platform::Configuration& base);

}  // namespace solidtlm::testbench::striping
