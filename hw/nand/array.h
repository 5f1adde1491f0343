// SPDX-License-Identifier: Apache-2.0
//
// The memory array of one NAND die and its rules (ONFI 4.0 3.1, 5.1; part data sheets). Plain state without
// time: the timed Die uses it, and so may code that ages a device without simulating time.
//
// Rules: erase before program; pages of a block in ascending order, and all in the mode of the first one;
// parts that program a word line at once get all of its pages; multi-plane addresses match; a block takes
// `endurance_cycles` erases. A breach is FlashStatus::rule_violation, changes nothing, and is counted in
// violations(). What a device may do to a well-behaved firmware (bad block, worn block, torn or erased page)
// is an ordinary status.
//
// Memory is taken block by block on first touch; content: page_contents.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "fw/hal/flash.h"
#include "fw/hal/flash_image.h"
#include "hw/nand/config.h"
#include "hw/nand/fault_model.h"
#include "hw/nand/page_contents.h"
#include "hw/nand/violation.h"
#include "hw/nand/word_lines.h"

namespace solidtlm::hw {

/// Factory bad-block mark of `block`: drawn from the seed and the address alone.
[[nodiscard]] bool factory_bad(const NandBadBlocks& config, const hal::FlashAddress& block);

/// Part of a page to read. With null content no data is copied.
struct ReadSlice {
    std::uint32_t column_bytes = 0;
    std::uint32_t length_bytes = 0;
    std::byte* content = nullptr;
};

/// How a page is sensed.
struct SenseMode {
    std::uint32_t level = 0;  ///< level of the read-retry table
    bool slc = false;
};

class NandArray {
  public:
    NandArray(const NandConfig& config, hal::Channel channel, hal::Die die);

    /// Senses a page with a level of the read-retry table and copies the slices and the metadata out. Returns
    /// ok, erased, uncorrectable (a torn page, a block programmed in the other mode, or more errors than ECC
    /// corrects; copies nothing) or rule_violation. `spare` is empty or metadata_bytes long.
    hal::FlashStatus read(const hal::FlashAddress& page, std::span<const ReadSlice> slices,
                          std::span<std::byte> spare, SenseMode mode = {}) {
        if (slices.empty() && !faults_ && exists(page) && page.page.value < sound_pages_[index(page)] &&
            in_slc_mode(page) == mode.slc) {
            copy_metadata(page, spare);
            return hal::FlashStatus::ok;
        }
        return read_contents(page, slices, spare, mode);
    }
    /// Most bits that ECC corrected in a codeword of the last read with status ok. REQUIRES: faults().
    [[nodiscard]] std::uint32_t corrected_bits() const { return corrected_bits_; }
    /// Programs the slices and the metadata; the rest of the page reads as zero content. ok, program_failed
    /// or rule_violation. An empty `spare` programs no metadata.
    hal::FlashStatus program(const hal::FlashAddress& page, std::span<const ProgramSlice> slices,
                             std::span<const std::byte> spare, bool slc = false);
    /// As above, after breaks_program_rules() has returned false. `first`: false for further pages of a word
    /// line that is programmed at once, which fail if its first page does.
    hal::FlashStatus program_allowed(const hal::FlashAddress& page, std::span<const ProgramSlice> slices,
                                     std::span<const std::byte> spare, bool slc = false, bool first = true);
    /// Puts a block that was never programmed nor erased into the state of a used one. REQUIRES: that, the
    /// block is good, and there are no faults().
    void put(const hal::FlashAddress& block, const hal::BlockImage& image);
    /// ok, erase_failed or rule_violation. The page of the address is ignored.
    hal::FlashStatus erase(const hal::FlashAddress& block);
    /// Moves content and metadata within a plane, uncorrected: the copy of a torn page is torn. `slc` is the
    /// mode of the copy, `source_slc` that in which the source is sensed, which must be its own.
    /// `spare` replaces the metadata when not empty (85h before 10h). ok, erased (the source; nothing is
    /// programmed), program_failed or rule_violation.
    hal::FlashStatus copy_back(const hal::FlashAddress& source, const hal::FlashAddress& destination,
                               std::span<const std::byte> spare, bool slc = false, bool source_slc = false);

    /// The same for whole pages: `data` is empty or content_bytes(mode, page_bytes) long.
    hal::FlashStatus read_page(const hal::FlashAddress& page, std::span<std::byte> data,
                               std::span<std::byte> spare);
    hal::FlashStatus program_page(const hal::FlashAddress& page, std::span<const std::byte> data,
                                  std::span<const std::byte> spare);

    /// Would program() be refused? Reports the breach. `slices` as for program().
    bool breaks_program_rules(const hal::FlashAddress& page, std::span<const ProgramSlice> slices,
                              bool slc = false);
    /// Do the addresses of a multi-plane operation fit together and exist? Reports the breach. Erases ignore
    /// pages.
    bool breaks_plane_rules(std::span<const hal::FlashAddress> planes, bool ignore_page);
    /// Are the pages of a program less than what the part programs at once, or more, or do they not fit
    /// together? They are those of each plane of the operation, one page after the other, as in FlashOp.
    /// Reports the breach.
    bool breaks_word_line_rules(std::span<const hal::FlashAddress> pages, std::size_t planes, bool slc);
    /// Is copy-back from `source` refused? Reports the breach.
    bool breaks_copy_rules(const hal::FlashAddress& source, const hal::FlashAddress& destination);

    /// The page reads as uncorrectable until it is erased.
    void tear_page(const hal::FlashAddress& page);
    /// Power was lost while this page was being programmed: it is torn, and with NandPowerCut::word_line so
    /// are the pages of its word line that were programmed before.
    void interrupt_program(const hal::FlashAddress& page);
    /// Power was lost while this block was being erased: every page reads as uncorrectable, and the block has
    /// to be erased again before it is programmed.
    void tear_block(const hal::FlashAddress& block);

    [[nodiscard]] bool is_factory_bad(const hal::FlashAddress& block) const;
    [[nodiscard]] bool is_programmed(const hal::FlashAddress& page) const;
    /// Metadata of a programmed page, for checks at rest; empty if there is none.
    [[nodiscard]] std::span<const std::byte> metadata(const hal::FlashAddress& page) const;
    [[nodiscard]] std::uint32_t erase_count(const hal::FlashAddress& block) const;
    /// As above, but each erase after SLC mode counts NandSlcMode::wear.
    [[nodiscard]] double cycles(const hal::FlashAddress& block) const;
    /// True if the block has been programmed in SLC mode since its erase.
    [[nodiscard]] bool in_slc_mode(const hal::FlashAddress& block) const {
        return any_slc_ && slc_[index(block)];
    }
    /// The configured faults; null without any.
    [[nodiscard]] FaultModel* faults() { return faults_.get(); }
    [[nodiscard]] const FaultModel* faults() const { return faults_.get(); }
    [[nodiscard]] const NandGeometry& geometry() const { return geometry_; }
    [[nodiscard]] hal::ContentMode content_mode() const { return mode_; }
    [[nodiscard]] std::uint32_t metadata_bytes() const { return metadata_bytes_; }
    [[nodiscard]] ViolationLog& violations() { return violations_; }
    [[nodiscard]] const ViolationLog& violations() const { return violations_; }
    /// Content of a page for debugging: as read() would copy it if the page could be read; zeros if there is
    /// none.
    void peek(const hal::FlashAddress& page, std::uint32_t column_bytes, std::span<std::byte> content) const;
    /// True if the program of the page, or the erase of its block, was interrupted. For debugging.
    [[nodiscard]] bool torn(const hal::FlashAddress& page) const {
        const BlockState* block = exists(page) ? find(page) : nullptr;
        return block != nullptr && is_torn(*block, page.page);
    }

    /// Saves or loads the contents and the wear of the cells (platform/ssd.h). Loading replaces everything.
    /// `archive` is one of cereal's.
    template <class Archive>
    void serialize(Archive& archive);

    /// Number of blocks for which memory has been allocated.
    [[nodiscard]] std::size_t touched_blocks() const { return touched_blocks_; }
    /// Bytes of page content held.
    [[nodiscard]] std::size_t content_memory() const { return contents_.memory(); }

  private:
    struct Place {
        hal::Channel channel;
        hal::Die die;
    };
    /// `config`: geometry.blocks is what this die has; 0: there is no such die.
    NandArray(const NandConfig& config, const Place& place);
    static constexpr std::size_t kCacheLine = 64;

    struct BlockState {
        std::uint32_t erase_count = 0;
        std::uint32_t slc_erases = 0;  ///< of erases, those after SLC mode
        std::uint32_t next_page = 0;   ///< one above the highest page programmed
        bool bad = false;              ///< from the factory or worn out
        bool torn = false;             ///< by an interrupted erase
        std::vector<std::uint64_t> programmed;
        std::vector<std::uint64_t> torn_pages;  ///< empty until a page was torn

        template <class Archive>
        void serialize(Archive& archive);
    };

    template <class Archive>
    void serialize_block(Archive& archive, std::size_t index);
    [[nodiscard]] std::size_t index(const hal::FlashAddress& at) const {
        return std::size_t{at.plane.value} * geometry_.blocks + at.block.value;
    }
    [[nodiscard]] bool exists(const hal::FlashAddress& at) const {
        return at.page.value < geometry_.pages && block_exists(at);
    }
    [[nodiscard]] bool block_exists(const hal::FlashAddress& at) const {
        return at.channel == channel_ && at.die == die_ && at.plane.value < geometry_.planes &&
               at.block.value < geometry_.blocks;
    }
    bool violate(Violation kind, const hal::FlashAddress& at, std::string_view what);
    BlockState& touch(const hal::FlashAddress& at) {
        std::unique_ptr<BlockState>& block = blocks_[index(at)];
        if (!block) {
            block = first_touch(at);
        }
        return *block;
    }
    std::unique_ptr<BlockState> first_touch(const hal::FlashAddress& at);
    [[nodiscard]] const BlockState* find(const hal::FlashAddress& at) const {
        return blocks_[index(at)].get();
    }
    [[nodiscard]] bool is_torn(const BlockState& block, hal::Page page) const;
    void mark_programmed(BlockState& block, const hal::FlashAddress& at, bool torn);
    hal::FlashStatus read_contents(const hal::FlashAddress& page, std::span<const ReadSlice> slices,
                                   std::span<std::byte> spare, SenseMode mode);
    [[nodiscard]] BlockWear wear_of(const hal::FlashAddress& at, const BlockState& block) const {
        return {block.erase_count, block.erase_count - (1.0 - slc_wear_) * block.slc_erases, in_slc_mode(at)};
    }
    /// REQUIRES: the page is programmed.
    void copy_metadata(const hal::FlashAddress& page, std::span<std::byte> spare) const {
        if (const std::byte* metadata = spare.empty() ? nullptr : metadata_of(page); metadata != nullptr) {
            std::memcpy(spare.data(), metadata, std::min<std::size_t>(spare.size(), metadata_bytes_));
        }
    }
    void store_metadata(const hal::FlashAddress& page, std::span<const std::byte> spare);
    /// Null if the block has no metadata.
    [[nodiscard]] std::byte* metadata_of(const hal::FlashAddress& page) const {
        std::byte* block = metadata_[index(page)].get();
        if (block == nullptr) {
            return nullptr;
        }
        std::byte* metadata = block + std::size_t{metadata_bytes_} * page.page.value;
        // The next pages will probably be used next. Affects only the speed of the model.
        __builtin_prefetch(metadata + kCacheLine, 1);
        return metadata;
    }
    hal::FlashStatus sense_with_faults(const hal::FlashAddress& page, std::span<const ReadSlice> slices,
                                       std::uint32_t level);
    [[nodiscard]] bool has_page(const hal::FlashAddress& at, bool slc) const {
        return exists(at) && (!slc || at.page.value < slc_pages_);
    }

    NandGeometry geometry_;
    NandRules rules_;
    NandBadBlocks bad_blocks_;
    hal::ContentMode mode_;
    std::uint32_t metadata_bytes_;
    std::uint32_t slc_pages_;
    std::uint32_t pages_per_program_;
    WordLines word_lines_;
    bool cut_takes_word_line_;
    double slc_wear_;
    hal::Channel channel_;
    hal::Die die_;
    PageContents contents_;
    std::size_t page_words_;  ///< words of a bitmap of a block's pages
    std::vector<std::unique_ptr<BlockState>> blocks_;
    /// By block: number of pages, from the first one on, that are programmed and not torn. Answers most reads
    /// without an access to the block's state, which is rarely in the processor's cache.
    std::vector<std::uint32_t> sound_pages_;
    std::vector<bool> slc_;                               ///< by block: programmed in SLC mode
    bool any_slc_ = false;                                ///< some block has been in SLC mode
    std::vector<std::unique_ptr<std::byte[]>> metadata_;  ///< by block, of all its pages; null: none yet
    std::size_t touched_blocks_ = 0;
    ViolationLog violations_;
    std::unique_ptr<FaultModel> faults_;
    std::vector<FaultModel::Range> ranges_;  ///< ranges of the present read
    std::uint32_t corrected_bits_ = 0;
};

}  // namespace solidtlm::hw
