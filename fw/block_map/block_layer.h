// SPDX-License-Identifier: Apache-2.0
//
// A block-mapped or hybrid translation layer as a data structure without time. It decides the block
// and page of each write, and what has to be merged before. `BlockMap` does the flash work for it;
// `UntimedBlocks` does none. docs/block-map.md defines every layer exactly.
//
// A *logical block* is a run of `data_pages` logical pages. A *block* is what is erased at once: without
// striping a NAND block (one superblock of a parallel unit), with full striping a group of one superblock
// of every parallel unit.
//
// A place is taken when its program starts, not when it ends. The caller therefore lets all programs of a
// block end before it carries out a merge that reads or erases the block.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fw/block_map/block_counters.h"
#include "fw/block_map/needs.h"
#include "fw/drive/config.h"
#include "fw/drive/layout.h"
#include "fw/flash/block_table.h"
#include "fw/hal/check.h"
#include "fw/hal/state_archive.h"

namespace solidtlm::fw {

using Lbn = hal::Index<struct LbnTag, std::uint32_t>;          ///< logical block number
using BlockId = hal::Index<struct BlockIdTag, std::uint32_t>;  ///< block (group) of the flash array

constexpr BlockId kNoBlock{0xFFFF'FFFF};
constexpr Lbn kNoLbn{0xFFFF'FFFF};

/// A page of a block; consecutive offsets lie on consecutive planes of the stripe, row after row.
struct BlockPage {
    BlockId block{kNoBlock};
    std::uint32_t offset = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the defaulted operator
    constexpr auto operator<=>(const BlockPage&) const = default;
};

/// A merge: the pages to copy, what their target becomes, and the blocks to erase afterwards.
struct Merge {
    struct Copy {
        Lpn lpn;
        BlockPage from;
        std::uint32_t to = 0;  ///< offset in `target`
    };
    MergeKind kind = MergeKind::drop;
    Lbn logical{kNoLbn};
    BlockId target{kNoBlock};
    std::vector<Copy> copies;      ///< ascending `to`
    std::vector<BlockId> sources;  ///< blocks to erase when the copies are on media

    void clear() {
        copies.clear();
        sources.clear();
        target = kNoBlock;
        logical = kNoLbn;
        kind = MergeKind::drop;
    }
};

class BlockLayer {
  public:
    virtual ~BlockLayer() = default;

    /// Where the newest data of `lpn` is; the block is kNoBlock if `lpn` has no data.
    [[nodiscard]] virtual BlockPage locate(Lpn lpn) const = 0;

    /// Describes the merge that must precede a write of `lpn`; false if none is needed. The caller carries
    /// the merge out, calls merged() and asks again, because another merge may follow. Between a description
    /// and its merged(), pages may be trimmed and blocks may become free. A program that fails in a block of
    /// the merge makes the description void, and the caller asks again. A full merge whose target is kNoBlock
    /// must wait until an erase ends; then the caller asks again, too.
    virtual bool next_merge(Lpn lpn, Merge& merge) = 0;
    /// Describes a merge without copies that has become due (a log block that may be switched, blocks without
    /// data); false if there is none. The caller asks after each write and trim.
    virtual bool next_release(Merge& merge) = 0;
    /// The copies are on media: from now on their data is in the target. A page whose place is no longer
    /// `Copy::from`, because it was trimmed meanwhile, stays as it is. The caller may now erase the sources;
    /// it reports the end of each erase with erased() or retired().
    virtual void merged(const Merge& merge) = 0;
    /// A page of the target could not be programmed: next_merge() will describe the merge again. An erased
    /// target is retired; a log block that was to be completed becomes a source of the new merge.
    virtual void merge_failed(const Merge& merge, std::uint32_t offset) = 0;

    struct Placement {
        BlockPage at;
        PageWriteKind kind = PageWriteKind::write_data;
        bool unused_place = false;  ///< update_pure of a page whose own place was never programmed
    };
    /// Takes a place for new data of `lpn` and invalidates its older data. REQUIRES: next_merge() has just
    /// returned false for `lpn`, and free_blocks() > 0.
    virtual Placement place(Lpn lpn) = 0;
    /// The program at `at` failed: `lpn` has no data, the block takes no more writes, and it is retired when
    /// it is released.
    virtual void place_failed(Lpn lpn, BlockPage at) = 0;
    /// `lpn` no longer has data.
    virtual void trim(Lpn lpn) = 0;

    /// `block` has been erased. It is free again, or retired if a program failed in it.
    virtual void erased(BlockId block) = 0;
    /// `block` could not be erased: it is taken out of service.
    virtual void retired(BlockId block) = 0;
    /// The state of every block. The caller opens an erased target before it copies pages to it, and counts
    /// the programs that are under way.
    [[nodiscard]] virtual BlockTable& blocks() = 0;
    /// Blocks that are erased and not in use.
    [[nodiscard]] virtual std::uint32_t free_blocks() const = 0;

    /// Places of a block for the logical pages of its logical block: D of docs/block-map.md.
    [[nodiscard]] virtual std::uint32_t data_pages() const = 0;
    /// Blocks in use as data blocks, and how many of their places for logical pages have been programmed
    /// since the erases. Block utilisation: data_pages_programmed() / (data_blocks() * data_pages()).
    [[nodiscard]] virtual std::uint64_t data_blocks() const = 0;
    [[nodiscard]] virtual std::uint64_t data_pages_programmed() const = 0;
    /// Blocks in use as log, mirror or spare blocks.
    [[nodiscard]] virtual std::uint64_t log_blocks() const = 0;
    virtual void serialize(hal::StateArchive& archive) = 0;
    /// Empty if the tables agree; otherwise the first disagreement.
    [[nodiscard]] virtual std::string check() const = 0;
};

/// A block-mapped layer as a value of firmware.translation.
struct TranslationLayer : TranslationPlan {
    std::unique_ptr<BlockLayer> (*make)(const FirmwareConfig& config, const BlockGeometry& geometry);
};

/// Makes a `Layer`; for TranslationLayer::make.
template <class Layer>
std::unique_ptr<BlockLayer> make_layer(const FirmwareConfig& config, const BlockGeometry& geometry) {
    return std::make_unique<Layer>(config, geometry);
}

/// The layers in fw/block_map/layers: all values but page_map.
std::span<const TranslationLayer* const> translation_layers();

[[nodiscard]] inline const TranslationLayer& translation_layer(std::string_view name) {
    return hal::named(translation_layers(), name);
}

/// The layer that `config` names. REQUIRES: not page_map, and least_blocks(config, geometry) <=
/// geometry.blocks.
inline std::unique_ptr<BlockLayer> make_block_layer(const FirmwareConfig& config,
                                                    const BlockGeometry& geometry) {
    SOLIDTLM_CHECK(least_blocks(config, geometry) <= geometry.blocks,
                   "the layer has as many good blocks as it needs");
    return translation_layer(config.translation.name).make(config, geometry);
}

}  // namespace solidtlm::fw
