// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fw/hal/check.h"
#include "fw/hal/horizon.h"
#include "testbench/sim/load/trace/contents.h"
#include "testbench/sim/request_source.h"
#include "testbench/studies/arrival_gaps.h"
#include "testbench/studies/content_properties.h"
#include "testbench/studies/dedup/dedup.h"
#include "testbench/studies/kit/grid.h"

namespace solidtlm::testbench::dedup {
namespace {

/// As large as any trace's drive; the addresses of a load are moved below.
constexpr std::uint64_t kLargestDrive = 1ULL << 36U;  // sectors

std::unique_ptr<RequestSource> source_of(const LoadSpec& spec, const RunSpec& run) {
    RunSpec one = spec.trace.empty() ? run : run.with_trace(spec.trace);
    one.workload = spec.workload;
    one.limit = spec.limit;
    one.configuration.firmware.exported_sectors =
        spec.trace.empty() ? spec.address_bytes / hal::kSectorBytes : kLargestDrive;
    if (!spec.trace.empty()) {
        TraceOptions options;
        options.path = spec.trace;
        options.format = run.format;
        options.selection = run.selection;
        require_contents(options, "tb_dedup");
    } else {
        one.traces.clear();
    }
    return make_request_source(one);
}

double share(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

Json properties_of(const Load& load) {
    constexpr std::chrono::milliseconds kIdle{1};  // default of firmware.idle_threshold
    ContentProperties contents;
    ArrivalGaps gaps(kIdle);
    std::uint64_t writes = 0;
    std::uint64_t reads = 0;
    for (const Request& request : load.requests) {
        contents.add(request);
        gaps.add(request);
        writes += request.operation == Operation::write ? 1 : 0;
        reads += request.operation == Operation::read ? 1 : 0;
    }
    return {{"requests", load.requests.size()},
            {"reads", reads},
            {"writes", writes},
            {"touched_bytes", load.touched_bytes},
            {"written_pages", contents.blocks()},
            {"distinct_contents", contents.distinct()},
            {"repeated_share", share(contents.repeated(), contents.told())},
            {"duplicate_share", share(contents.duplicates(), contents.told())},
            {"idle_share", gaps.idle_share()},
            {"mean_gap_ms", std::chrono::duration<double, std::milli>(gaps.mean_gap()).count()}};
}

Load read_load(const LoadSpec& spec, const RunSpec& run) {
    Load load;
    load.name = spec.name;
    const auto source = source_of(spec, run);
    Compaction compaction;
    Request request;
    while (source->next(request)) {
        compaction.touch(request);
        request.arrival = hal::nearest_instant(static_cast<double>(request.arrival.count()) * spec.slower);
        load.requests.push_back(request);
    }
    compaction.seal();
    if (compaction.pages() == 0) {
        throw InputError(spec.name + ": there is no read and no write in it");
    }
    std::erase_if(load.requests, [&compaction](Request& each) { return !compaction.apply(each); });
    load.touched_bytes = compaction.pages() * kPageSectors * hal::kSectorBytes;
    load.properties = properties_of(load);
    return load;
}

}  // namespace

std::vector<Load> read_loads(std::span<const LoadSpec> specs, const RunSpec& run) {
    std::vector<Load> loads;
    loads.reserve(specs.size());
    for (const LoadSpec& spec : specs) {
        loads.push_back(read_load(spec, run));
    }
    return loads;
}

platform::Configuration drive_for(const Load& load, double used, const platform::Configuration& base) {
    const hw::NandGeometry& geometry = base.nand.geometry;
    const double row_bytes = static_cast<double>(geometry.channels) * geometry.dies * geometry.planes *
                             geometry.pages * geometry.page_bytes;
    const double exported_share =
        static_cast<double>(base.exported_bytes()) / (row_bytes * static_cast<double>(geometry.blocks));
    const double raw = static_cast<double>(load.touched_bytes) / (used * exported_share);
    const auto blocks = std::max(kLeastBlocks, static_cast<std::uint32_t>(std::ceil(raw / row_bytes)));
    const double scale = static_cast<double>(blocks) / geometry.blocks;
    const auto scaled = [scale](std::uint64_t value) {
        return static_cast<std::uint64_t>(std::llround(static_cast<double>(value) * scale));
    };
    const fw::FirmwareConfig& firmware = base.firmware;
    const std::uint64_t least = firmware.gc.foreground_threshold + 1;
    return variant_of(base,
                      {fmt::format("nand.geometry.blocks={}", blocks),
                       fmt::format("firmware.gc.background_threshold={}",
                                   std::max(scaled(firmware.gc.background_threshold), least)),
                       fmt::format("firmware.dedup.table_size={}", scaled(firmware.dedup.table_bytes)),
                       fmt::format("firmware.dedup.shared_size={}", scaled(firmware.dedup.shared_bytes))});
}

bool LoadSource::next(Request& request) {
    if (next_ == requests_.size()) {
        return false;
    }
    request = requests_[next_++];
    return true;
}

void Compaction::touch(const Request& request) {
    SOLIDTLM_CHECK(!sealed_, "the compaction is not sealed yet");
    if (request.operation != Operation::read && request.operation != Operation::write) {
        return;
    }
    const std::uint64_t end = request.lba.value + request.sectors;
    for (std::uint64_t page = request.lba.value / kPageSectors; page * kPageSectors < end; ++page) {
        pages_.push_back(page);
    }
}

void Compaction::seal() {
    sealed_ = true;
    std::ranges::sort(pages_);
    pages_.erase(std::unique(pages_.begin(), pages_.end()), pages_.end());
    pages_.shrink_to_fit();
}

std::uint64_t Compaction::below(std::uint64_t page) const {
    return static_cast<std::uint64_t>(std::ranges::lower_bound(pages_, page) - pages_.begin());
}

TrimRange Compaction::apply(const TrimRange& range) const {
    const std::uint64_t first = range.lba.value / kPageSectors;
    const std::uint64_t end = range.lba.value + range.sectors;
    const std::uint64_t last = (end - 1) / kPageSectors;
    const std::uint64_t from = below(first);
    const std::uint64_t to = below(last + 1);
    if (from == to) {
        return TrimRange{Lba{0}, 0};
    }
    // Pages that are trimmed in part keep their other sectors.
    const std::uint64_t skipped = pages_[from] == first ? range.lba.value % kPageSectors : 0;
    const std::uint64_t kept = pages_[to - 1] == last ? (last + 1) * kPageSectors - end : 0;
    // Never longer than before, because the range contains at most as many touched pages as pages.
    return TrimRange{Lba{from * kPageSectors + skipped},
                     static_cast<std::uint32_t>((to - from) * kPageSectors - skipped - kept)};
}

bool Compaction::apply(Request& request) const {
    SOLIDTLM_CHECK(sealed_, "the compaction is sealed");
    if (request.operation == Operation::trim) {
        for (TrimRange& range : request.ranges) {
            range = apply(range);
        }
        std::erase_if(request.ranges, [](const TrimRange& range) { return range.sectors == 0; });
        return !request.ranges.empty();
    }
    if (request.operation != Operation::flush) {
        request.lba =
            Lba{below(request.lba.value / kPageSectors) * kPageSectors + request.lba.value % kPageSectors};
    }
    return true;
}

}  // namespace solidtlm::testbench::dedup
