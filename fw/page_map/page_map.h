// SPDX-License-Identifier: Apache-2.0
//
// Page mapping: every mapping unit may lie anywhere.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fw/page_map/data_area.h"
#include "fw/page_map/destager.h"
#include "fw/translation/translation.h"

namespace solidtlm::fw {

/// One dirty list for dynamic allocation, one per parallel unit for static allocation.
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

class PageMap : public Translation, private MapListener {
  public:
    PageMap(Services& services, const DramMap& dram_map, WriteBuffer& buffer);
    ~PageMap() override;

    std::unique_ptr<LogicalReader> make_reader() override;
    void start() override;
    [[nodiscard]] bool recoverable() const override { return true; }
    Task<void> recover(BootReport& report) override;
    Task<void> trim(Lpn first, std::uint32_t count, Ledger* ledger) override;
    Task<bool> persist_trims() override;
    void save(hal::EmergencyFlash& flash) override;
    Task<bool> holds(Lpn lpn, Ledger* ledger) override;
    void prefetch(Lpn lpn) const override { pages_.map->prefetch(lpn); }
    [[nodiscard]] std::optional<WriteStop> write_stop() const override;
    [[nodiscard]] bool lost_writes() const override { return pages_.lost_pages.size() > 0; }
    [[nodiscard]] bool lost() const override { return pages_.lost; }
    [[nodiscard]] bool mapped(Lpn lpn) const override { return pages_.map->peek(lpn) != kUnmapped; }
    [[nodiscard]] Ppa locate(Lpn lpn) const override { return pages_.place_of(pages_.map->peek(lpn)); }
    [[nodiscard]] bool at_rest() const override;
    void serialize(hal::StateArchive& archive) override { archive(pages_, *destager_); }
    void probe_changed() override { pages_.probe_changed(); }
    void reset_counters() override;
    [[nodiscard]] std::uint64_t free_superblocks() const override { return pages_.table.free_blocks(); }
    [[nodiscard]] FlashWear wear() const override {
        return {pages_.table.total_erases(), pages_.table.retired()};
    }
    void tell(hal::Metrics& metrics) const override;
    [[nodiscard]] std::vector<Lpn> unwritten_references() const override {
        return pages_.log ? pages_.log->unwritten_references() : std::vector<Lpn>{};
    }
    [[nodiscard]] bool log_pending() const override { return pages_.log && pages_.log->pending(); }
    [[nodiscard]] std::vector<std::string> waits() const override;
    [[nodiscard]] std::string check() const override { return pages_.check(); }

    /// None without deduplication. For results.
    [[nodiscard]] std::optional<DedupState> dedup() const {
        return pages_.dedup ? std::optional(pages_.dedup->state()) : std::nullopt;
    }

  private:
    // MapListener, for TRIM.
    [[nodiscard]] bool wanted(const MapUpdate& /*update*/) const override { return true; }
    void applied(std::span<const MapUpdate> updates, Charge& charge) override;

    DataArea pages_;
    std::unique_ptr<Destager> destager_;
};

}  // namespace solidtlm::fw
