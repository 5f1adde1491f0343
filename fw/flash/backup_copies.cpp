// SPDX-License-Identifier: Apache-2.0
#include "fw/flash/backup_copies.h"

#include <algorithm>
#include <cstring>

#include "fw/flash/carry_out.h"
#include "fw/flash/needs.h"
#include "fw/flash/spare.h"

namespace solidtlm::fw {

using hal::FlashOpcode;
using hal::FlashStatus;
using hal::PlaneSet;

namespace {

struct Record {
    static constexpr std::uint32_t kReadable = 0x8000'0000;

    std::uint32_t number = 0;
    std::uint32_t superblock = 0;
    std::uint32_t page = 0;  // and kReadable
};
static_assert(sizeof(Record) == kBackupRecordBytes);

}  // namespace

BackupCopies::BackupCopies(Services& services, Pu pu, DramAddress buffer, BackupCounters& counters)
    : services_(services),
      pu_(pu),
      first_(services.layout.first(kBackupArea)),
      planes_(services.layout.planes_per_pu()),
      all_(static_cast<PlaneSet>((1U << planes_) - 1)),
      spare_bytes_(spare_bytes(services.layout.units_per_page())),
      most_(most_backup_copies(services.config)),
      counters_(counters),
      blocks_(services.layout.superblocks(kBackupArea)),
      read_ended_(services.executor, "a read of a copy has ended"),
      spare_(planes_ * spare_bytes_),
      records_(planes_ * (spare_bytes_ + kBackupRecordBytes)) {
    const std::uint32_t page_bytes = services.config.flash.page_bytes;
    for (std::uint32_t plane = 0; plane < planes_; ++plane) {
        pieces_.push_back(hal::FlashPiece{static_cast<std::uint8_t>(plane), 0, page_bytes,
                                          DramAddress{buffer.value + std::uint64_t{plane} * page_bytes}});
    }
}

void BackupCopies::set(Key of, const Copy& copy) {
    Copy& entry = copies_[of];
    kept_ -= entry.kept ? 1 : 0;
    kept_ += copy.kept ? 1 : 0;
    entry = copy;
}

void BackupCopies::drop(std::map<Key, Copy>::iterator copy) {
    kept_ -= copy->second.kept ? 1 : 0;
    copies_.erase(copy);
}

void BackupCopies::finished(SuperpageAddress at) {
    const std::vector<std::uint32_t>& below = services_.config.flash.page_below;
    while (below[at.page] != at.page) {
        at.page = below[at.page];
        const auto copy = copies_.find(key(at));
        if (copy != copies_.end() && !copy->second.kept) {
            drop(copy);
        }
    }
}

void BackupCopies::forget(Superblock superblock) {
    auto copy = copies_.lower_bound(Key{superblock.value, 0});
    while (copy != copies_.end() && copy->first.first == superblock.value) {
        drop(copy++);
    }
}

void BackupCopies::end_read() {
    if (--reads_ == 0) {
        read_ended_.notify();
    }
}

Task<bool> BackupCopies::add(SuperpageAddress at, Ledger* ledger) {
    while (true) {
        const bool room = copies_.size() < most_ && co_await find_room(ledger);
        if (!room) {
            ++counters_.refused;
            co_return false;
        }
        co_await read(at, false, true, ledger);
        const PlaneSet planes = planes_with(FlashStatus::ok);
        const std::optional<Copy> written = co_await program(key(at), planes, planes != all_, ledger);
        if (written) {
            set(key(at), *written);
            ++counters_.copies;
            co_return true;
        }
    }
}

/// Reads the spare areas of a superpage and, with `data`, its data to the buffer.
Task<void> BackupCopies::read(SuperpageAddress at, bool slc, bool data, Ledger* ledger) {
    op_ = superpage_op(services_.layout, FlashOpcode::read, at, Cause::recovery, 0, slc);
    op_.spare = spare_;
    if (data) {
        op_.pieces = pieces_;
    }
    co_await carry_out(services_, op_, Cause::recovery, ledger);
}

PlaneSet BackupCopies::planes_with(FlashStatus status) const {
    std::uint32_t planes = 0;
    for (std::uint32_t plane = 0; plane < planes_; ++plane) {
        planes |= (op_.plane_status[plane] == status ? 1U : 0U) << plane;
    }
    return static_cast<PlaneSet>(planes);
}

/// Writes what was read last to the open superblock, as a copy of `of`. If that fails, the superblock takes
/// no more copies; those that it has stay.
Task<std::optional<BackupCopies::Copy>> BackupCopies::program(Key of, PlaneSet planes, bool kept,
                                                              Ledger* ledger) {
    const Superblock to = *open_;
    const Copy copy{to, block(to).written++, planes, kept};
    std::byte* at = records_.data();
    for (std::uint32_t plane = 0; plane < planes_; ++plane) {
        const bool readable = (planes >> plane & 1U) != 0;
        const Record record{number_, of.first, of.second | (readable ? Record::kReadable : 0)};
        std::memcpy(at, spare_.data() + plane * spare_bytes_, spare_bytes_);
        std::memcpy(at + spare_bytes_, &record, sizeof record);
        at += spare_bytes_ + sizeof record;
    }
    ++number_;
    op_ = superpage_op(services_.layout, FlashOpcode::program, place(copy), Cause::recovery, 0, true);
    op_.pieces = pieces_;
    op_.spare = records_;
    const FlashStatus status = co_await carry_out(services_, op_, Cause::recovery, ledger);
    if (status != FlashStatus::ok) {
        block(to).bad = true;
        open_.reset();
        co_return std::nullopt;
    }
    co_return copy;
}

bool BackupCopies::open_has_room() const {
    return open_ && blocks_[open_->value - first_.value].written < services_.layout.slc_pages();
}

std::optional<Superblock> BackupCopies::free_one() const {
    for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
        const Superblock superblock{first_.value + i};
        if (blocks_[i].written == 0 && !blocks_[i].bad && open_ != superblock) {
            return superblock;
        }
    }
    return std::nullopt;
}

/// The one that was opened first, of those that can be erased.
std::optional<Superblock> BackupCopies::oldest() const {
    std::optional<Superblock> oldest;
    std::uint32_t first = 0;
    for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
        const Block& block = blocks_[i];
        const Superblock superblock{first_.value + i};
        if (block.written > 0 && !block.bad && open_ != superblock && (!oldest || block.first < first)) {
            oldest = superblock;
            first = block.first;
        }
    }
    return oldest;
}

/// True if the open superblock has room. One superblock stays free: when the last one is opened, it takes
/// what counts in the oldest one.
Task<bool> BackupCopies::find_room(Ledger* ledger) {
    while (true) {
        const std::optional<Superblock> free = free_one();
        if (!free) {
            const std::optional<Superblock> victim = oldest();
            const bool cleaned = victim && co_await clean(*victim, ledger);
            if (!cleaned) {
                co_return false;
            }
        } else if (open_has_room()) {
            co_return true;
        } else {
            open_ = free;
            block(*free).first = number_;
        }
    }
}

/// Writes the copies in it that count to the open superblock, and erases it. False if there is no room.
Task<bool> BackupCopies::clean(Superblock superblock, Ledger* ledger) {
    const auto lies_there = [superblock](const auto& entry) { return entry.second.superblock == superblock; };
    for (auto next = std::ranges::find_if(copies_, lies_there); next != copies_.end();
         next = std::ranges::find_if(copies_, lies_there)) {
        if (!open_has_room()) {
            co_return false;
        }
        const Key of = next->first;
        const Copy from = next->second;
        co_await read(place(from), true, true, ledger);
        const auto planes = static_cast<PlaneSet>(from.planes & planes_with(FlashStatus::ok));
        const std::optional<Copy> written = co_await program(of, planes, from.kept, ledger);
        if (!written) {
            co_return false;
        }
        ++counters_.again;
        if (copies_.contains(of)) {  // its superblock has not been erased meanwhile
            set(of, *written);
        }
    }
    while (reads_ > 0) {
        co_await read_ended_.wait();
    }
    op_ = superpage_op(services_.layout, FlashOpcode::erase, SuperpageAddress{pu_, superblock, 0},
                       Cause::recovery);
    const FlashStatus status = co_await carry_out(services_, op_, Cause::recovery, ledger);
    block(superblock) = Block{.bad = status != FlashStatus::ok};
    ++counters_.erases;
    co_return true;
}

Task<void> BackupCopies::recover() {
    std::map<Key, Found> newest;
    for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
        co_await look_through(Superblock{first_.value + i}, newest);
    }
    std::optional<Superblock> erased;  // at least in part
    for (auto found = newest.begin(); found != newest.end(); ++found) {
        const SuperpageAddress at{pu_, Superblock{found->first.first}, found->first.second};
        const bool taken = erased != at.superblock && co_await taken_by_cut(at);
        if (taken && co_await erase_interrupted(at)) {
            erased = at.superblock;
        } else if (taken) {
            found->second.copy.kept = true;
            set(found->first, found->second.copy);
            ++counters_.restored;
        }
    }
}

/// Writing goes on in the superblock that has the newest copy.
Task<void> BackupCopies::look_through(Superblock superblock, std::map<Key, Found>& newest) {
    Block& found = block(superblock);
    for (std::uint32_t page = 0; page < services_.layout.slc_pages(); ++page) {
        op_ = superpage_op(services_.layout, FlashOpcode::read, SuperpageAddress{pu_, superblock, page},
                           Cause::recovery, 0, true);
        op_.spare = records_;
        co_await carry_out(services_, op_, Cause::recovery);
        ++counters_.searched;
        if (planes_with(FlashStatus::erased) == all_) {
            break;
        }
        found.written = page + 1;
        Record of;
        std::uint32_t planes = 0;
        for (std::uint32_t plane = 0; plane < planes_; ++plane) {
            if (op_.plane_status[plane] == FlashStatus::ok) {
                std::memcpy(&of, records_.data() + plane * (spare_bytes_ + sizeof of) + spare_bytes_,
                            sizeof of);
                planes |= ((of.page & Record::kReadable) != 0 ? 1U : 0U) << plane;
            }
        }
        if (of.number == 0) {
            continue;
        }
        found.first = found.first == 0 ? of.number : found.first;
        if (of.number >= number_) {
            number_ = of.number + 1;
            open_ = superblock;
        }
        Found& entry = newest[Key{of.superblock, of.page & ~Record::kReadable}];
        if (of.number > entry.number) {
            entry = {of.number, Copy{superblock, page, static_cast<PlaneSet>(planes)}};
        }
    }
}

/// A cut has taken the superpage while a later page of its word lines was being programmed.
Task<bool> BackupCopies::taken_by_cut(SuperpageAddress at) {
    co_await read(at, false, false, nullptr);
    ++counters_.searched;
    if (planes_with(FlashStatus::uncorrectable) == 0) {
        co_return false;
    }
    const std::vector<std::uint32_t>& below = services_.config.flash.page_below;
    for (std::uint32_t page = at.page + 1; page < below.size(); ++page) {
        if (below[page] != at.page) {
            continue;
        }
        at.page = page;
        co_await read(at, false, false, nullptr);
        ++counters_.searched;
        if (planes_with(FlashStatus::uncorrectable) != 0) {
            co_return true;
        }
    }
    co_return false;
}

/// A cut has come during the erase of the superblock, after which no page can be read. Programs alone never
/// lead to that (spoiled_but_for()).
Task<bool> BackupCopies::erase_interrupted(SuperpageAddress at) {
    for (at.page = services_.layout.pages(); at.page-- > 0;) {
        co_await read(at, false, false, nullptr);
        ++counters_.searched;
        if (planes_with(FlashStatus::uncorrectable) != all_) {
            co_return false;
        }
    }
    co_return true;
}

bool BackupCopies::spoiled_but_for(const SuperpageAddress& at) const {
    const std::vector<std::uint32_t>& below = services_.config.flash.page_below;
    if (at.page + 1 != below.size() || kept_ == 0) {
        return false;
    }
    std::uint32_t own = at.page;
    while (below[own] != own) {
        own = below[own];
    }
    for (std::uint32_t first = 0; first < below.size(); ++first) {
        const Copy* copy = find(SuperpageAddress{at.pu, at.superblock, first});
        if (below[first] == first && first != own && (copy == nullptr || !copy->kept)) {
            return false;
        }
    }
    return true;
}

std::vector<SuperpageAddress> BackupCopies::restored() const {
    std::vector<SuperpageAddress> all;
    for (const auto& [of, copy] : copies_) {
        if (copy.kept) {
            all.push_back(SuperpageAddress{pu_, Superblock{of.first}, of.second});
        }
    }
    return all;
}

}  // namespace solidtlm::fw
