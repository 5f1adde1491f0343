// SPDX-License-Identifier: Apache-2.0
//
// A cached map after a loss of power: data pages have told every entry, so the translation pages on flash are
// worth nothing. All that hold an entry are written anew, before the first command; their number is small
// beside the number of spare areas that were read.
#include "fw/map_cache/cached_map.h"

namespace solidtlm::fw {

Task<void> CachedMap::restore(const MediaScan& scan, RecoveryReport& report) {
    co_await area_.recover(report);
    area_.start();
    area_.work_for(Cause::recovery);
    Join join(environment_.executor, "translation pages that are written again");
    const std::uint32_t count = environment_.layout.exported_units();
    for (std::uint32_t first = 0; first < count; first += size_.entries) {
        bool anything = false;
        for (std::uint32_t lpn = first; lpn < std::min(count, first + size_.entries); ++lpn) {
            if (const Ppa place = scan.newest(Lpn{lpn}); place != kUnmapped) {
                on_flash_[lpn] = place.value + 1;
                anything = true;
            }
        }
        if (anything) {
            join.add();
            ++report.translation_pages;
            environment_.executor.spawn(restore_page(Tpn{first / size_.entries}, join));
        }
    }
    co_await join.wait();
    area_.work_for(Cause::map);
    area_.reset_counters();
}

Task<void> CachedMap::restore_page(Tpn page, Join& join) {
    co_await job_credits_.acquire(1);
    MapJob& job = take_job();
    bool done = false;
    while (!done) {
        const std::optional<MapPlace> place = co_await area_.allocate(page);
        std::uint64_t programs = 0;
        job.count_in(programs);
        job.pieces.assign(1, hal::FlashPiece{0, 0, size_.entries * kMapEntryBytes, job.buffer});
        done = !place || co_await area_.program(page, *place, job);
    }
    free_job(job);
    join.done();
}

}  // namespace solidtlm::fw
