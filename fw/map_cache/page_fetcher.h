// SPDX-License-Identifier: Apache-2.0
//
// Misses that wait for their translation pages. Misses that wait for the same page share its read, and no
// entry is brought in twice.
#pragma once

#include <coroutine>
#include <string>
#include <vector>

#include "fw/map_cache/map_tools.h"
#include "fw/map_cache/sector_cover.h"

namespace solidtlm::fw {

/// A miss. It lives in the frame of the waiting coroutine.
struct MapMiss {
    MapFetch fetch;
    MapRange window;  ///< entries read for it now; count 0: another miss brings its entry in
    Node node = kNoNode;
    Ledger* ledger = nullptr;
    Ps accounted{0};  ///< `waits` covers the time up to here
    MapTime waits;
    Coroutine* waiter = nullptr;
    MapMiss* next = nullptr;
};

class PageFetcher {
  public:
    explicit PageFetcher(const MapTools& tools);

    struct Awaiter : Waitable {
        Awaiter(PageFetcher& owner, MapMiss& missed) : fetcher(owner), miss(missed) {}
        PageFetcher& fetcher;
        MapMiss& miss;
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        template <class Promise>
        void await_suspend(std::coroutine_handle<Promise> handle) const {
            miss.waiter = &handle.promise();
            fetcher.tools_.services.executor.suspend(*miss.waiter, *this);
            fetcher.enqueue(miss);
        }
        void await_resume() const noexcept {}
        [[nodiscard]] std::string describe() const override {
            return "translation page " + std::to_string(fetcher.tools_.entries.page_of(miss.fetch.lpn).value);
        }
    };
    /// Waits until the entry is in the cache, in the pinned node miss.node. REQUIRES: room is reserved.
    [[nodiscard]] Awaiter fetch(MapMiss& miss) { return Awaiter(*this, miss); }

  private:
    struct Waiting {
        MapMiss* first = nullptr;
        MapMiss* last = nullptr;
        bool served = false;  // serve() reads for these misses, or will
    };

    void enqueue(MapMiss& miss);
    Task<void> serve(Tpn page);
    Task<void> read_for(Tpn page, MapMiss* first);
    bool plan_windows(MapMiss* first);
    bool install(MapMiss& miss);
    void add_queue(MapMiss* first) const;

    MapTools tools_;
    std::vector<Waiting> waiting_;  // by translation page
    SectorCover cover_;             // scratch; not used across a wait
};

}  // namespace solidtlm::fw
