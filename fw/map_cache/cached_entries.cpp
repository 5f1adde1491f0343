// SPDX-License-Identifier: Apache-2.0
#include "fw/map_cache/cached_entries.h"

#include "fw/hal/check.h"

namespace solidtlm::fw {

CachedEntries::CachedEntries(Services& services, DramAddress base, MapWatch* const& watches)
    : services_(services),
      base_(base),
      watches_(watches),
      size_(map_area_size(services.config)),
      policy_(
          map_cache_policy(services.config.map_cache.policy).make(services.config.map_cache, size_, *this)),
      in_cache_(std::size_t{size_.translation_pages} * size_.entries, "map entries in the cache"),
      on_flash_(std::size_t{size_.translation_pages} * size_.entries, "map entries on flash"),
      touched_(size_.translation_pages),
      room_(services.executor, "there may be room in the map cache") {
    SOLIDTLM_CHECK(services.config.map_cache.size_bytes >= smallest_cache(services.config),
                   "the cache has room for one miss");
}

Ppa CachedEntries::peek(Lpn lpn) const {
    return policy_->find(lpn) != kNoNode ? cached(lpn) : on_flash(lpn);
}

bool CachedEntries::apply(Node node, MapUpdate& update, MapListener& listener, Charge& charge) {
    update.previous = cached(update.lpn);
    if (update.expected != MapUpdate::kAnyPpa && update.expected != update.previous) {
        return false;
    }
    if (update.previous != update.fresh) {
        touched_[page_of(update.lpn).value] = true;
        in_cache_[update.lpn.value] = update.fresh.value + 1;
        policy_->mark_dirty(node, update.lpn);
        changed(update.lpn, update.fresh);
    }
    listener.applied({&update, 1}, charge);
    return true;
}

void CachedEntries::load(const MapRange& range) {
    for (std::uint32_t i = 0; i < range.count; ++i) {
        const Lpn lpn{range.first.value + i};
        if (policy_->find(lpn) == kNoNode) {
            in_cache_[lpn.value] = on_flash_[lpn.value];
        }
    }
}

void CachedEntries::changed(Lpn lpn, Ppa to) {
    for (MapWatch* watch = watches_; watch != nullptr; watch = watch->next()) {
        watch->changed(lpn, to);
    }
}

void CachedEntries::touch(Lpn lpn, std::uint32_t bytes, bool write) {
    const std::uint64_t lines =
        std::max<std::uint64_t>(1, services_.config.map_cache.size_bytes / kDramLineBytes);
    const std::uint64_t offset =
        lpn.value / kMapEntriesPerLine % lines * kDramLineBytes +
        (bytes < kDramLineBytes ? lpn.value % kMapEntriesPerLine * kMapEntryBytes : 0);
    Executor& executor = services_.executor;
    executor.add_access(services_.dram->core_access(DramAddress{base_.value + offset}, bytes, write,
                                                    executor.pending_stall()));
}

std::string CachedEntries::check() const {
    if (policy_->bytes_used() > services_.config.map_cache.size_bytes) {
        return "the map cache holds " + std::to_string(policy_->bytes_used()) + " bytes";
    }
    for (std::uint32_t lpn = 0; lpn < services_.layout.exported_units(); ++lpn) {
        if (const std::uint32_t never = never_mapped(Lpn{lpn}); never > 0) {
            lpn += never - 1;
            continue;
        }
        if (in_cache_[lpn] == on_flash_[lpn]) {
            continue;
        }
        const Node node = policy_->find(Lpn{lpn});
        // A pinned node may be on its way to flash: already clean, but not there yet.
        if (node != kNoNode && !policy_->dirty(node) && !policy_->pinned(node)) {
            return "LPN " + std::to_string(lpn) + " is cached as clean, but its translation page differs";
        }
    }
    return policy_->check();
}

}  // namespace solidtlm::fw
