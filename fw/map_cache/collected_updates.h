// SPDX-License-Identifier: Apache-2.0
//
// Changes that data collection makes in a cached map. Cached entries are changed in the cache. The others are
// changed directly on their translation pages, together with the dirty entries of these pages, with one
// program per page.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fw/map_cache/page_writer.h"
#include "fw/runtime/join.h"

namespace solidtlm::fw {

class CollectedUpdates {
  public:
    CollectedUpdates(const MapTools& tools, PageWriter& writer) : tools_(tools), writer_(writer) {}

    /// As MapCache::update(). Ends when all updates are on flash or in the cache.
    Task<void> carry_out(std::span<MapUpdate> updates, MapListener& listener, Cause cause, Charge& charge);

  private:
    /// The updates of one superpage. Reused.
    struct Collection {
        explicit Collection(Executor& executor)
            : join(executor, "translation pages that collection writes") {}
        std::vector<MapUpdate*> uncached;
        MapListener* listener = nullptr;
        Join join;
    };

    Collection& take();
    Task<void> write(Tpn page, std::span<MapUpdate* const> updates, Collection& collection);

    MapTools tools_;
    PageWriter& writer_;
    std::vector<std::unique_ptr<Collection>> all_;
    std::vector<Collection*> free_;
};

}  // namespace solidtlm::fw
