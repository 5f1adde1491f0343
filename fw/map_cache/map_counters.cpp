// SPDX-License-Identifier: Apache-2.0
#include "fw/map_cache/map_counters.h"

#include "fw/hal/check.h"

namespace solidtlm::fw {
namespace {

void subtract(MapTime& time, const MapTime& earlier) {
    time.total -= earlier.total;
    time.queue -= earlier.queue;
    for (std::size_t i = 0; i < time.flash.size(); ++i) {
        time.flash[i] -= earlier.flash[i];
    }
}

void subtract(MapWaits& waits, const MapWaits& earlier) {
    waits.misses -= earlier.misses;
    subtract(waits.read, earlier.read);
    subtract(waits.write_back, earlier.write_back);
}

void subtract(MapBytes& bytes, const MapBytes& earlier) {
    bytes.entries -= earlier.entries;
    bytes.bus -= earlier.bus;
}

constexpr std::uint64_t MapCounters::*kMapCounts[] = {
    &MapCounters::lookups,          &MapCounters::hits,
    &MapCounters::misses,           &MapCounters::joined,
    &MapCounters::refetched,        &MapCounters::unwritten,
    &MapCounters::evictions,        &MapCounters::dirty_evictions,
    &MapCounters::miss_reads,       &MapCounters::merge_reads,
    &MapCounters::unwritten_merges, &MapCounters::write_backs,
    &MapCounters::gc_cached,        &MapCounters::gc_uncached,
    &MapCounters::gc_reads,         &MapCounters::gc_programs,
    &MapCounters::failed_programs};

}  // namespace

MapCounters& MapCounters::operator+=(const MapCounters& other) {
    for (const auto count : kMapCounts) {
        this->*count += other.*count;
    }
    miss_bytes += other.miss_bytes;
    merge_bytes += other.merge_bytes;
    program_bytes += other.program_bytes;
    measured.read_miss += other.measured.read_miss;
    measured.program += other.measured.program;
    measured.read_merge += other.measured.read_merge;
    translating += other.translating;
    updating += other.updating;
    for (const MapWindowCount& window : other.windows) {
        if (window.entries != 0) {
            choose_window(window.entries, window.chosen);
        }
    }
    return *this;
}

MapCounters MapCounters::since(const MapCounters& earlier) const {
    MapCounters part = *this;
    for (const auto count : kMapCounts) {
        SOLIDTLM_CHECK(earlier.*count <= this->*count, "an earlier snapshot of the same counters");
        part.*count -= earlier.*count;
    }
    subtract(part.miss_bytes, earlier.miss_bytes);
    subtract(part.merge_bytes, earlier.merge_bytes);
    subtract(part.program_bytes, earlier.program_bytes);
    part.measured.read_miss -= earlier.measured.read_miss;
    part.measured.program -= earlier.measured.program;
    part.measured.read_merge -= earlier.measured.read_merge;
    subtract(part.translating, earlier.translating);
    subtract(part.updating, earlier.updating);
    for (MapWindowCount& window : part.windows) {
        for (const MapWindowCount& before : earlier.windows) {
            window.chosen -= before.entries == window.entries ? before.chosen : 0;
        }
    }
    return part;
}

MapAreaCounters& MapAreaCounters::operator+=(const MapAreaCounters& other) {
    copied_reads += other.copied_reads;
    copied += other.copied;
    erased += other.erased;
    failed_copies += other.failed_copies;
    return *this;
}

MapAreaCounters MapAreaCounters::since(const MapAreaCounters& earlier) const {
    return {copied_reads - earlier.copied_reads, copied - earlier.copied, erased - earlier.erased,
            failed_copies - earlier.failed_copies};
}

}  // namespace solidtlm::fw
