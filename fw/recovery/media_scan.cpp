// SPDX-License-Identifier: Apache-2.0
#include "fw/recovery/media_scan.h"

#include <algorithm>
#include <array>

#include "fw/media/program_op.h"

namespace solidtlm::fw {
namespace {

/// Of each parallel unit: one is at work on the die, the other waits there.
constexpr std::uint32_t kLanes = 2;

}  // namespace

struct MediaScan::Lane {
    Pu pu;
    std::uint32_t first = 0;
    hal::FlashOp op;
    std::array<std::byte, hal::kMaxPlanesPerOp * hal::kMaxSpareBytes> spare{};
};

MediaScan::MediaScan(Environment& environment, std::uint64_t since)
    : environment_(environment),
      since_(since),
      join_(environment.executor),
      found_(std::size_t{environment.layout.pus()} * environment.layout.superblocks()),
      places_(environment.layout.exported_units()),
      sequences_(found_.size() * environment.layout.pages()) {
    for (std::uint32_t pu = 0; pu < environment.layout.pus(); ++pu) {
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            lanes_.push_back(std::make_unique<Lane>());
            lanes_.back()->pu = Pu{pu};
            lanes_.back()->first = lane;
        }
    }
}

MediaScan::~MediaScan() = default;

Task<void> MediaScan::run() {
    join_.add(static_cast<std::uint32_t>(lanes_.size()));
    for (const auto& lane : lanes_) {
        environment_.executor.spawn(run_lane(*lane));
    }
    co_await join_.wait();
}

Task<void> MediaScan::run_lane(Lane& lane) {
    const MediaLayout& layout = environment_.layout;
    for (std::uint32_t index = lane.first; index < layout.superblocks(); index += kLanes) {
        FoundSuperblock& found = found_[lane.pu.value * layout.superblocks() + index];
        SuperpageAddress at{lane.pu, Superblock{index}, layout.pages() - 1};
        if (since_ > 0) {
            co_await read(lane, at);
            if (filled_before(lane, found)) {
                continue;
            }
        }
        for (at.page = 0; at.page < layout.pages(); ++at.page) {
            co_await read(lane, at);
            const auto planes = std::span(lane.op.plane_status).first(lane.op.planes);
            if (std::all_of(planes.begin(), planes.end(),
                            [](hal::FlashStatus status) { return status == hal::FlashStatus::erased; })) {
                break;
            }
            ++found.written;
            take(lane, at, found);
        }
        if (found.written > 0 && !found.readable) {
            co_await erase_again(lane, SuperpageAddress{lane.pu, Superblock{index}, 0}, found);
        }
    }
    join_.done();
}

Task<void> MediaScan::read(Lane& lane, const SuperpageAddress& at) {
    const MediaLayout& layout = environment_.layout;
    const CycleCosts& cycles = environment_.config.cycles;
    lane.op = superpage_op(layout, hal::FlashOpcode::read, at, Cause::recovery);
    lane.op.spare = std::span(lane.spare).first(lane.op.planes * spare_bytes(layout.units_per_page()));
    co_await environment_.executor.spend(cycles.flash_issue, nullptr, Cause::recovery);
    FlashAwaiter done(environment_, lane.op);
    static_cast<void>(co_await done);  // the planes say more
    ++counters_.reads;
    co_await environment_.executor.spend(
        cycles.flash_complete + std::uint64_t{layout.units_per_superpage()} * cycles.gc_unit, nullptr,
        Cause::recovery);
}

/// Was the superblock full before the checkpoint? `lane` has read its last page.
bool MediaScan::filled_before(const Lane& lane, FoundSuperblock& found) const {
    const std::size_t bytes = spare_bytes(environment_.layout.units_per_page());
    for (std::uint32_t plane = 0; plane < lane.op.planes; ++plane) {
        const SpareHeader header = decode_header(std::span(lane.spare).subspan(plane * bytes, bytes));
        if (lane.op.plane_status[plane] == hal::FlashStatus::ok && header.sequence < since_) {
            found = FoundSuperblock{environment_.layout.pages(),
                                    header.erases,
                                    header.sequence,
                                    header.kind,
                                    header.sequence,
                                    true,
                                    false};
            return true;
        }
    }
    return false;
}

/// What the spare areas of a superpage say.
void MediaScan::take(const Lane& lane, const SuperpageAddress& at, FoundSuperblock& found) {
    const MediaLayout& layout = environment_.layout;
    const std::size_t bytes = spare_bytes(layout.units_per_page());
    bool unreadable = false;
    for (std::uint32_t plane = 0; plane < lane.op.planes; ++plane) {
        if (lane.op.plane_status[plane] != hal::FlashStatus::ok) {
            unreadable |= lane.op.plane_status[plane] != hal::FlashStatus::erased;
            continue;
        }
        const auto spare = std::span(lane.spare).subspan(plane * bytes, bytes);
        const SpareHeader header = decode_header(spare);
        const Ppa first = layout.ppa(at, plane * layout.units_per_page());
        if (!found.readable) {
            found.erases = header.erases;
            found.first_sequence = header.sequence;
        }
        found.readable = true;
        found.kind = header.kind;
        found.sequence = std::max(found.sequence, header.sequence);
        last_sequence_ = std::max(last_sequence_, header.sequence);
        sequences_[first.value / layout.units_per_superpage()] = header.sequence;
        for (std::uint32_t unit = 0; header.sequence >= since_ && unit < layout.units_per_page(); ++unit) {
            take_unit(decode_lpn(spare, unit), Ppa{first.value + unit});
        }
    }
    counters_.unreadable += unreadable ? 1 : 0;
}

void MediaScan::take_unit(Lpn lpn, Ppa ppa) {
    if (lpn.value >= environment_.layout.exported_units()) {
        return;  // padding
    }
    const Ppa known = newest(lpn);
    const bool newer = known == kUnmapped || sequence(ppa) > sequence(known) ||
                       (sequence(ppa) == sequence(known) && ppa < known);
    if (newer) {
        places_[lpn.value] = ppa.value + 1;
    }
}

void MediaScan::add(const LogContent& log) {
    for (std::uint32_t lpn = 0; lpn < log.entries.size(); ++lpn) {
        add_entry(Lpn{lpn}, Ppa{log.entries[lpn]}, log.checkpoint);
    }
    for (const TrimRecord& record : log.trims) {
        for (std::uint32_t lpn = record.first; lpn < record.first + record.count; ++lpn) {
            if (const Ppa place = newest(Lpn{lpn}); place != kUnmapped && sequence(place) < record.sequence) {
                places_[lpn] = 0;
            }
        }
    }
}

/// The checkpoint is right about everything that is older than it.
void MediaScan::add_entry(Lpn lpn, Ppa place, std::uint64_t checkpoint) {
    const Ppa known = newest(lpn);
    if (known != kUnmapped && sequence(known) >= checkpoint) {
        return;
    }
    if (since_ == 0) {  // everything was read: it tells only what had been trimmed
        places_[lpn.value] = place == kUnmapped ? 0 : places_[lpn.value];
        return;
    }
    // Not where the superblock was erased since: then what was there is elsewhere, or was trimmed.
    if (place != kUnmapped) {
        const SuperpageAddress at = environment_.layout.superpage_of(place);
        const FoundSuperblock& superblock = found(at.pu, at.superblock);
        const bool still_there = at.page < superblock.written && superblock.first_sequence < checkpoint &&
                                 sequence(place) < checkpoint;
        places_[lpn.value] = still_there ? place.value + 1 : 0;
    }
}

Task<void> MediaScan::erase_again(Lane& lane, const SuperpageAddress& at, FoundSuperblock& found) {
    const CycleCosts& cycles = environment_.config.cycles;
    lane.op = superpage_op(environment_.layout, hal::FlashOpcode::erase, at, Cause::recovery);
    co_await environment_.executor.spend(cycles.flash_issue, nullptr, Cause::recovery);
    FlashAwaiter done(environment_, lane.op);
    found.bad = co_await done != hal::FlashStatus::ok;
    ++counters_.erased;
    found.written = 0;
    co_await environment_.executor.spend(cycles.flash_complete, nullptr, Cause::recovery);
}

}  // namespace solidtlm::fw
