// SPDX-License-Identifier: Apache-2.0
#include "fw/dedup/sharing.h"

#include <array>

namespace solidtlm::fw {

void Sharing::touch(VirtualBlock block, bool write) {
    Executor& executor = services_.executor;
    const DramAddress at{shared_table_.value + std::uint64_t{block.value} * kSharedPageBytes};
    executor.add_access(services_.dram->core_access(at, kSharedPageBytes, write, executor.pending_stall()));
}

void Sharing::look_up(VirtualBlock block) {
    touch(block, false);
}

/// True if `kept` has not changed, and no operation under way would make that wrong after a loss of power: a
/// version of its logical page that is being programmed has a smaller sequence number than the record.
bool Sharing::possible(const KnownPage& kept, Lpn except) const {
    if (!parts_.log.accepts() || parts_.log.checkpointing() || !parts_.table.is_valid(kept.place)) {
        return false;
    }
    if (parts_.shared.find(kept.place)) {
        return true;
    }
    return parts_.map.peek(kept.lpn) == kept.place && parts_.shared.used() < parts_.shared.capacity() &&
           (kept.lpn == except || !parts_.buffer.programming(kept.lpn)) &&
           !parts_.owner.being_moved(kept.place);
}

Task<bool> Sharing::merge(KnownPage duplicate, KnownPage kept, Charge& charge) {
    if (parts_.map.peek(duplicate.lpn) != duplicate.place || parts_.buffer.programming(duplicate.lpn) ||
        !possible(kept, kNoLpn)) {
        co_return false;
    }
    const bool shared = co_await share(duplicate.lpn, kept, nullptr, charge);
    co_return shared;
}

Task<bool> Sharing::merge_written(Lpn lpn, KnownPage kept, Ledger* ledger, Charge& charge) {
    const Ppa present = parts_.map.peek(lpn);
    const std::optional<VirtualBlock> block = parts_.shared.find(kept.place);
    if (present == kept.place || (block && present == entry_of(*block))) {
        co_return true;  // the host wrote the contents that the page already had
    }
    if (!possible(kept, lpn)) {
        co_return false;
    }
    const bool shared = co_await share(lpn, kept, ledger, charge);
    co_return shared;
}

Task<bool> Sharing::share(Lpn lpn, KnownPage kept, Ledger* ledger, Charge& charge) {
    std::array<MapUpdate, 2> updates{};
    std::size_t count = 0;
    std::optional<VirtualBlock> block = parts_.shared.find(kept.place);
    if (!block) {
        block = parts_.shared.share(kept.place);
        parts_.log.note_share(*block, kept.place);
        parts_.log.note_refer(kept.lpn, *block);
        parts_.shared.refer(*block);
        updates[count] = MapUpdate{kept.lpn, entry_of(*block)};
        updates[count++].tag = kKept;
    }
    parts_.log.note_refer(lpn, *block);
    parts_.shared.refer(*block);
    updates[count++] = MapUpdate{lpn, entry_of(*block)};
    touch(*block, true);
    charge += services_.executor.charge(count * services_.config.cycles.dedup_share);
    co_await parts_.map.update(std::span(updates).first(count), *this, Cause::dedup, ledger, charge);
    co_return true;
}

void Sharing::applied(std::span<const MapUpdate> updates, Charge& /*charge*/) {
    for (const MapUpdate& update : updates) {
        if (update.tag != kKept && update.previous != kUnmapped) {
            parts_.owner.drop(update.previous);
        }
    }
}

}  // namespace solidtlm::fw
