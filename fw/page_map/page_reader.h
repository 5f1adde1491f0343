// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "fw/page_map/page_map.h"
#include "fw/translation/unit_reader.h"

namespace solidtlm::fw {

/// Reads logical pages through the map.
class PageReader : public UnitReader {
  public:
    explicit PageReader(PageMap& pages) : UnitReader(pages.services), pages_(pages) {}

    Task<void> begin_read(std::span<const LogicalRead> reads, Join& join, Ledger* ledger,
                          bool may_mark_parent, Charge& charge) override {
        co_await find(reads, ledger, charge);
        find_places();
        co_await pages_.services.executor.spend(charge, prepare(reads, found_, pages_.lost_pages), ledger);
        submit(join, ledger, may_mark_parent);
    }

  private:
    Task<void> find(std::span<const LogicalRead> reads, Ledger* ledger, Charge& charge) {
        const std::span<const Lpn> lpns = name_units(reads);
        found_.assign(lpns.size(), kUnmapped);
        const MapWatch watch(*pages_.map, lpns, found_);
        for (std::size_t i = 0; i < lpns.size();) {
            std::size_t run = 1;  // consecutive logical pages are looked up together
            while (i + run < lpns.size() && lpns[i + run].value == lpns[i].value + run) {
                ++run;
            }
            co_await pages_.map->lookup(lpns[i], std::span(found_).subspan(i, run), ledger, charge);
            i += run;
        }
    }

    /// Replaces entries that are no places.
    void find_places() {
        if (pages_.indirection) {
            for (Ppa& entry : found_) {
                entry = pages_.indirection->look_up(entry);
            }
        }
    }

    PageMap& pages_;
    std::vector<Ppa> found_;
};

}  // namespace solidtlm::fw
