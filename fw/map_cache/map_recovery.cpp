// SPDX-License-Identifier: Apache-2.0
//
// A cached map after a loss of power. Data pages contain every entry, so the translation pages on flash are
// not used. All that hold an entry are written again before the first command; they are few compared with the
// spare areas that were read.
#include "fw/map_cache/cached_map.h"

#include <vector>

#include "fw/runtime/share_out.h"

namespace solidtlm::fw {

Task<void> CachedMap::restore(const MediaScan& scan, BootReport& report) {
    report.begin_step(services_, boot_step::kTranslationPages);
    const std::uint64_t map_blocks = co_await area_.recover();
    report.found(boot_count::kMapBlocks, map_blocks);
    area_.start();
    area_.work_for(Cause::recovery);
    const std::uint32_t per_page = entries_.size().entries;
    std::vector<Tpn> pages;
    scan.each_entry([&](Lpn lpn, Ppa place) {
        entries_.set_on_flash(lpn, place);
        if (const Tpn page{lpn.value / per_page}; pages.empty() || pages.back() != page) {
            pages.push_back(page);
        }
    });
    const auto restore = [this, &pages](std::uint32_t index) { return writer_.restore(pages[index]); };
    co_await share_out(services_.executor, "buffers of translation pages that are written again",
                       static_cast<std::uint32_t>(pages.size()), kMapJobs, restore);
    report.found(boot_count::kTranslationPages, pages.size());
    area_.work_for(Cause::map);
    area_.reset_counters();
}

}  // namespace solidtlm::fw
