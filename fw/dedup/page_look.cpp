// SPDX-License-Identifier: Apache-2.0
#include "fw/dedup/page_look.h"

#include <cstring>

#include "fw/dedup/needs.h"
#include "fw/drive/host_activity.h"

namespace solidtlm::fw {

PageLook::PageLook(const DedupTools& tools)
    : tools_(tools),
      reads_(tools.services),
      join_(tools.services.executor, "flash reads of a page to be compared"),
      windows_{tools.dram_map[kComparedUnits],
               DramAddress{tools.dram_map[kComparedUnits].value + tools.services.layout.unit_bytes()}} {}

bool PageLook::wanted_elsewhere() const {
    return tools_.services.activity->busy();
}

Task<bool> PageLook::read(std::uint32_t window, Ppa place, Charge& charge) {
    Services& services = tools_.services;
    const CycleCosts& cycles = services.config.cycles;
    const Ps begin = services.executor.now();
    places_[window] = place;
    const UnitRead unit{place, windows_[window], 0, services.layout.sectors_per_unit()};
    reads_.prepare(std::span(&unit, 1), Cause::dedup, true);
    co_await services.executor.spend(charge, cycles.flash_issue, nullptr, Cause::dedup);
    reads_.start(join_, nullptr, true);
    co_await join_.wait();
    co_await services.executor.spend(cycles.flash_complete, nullptr, Cause::dedup);
    tools_.counters.read += services.executor.now() - begin;
    co_return reads_.ok();
}

Task<bool> PageLook::compare() {
    Services& services = tools_.services;
    Executor& executor = services.executor;
    const Ps begin = executor.now();
    const std::size_t stride = hal::content_stride(services.config.content);
    const std::byte* first = services.dram->content(windows_[0]);
    const std::byte* second = services.dram->content(windows_[1]);
    bool equal = true;
    std::uint64_t compared = 0;
    while (equal && compared < services.layout.unit_bytes()) {
        for (const DramAddress window : windows_) {
            const DramAddress sector{window.value + compared};
            executor.add_access(
                services.dram->core_access(sector, hal::kSectorBytes, false, executor.pending_stall()));
        }
        equal = std::memcmp(first, second, stride) == 0;
        first += stride;
        second += stride;
        compared += hal::kSectorBytes;
    }
    ++tools_.counters.comparisons;
    tools_.counters.collisions += equal ? 0 : 1;
    co_await executor.spend(compared / sizeof(std::uint64_t) * services.config.cycles.dedup_compare, nullptr,
                            Cause::dedup);
    tools_.counters.compare += executor.now() - begin;
    co_return equal;
}

}  // namespace solidtlm::fw
