// SPDX-License-Identifier: Apache-2.0
//
// Page mapping: every mapping unit may lie anywhere. Destages the write buffer a superpage at a time to the
// parallel unit that allocation chooses, and updates the map when the program has ended: until then reads are
// served from the write buffer and the old copy stays valid, so that a power cut in between loses nothing
// that was on media.
#pragma once

#include <memory>
#include <vector>

#include "fw/ftl/dedup/dedup.h"
#include "fw/ftl/page_map/map_cache/map_cache.h"
#include "fw/ftl/translation.h"
#include "fw/media/allocator.h"
#include "fw/media/gc/collector.h"
#include "fw/media/program_op.h"
#include "fw/media/superblock_table.h"
#include "fw/recovery/recovery_log.h"

namespace solidtlm::fw {

/// One dirty list for dynamic allocation, one a parallel unit for static allocation.
class PageMapOrder : public DestageOrder {
  public:
    PageMapOrder(const FirmwareConfig& config, const MediaLayout& layout)
        : layout_(layout), static_(config.allocation.mode == AllocationMode::static_address) {}
    [[nodiscard]] std::uint32_t lists() const override { return static_ ? layout_.pus() : 1; }
    [[nodiscard]] std::uint32_t list_of(Lpn lpn) const override {
        return static_ ? layout_.home_of(lpn).value : 0;
    }

  private:
    const MediaLayout& layout_;
    bool static_;
};

class PageMap : public Translation, private MapListener, private PageKeeper {
  public:
    PageMap(Environment& environment, const DramMap& dram_map, WriteBuffer& buffer);
    ~PageMap() override;

    std::unique_ptr<LogicalReader> make_reader() override;
    void start() override;
    Task<bool> persist_trims() override;
    void save(hal::EmergencyFlash& flash) override {
        if (log_) {
            log_->save(flash);
        }
    }
    [[nodiscard]] bool recoverable() const override { return true; }
    Task<void> recover(RecoveryReport& report) override;
    Task<void> trim(Lpn first, std::uint32_t count, Ledger* ledger) override;
    Task<bool> holds(Lpn lpn, Ledger* ledger) override;
    void prefetch(Lpn lpn) const override { map_->prefetch(lpn); }
    [[nodiscard]] bool read_only() const override { return read_only_ || map_->worn_out(); }
    [[nodiscard]] bool mapped(Lpn lpn) const override { return map_->peek(lpn) != kUnmapped; }
    [[nodiscard]] Ppa locate(Lpn lpn) const override { return place_of(map_->peek(lpn)); }
    [[nodiscard]] bool at_rest() const override {
        return allocator_.host_in_flight() == 0 && !collector_.active() && map_->at_rest() &&
               (!log_ || log_->at_rest()) && (!dedup_ || dedup_->at_rest());
    }
    void probe_changed() override { table_.set_probe(environment_.probe); }
    void reset_counters() override;
    [[nodiscard]] std::uint64_t free_superblocks() const override { return table_.total_free(); }
    [[nodiscard]] std::map<std::string, double> counters() const override;
    [[nodiscard]] std::string check() const override;
    [[nodiscard]] std::vector<std::string> waits() const override;
    [[nodiscard]] const MapCache* map_cache() const override { return map_.get(); }
    [[nodiscard]] std::optional<BlockMapState> block_map() const override { return std::nullopt; }
    [[nodiscard]] std::optional<DedupState> dedup() const override {
        return dedup_ ? std::optional(dedup_->state()) : std::nullopt;
    }

    [[nodiscard]] std::vector<Lpn> unwritten_references() const override {
        return log_ ? log_->unwritten_references() : std::vector<Lpn>{};
    }

  private:
    class Reader;
    struct Batch;
    struct Sorting;

    void adopt(const MediaScan& scan, Pu pu);
    void adopt_page(Ppa place);
    Task<void> destage();
    /// A list that has something to write now, and the parallel unit reserved for it.
    struct Choice {
        std::uint32_t list;
        Pu pu;
    };
    /// Why nothing was chosen.
    struct Demand {
        bool something_to_write = false;
        bool out_of_space = false;  ///< what could be written waits for garbage collection
    };
    std::optional<Choice> choose(Demand& demand);
    Task<void> await_space(Demand demand);
    [[nodiscard]] bool ready(std::uint32_t list) const;
    std::optional<Pu> reserve(std::uint32_t list);
    Batch& take_batch();
    Task<void> write(Batch& batch, Pu pu);
    Task<void> fill(Batch& batch, Ledger* ledger);
    void finish(Batch& batch, bool ok, Ledger* ledger);
    Task<void> map_batch(Batch& batch, SuperpageAddress at, Ledger* ledger);

    // Where pages are hashed before they are programmed (page_map_sorting.cpp).
    Task<void> destage_sorted();
    /// A superpage that is being filled, and the parallel unit reserved for it.
    struct SortedBatch {
        Batch* batch = nullptr;  // null: none
        Pu pu;
    };
    /// So many pages of a dirty list find room, whatever they turn out to be.
    struct Group {
        std::uint32_t list;
        std::uint32_t most;
    };
    std::optional<Group> choose_group(Demand& demand);
    std::uint32_t make_room(std::uint32_t list);
    [[nodiscard]] std::uint32_t room(std::uint32_t list, std::size_t kind) const;
    [[nodiscard]] std::uint32_t most_superpages(std::uint32_t list, std::uint32_t pages) const;
    bool write_open_batches(const Demand& demand);
    void write_open(SortedBatch& open);
    void cancel_reservations();
    Task<void> sort(Group chosen);
    void bring_sample_forward(std::span<Slot> slots) const;
    Task<bool> sort_slot(Slot slot, bool hashed, std::uint32_t list, Batch& group);
    Task<bool> share_slot(Slot slot, KnownPage known, Ledger* ledger);
    void place(Slot slot, std::uint32_t list, Stream stream, const Ledger& ledger);
    Task<void> release_followers(Batch& batch);
    Task<void> written_when_noted(Slot slot);

    [[nodiscard]] Ppa place_of(Ppa entry) const {
        return is_shared(entry) ? shared_->place(block_of(entry)) : entry;
    }
    void drop(Ppa entry) override;
    [[nodiscard]] bool being_moved(Ppa place) const override { return collector_.programming(place); }
    [[nodiscard]] bool wanted(const MapUpdate& update) const override;
    void applied(const MapUpdate& update) override;
    void invalidate(Ppa ppa);
    void write_again_if_possible();

    Environment& environment_;
    WriteBuffer& buffer_;
    SuperblockTable table_;
    Allocator allocator_;
    std::unique_ptr<MapCache> map_;
    std::unique_ptr<SharedPages> shared_;  // null: nothing is deduplicated
    std::unique_ptr<RecoveryLog> log_;     // null: there is none
    std::unique_ptr<Dedup> dedup_;         // null: nothing is deduplicated
    GarbageCollector collector_;
    std::unique_ptr<Sorting> sorting_;  // null: pages are programmed as they come
    std::vector<std::unique_ptr<Batch>> batches_;
    std::vector<Batch*> free_batches_;
    std::uint32_t next_list_ = 0;
    bool read_only_ = false;
    std::uint32_t trims_ = 0;    // under way
    bool trim_awaited_ = false;  // destaging waits for one to end
    struct Counters {
        std::uint64_t written_units = 0;
        std::uint64_t padded_units = 0;
        std::uint64_t filled_units = 0;
        std::uint64_t program_failures = 0;
    };
    Counters counters_;
};

}  // namespace solidtlm::fw
