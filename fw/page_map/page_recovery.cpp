// SPDX-License-Identifier: Apache-2.0
#include "fw/page_map/page_recovery.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "fw/flash/backup_flash.h"
#include "fw/log/media_scan.h"

namespace solidtlm::fw {
namespace {

/// Where writing continues after a boot: superblocks that are not full, by stream.
struct Frontiers {
    std::array<std::optional<Superblock>, kStreams.size()> of;

    [[nodiscard]] bool holds(Superblock superblock) const {
        return std::find(of.begin(), of.end(), superblock) != of.end();
    }
    [[nodiscard]] std::uint32_t room(Stream stream, const MediaScan& scan, const MediaLayout& layout,
                                     Pu pu) const {
        const auto& superblock = of[static_cast<std::size_t>(stream)];
        return superblock ? layout.pages() - scan.found(pu, *superblock).written : 0;
    }
};

/// The stream that writes pages of this kind in normal mode.
std::size_t stream_of(PageKind kind) {
    const auto found = std::ranges::find(kStreams, kind, &StreamTraits::kind);
    return found == kStreams.end() ? static_cast<std::size_t>(Stream::host)
                                   : static_cast<std::size_t>(found - kStreams.begin());
}

/// The streams in normal mode, where the destager `sets_apart` pages or does not.
std::vector<Stream> normal_streams(bool sets_apart) {
    std::vector<Stream> streams;
    for (std::size_t i = 0; i < kStreams.size(); ++i) {
        if (!kStreams[i].slc && (sets_apart || !kStreams[i].apart)) {
            streams.push_back(static_cast<Stream>(i));
        }
    }
    return streams;
}

/// Those written last that are not full, one in SLC mode and one for each of `streams`: more are open
/// only after failed programs. What their last page says decides which stream goes on where; where that
/// leaves no choice, any will do. Where nothing is free, collection gets the one with most room, because
/// everything else waits for it.
/// A superblock `to_empty` takes no more while another one is free.
Frontiers choose_frontiers(const MediaScan& scan, const MediaLayout& layout, Pu pu,
                           const std::vector<Stream>& streams, const std::vector<Superblock>& to_empty) {
    std::vector<Superblock> open;
    std::vector<Superblock> cached;  // open ones in SLC mode
    bool any_free = false;
    for (std::uint32_t i = 0; i < layout.superblocks(pu); ++i) {
        const FoundSuperblock& found = scan.found(pu, Superblock{i});
        any_free |= !layout.always_slc(pu, Superblock{i}) && found.written == 0 && !found.bad;
        if (found.written > 0 && found.written < layout.pages_of(found.slc) && !found.bad) {
            (found.slc ? cached : open).push_back(Superblock{i});
        }
    }
    if (any_free) {
        std::erase_if(open, [&to_empty](Superblock superblock) {
            return std::ranges::find(to_empty, superblock) != to_empty.end();
        });
    }
    const auto age = [&](Superblock superblock) { return scan.found(pu, superblock).sequence; };
    std::ranges::sort(open, std::greater{}, age);
    open.resize(std::min(open.size(), streams.size()));
    Frontiers frontiers;
    if (!cached.empty()) {
        frontiers.of[static_cast<std::size_t>(Stream::cache)] = *std::ranges::max_element(cached, {}, age);
    }
    std::vector<Superblock> others;
    for (const Superblock superblock : open) {
        auto& wanted = frontiers.of[stream_of(scan.found(pu, superblock).kind)];
        if (wanted) {
            others.push_back(superblock);
        } else {
            wanted = superblock;
        }
    }
    for (const Superblock superblock : others) {
        const auto without = std::ranges::find_if(
            streams, [&](Stream stream) { return !frontiers.of[static_cast<std::size_t>(stream)]; });
        frontiers.of[static_cast<std::size_t>(*without)] = superblock;
    }
    auto& collection = frontiers.of[static_cast<std::size_t>(Stream::gc)];
    for (const Stream stream : streams) {
        if (!any_free &&
            frontiers.room(Stream::gc, scan, layout, pu) < frontiers.room(stream, scan, layout, pu)) {
            std::swap(collection, frontiers.of[static_cast<std::size_t>(stream)]);
        }
    }
    return frontiers;
}

/// Superblocks with pages that only a copy has.
std::vector<Superblock> with_restored_pages(const Services& services, Pu pu) {
    std::vector<Superblock> superblocks;
    if (services.backup != nullptr) {
        for (const SuperpageAddress& at : services.backup->restored(pu)) {
            superblocks.push_back(at.superblock);
        }
    }
    return superblocks;
}

/// Mean erase count of the superblocks whose pages record it, among those always in SLC mode or the others.
/// Free superblocks have no record.
std::uint32_t mean_erases(const MediaScan& scan, const MediaLayout& layout, Pu pu, bool always_slc) {
    std::uint64_t sum = 0;
    std::uint64_t count = 0;
    for (std::uint32_t i = 0; i < layout.superblocks(pu); ++i) {
        const FoundSuperblock& found = scan.found(pu, Superblock{i});
        if (layout.always_slc(pu, Superblock{i}) == always_slc) {
            sum += found.erases;
            count += found.readable ? 1 : 0;
        }
    }
    return count > 0 ? static_cast<std::uint32_t>((sum + count / 2) / count) : 0;
}

/// Enters the superblocks of a parallel unit in the table in the state in which they were found.
void adopt_superblocks(PageMap& pages, const MediaScan& scan, Pu pu) {
    const MediaLayout& layout = pages.services.layout;
    const Frontiers frontiers = choose_frontiers(
        scan, layout, pu, normal_streams(pages.indirection && pages.indirection->sets_apart()),
        with_restored_pages(pages.services, pu));
    const std::array<std::uint32_t, 2> means{mean_erases(scan, layout, pu, false),
                                             mean_erases(scan, layout, pu, true)};
    std::vector<Superblock> closed;
    for (std::uint32_t i = 0; i < layout.superblocks(pu); ++i) {
        const Superblock superblock{i};
        const FoundSuperblock& found = scan.found(pu, superblock);
        const std::uint32_t mean = means[layout.always_slc(pu, superblock) ? 1 : 0];
        if (found.bad) {
            pages.table.adopt(pu, superblock, BlockState::bad, mean);
        } else if (found.written == 0) {
            pages.table.adopt(pu, superblock, BlockState::free, mean);
        } else if (frontiers.holds(superblock)) {
            pages.table.adopt(pu, superblock, BlockState::open, found.erases, found.slc);
        } else {
            closed.push_back(superblock);
        }
    }
    std::sort(closed.begin(), closed.end(), [&](Superblock a, Superblock b) {
        return scan.found(pu, a).sequence < scan.found(pu, b).sequence;
    });
    for (const Superblock superblock : closed) {
        const FoundSuperblock& found = scan.found(pu, superblock);
        pages.table.adopt(pu, superblock, BlockState::closed, found.erases, found.slc);
    }
    for (std::size_t stream = 0; stream < kStreams.size(); ++stream) {
        if (const auto superblock = frontiers.of[stream]; superblock) {
            pages.allocator.resume(SuperpageAddress{pu, *superblock, scan.found(pu, *superblock).written},
                                   static_cast<Stream>(stream));
        }
    }
}

}  // namespace

Task<void> recover_pages(PageMap& pages, BootReport& report) {
    const MediaLayout& layout = pages.services.layout;
    LogContent log;
    if (pages.log) {
        log = co_await pages.log->read(report);
    }
    report.begin_step(pages.services, boot_step::kScan);
    const bool bounded = pages.services.config.recovery.checkpoint_interval > 0;
    MediaScan scan(pages.services, bounded ? log.checkpoint : 0,
                   pages.indirection ? &pages.indirection->begin_search() : nullptr);
    co_await scan.run();
    scan.add(log);
    report.found(boot_count::kSuperpages, scan.counters().reads);
    report.found(boot_count::kTorn, scan.counters().unreadable);
    report.found(boot_count::kErased, scan.counters().erased);
    report.begin_step(pages.services, boot_step::kMapping);
    pages.silent_planes = scan.silent_planes() > 0;
    pages.allocator.resume_sequence(std::max(scan.last_sequence(), log.last_sequence) + 1);
    pages.table.begin_recovery();
    for (std::uint32_t pu = 0; pu < layout.pus(); ++pu) {
        adopt_superblocks(pages, scan, Pu{pu});
    }
    pages.collector.save_space();
    if (pages.indirection) {
        pages.indirection->restore(scan);
    }
    std::uint64_t units = 0;
    scan.each_entry([&](Lpn /*lpn*/, Ppa entry) {
        ++units;
        if (!pages.is_indirect(entry)) {
            pages.adopt(entry);
        }
    });
    report.found(boot_count::kUnits, units);
    co_await pages.services.executor.spend(units * pages.services.config.cycles.map_update, nullptr,
                                           Cause::recovery);
    co_await pages.map->restore(scan, report);
}

}  // namespace solidtlm::fw
