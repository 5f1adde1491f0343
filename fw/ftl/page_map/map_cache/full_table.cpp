// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <new>

#include "fw/ftl/page_map/map_cache/map_cache.h"

namespace solidtlm::fw {
namespace {

/// Entries one DRAM burst brings into the core: a 64-byte line of 4-byte entries.
constexpr std::uint32_t kLineBytes = 64;
constexpr std::uint32_t kEntryBytes = 4;
constexpr std::uint32_t kEntriesPerLine = kLineBytes / kEntryBytes;

/// Zeroed by the operating system on first touch: an untouched table costs no memory. Entries hold Ppa + 1.
struct FreeDeleter {
    void operator()(std::uint32_t* table) const { std::free(table); }
};

class FullTable : public MapCache {
  public:
    FullTable(Environment& environment, const DramMap& dram_map)
        : environment_(environment),
          base_(dram_map.map_table),
          entries_(static_cast<std::uint32_t*>(
              std::calloc(environment.layout.exported_units() + std::size_t{1}, sizeof(std::uint32_t)))) {
        if (!entries_) {
            throw std::bad_alloc();
        }
    }

    Task<void> lookup(Lpn first, std::span<Ppa> found, Ledger* ledger) override {
        const auto count = static_cast<std::uint32_t>(found.size());
        for (std::uint32_t i = 0; i < count; ++i) {
            if (i == 0 || (first.value + i) % kEntriesPerLine == 0) {
                access(first.value + i, kLineBytes, false);
            }
            found[i] = peek(Lpn{first.value + i});
        }
        co_await environment_.executor.spend(std::uint64_t{count} * environment_.config.cycles.unit_lookup,
                                             ledger);
    }

    Task<void> update(std::span<MapUpdate> updates, Cause cause, Ledger* ledger) override {
        for (MapUpdate& update : updates) {
            access(update.lpn.value, kEntryBytes, true);
            update.previous = peek(update.lpn);
            update.applied = update.expected == MapUpdate::kAnyPpa || update.expected == update.previous;
            if (update.applied) {
                entries_.get()[update.lpn.value] = update.fresh.value + 1;  // kUnmapped wraps to 0
            }
        }
        co_await environment_.executor.spend(updates.size() * environment_.config.cycles.map_update, ledger,
                                             cause);
    }

    [[nodiscard]] Ppa peek(Lpn lpn) const override { return Ppa{entries_.get()[lpn.value] - 1}; }

  private:
    void access(std::uint32_t entry, std::uint32_t bytes, bool write) {
        const DramAddress at{base_.value + std::uint64_t{entry} * kEntryBytes / bytes * bytes};
        Executor& executor = environment_.executor;
        executor.add_access(environment_.dram->core_access(at, bytes, write, executor.pending_stall()));
    }

    Environment& environment_;
    DramAddress base_;
    std::unique_ptr<std::uint32_t, FreeDeleter> entries_;
};

}  // namespace

std::unique_ptr<MapCache> make_full_table(Environment& environment, const DramMap& dram_map) {
    return std::make_unique<FullTable>(environment, dram_map);
}

}  // namespace solidtlm::fw
