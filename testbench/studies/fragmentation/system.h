// SPDX-License-Identifier: Apache-2.0
//
// What the study compares: a translation layer, striped or not, with or without the rule that the pages of a
// NAND block are programmed in ascending order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/configuration.h"

namespace solidtlm::testbench::fragmentation {

/// Every layer that firmware.translation knows, page mapping and the study's hybrid first.
[[nodiscard]] const std::vector<std::string>& layer_names();

struct System {
    std::string layer;     ///< as firmware.translation
    std::string striping;  ///< full or none
    bool rule = true;      ///< nand.rules.sequential_pages; the study's `wasted`, false is its `no_wasted`

    bool operator==(const System&) const = default;
    [[nodiscard]] std::string name() const;
};

/// Every combination is a system, but page mapping without the rule: it writes in ascending order anyhow.
struct Sweep {
    std::vector<std::string> layers = layer_names();
    std::vector<std::string> striping{"full", "none"};
    std::vector<std::string> rules{"on", "off"};
    double scale = 1.0;               ///< of the drive and of the log; above 0, at most 1
    double drive = 1.0;               ///< of the drive alone, on top of `scale`
    std::uint32_t log_blocks = 2048;  ///< of the whole drive, in NAND blocks
};

struct SystemPoint {
    System system;
    platform::Configuration configuration;
};

/// NAND blocks of a block of the block-mapped layers: all that are merged and erased together.
[[nodiscard]] std::uint32_t columns_of(const platform::Configuration& configuration);

/// The drive of `base` times `scale` and `drive`: blocks, capacity and the threshold of garbage collection.
/// `log_blocks` NAND blocks become whole blocks of the layer. mtbs leaves half of each block empty, so that
/// its drive has twice the blocks for the same capacity. Throws platform::ConfigurationError with what is
/// impossible about any of them, each mistake once.
[[nodiscard]] std::vector<SystemPoint> systems_of(const Sweep& sweep, const platform::Configuration& base);

/// One of them, with another number of log blocks (NAND blocks of the whole drive).
[[nodiscard]] SystemPoint system_point(const System& system, const Sweep& sweep,
                                       const platform::Configuration& base);

}  // namespace solidtlm::testbench::fragmentation
