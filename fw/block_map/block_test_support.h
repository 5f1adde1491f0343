// SPDX-License-Identifier: Apache-2.0
//
// Shared by the tests of block-mapped layers.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string_view>

#include "fw/block_map/untimed_blocks.h"

namespace solidtlm::fw {

/// Blocks of four pages, one column, eight logical blocks, unless changed.
struct Example {
    FirmwareConfig config;
    BlockGeometry geometry{20, 4, 1, 32, true};

    Example(std::string_view layer, std::uint32_t log_blocks) {
        config.translation = translation_layer(layer);
        config.block_map.log_blocks = log_blocks;
    }
};

/// What happened since the previous call.
struct Steps {
    std::uint64_t host = 0;  ///< pages programmed for the host
    std::uint64_t copies = 0;
    std::uint64_t erases = 0;
    std::uint64_t drops = 0;
    std::uint64_t switches = 0;
    std::uint64_t partial = 0;
    std::uint64_t full = 0;
    bool operator==(const Steps&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const Steps& steps) {
    return out << steps.host << " pages, " << steps.copies << " copies, " << steps.erases << " erases, drop "
               << steps.drops << ", switch " << steps.switches << ", partial " << steps.partial << ", full "
               << steps.full;
}

class Bench {
  public:
    explicit Bench(const Example& example) : blocks_(example.config, example.geometry) {}

    /// Writes in order and returns the steps that this took.
    Steps write(std::initializer_list<std::uint32_t> lpns) {
        for (const std::uint32_t lpn : lpns) {
            blocks_.write(Lpn{lpn});
            EXPECT_EQ(blocks_.layer().check(), "") << "after LPN " << lpn;
        }
        return steps();
    }
    Steps write_range(std::uint32_t first, std::uint32_t end) {
        for (std::uint32_t lpn = first; lpn < end; ++lpn) {
            write_one(lpn);
        }
        return steps();
    }
    Steps trim(std::initializer_list<std::uint32_t> lpns) {
        for (const std::uint32_t lpn : lpns) {
            blocks_.trim(Lpn{lpn});
            EXPECT_EQ(blocks_.layer().check(), "") << "after trimming LPN " << lpn;
        }
        return steps();
    }
    [[nodiscard]] const BlockCounters& counters() const { return blocks_.counters(); }
    [[nodiscard]] const BlockLayer& layer() const { return blocks_.layer(); }
    [[nodiscard]] std::uint32_t offset(std::uint32_t lpn) const { return blocks_.locate(Lpn{lpn}).offset; }

  private:
    void write_one(std::uint32_t lpn) {
        blocks_.write(Lpn{lpn});
        EXPECT_EQ(blocks_.layer().check(), "") << "after LPN " << lpn;
    }
    Steps steps() {
        const BlockCounters& c = blocks_.counters();
        const Steps now{c.host_programs(),     c.merge_programs,          c.erases,
                        c.of(MergeKind::drop), c.of(MergeKind::switched), c.of(MergeKind::partial),
                        c.of(MergeKind::full)};
        EXPECT_EQ(c.merge_reads, c.merge_programs);
        const Steps since{now.host - before_.host,         now.copies - before_.copies,
                          now.erases - before_.erases,     now.drops - before_.drops,
                          now.switches - before_.switches, now.partial - before_.partial,
                          now.full - before_.full};
        before_ = now;
        return since;
    }

    UntimedBlocks blocks_;
    Steps before_;
};

}  // namespace solidtlm::fw
