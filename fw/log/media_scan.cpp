// SPDX-License-Identifier: Apache-2.0
#include "fw/log/media_scan.h"

#include <algorithm>
#include <array>

#include "fw/flash/block_modes.h"
#include "fw/flash/carry_out.h"
#include "fw/log/needs.h"

namespace solidtlm::fw {
namespace {

/// Consecutive power cuts that may each have left one die with all its queued programs missing.
constexpr std::uint32_t kGapsInARow = 2;

using Statuses = std::span<const hal::FlashStatus>;

bool any(Statuses pages, hal::FlashStatus status) {
    return std::ranges::find(pages, status) != pages.end();
}

bool all(Statuses pages, hal::FlashStatus status) {
    return std::ranges::all_of(pages, [status](hal::FlashStatus each) { return each == status; });
}

/// True if there is data, but no page of it could be read.
bool says_nothing(Statuses pages) {
    return !any(pages, hal::FlashStatus::ok) && !all(pages, hal::FlashStatus::erased);
}

}  // namespace

struct MediaScan::Lane {
    Pu pu;
    std::uint32_t first = 0;
    bool any_mode = false;  // the mode of the superblock is not known yet
    hal::FlashOp op;
    // Results for the pages of the superpage that was read last.
    std::array<hal::FlashStatus, hal::kMaxPagesPerOp> status{};
    std::array<std::byte, hal::kMaxPagesPerOp * hal::kMaxSpareBytes> spare{};
};

MediaScan::MediaScan(Services& services, std::uint64_t since, FoundIndirection* indirection)
    : services_(services),
      since_(since),
      indirection_(indirection),
      longest_gap_(services.config.reliability.parity()
                       ? kGapsInARow * services.config.allocation.programs_per_die
                       : 0),
      join_(services.executor, "parallel units, by two, that are searched"),
      found_(std::size_t{services.layout.pus()} * services.layout.superblocks()),
      answered_(std::size_t{services.layout.pus()} * services.layout.planes_per_pu()),
      entries_(services.layout.exported_units(), "the map found on flash, by logical page"),
      sequences_(found_.size() * services.layout.pages(), "sequence numbers found on flash") {
    for (std::uint32_t pu = 0; pu < services.layout.pus(); ++pu) {
        for (std::uint32_t lane = 0; lane < kScanLanes; ++lane) {
            lanes_.push_back(std::make_unique<Lane>());
            lanes_.back()->pu = Pu{pu};
            lanes_.back()->first = lane;
        }
    }
}

MediaScan::~MediaScan() = default;

std::span<const hal::FlashStatus> MediaScan::pages(const Lane& lane) const {
    return std::span(lane.status).first(services_.layout.pages_per_superpage());
}

Task<void> MediaScan::run() {
    join_.add(static_cast<std::uint32_t>(lanes_.size()));
    for (const auto& lane : lanes_) {
        services_.executor.spawn(run_lane(*lane));
    }
    co_await join_.wait();
    for (std::uint32_t pu = 0; pu < services_.layout.pus(); ++pu) {
        co_await ask_again(*lanes_[std::size_t{pu} * kScanLanes]);
    }
}

/// The last page read on a plane may have been torn, or the plane has died, perhaps during the scan. Any page
/// that can be read, or is erased, shows that the plane works.
Task<void> MediaScan::ask_again(Lane& lane) {
    const std::uint32_t planes = services_.layout.planes_per_pu();
    const std::size_t first = std::size_t{lane.pu.value} * planes;
    std::vector<bool> alive(planes);
    for (std::uint32_t index = 0;; ++index) {
        for (std::uint32_t plane = 0; plane < planes; ++plane) {
            alive[plane] = alive[plane] || answered_[first + plane];
        }
        const bool all = std::find(alive.begin(), alive.end(), false) == alive.end();
        if (all || index == services_.layout.superblocks(lane.pu)) {
            break;
        }
        co_await read(lane, SuperpageAddress{lane.pu, Superblock{index}, 0},
                      found(lane.pu, Superblock{index}).slc);
    }
    std::copy(alive.begin(), alive.end(), answered_.begin() + static_cast<std::ptrdiff_t>(first));
}

Task<void> MediaScan::run_lane(Lane& lane) {
    const MediaLayout& layout = services_.layout;
    for (std::uint32_t index = lane.first; index < layout.superblocks(lane.pu); index += kScanLanes) {
        const SuperpageAddress at{lane.pu, Superblock{index}, 0};
        FoundSuperblock& found = found_[lane.pu.value * layout.superblocks() + index];
        found.slc = layout.always_slc(at.pu, at.superblock);
        lane.any_mode = modes_change(services_.config) && !found.slc;
        if (since_ > 0) {
            const bool full = co_await filled_before(lane, at, found);
            if (full) {
                continue;
            }
        }
        co_await look_through(lane, at, found);
        if (found.written > 0 && !found.readable) {
            co_await erase_again(lane, at, found);
        }
    }
    join_.done();
}

/// Reads all pages up to the first erased one.
Task<void> MediaScan::look_through(Lane& lane, SuperpageAddress at, FoundSuperblock& found) {
    const MediaLayout& layout = services_.layout;
    std::uint32_t erased = 0;  // consecutive erased pages
    for (; at.page < layout.pages_of(found.slc) && erased <= longest_gap_; ++at.page) {
        co_await read(lane, at, found.slc);
        if (lane.any_mode && at.page < layout.slc_pages() && says_nothing(pages(lane))) {
            co_await read(lane, at, true);
            found.slc = any(pages(lane), hal::FlashStatus::ok);
        }
        lane.any_mode = lane.any_mode && !any(pages(lane), hal::FlashStatus::ok);
        if (all(pages(lane), hal::FlashStatus::erased)) {
            ++erased;
            continue;
        }
        erased = 0;
        found.written = at.page + 1;
        take(lane, at, found);
    }
}

/// Reads row by row; pages beyond those of the mode count as erased. If the first row is erased, so are the
/// others, because they are programmed together.
Task<void> MediaScan::read(Lane& lane, SuperpageAddress at, bool slc) {
    const MediaLayout& layout = services_.layout;
    const std::uint32_t planes = layout.planes_per_pu();
    const std::size_t bytes = planes * spare_bytes(layout.units_per_page());
    const Besides look{.after = std::uint64_t{layout.units_per_row()} * services_.config.cycles.gc_unit};
    lane.status.fill(hal::FlashStatus::erased);
    ++counters_.reads;
    for (std::uint32_t row = 0; row < layout.shape(slc).rows; ++row) {
        lane.op = superpage_op(layout, hal::FlashOpcode::read, at, Cause::recovery, row, slc);
        lane.op.spare = std::span(lane.spare).subspan(row * bytes, bytes);
        co_await carry_out(services_, lane.op, Cause::recovery, nullptr, look);  // see plane_status
        const auto status = std::span(lane.op.plane_status).first(planes);
        std::ranges::copy(status, lane.status.begin() + std::size_t{row} * planes);
        for (std::uint32_t plane = 0; plane < planes; ++plane) {
            answered_[std::size_t{at.pu.value} * planes + plane] =
                status[plane] != hal::FlashStatus::uncorrectable;
        }
        if (all(status, hal::FlashStatus::erased)) {
            break;
        }
    }
}

/// True if the superblock was full before the checkpoint, according to its last page.
Task<bool> MediaScan::filled_before(Lane& lane, SuperpageAddress at, FoundSuperblock& found) {
    const MediaLayout& layout = services_.layout;
    bool slc = found.slc;
    at.page = layout.pages_of(slc) - 1;
    co_await read(lane, at, slc);
    if (lane.any_mode && says_nothing(pages(lane))) {
        slc = true;
        at.page = layout.pages_of(slc) - 1;
        co_await read(lane, at, slc);
    }
    const std::size_t bytes = spare_bytes(layout.units_per_page());
    for (std::uint32_t page = 0; page < layout.pages_per_superpage(); ++page) {
        const SpareHeader header = decode_header(std::span(lane.spare).subspan(page * bytes, bytes));
        if (lane.status[page] == hal::FlashStatus::ok && is_of_data(header) && header.sequence < since_) {
            found = FoundSuperblock{at.page + 1,     header.erases, header.sequence, header.kind,
                                    header.sequence, true,          false,           slc};
            co_return true;
        }
    }
    co_return false;
}

/// Enters the contents of the spare areas of a superpage.
void MediaScan::take(const Lane& lane, const SuperpageAddress& at, FoundSuperblock& found) {
    const MediaLayout& layout = services_.layout;
    const std::size_t bytes = spare_bytes(layout.units_per_page());
    bool unreadable = false;
    for (std::uint32_t page = 0; page < layout.pages_per_superpage(); ++page) {
        if (lane.status[page] != hal::FlashStatus::ok) {
            unreadable |= lane.status[page] != hal::FlashStatus::erased;
            continue;
        }
        const auto spare = std::span(lane.spare).subspan(page * bytes, bytes);
        const SpareHeader header = decode_header(spare);
        if (!is_of_data(header)) {
            unreadable = true;
            continue;
        }
        const Ppa first = layout.ppa(at, page * layout.units_per_page());
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

bool MediaScan::newer(Ppa ppa, Ppa known) const {
    return known == kUnmapped || sequence(ppa) > sequence(known);
}

void MediaScan::take_unit(Lpn lpn, Ppa ppa) {
    if (lpn.value >= services_.layout.exported_units()) {  // padding, or a number of the indirection
        if (indirection_ != nullptr) {
            indirection_->take_name(*this, lpn, ppa);
        }
    } else if (newer(ppa, newest(lpn))) {
        entries_.set(lpn, ppa);
    }
}

bool MediaScan::outdated(Lpn lpn, std::uint64_t sequence_number) const {
    const Ppa entry = newest(lpn);  // what is no place comes from earlier records, in order
    return !services_.layout.is_place(entry) || sequence(entry) < sequence_number;
}

void MediaScan::add(const LogContent& log) {
    if (since_ > 0) {
        claimed_.resize(found_.size() * services_.layout.units_per_superblock());
        entries_.each([this](Lpn /*lpn*/, Ppa place) { claim(place); });
    }
    for (std::uint32_t lpn = 0; lpn < log.entries.size(); ++lpn) {
        add_entry(Lpn{lpn}, Ppa{log.entries[lpn]}, log.checkpoint);
    }
    if (indirection_ != nullptr) {
        indirection_->take_table(log.table, log.checkpoint);
    }
    for (const LogRecord& record : log.records) {
        if (record.kind() == RecordKind::trim) {
            add_trim(record);
        } else if (indirection_ != nullptr) {
            indirection_->take_record(*this, record);
        }
    }
    if (indirection_ != nullptr) {
        indirection_->resolve(*this);
    }
}

/// False if the superblock was erased after `since`: its pages have moved or were no longer needed.
bool MediaScan::still_there(Ppa place, std::uint64_t since) const {
    const SuperpageAddress at = services_.layout.superpage_of(place);
    const FoundSuperblock& superblock = found(at.pu, at.superblock);
    return at.page < superblock.written && superblock.first_sequence < since && sequence(place) < since;
}

/// The checkpoint is right about all data that is older than it.
void MediaScan::add_entry(Lpn lpn, Ppa entry, std::uint64_t checkpoint) {
    const Ppa known = newest(lpn);
    if (known != kUnmapped && sequence(known) >= checkpoint) {
        return;
    }
    if (indirection_ != nullptr && entry != kUnmapped && !services_.layout.is_place(entry)) {
        indirection_->take_entry(*this, lpn, entry, checkpoint);
    } else if (since_ == 0) {  // all was read: the checkpoint adds only the trims before it
        entries_.set(lpn, entry == kUnmapped ? kUnmapped : known);
    } else if (entry != kUnmapped) {
        entries_.set(lpn, still_there(entry, checkpoint) && claim(entry) ? entry : kUnmapped);
    }
}

/// False if another logical page has claimed the place.
bool MediaScan::claim(Ppa place) {
    const bool first = !claimed_[place.value];
    claimed_[place.value] = true;
    return first;
}

void MediaScan::add_trim(const LogRecord& record) {
    for (std::uint32_t lpn = record.first; lpn < record.first + record.second; ++lpn) {
        if (outdated(Lpn{lpn}, record.sequence())) {
            entries_.set(Lpn{lpn}, kUnmapped);
        }
    }
}

Task<void> MediaScan::erase_again(Lane& lane, const SuperpageAddress& at, FoundSuperblock& found) {
    lane.op = superpage_op(services_.layout, hal::FlashOpcode::erase, at, Cause::recovery);
    const hal::FlashStatus status = co_await carry_out(services_, lane.op, Cause::recovery);
    found.bad = status != hal::FlashStatus::ok;
    for (std::uint32_t plane = 0; plane < lane.op.planes; ++plane) {
        if (lane.op.plane_status[plane] == hal::FlashStatus::ok) {
            answered_[std::size_t{at.pu.value} * lane.op.planes + plane] = true;
        }
    }
    ++counters_.erased;
    found.written = 0;
}

}  // namespace solidtlm::fw
