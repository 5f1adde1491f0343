// SPDX-License-Identifier: Apache-2.0
#include "fw/longest_turn.h"

#include <algorithm>

#include "fw/dedup/needs.h"
#include "fw/log/needs.h"
#include "fw/map_cache/needs.h"
#include "fw/translation/trim_slice.h"

namespace solidtlm::fw {
namespace {

/// Ranges of a command are whole units and one part of a unit at each end.
constexpr std::uint64_t kPartsOfRange = 2;

/// The turns of coroutines, each a sum over the longest way from one wait or yield to the next.
class Turns {
  public:
    Turns(const FirmwareConfig& config, const MediaLayout& layout, bool marks)
        : config_(config),
          cycles_(config.cycles),
          layout_(layout),
          marked_units_(marks ? config.exported_units() : 0) {}

    [[nodiscard]] std::uint64_t longest() const {
        return std::max({fetching(), writing(), reading(), trimming(), reporting(), reading_ahead(),
                         destaging(), merging(), moving(), logging(), deduplicating(), layering()});
    }

  private:
    /// Of Dispatcher::fetch_loop(), for one command.
    [[nodiscard]] std::uint64_t fetching() const {
        return std::uint64_t{cycles_.command_fetch} + std::max(cycles_.read_command, cycles_.write_command);
    }
    /// Of Dispatcher::write(): what has arrived is committed, and the next segment is asked for.
    [[nodiscard]] std::uint64_t writing() const {
        const std::uint64_t units = units_of(config_.write_segment_bytes);
        return units * (std::uint64_t{cycles_.buffer_insert} + cycles_.read_cache_search +
                        cycles_.buffer_lookup) +
               cycles_.transfer_issue + cycles_.command_complete + marking();
    }
    /// Of Dispatcher::read(): a segment that needs no read, and the next one until its reads have begun; or
    /// until a transfer begins after reads have ended.
    [[nodiscard]] std::uint64_t reading() const {
        const std::uint64_t units = units_of(config_.read_segment_bytes);
        const std::uint64_t search =
            units * (std::uint64_t{cycles_.buffer_lookup} + cycles_.read_cache_search);
        return cycles_.stream_search + 2 * (search + look_up(units * pieces()) + cycles_.transfer_issue) +
               units * (std::uint64_t{cycles_.flash_issue} + cycles_.flash_complete) +
               cycles_.command_complete + marking();
    }
    /// Of Dispatcher::trim(): the end of one range, and the next one until its first slice yields.
    [[nodiscard]] std::uint64_t trimming() const {
        const std::uint64_t part = look_up(1) + cycles_.buffer_lookup + cycles_.buffer_insert +
                                   std::uint64_t{cycles_.read_cache_search};
        const std::uint64_t unmap =
            std::uint64_t{kTrimSlice} * cycles_.trim_unit +
            (config_.by_block() ? kTrimSlice * (std::uint64_t{cycles_.log_search} + cycles_.map_update)
                                : update(kTrimSlice));
        return std::uint64_t{cycles_.trim_command} + cycles_.trim_range + kPartsOfRange * part +
               slots() * cycles_.buffer_lookup + cached_units() * cycles_.read_cache_search + unmap +
               cycles_.command_complete + marking();
    }
    [[nodiscard]] std::uint64_t reporting() const {
        return std::uint64_t{cycles_.report_health} + cycles_.command_complete;
    }
    /// Of ReadCache::run().
    [[nodiscard]] std::uint64_t reading_ahead() const {
        return cached_units() *
                   (std::uint64_t{cycles_.read_cache_insert} + cycles_.flash_issue + cycles_.flash_complete) +
               look_up(cached_units());
    }
    /// Of Destager::run() and, with deduplication, of SortedDestager: pages are completed by reads and
    /// programmed, and followers of a page share it.
    [[nodiscard]] std::uint64_t destaging() const {
        const std::uint64_t units = layout_.units_per_superpage();
        const std::uint64_t sorted = config_.dedup.any() ? slots() * sharing() : 0;
        const std::uint64_t filled = most_sorted_pages(config_, layout_.units_per_superpage());
        return 2 * (look_up(filled * pieces()) + filled * cycles_.flash_issue) + cycles_.allocate +
               cycles_.flash_issue + cycles_.flash_complete + update(units) + units * cycles_.dedup_insert +
               sorted;
    }
    /// Of BlockMap::destage() and BlockMerger: pages go to the queues of the dies until these are full or
    /// nothing is left to write, and merges that copy nothing follow each other; or one merge copies a block.
    [[nodiscard]] std::uint64_t merging() const {
        if (!config_.by_block()) {
            return 0;
        }
        const std::uint64_t pages = std::uint64_t{layout_.units_per_superblock()} * layout_.pus();
        const std::uint64_t blocks = std::uint64_t{config_.flash.total_planes()} * config_.flash.blocks;
        const std::uint64_t write =
            std::uint64_t{cycles_.log_search} + cycles_.map_update + cycles_.allocate + cycles_.flash_issue;
        const std::uint64_t copy = std::uint64_t{cycles_.log_search} + cycles_.flash_issue +
                                   2 * std::uint64_t{cycles_.flash_complete} + cycles_.merge_page +
                                   cycles_.flash_issue;
        return slots() * (write + look_up(pieces()) + cycles_.flash_issue) +
               (slots() + blocks) * (std::uint64_t{cycles_.merge_choose} + cycles_.map_update) + pages * copy;
    }
    /// Of GarbageCollector: collect() chooses a victim for each superpage of the pipeline, and run() moves
    /// one.
    [[nodiscard]] std::uint64_t moving() const {
        const std::uint64_t units = layout_.units_per_superpage();
        return std::uint64_t{config_.gc.pipeline_depth} * cycles_.gc_select +
               units * (2 * std::uint64_t{cycles_.flash_issue} + cycles_.flash_complete + cycles_.gc_unit) +
               cycles_.allocate + cycles_.flash_issue + cycles_.flash_complete + 2 * update(units);
    }
    /// Of a page of the recovery log, perhaps of a checkpoint, whose entries are looked up; or of one of the
    /// map on flash.
    [[nodiscard]] std::uint64_t logging() const {
        return look_up(recovery_log_size(config_).entries_per_page) + cycles_.cache_insert +
               cycles_.flash_issue + cycles_.flash_complete + update(layout_.units_per_superpage());
    }
    /// Of Dedup::work(): a page is compared, or its fingerprint is looked up, and another is read.
    [[nodiscard]] std::uint64_t deduplicating() const {
        return config_.dedup.any()
                   ? config_.unit_bytes / sizeof(std::uint64_t) * cycles_.dedup_compare +
                         2 * std::uint64_t{cycles_.flash_complete} + cycles_.flash_issue + 2 * sharing()
                   : 0;
    }
    /// Of a layer on top of the flash: an operation becomes one for each die of a group or page of a word
    /// line; erases have one for each die.
    [[nodiscard]] std::uint64_t layering() const {
        const FlashLayout& flash = config_.flash;
        const std::uint64_t parts = std::max<std::uint64_t>({config_.reliability.parity_dies, flash.planes,
                                                             flash.pages_per_program, layout_.pus()}) +
                                    1;
        return parts * (std::uint64_t{cycles_.flash_issue} + cycles_.flash_complete);
    }

    /// A segment of these bytes touches at most this many units.
    [[nodiscard]] std::uint64_t units_of(std::uint32_t segment_bytes) const {
        return std::uint64_t{segment_bytes} / config_.unit_bytes + 1;
    }
    [[nodiscard]] std::uint64_t slots() const { return config_.write_buffer.size_bytes / config_.unit_bytes; }
    [[nodiscard]] std::uint64_t cached_units() const {
        return config_.read_cache.size_bytes / config_.unit_bytes;
    }
    /// Parts of a unit that is in the write buffer only in part: every other sector may be missing.
    [[nodiscard]] std::uint64_t pieces() const { return (layout_.sectors_per_unit() + 1) / 2; }
    /// Checking or clearing the marks of a command or a range.
    [[nodiscard]] std::uint64_t marking() const { return 2 * marked_units_ * cycles_.mark_unit; }
    /// Looking these units up, if no entry has to be fetched from flash.
    [[nodiscard]] std::uint64_t look_up(std::uint64_t units) const {
        std::uint64_t each = cycles_.unit_lookup;
        each += config_.by_block() ? cycles_.log_search : 0;
        if (!config_.map_cache.whole_map()) {
            each += 2 * std::uint64_t{cycles_.cache_search} + cycles_.cache_order;
        }
        return units * each + evicting(units);
    }
    [[nodiscard]] std::uint64_t update(std::uint64_t units) const {
        std::uint64_t each = cycles_.map_update;
        if (!config_.map_cache.whole_map()) {
            each += 2 * std::uint64_t{cycles_.cache_search} + cycles_.cache_order;
        }
        return units * each + evicting(units);
    }
    /// Evicting without writing back: what the map cache holds, and what looking `units` up brings in without
    /// a read because their translation pages were never written.
    [[nodiscard]] std::uint64_t evicting(std::uint64_t units) const {
        if (config_.map_cache.whole_map()) {
            return 0;
        }
        const std::uint64_t held = config_.map_cache.size_bytes / kMapEntryBytes;
        const std::uint64_t brought = std::min<std::uint64_t>(held, map_area_size(config_).entries);
        return (held + units * brought) * (std::uint64_t{cycles_.cache_evict} + cycles_.cache_search);
    }
    /// Looking a page up in a table of deduplication, and making two logical pages refer to it.
    [[nodiscard]] std::uint64_t sharing() const {
        return 2 * (std::uint64_t{cycles_.dedup_search} + cycles_.dedup_insert + cycles_.dedup_share) +
               update(2);
    }

    const FirmwareConfig& config_;
    const CycleCosts& cycles_;
    const MediaLayout& layout_;
    const std::uint64_t marked_units_;
};

}  // namespace

std::uint64_t longest_turn_cycles(const FirmwareConfig& config, const MediaLayout& layout, bool marks) {
    return Turns(config, layout, marks).longest();
}

}  // namespace solidtlm::fw
