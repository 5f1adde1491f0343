// SPDX-License-Identifier: Apache-2.0
//
// A cached map after a loss of power: data pages have told every entry, so the translation pages on flash are
// worth nothing. All that hold an entry are written again, before the first command; their number is small
// beside the number of spare areas that were read.
#include "fw/map_cache/cached_map.h"

namespace solidtlm::fw {

Task<void> CachedMap::restore(const MediaScan& scan, RecoveryReport& report) {
    co_await area_.recover(report);
    area_.start();
    area_.work_for(Cause::recovery);
    Join join(environment_.executor, "translation pages that are written again");
    const std::uint32_t count = environment_.layout.exported_units();
    const std::uint32_t per_page = entries_.size().entries;
    for (std::uint32_t first = 0; first < count; first += per_page) {
        bool anything = false;
        for (std::uint32_t lpn = first; lpn < std::min(count, first + per_page); ++lpn) {
            if (const Ppa place = scan.newest(Lpn{lpn}); place != kUnmapped) {
                entries_.set_on_flash(Lpn{lpn}, place);
                anything = true;
            }
        }
        if (anything) {
            join.add();
            ++report.translation_pages;
            environment_.executor.spawn(writer_.restore(Tpn{first / per_page}, join));
        }
    }
    co_await join.wait();
    area_.work_for(Cause::map);
    area_.reset_counters();
}

}  // namespace solidtlm::fw
