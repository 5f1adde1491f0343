// SPDX-License-Identifier: Apache-2.0
#include "fw/hal/zeroed_memory.h"
#include "fw/map_cache/cached_map.h"
#include "fw/map_cache/needs.h"

namespace solidtlm::fw {
namespace {

/// Takes no memory for untouched parts. Entries hold Ppa + 1.
class FullTable : public MapCache {
  public:
    FullTable(Services& services, const DramMap& dram_map)
        : services_(services),
          base_(dram_map[kMapTable]),
          entries_(services.layout.exported_units(), "the map, by logical page") {
        entries_.use_large_pages();
    }

    Task<void> lookup(Lpn first, std::span<Ppa> found, Ledger* /*ledger*/, Charge& charge) override {
        const auto count = static_cast<std::uint32_t>(found.size());
        read_entries(first, count);
        for (std::uint32_t i = 0; i < count; ++i) {
            found[i] = peek(Lpn{first.value + i});
        }
        charge += services_.executor.charge(std::uint64_t{count} * services_.config.cycles.unit_lookup);
        return Task<void>::ended();
    }

    Task<void> update(std::span<MapUpdate> updates, MapListener& listener, Cause cause, Ledger* ledger,
                      Charge& charge) override {
        if (services_.executor.timeless()) {
            tell(updates, apply(updates), listener, charge);
            return Task<void>::ended();
        }
        return update_in_time(updates, listener, cause, ledger, charge);
    }

    void read_entries(Lpn first, std::uint32_t count) override {
        if (count > 0 && !services_.executor.timeless()) {
            const std::uint32_t line = first.value / kMapEntriesPerLine;
            access(line, kDramLineBytes, (first.value + count - 1) / kMapEntriesPerLine - line + 1, false);
        }
    }

    void prefetch(Lpn lpn) const override { entries_.prefetch(lpn.value); }

    [[nodiscard]] Ppa peek(Lpn lpn) const override { return Ppa{entries_[lpn.value] - 1}; }

    void start() override {}
    Task<void> restore(const MediaScan& scan, BootReport& /*report*/) override {
        scan.each_entry([this](Lpn lpn, Ppa place) { entries_[lpn.value] = place.value + 1; });
        co_return;
    }
    void serialize(hal::StateArchive& archive) override { archive(entries_); }
    [[nodiscard]] bool complete() const override { return true; }
    [[nodiscard]] bool wants_order() const override { return false; }
    [[nodiscard]] bool at_rest() const override { return true; }
    [[nodiscard]] bool worn_out() const override { return false; }
    void tell(hal::Metrics& /*metrics*/) const override {}
    void reset_counters() override {}
    [[nodiscard]] std::string check() const override { return {}; }

  private:
    Task<void> update_in_time(std::span<MapUpdate> updates, MapListener& listener, Cause cause,
                              Ledger* ledger, Charge& charge) {
        const bool all = apply(updates);
        co_await services_.executor.spend(charge, updates.size() * services_.config.cycles.map_update, ledger,
                                          cause);
        tell(updates, all, listener, charge);  // no other coroutine ran during spend(): still one step
    }

    /// False if some updates were refused.
    bool apply(std::span<MapUpdate> updates) {
        bool all = true;
        if (!services_.executor.timeless()) {
            write_entries(updates);
        }
        for (MapUpdate& update : updates) {
            std::uint32_t& entry = entries_[update.lpn.value];
            update.previous = Ppa{entry - 1};
            update.refused = update.expected != MapUpdate::kAnyPpa && update.expected != update.previous;
            if (update.refused) {
                all = false;
            } else {
                entry = update.fresh.value + 1;  // kUnmapped wraps around to 0
            }
        }
        return all;
    }

    static void tell(std::span<const MapUpdate> updates, bool all, MapListener& listener, Charge& charge) {
        if (all) {
            listener.applied(updates, charge);
            return;
        }
        for (const MapUpdate& update : updates) {
            if (!update.refused) {
                listener.applied({&update, 1}, charge);
            }
        }
    }

    void write_entries(std::span<const MapUpdate> updates) {
        for (std::size_t begin = 0, end = 0; begin < updates.size(); begin = end) {
            while (++end < updates.size() && updates[end].lpn.value == updates[end - 1].lpn.value + 1) {
            }
            access(updates[begin].lpn.value, kMapEntryBytes, static_cast<std::uint32_t>(end - begin), true);
        }
    }

    /// `count` accesses of `bytes` each, beginning at entry `index` of the table.
    void access(std::uint32_t index, std::uint32_t bytes, std::uint32_t count, bool write) {
        Executor& executor = services_.executor;
        const DramAddress at{base_.value + std::uint64_t{index} * bytes};
        executor.add_access(services_.dram->core_accesses(at, bytes, count, write, executor.pending_stall()));
    }

    Services& services_;
    DramAddress base_;
    hal::ZeroedMemory<std::uint32_t> entries_;
};

}  // namespace

std::unique_ptr<MapCache> make_full_table(Services& services, const DramMap& dram_map) {
    return std::make_unique<FullTable>(services, dram_map);
}

std::unique_ptr<MapCache> make_map_cache(Services& services, const DramMap& dram_map, Allocator& allocator) {
    if (services.config.map_cache.whole_map()) {
        return make_full_table(services, dram_map);
    }
    return std::make_unique<CachedMap>(services, dram_map, allocator);
}

}  // namespace solidtlm::fw
