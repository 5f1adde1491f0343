// SPDX-License-Identifier: Apache-2.0
//
// What the SLC cache works with.
#include <fmt/format.h>

#include "fw/flash/needs.h"
#include "hw/nand/word_lines.h"
#include "platform/configuration_rules.h"

namespace solidtlm::platform {

void check_slc_cache(const Configuration& c, Rules& rules) {
    const fw::FirmwareConfig& firmware = c.firmware;
    if (!firmware.slc_cache.any()) {
        return;
    }
    constexpr std::string_view kMode = "firmware.slc_cache.mode";
    const auto refuse_with = [&](bool fits, std::string_view key, std::string_view found,
                                 std::string_view allowed) {
        rules.require(fits, {kMode, key},
                      fmt::format("found an SLC cache with {}; allowed: {}", found, allowed));
    };
    refuse_with(hw::pages_per_word_line(c.nand) > 1, "nand.cell", "one bit in each cell",
                "nand.cell = mlc, tlc or qlc, or several times in nand.timing");
    refuse_with(firmware.flash.slc_pages > 0, "nand.geometry.pages", "blocks of less than a word line",
                fmt::format("at least {} pages", hw::pages_per_word_line(c.nand)));
    refuse_with(c.nand.slc.read > hal::Ps{0}, "nand.slc.read", "no nand.slc.read",
                "tR of the part's SLC mode");
    refuse_with(c.nand.slc.program > hal::Ps{0}, "nand.slc.program", "no nand.slc.program",
                "tPROG of the part's SLC mode");
    refuse_with(!firmware.by_block(), "firmware.translation", "a block-mapped firmware.translation",
                "page_map, the others cannot fold");
    refuse_with(!firmware.dedup.any(), "firmware.dedup.system", "deduplication",
                "firmware.dedup.system = none");
    refuse_with(!firmware.reliability.parity(), "firmware.reliability.parity_dies", "parity over dies",
                "firmware.reliability.parity_dies = 0");
    refuse_with(firmware.allocation.striping == fw::StripingMode::full, "firmware.allocation.striping",
                "firmware.allocation.striping = none", "full");
    const fw::SlcCacheConfig& cache = firmware.slc_cache;
    // The built-in size is an upper bound, which small drives need not reach.
    constexpr std::string_view kSize = "firmware.slc_cache.size";
    const std::uint64_t most = fw::bytes_in_slc_mode(firmware);
    rules.require(most == 0 || !rules.is_changed(kSize) || cache.size_bytes <= most,
                  {kSize, "nand.geometry.blocks", "nand.geometry.channels", "nand.geometry.dies",
                   "nand.geometry.planes", "nand.geometry.pages", "nand.geometry.page_size", "nand.cell"},
                  fmt::format("found an SLC cache of {} bytes; allowed: at most {}, all blocks in SLC mode",
                              cache.size_bytes, most));
    rules.require(
        cache.mode != fw::SlcCacheMode::hybrid || fw::most_dynamic_superblocks(firmware) > 0,
        {"firmware.slc_cache.static_size", "firmware.slc_cache.size", kMode, "nand.geometry.blocks",
         "nand.geometry.channels", "nand.geometry.dies", "nand.geometry.planes", "nand.geometry.pages",
         "nand.geometry.page_size", "nand.cell"},
        fmt::format("found a static part of {} superblocks in each parallel unit; allowed: fewer than "
                    "the SLC cache has",
                    fw::slc_superblocks(firmware)));
    const std::uint32_t superblocks = fw::slc_superblocks(firmware) + fw::most_dynamic_superblocks(firmware);
    rules.require(
        firmware.slc_cache.fold_below <= superblocks,
        {"firmware.slc_cache.fold_below", "firmware.slc_cache.size"},
        fmt::format("found fold_below {}; allowed: at most {}, the superblocks of the SLC cache in a "
                    "parallel unit",
                    firmware.slc_cache.fold_below, superblocks));
}

}  // namespace solidtlm::platform
