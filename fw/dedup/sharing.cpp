// SPDX-License-Identifier: Apache-2.0
#include "fw/dedup/sharing.h"

#include <array>

#include "fw/dedup/share_records.h"

namespace solidtlm::fw {

void Sharing::touch(VirtualBlock block, bool write) {
    Executor& executor = pages_.services.executor;
    const DramAddress at{shared_table_.value + std::uint64_t{block.value} * DedupConfig::kSharedPageBytes};
    executor.add_access(pages_.services.dram->core_access(at, DedupConfig::kSharedPageBytes, write,
                                                          executor.pending_stall()));
}

void Sharing::look_up(VirtualBlock block) {
    touch(block, false);
}

/// True if `kept` has not changed, and no operation under way would make that wrong after a loss of power: a
/// version of its logical page that is being programmed has a smaller sequence number than the record. A copy
/// that collection is programming under the present name would be useless.
bool Sharing::possible(const KnownPage& kept, Lpn except) const {
    if (!pages_.log->accepts() || pages_.log->checkpointing() || !pages_.table.is_valid(kept.place)) {
        return false;
    }
    if (shared_.find(kept.place)) {
        return true;
    }
    return pages_.map->peek(kept.lpn) == kept.place && shared_.used() < shared_.capacity() &&
           (kept.lpn == except || !pages_.buffer.programming(kept.lpn)) &&
           !pages_.collector.programming(kept.place);
}

Task<bool> Sharing::merge(KnownPage duplicate, KnownPage kept, Charge& charge) {
    if (pages_.map->peek(duplicate.lpn) != duplicate.place || pages_.buffer.programming(duplicate.lpn) ||
        !possible(kept, kNoLpn)) {
        co_return false;
    }
    const bool shared = co_await share(duplicate.lpn, kept, nullptr, charge);
    co_return shared;
}

Task<Sharing::Written> Sharing::merge_written(Lpn lpn, KnownPage kept, Ledger* ledger, Charge& charge) {
    const Ppa present = pages_.map->peek(lpn);
    if (present == kept.place) {  // the host wrote the contents that the page already had
        const auto superblock = pages_.services.layout.superblock_index(present);
        co_return pages_.table.info(superblock).collecting ? Written::no : Written::unchanged;
    }
    const std::optional<VirtualBlock> block = shared_.find(kept.place);
    if (block && present == entry_of(*block)) {
        co_return Written::shared;  // it does so already
    }
    if (!possible(kept, lpn)) {
        co_return Written::no;
    }
    const bool shared = co_await share(lpn, kept, ledger, charge);
    co_return shared ? Written::shared : Written::no;
}

Task<bool> Sharing::share(Lpn lpn, KnownPage kept, Ledger* ledger, Charge& charge) {
    std::array<MapUpdate, 2> updates{};
    std::size_t count = 0;
    std::optional<VirtualBlock> block = shared_.find(kept.place);
    if (!block) {
        block = shared_.share(kept.place);
        note_share(*pages_.log, *block, kept.place);
        note_refer(*pages_.log, kept.lpn, *block);
        shared_.refer(*block);
        updates[count] = MapUpdate{kept.lpn, entry_of(*block)};
        updates[count++].tag = kKept;
    }
    note_refer(*pages_.log, lpn, *block);
    shared_.refer(*block);
    updates[count++] = MapUpdate{lpn, entry_of(*block)};
    touch(*block, true);
    charge += pages_.services.executor.charge(count * pages_.services.config.cycles.dedup_share);
    co_await pages_.map->update(std::span(updates).first(count), *this, Cause::dedup, ledger, charge);
    co_return true;
}

void Sharing::applied(std::span<const MapUpdate> updates, Charge& /*charge*/) {
    for (const MapUpdate& update : updates) {
        if (update.tag != kKept && update.previous != kUnmapped) {
            pages_.drop(update.previous);
        }
    }
}

}  // namespace solidtlm::fw
