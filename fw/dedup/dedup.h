// SPDX-License-Identifier: Apache-2.0
//
// Deduplication as the indirection of a page map: the system that finds duplicates, the class that shares
// pages, and the work in idle time. See docs/dedup.md.
#pragma once

#include <memory>

#include "fw/dedup/deduplicator.h"
#include "fw/dedup/found_sharing.h"
#include "fw/dedup/share_records.h"
#include "fw/runtime/signal.h"

namespace solidtlm::fw {

class Dedup : public PageIndirection {
  public:
    /// REQUIRES: dedup.system is not none.
    Dedup(PageMap& pages, const DramMap& dram_map);
    /// PageMap::MakeIndirection.
    static std::unique_ptr<PageIndirection> make(PageMap& pages, const DramMap& dram_map) {
        return std::make_unique<Dedup>(pages, dram_map);
    }

    Deduplicator& system() { return *system_; }
    Sharing& sharing() { return sharing_; }
    DedupCounters& counters() { return counters_; }
    [[nodiscard]] DedupState state() const;

    // Indirection.
    using Indirection::denotes;
    [[nodiscard]] bool denotes(Ppa entry) const override { return is_shared(entry, shared_.capacity()); }
    [[nodiscard]] bool is_sound(const LogRecord& record) const override;
    void read_table(std::uint32_t first, std::span<Ppa> found, Charge& charge) const override;

    // PageIndirection.
    void start() override { pages_.services.executor.spawn(work()); }
    std::unique_ptr<Destager> make_destager() override;
    [[nodiscard]] bool sets_apart() const override { return system_->separates(); }
    [[nodiscard]] Ppa place_of(Ppa entry) const override {
        return denotes(entry) ? shared_.place(block_of(entry)) : entry;
    }
    Ppa look_up(Ppa entry) override;
    Ppa release(Ppa entry) override;
    void programmed(Slot slot, Lpn lpn, Ppa place, Charge& charge) override;
    bool rename(Ppa from, Lpn& name) const override;
    std::size_t remap(std::span<MapUpdate> updates, MapListener& listener, Charge& charge) override;
    void moved(std::span<const MapUpdate> updates) override;
    FoundIndirection& begin_search() override;
    void restore(const MediaScan& scan) override;
    void found(Ppa place) override { system_->found(place); }
    [[nodiscard]] std::vector<Lpn> unwritten_references() const override {
        return fw::unwritten_references(*pages_.log);
    }
    [[nodiscard]] bool at_rest() const override { return !working_; }
    void serialize(hal::StateArchive& archive) override { archive(shared_, *system_); }
    void reset_counters() override;
    void tell(hal::Metrics& metrics) const override { state().tell(metrics); }
    [[nodiscard]] std::string check(const Uses& uses) const override;

  private:
    Task<void> work();

    PageMap& pages_;
    const DramMap& dram_map_;
    SharedPages shared_;
    DedupCounters counters_;
    std::uint64_t forgotten_before_ = 0;
    Sharing sharing_;
    std::unique_ptr<Deduplicator> system_;
    std::unique_ptr<FoundSharing> found_;  // during a boot after a loss of power
    Signal wake_;
    bool working_ = false;
};

}  // namespace solidtlm::fw
