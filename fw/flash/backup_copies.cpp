// SPDX-License-Identifier: Apache-2.0
#include "fw/flash/backup_copies.h"

#include <algorithm>
#include <cstring>

#include "fw/flash/block_modes.h"
#include "fw/flash/erase_block.h"
#include "fw/flash/needs.h"
#include "fw/flash/spare.h"

namespace solidtlm::fw {

using hal::FlashOpcode;
using hal::FlashStatus;
using hal::PlaneSet;

namespace {

/// Numbers of 64 bits do not repeat in the life of any flash.
struct Record {
    static constexpr std::uint32_t kData = 0x8000'0000;
    static constexpr std::uint32_t kSpare = 0x4000'0000;
    static constexpr std::uint32_t kSuperblockBits = 16;
    static constexpr std::uint32_t kPageBits = 14;

    [[nodiscard]] std::uint64_t number() const { return std::uint64_t{number_high} << 32U | number_low; }
    [[nodiscard]] std::uint32_t superblock() const { return place & ((1U << kSuperblockBits) - 1); }
    [[nodiscard]] std::uint32_t page() const { return place >> kSuperblockBits & ((1U << kPageBits) - 1); }

    std::uint32_t number_low = 0;
    std::uint32_t number_high = 0;
    std::uint32_t place = 0;  // superblock, page, kData, kSpare
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
      per_word_line_(backup_copies(services.config, 1)),
      counters_(counters),
      blocks_(services.layout.superblocks(kBackupArea), services.layout.slc_pages()),
      read_ended_(services.executor, "a read of a copy has ended"),
      spare_(planes_ * spare_bytes_),
      records_(planes_ * (spare_bytes_ + kBackupRecordBytes)) {
    const std::vector<std::uint32_t>& below = services.config.flash.page_below;
    std::uint32_t word_lines = 0;
    for (std::uint32_t page = 0; page < below.size(); ++page) {
        word_lines += below[page] == page ? 1 : 0;
    }
    SOLIDTLM_CHECK(word_lines >= kFewestWordLinesWithCopies,
                   "a cut during a program leaves a word line that can be read");
    SOLIDTLM_CHECK(services.layout.superblocks() <= 1U << Record::kSuperblockBits &&
                       below.size() <= 1U << Record::kPageBits,
                   "a record has room for the place of every superpage");
    const std::uint32_t page_bytes = services.config.flash.page_bytes;
    for (std::uint32_t plane = 0; plane < planes_; ++plane) {
        pieces_.push_back(hal::FlashPiece{static_cast<std::uint8_t>(plane), 0, page_bytes,
                                          DramAddress{buffer.value + std::uint64_t{plane} * page_bytes}});
    }
    count_room();
}

/// The good superblocks less two hold all copies that count, and one page more that does not, so that writing
/// some again gains room.
void BackupCopies::count_room() {
    constexpr std::uint32_t kBeside = 2;  // the open superblock, and one to open next
    std::uint32_t good = 0;
    for (BlockIndex block = 0; block < blocks_.size(); ++block) {
        const BlockInfo& info = blocks_.info(block);
        good += info.state != BlockState::bad && !info.failed ? 1 : 0;
    }
    most_ = good > kBeside ? (good - kBeside) * services_.layout.slc_pages() - 1 : 0;
}

void BackupCopies::set(Key of, const Copy& copy) {
    if (const auto old = copies_.find(of); old != copies_.end()) {
        drop(old);
    }
    copies_[of] = copy;
    ++info(copy).valid;
    kept_ += copy.kept ? 1 : 0;
}

void BackupCopies::drop(std::map<Key, Copy>::iterator copy) {
    kept_ -= copy->second.kept ? 1 : 0;
    --info(copy->second).valid;
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
    while (co_await find_room(ledger)) {
        const Readable has = co_await read(at, false, ledger);
        const std::optional<Copy> written = co_await program(key(at), has, false, ledger);
        if (written) {
            set(key(at), *written);
            ++counters_.copies;
            co_return true;
        }
    }
    full_ = true;
    co_return false;
}

/// Reads the spare areas of a superpage.
Task<void> BackupCopies::read_spare(SuperpageAddress at, bool slc, Ledger* ledger) {
    op_ = superpage_op(services_.layout, FlashOpcode::read, at, Cause::recovery, 0, slc);
    op_.spare = spare_;
    co_await carry_out(services_, op_, Cause::recovery, ledger);
}

/// Reads the superpage to the buffer, with its spare areas; these alone where the data cannot be corrected.
Task<BackupCopies::Readable> BackupCopies::read(SuperpageAddress at, bool slc, Ledger* ledger) {
    op_ = superpage_op(services_.layout, FlashOpcode::read, at, Cause::recovery, 0, slc);
    op_.spare = spare_;
    op_.pieces = pieces_;
    co_await carry_out(services_, op_, Cause::recovery, ledger);
    const PlaneSet data = planes_with(FlashStatus::ok);
    if (planes_with(FlashStatus::uncorrectable) != 0) {
        co_await read_spare(at, slc, ledger);
    }
    co_return Readable{planes_with(FlashStatus::ok), data};
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
Task<std::optional<BackupCopies::Copy>> BackupCopies::program(Key of, Readable has, bool kept,
                                                              Ledger* ledger) {
    const BlockIndex to = *open_;
    const Copy copy{superblock(to), blocks_.begin_program(to), has, kept};
    if (blocks_.room(to) == 0) {
        open_.reset();
    }
    std::byte* at = records_.data();
    for (std::uint32_t plane = 0; plane < planes_; ++plane) {
        const std::uint32_t spare = (has.spare >> plane & 1U) != 0 ? Record::kSpare : 0;
        const std::uint32_t data = (has.data >> plane & 1U) != 0 ? Record::kData : 0;
        const Record record{static_cast<std::uint32_t>(number_), static_cast<std::uint32_t>(number_ >> 32U),
                            of.first | of.second << Record::kSuperblockBits | spare | data};
        std::memcpy(at, spare_.data() + plane * spare_bytes_, spare_bytes_);
        std::memcpy(at + spare_bytes_, &record, sizeof record);
        at += spare_bytes_ + sizeof record;
    }
    ++number_;
    op_ = superpage_op(services_.layout, FlashOpcode::program, place(copy), Cause::recovery, 0, true);
    op_.pieces = pieces_;
    op_.spare = records_;
    const FlashStatus status = co_await carry_out(services_, op_, Cause::recovery, ledger);
    blocks_.end_program(to, status == FlashStatus::ok);
    if (status != FlashStatus::ok) {
        open_.reset();
        count_room();
        co_return std::nullopt;
    }
    co_return copy;
}

/// Opens the superblock that was erased least if none is open. False if no superblock has room.
bool BackupCopies::open_one() {
    if (open_) {
        return true;
    }
    open_ = blocks_.least([this](BlockIndex block) {
        const BlockInfo& info = blocks_.info(block);
        return info.state == BlockState::free ? std::optional(info.erases) : std::nullopt;
    });
    if (open_) {
        blocks_.open(*open_);
    }
    return open_.has_value();
}

/// The one that was filled first, of those in which no more than `most_valid` copies count.
std::optional<BlockIndex> BackupCopies::oldest(std::uint32_t most_valid) const {
    return blocks_.least([this, most_valid](BlockIndex block) {
        const BlockInfo& info = blocks_.info(block);
        return info.state == BlockState::closed && info.valid <= most_valid ? std::optional(info.closed_order)
                                                                            : std::nullopt;
    });
}

/// True if the open superblock has room. Two stay free: one is opened next, which then takes what counts in
/// the oldest one, and the other one takes its place if a program fails there.
Task<bool> BackupCopies::find_room(Ledger* ledger) {
    constexpr std::uint32_t kKeptFree = 2;
    while (true) {
        const bool room = open_one();
        const std::optional<BlockIndex> victim = blocks_.free_blocks() < kKeptFree
                                                     ? oldest(room ? services_.layout.slc_pages() - 1 : 0)
                                                     : std::nullopt;
        if (!victim) {
            co_return room;
        }
        if (co_await clean(*victim, ledger)) {
            co_await erase(*victim, ledger);
        }
    }
}

/// Writes the copies in it that count to the open superblock. False if there is no room.
Task<bool> BackupCopies::clean(BlockIndex victim, Ledger* ledger) {
    const Superblock from_superblock = superblock(victim);
    while (blocks_.info(victim).valid > 0) {
        if (!open_one()) {
            co_return false;
        }
        const auto next = std::ranges::find_if(copies_, [from_superblock](const auto& entry) {
            return entry.second.superblock == from_superblock;
        });
        const Key of = next->first;
        const Copy from = next->second;
        Readable has = co_await read(place(from), true, ledger);
        has.spare &= from.has.spare;
        has.data &= from.has.data;
        const std::optional<Copy> written = co_await program(of, has, from.kept, ledger);
        if (written) {
            ++counters_.again;
            if (copies_.contains(of)) {  // its superblock has not been erased meanwhile
                set(of, *written);
            }
        }
    }
    co_return true;
}

Task<void> BackupCopies::erase(BlockIndex victim, Ledger* ledger) {
    while (reads_ > 0) {
        co_await read_ended_.wait();
    }
    blocks_.begin_erase(victim);
    op_ = superpage_op(services_.layout, FlashOpcode::erase, SuperpageAddress{pu_, superblock(victim), 0},
                       Cause::recovery);
    const auto tell = [this, victim](hal::Deed deed, hal::Reason reason) {
        services_.decided({.deed = deed,
                           .reason = reason,
                           .area = hal::Area::copies,
                           .unit = pu_.value,
                           .block = superblock(victim).value,
                           .erases = blocks_.info(victim).erases,
                           .free = blocks_.free_blocks()});
    };
    const bool usable =
        co_await erase_block(services_, blocks_.info(victim), op_, Cause::recovery, tell, ledger);
    ++counters_.erases;
    if (usable) {
        blocks_.recycle(victim);
        co_return;
    }
    blocks_.retire(victim);
    ++counters_.retired;
    count_room();
}

Task<void> BackupCopies::recover() {
    std::map<Key, Found> newest;
    std::vector<FoundBlock> blocks(blocks_.size());
    for (BlockIndex block = 0; block < blocks_.size(); ++block) {
        blocks[block].block = block;
        co_await look_through(blocks[block], newest);
    }
    adopt(blocks);
    std::optional<Superblock> asked;  // whether its copies are outdated
    bool outdated = false;
    for (auto found = newest.begin(); found != newest.end(); ++found) {
        const SuperpageAddress at{pu_, Superblock{found->first.first}, found->first.second};
        const bool known = asked == at.superblock;
        const bool taken = !(known && outdated) && co_await taken_by_cut(at);
        if (taken && !known) {
            asked = at.superblock;
            outdated = co_await in_slc_mode(at) || co_await erase_interrupted(at);
        }
        if (taken && !outdated) {
            found->second.copy.kept = true;
            set(found->first, found->second.copy);
            ++counters_.restored;
        }
    }
}

Task<void> BackupCopies::look_through(FoundBlock& found, std::map<Key, Found>& newest) {
    const Superblock area = superblock(found.block);
    for (std::uint32_t page = 0; page < services_.layout.slc_pages(); ++page) {
        op_ = superpage_op(services_.layout, FlashOpcode::read, SuperpageAddress{pu_, area, page},
                           Cause::recovery, 0, true);
        op_.spare = records_;
        co_await carry_out(services_, op_, Cause::recovery);
        ++counters_.searched;
        if (planes_with(FlashStatus::erased) == all_) {
            break;
        }
        found.written = page + 1;
        Record of;
        Readable has;
        for (std::uint32_t plane = 0; plane < planes_; ++plane) {
            if (op_.plane_status[plane] == FlashStatus::ok) {
                std::memcpy(&of, records_.data() + plane * (spare_bytes_ + sizeof of) + spare_bytes_,
                            sizeof of);
                has.spare |= std::uint32_t{(of.place & Record::kSpare) != 0} << plane;
                has.data |= std::uint32_t{(of.place & Record::kData) != 0} << plane;
            }
        }
        const std::uint64_t number = of.number();
        if (number == 0) {
            continue;
        }
        found.first = found.first == 0 ? number : found.first;
        found.last = number;
        Found& entry = newest[Key{of.superblock(), of.page()}];
        if (number > entry.number) {
            entry = {number, Copy{area, page, has, false}};
        }
    }
}

/// Writing goes on in the superblock that has the newest copy.
void BackupCopies::adopt(std::vector<FoundBlock>& found) {
    std::ranges::sort(found, {}, &FoundBlock::first);
    const std::uint64_t last = std::ranges::max(found, {}, &FoundBlock::last).last;
    number_ = last + 1;
    for (const FoundBlock& each : found) {
        const bool open = last > 0 && each.last == last && each.written < services_.layout.slc_pages();
        blocks_.adopt(each.block,
                      each.written == 0 ? BlockState::free
                      : open            ? BlockState::open
                                        : BlockState::closed,
                      0);
        if (open) {
            blocks_.info(each.block).next_page = each.written;
            open_ = each.block;
        }
    }
}

/// A cut has taken the superpage while a later page of its word lines was being programmed, on all planes. If
/// one of them is erased, the page has not been programmed, and another plane no longer answers.
Task<bool> BackupCopies::taken_by_cut(SuperpageAddress at) {
    co_await read_spare(at, false, nullptr);
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
        co_await read_spare(at, false, nullptr);
        ++counters_.searched;
        if (planes_with(FlashStatus::uncorrectable) != 0 && planes_with(FlashStatus::erased) == 0) {
            co_return true;
        }
    }
    co_return false;
}

/// The superblock is in SLC mode: it holds pages that can be read in that mode. In normal mode none can.
Task<bool> BackupCopies::in_slc_mode(SuperpageAddress at) {
    const std::uint32_t pages = modes_change(services_.config) ? services_.layout.slc_pages() : 0;
    for (at.page = 0; at.page < pages; ++at.page) {
        co_await read_spare(at, true, nullptr);
        ++counters_.searched;
        if (planes_with(FlashStatus::ok) != 0) {
            co_return true;
        }
        if (planes_with(FlashStatus::erased) == all_) {
            break;
        }
    }
    co_return false;
}

/// A cut has come during the erase of the superblock, after which no page can be read. Programs alone do not
/// lead to that: of two word lines, one is not being written, and where cuts have taken it, the last page of
/// the other one stays erased (spoiled_but_for()).
Task<bool> BackupCopies::erase_interrupted(SuperpageAddress at) {
    for (at.page = services_.layout.pages(); at.page-- > 0;) {
        co_await read_spare(at, false, nullptr);
        ++counters_.searched;
        if (planes_with(FlashStatus::uncorrectable) != all_) {
            co_return false;
        }
    }
    co_return true;
}

/// Without copies that are kept, cuts have taken no word line, and there is another one.
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

void BackupCopies::serialize(hal::StateArchive& archive) {
    archive(blocks_, open_, number_, copies_, kept_, full_);
    count_room();
}

}  // namespace solidtlm::fw
