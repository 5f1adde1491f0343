// SPDX-License-Identifier: Apache-2.0
//
// What the SLC cache takes of the data area, copies of lower pages of flash and DRAM, data that move of DRAM,
// and how many operations and tasks move them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fw/drive/layout.h"
#include "fw/drive/needs.h"
#include "fw/flash/streams.h"

namespace solidtlm::fw {

/// What all blocks hold in SLC mode.
std::uint64_t bytes_in_slc_mode(const FirmwareConfig& config);

/// Superblocks of each parallel unit that are always in SLC mode.
std::uint32_t slc_superblocks(const FirmwareConfig& config);

/// The most superblocks of each parallel unit that may be in SLC mode besides slc_superblocks().
std::uint32_t most_dynamic_superblocks(const FirmwareConfig& config);

/// Superblocks of each parallel unit that the SLC cache takes of the capacity: those that are always in SLC
/// mode, with one more so that folding finds space in the end. The others need no reserve: emptying one gains
/// more space than emptying any other. But if the host always writes to the cache, one superblock in normal
/// mode may stay unfinished; if long writes go past it, one in either mode.
std::uint32_t superblocks_kept_by_slc(const FirmwareConfig& config);

/// Copies that the earlier pages of so many word lines take, one in each superblock that is open or was
/// when power was cut (fw/flash/backup_copies.h). 0: none are made.
std::uint32_t backup_copies(const FirmwareConfig& config, std::uint32_t word_lines);
/// Superblocks of a parallel unit that are open at once in normal mode: one for each stream.
inline constexpr auto kOpenSuperblocks =
    static_cast<std::uint32_t>(std::ranges::count(kStreams, false, &StreamTraits::slc));
/// Copies of superpages that count at once, of each parallel unit. 0: none are made.
inline std::uint32_t most_backup_copies(const FirmwareConfig& config) {
    constexpr std::uint32_t kCutsInARow = 4;
    return backup_copies(config, kOpenSuperblocks + kCutsInARow);
}
/// Word lines of a block: while one of them is written, another one can be read, unless cuts have taken it.
/// Where no page can be read, a boot therefore knows that an erase was interrupted
/// (fw/flash/backup_copies.h).
constexpr std::uint32_t kFewestWordLinesWithCopies = 2;
/// Added to the spare area of a copy.
constexpr std::uint32_t kBackupRecordBytes = 12;

/// Full superblocks for all copies that count, with at least one page that does not count, so that writing
/// them again gains room. Beside them: the open one, a free one, and one that may become bad.
inline constexpr FlashArea kBackupArea{
    "copies of lower pages",
    {"firmware.word_lines.protect"},
    [](const FirmwareConfig& config, std::uint64_t /*exported_units*/) {
        const std::uint32_t most = most_backup_copies(config);
        constexpr std::uint32_t kBeside = 3;
        return most == 0 || config.flash.slc_pages == 0
                   ? 0
                   : parts_of(std::uint64_t{most} + 1, config.flash.slc_pages) + kBeside;
    }};

/// One superpage of each parallel unit on its way to its copy.
inline constexpr DramRegion kBackupBuffers{
    "copies of lower pages",
    {"firmware.word_lines.protect"},
    [](const FirmwareConfig& config, const MediaLayout& layout) {
        return config.flash.copies_lower_pages()
                   ? std::uint64_t{layout.pus()} * layout.planes_per_pu() * config.flash.page_bytes
                   : 0;
    }};

/// One of them at a time, by the task of its parallel unit.
inline std::uint64_t most_backups(const FirmwareConfig& config, const MediaLayout& layout) {
    return config.flash.copies_lower_pages() ? layout.pus() : 0;
}
inline constexpr RoomWork kBackups{"copies of lower pages", most_backups, most_backups};

/// Superpages on their way from one place to another, by collection or merges: gc.pipeline_depth of each
/// parallel unit.
inline constexpr DramRegion kMovedPages{"garbage collection",
                                        {"firmware.gc.pipeline_depth"},
                                        [](const FirmwareConfig& config, const MediaLayout& layout) {
                                            return std::uint64_t{layout.pus()} * config.gc.pipeline_depth *
                                                   layout.units_per_superpage() * config.unit_bytes;
                                        }};

/// A unit of kMovedPages is read by an operation of its own at most; a superpage is one program. A task for
/// each superpage and each parallel unit, and one that waits for an idle host.
inline constexpr RoomWork kMoves{
    "garbage collection",
    [](const FirmwareConfig& config, const MediaLayout& layout) {
        return std::uint64_t{layout.pus()} * config.gc.pipeline_depth * layout.units_per_superpage();
    },
    [](const FirmwareConfig& config, const MediaLayout& layout) {
        return std::uint64_t{layout.pus()} * (std::uint64_t{config.gc.pipeline_depth} + 1) + 1;
    }};

}  // namespace solidtlm::fw
