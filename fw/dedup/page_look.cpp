// SPDX-License-Identifier: Apache-2.0
#include "fw/dedup/page_look.h"

#include <cstring>

#include "fw/drive/host_activity.h"

namespace solidtlm::fw {

PageLook::PageLook(const DedupTools& tools)
    : tools_(tools),
      reads_(tools.environment),
      join_(tools.environment.executor, "flash reads of a page to be compared"),
      windows_{tools.dram_map.dedup_pages,
               DramAddress{tools.dram_map.dedup_pages.value + tools.environment.layout.unit_bytes()}} {}

bool PageLook::wanted_elsewhere() const {
    return tools_.environment.activity->busy();
}

Task<bool> PageLook::read(std::uint32_t window, Ppa place, Charge& charge) {
    Environment& environment = tools_.environment;
    const CycleCosts& cycles = environment.config.cycles;
    const Ps begin = environment.executor.now();
    places_[window] = place;
    const UnitRead unit{place, windows_[window], 0, environment.layout.sectors_per_unit()};
    reads_.prepare(std::span(&unit, 1), Cause::dedup, true);
    co_await environment.executor.spend(charge, cycles.flash_issue, nullptr, Cause::dedup);
    reads_.start(join_, nullptr, true);
    co_await join_.wait();
    co_await environment.executor.spend(cycles.flash_complete, nullptr, Cause::dedup);
    tools_.counters.read += environment.executor.now() - begin;
    co_return reads_.ok();
}

Task<bool> PageLook::compare() {
    Environment& environment = tools_.environment;
    Executor& executor = environment.executor;
    const Ps begin = executor.now();
    const std::size_t stride = hal::content_stride(environment.config.content);
    const std::byte* first = environment.dram->content(windows_[0]);
    const std::byte* second = environment.dram->content(windows_[1]);
    bool equal = true;
    std::uint64_t compared = 0;
    while (equal && compared < environment.layout.unit_bytes()) {
        for (const DramAddress window : windows_) {
            const DramAddress sector{window.value + compared};
            executor.add_access(
                environment.dram->core_access(sector, hal::kSectorBytes, false, executor.pending_stall()));
        }
        equal = std::memcmp(first, second, stride) == 0;
        first += stride;
        second += stride;
        compared += hal::kSectorBytes;
    }
    ++tools_.counters.comparisons;
    tools_.counters.collisions += equal ? 0 : 1;
    co_await executor.spend(compared / sizeof(std::uint64_t) * environment.config.cycles.dedup_compare,
                            nullptr, Cause::dedup);
    tools_.counters.compare += executor.now() - begin;
    co_return equal;
}

}  // namespace solidtlm::fw
