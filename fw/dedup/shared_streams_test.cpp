// SPDX-License-Identifier: Apache-2.0
//
// Random streams of writes, duplicates, merges, trims, moves, erases and checkpoints on flash, by a small
// drive that keeps the rules of docs/dedup.md. Power is cut at every boundary between two records. What a
// logical page must hold afterwards follows from the list of its events alone: the newest event that is on
// flash.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "fw/dedup/share_records.h"
#include "fw/testing/scan_bench.h"
#include "fw/testing/seeds.h"

namespace solidtlm::fw::testing {
namespace {

constexpr std::uint32_t kStreamLpns = 24;
constexpr std::uint32_t kBlocks = 6;  // few, so that their numbers are reused often
constexpr std::size_t kPage = 0xFFFF'FFFF;

/// An event that gave a logical page its content.
struct Event {
    std::uint64_t sequence;
    std::uint32_t content;       // 0: none
    std::size_t record = kPage;  // the record that states it; kPage: the page itself does
    bool lazy = false;           // a trim without a record: any older content may come back
    bool may_be_seen = false;    // a trim that the present checkpoint may include although its record is lost
};

/// A unit on flash.
struct Unit {
    Lpn name{kNoLpn};
    std::uint32_t content = 0;
};

class SmallDrive {
  public:
    SmallDrive(std::uint64_t seed, bool bounded, bool lazy)
        : bench_(shared_config(kBlocks)),
          random_(seed),
          bounded_(bounded),
          lazy_(lazy),
          map_(kStreamLpns, kUnmapped),
          history_(kStreamLpns),
          written_(bench_.layout.superblocks()) {}

    void step() {
        const std::uint64_t pick = random_() % 100;
        if (pick < 30) {
            write();
        } else if (pick < 45) {
            write_duplicate();
        } else if (pick < 60) {
            merge();
        } else if (pick < 66) {
            trim();
        } else if (pick < 74) {
            persist();
        } else if (pick < 90) {
            collect(random_superblock());
        } else if (pick < 97) {
            advance_checkpoint();
        } else {
            reboot();
        }
        while (free_superblocks() < 3) {
            collect(emptiest_superblock());
        }
    }

    /// Cuts power with every possible number of records on flash.
    void cut_everywhere() {
        for (std::size_t records = persisted_; records <= records_.size(); ++records) {
            boot(records, [this, records](const MediaScan& scan) { check(scan, records); });
        }
        ++cuts;
    }

    std::uint64_t cuts = 0;
    std::uint64_t boots = 0;
    std::uint64_t most_shared = 0;
    std::uint64_t moves_of_shared = 0;
    std::uint64_t reused_numbers = 0;
    std::uint64_t checkpoints = 0;

  private:
    struct Shared {
        Ppa place = kUnmapped;
        std::uint32_t references = 0;
        std::size_t record = 0;  // its share record
        bool used = false;
    };
    struct Checkpoint {
        std::uint64_t sequence;
        std::size_t covered;
        std::vector<std::uint32_t> entries;
        std::vector<std::uint32_t> shared;
    };

    std::uint32_t draw(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
    [[nodiscard]] bool is_shared(Ppa entry) const {
        return fw::is_shared(entry, static_cast<std::uint32_t>(shared_.size()));
    }
    [[nodiscard]] Ppa place_of(Ppa entry) const {
        return is_shared(entry) ? shared_[block_of(entry).value].place : entry;
    }
    [[nodiscard]] std::uint32_t content_of(std::uint32_t lpn) const {
        return map_[lpn] == kUnmapped ? 0 : units_.at(place_of(map_[lpn])).content;
    }

    // Records.

    std::size_t note(LogRecord (*make)(std::uint32_t, std::uint32_t, std::uint64_t), std::uint32_t first,
                     std::uint32_t second) {
        records_.push_back(make(first, second, ++sequence_));
        return records_.size() - 1;
    }
    void persist() {
        if (!checkpoint_) {  // while a checkpoint is written, journal pages wait
            persisted_ = records_.size();
        }
    }

    // Map.

    void happened(std::uint32_t lpn, std::uint32_t content, std::size_t record = kPage) {
        history_[lpn].push_back(Event{sequence_, content, record, false,
                                      record != kPage && content == 0 && checkpoint_.has_value()});
    }
    void let_go(std::uint32_t lpn) {
        if (is_shared(map_[lpn])) {
            --shared_[block_of(map_[lpn]).value].references;
        }
        map_[lpn] = kUnmapped;
    }
    void refer(std::uint32_t lpn, VirtualBlock block) {
        const std::uint32_t content = units_.at(shared_[block.value].place).content;
        let_go(lpn);
        map_[lpn] = entry_of(block);
        ++shared_[block.value].references;
        const std::size_t record =
            note([](std::uint32_t a, std::uint32_t b,
                    std::uint64_t s) { return refer_record(Lpn{a}, VirtualBlock{b}, s); },
                 lpn, block.value);
        happened(lpn, content, record);
    }
    /// The virtual block of the page of `lpn`; none if all are in use.
    std::optional<VirtualBlock> share(std::uint32_t lpn) {
        if (is_shared(map_[lpn])) {
            return block_of(map_[lpn]);
        }
        const std::uint32_t first = draw(kBlocks);
        for (std::uint32_t i = 0; i < kBlocks; ++i) {
            const VirtualBlock block{(first + i) % kBlocks};
            Shared& shared = shared_[block.value];
            if (shared.references == 0) {
                reused_numbers += shared.used ? 1 : 0;
                const std::size_t record =
                    note([](std::uint32_t a, std::uint32_t b,
                            std::uint64_t s) { return share_record(VirtualBlock{a}, Ppa{b}, s); },
                         block.value, map_[lpn].value);
                shared = Shared{map_[lpn], 0, record, true};
                refer(lpn, block);
                return block;
            }
        }
        return std::nullopt;
    }

    // Events.

    void write() {
        std::vector<std::uint32_t> lpns;
        for (std::uint32_t lpn = draw(kStreamLpns); lpns.size() < 1 + draw(4); lpn = draw(kStreamLpns)) {
            if (std::find(lpns.begin(), lpns.end(), lpn) == lpns.end()) {
                lpns.push_back(lpn);
            }
        }
        std::vector<Unit> units;
        for (const std::uint32_t lpn : lpns) {
            units.push_back(Unit{Lpn{lpn}, 1 + draw(5)});
        }
        const SuperpageAddress at = program(units);
        for (std::uint32_t i = 0; i < units.size(); ++i) {
            let_go(lpns[i]);
            map_[lpns[i]] = bench_.layout.ppa(at, i);
            happened(lpns[i], units[i].content);
        }
    }
    /// The host writes contents that another page already holds: nothing is programmed.
    void write_duplicate() {
        const std::uint32_t known = draw(kStreamLpns);
        const std::uint32_t lpn = draw(kStreamLpns);
        if (!checkpoint_ && lpn != known && map_[known] != kUnmapped) {
            if (const auto block = share(known)) {
                refer(lpn, *block);
            }
        }
    }
    /// Merges two programmed pages into one.
    void merge() {
        const std::uint32_t a = draw(kStreamLpns);
        for (std::uint32_t b = 0; b < kStreamLpns && !checkpoint_; ++b) {
            const bool equal = a != b && content_of(a) != 0 && content_of(a) == content_of(b);
            if (equal && !is_shared(map_[b])) {
                if (const auto block = share(a)) {
                    refer(b, *block);
                }
                return;
            }
        }
    }
    void trim() {
        const std::uint32_t first = draw(kStreamLpns);
        const std::uint32_t count = std::min(1 + draw(4), kStreamLpns - first);
        for (std::uint32_t lpn = first; lazy_ && lpn < first + count; ++lpn) {
            let_go(lpn);
            history_[lpn].push_back(Event{sequence_, 0, kPage, true});
        }
        if (lazy_) {
            return;
        }
        const std::size_t record =
            note([](std::uint32_t a, std::uint32_t b, std::uint64_t s) { return trim_record(Lpn{a}, b, s); },
                 first, count);
        for (std::uint32_t lpn = first; lpn < first + count; ++lpn) {
            let_go(lpn);
            happened(lpn, 0, record);
        }
    }
    /// Reads the first half of the map now and the second half later; then the checkpoint is on flash.
    void advance_checkpoint() {
        if (!checkpoint_) {
            checkpoint_ = Checkpoint{++sequence_, records_.size(), {}, {}};
        }
        Checkpoint& next = *checkpoint_;
        if (next.entries.size() < kStreamLpns) {
            for (std::uint32_t i = 0; i < kStreamLpns / 2; ++i) {
                next.entries.push_back(map_[next.entries.size()].value);
            }
            return;
        }
        for (const Shared& shared : shared_) {
            next.shared.push_back((shared.references > 0 ? shared.place : kUnmapped).value);
        }
        next.entries.resize(bench_.layout.exported_units(), kUnmapped.value);
        log_.checkpoint = next.sequence;
        log_.entries = next.entries;
        log_.table = next.shared;
        persisted_ = std::max(persisted_, next.covered);
        covered_ = next.covered;
        checkpoint_.reset();
        ++checkpoints;
    }

    // Flash.

    [[nodiscard]] std::uint32_t free_superblocks() const {
        return static_cast<std::uint32_t>(std::count(written_.begin(), written_.end(), 0U));
    }
    SuperpageAddress program(const std::vector<Unit>& units) {
        if (written_[open_] == bench_.layout.pages()) {
            open_ = static_cast<std::uint32_t>(std::find(written_.begin(), written_.end(), 0U) -
                                               written_.begin());
        }
        const SuperpageAddress at{Pu{0}, Superblock{open_}, written_[open_]++};
        ScanBench::Names names;
        names.fill(kNoLpn);
        for (std::uint32_t i = 0; i < units.size(); ++i) {
            names[i] = units[i].name;
            units_[bench_.layout.ppa(at, i)] = units[i];
        }
        bench_.program(at, ++sequence_, names);
        return at;
    }
    /// A superblock that holds data, other than the open one if there is one.
    std::uint32_t random_superblock() {
        const auto all = static_cast<std::uint32_t>(written_.size());
        const std::uint32_t first = draw(all);
        for (std::uint32_t i = 0; i < all; ++i) {
            const std::uint32_t superblock = (first + i) % all;
            if (written_[superblock] > 0 && superblock != open_) {
                return superblock;
            }
        }
        return open_;
    }
    [[nodiscard]] std::set<Ppa> valid_places() const {
        std::set<Ppa> valid;
        for (const Ppa entry : map_) {
            if (entry != kUnmapped) {
                valid.insert(place_of(entry));
            }
        }
        return valid;
    }
    [[nodiscard]] std::uint32_t emptiest_superblock() const {
        std::vector<std::uint32_t> count(written_.size());
        for (const Ppa place : valid_places()) {
            ++count[bench_.layout.superblock_index(place)];
        }
        std::uint32_t best = open_ == 0 ? 1 : 0;
        for (std::uint32_t i = 0; i < count.size(); ++i) {
            if (i != open_ && written_[i] > 0 && (written_[best] == 0 || count[i] < count[best])) {
                best = i;
            }
        }
        return best;
    }

    /// Moves the valid units and erases the superblock. Sometimes another event happens during a move.
    void collect(std::uint32_t superblock) {
        if (superblock == open_ || written_[superblock] == 0) {
            return;
        }
        while (checkpoint_) {  // an erase waits for records, which wait for the checkpoint
            advance_checkpoint();
        }
        persist();
        for (const Ppa place : valid_places()) {
            if (bench_.layout.superblock_index(place) == superblock) {
                move(place);
            }
        }
        for (const Ppa place : valid_places()) {
            if (bench_.layout.superblock_index(place) == superblock) {
                return;  // an event whose record is not written yet
            }
        }
        persist();
        bench_.erase(SuperpageAddress{Pu{0}, Superblock{superblock}, 0});
        written_[superblock] = 0;
        std::erase_if(units_, [&](const auto& unit) {
            return bench_.layout.superblock_index(unit.first) == superblock;
        });
    }
    void move(Ppa from) {
        const auto block = std::find_if(shared_.begin(), shared_.end(), [from](const Shared& shared) {
            return shared.references > 0 && shared.place == from;
        });
        const bool is_shared_page = block != shared_.end();
        if (is_shared_page && block->record >= persisted_) {
            return;  // not before its record is on flash
        }
        const VirtualBlock number{static_cast<std::uint32_t>(block - shared_.begin())};
        const auto owner = std::find(map_.begin(), map_.end(), from);
        if (!is_shared_page && owner == map_.end()) {
            return;
        }
        const auto lpn = static_cast<std::uint32_t>(owner - map_.begin());
        const std::uint32_t content = units_.at(from).content;
        const SuperpageAddress at = program({Unit{is_shared_page ? name_of(number) : Lpn{lpn}, content}});
        const Ppa to = bench_.layout.ppa(at, 0);
        if (!is_shared_page) {
            happened(lpn, content);
        }
        if (draw(4) == 0) {
            draw(2) == 0 ? write_duplicate() : merge();
        }
        if (is_shared_page && block->references > 0 && block->place == from) {
            block->place = to;
            ++moves_of_shared;
        } else if (!is_shared_page && map_[lpn] == from) {
            map_[lpn] = to;
        }
    }

    // Power.

    template <class Look>
    void boot(std::size_t records, const Look& look) {
        ++boots;
        LogContent log = log_;
        log.records.assign(records_.begin() + static_cast<std::ptrdiff_t>(covered_),
                           records_.begin() + static_cast<std::ptrdiff_t>(records));
        bench_.boot(log, bounded_ ? log.checkpoint : 0, look);
    }
    /// Checks the scan against the newest event on flash when `records` of the records are.
    void check(const MediaScan& scan, std::size_t records) {
        std::map<Ppa, VirtualBlock> shared;
        for (const FoundShared& found : bench_.shared) {
            ASSERT_TRUE(shared.emplace(found.place, found.block).second) << "two blocks at one place";
        }
        most_shared = std::max<std::uint64_t>(most_shared, shared.size());
        std::set<Ppa> direct;
        std::set<VirtualBlock> referred;
        for (std::uint32_t lpn = 0; lpn < kStreamLpns; ++lpn) {
            const Ppa entry = scan.newest(Lpn{lpn});
            Ppa place = entry;
            if (is_shared(entry)) {
                const auto found = std::find_if(shared.begin(), shared.end(), [entry](const auto& each) {
                    return each.second == block_of(entry);
                });
                ASSERT_NE(found, shared.end()) << "LPN " << lpn << " refers to a block that is not in use";
                referred.insert(found->second);
                place = found->first;
            } else if (entry != kUnmapped) {
                ASSERT_TRUE(direct.insert(entry).second) << "two logical pages at one place";
                ASSERT_FALSE(shared.contains(entry)) << "LPN " << lpn << " does not know that it shares";
            }
            expect_content(lpn, place == kUnmapped ? 0 : units_.at(place).content, records);
        }
        ASSERT_EQ(referred.size(), shared.size()) << "a virtual block in use without a reference";
    }
    void expect_content(std::uint32_t lpn, std::uint32_t found, std::size_t records) const {
        const Event* newest = nullptr;
        bool trim_may_be_seen = false;
        for (const Event& event : history_[lpn]) {
            const bool on_flash = event.record == kPage || event.record < records;
            if (on_flash && (newest == nullptr || event.sequence >= newest->sequence)) {
                newest = &event;
                trim_may_be_seen = false;
            }
            trim_may_be_seen |= !on_flash && event.may_be_seen;
        }
        const bool came_back = newest != nullptr && newest->lazy &&
                               std::any_of(history_[lpn].begin(), history_[lpn].end(),
                                           [found](const Event& event) { return event.content == found; });
        const std::uint32_t expected = newest == nullptr ? 0 : came_back ? found : newest->content;
        if (found != 0 || !trim_may_be_seen) {
            ASSERT_EQ(found, expected) << "LPN " << lpn << " with " << records << " records on flash, "
                                       << persisted_ << " of " << records_.size() << " for sure";
        }
    }
    /// Continues with what a boot has found.
    void reboot() {
        const std::size_t records =
            persisted_ + draw(static_cast<std::uint32_t>(records_.size() - persisted_ + 1));
        checkpoint_.reset();
        boot(records, [this, records](const MediaScan& scan) {
            check(scan, records);
            records_.resize(records);
            persisted_ = records;
            sequence_ = std::max(scan.last_sequence(), log_.checkpoint);
            for (const LogRecord& record : records_) {
                sequence_ = std::max(sequence_, record.sequence());
            }
            for (Shared& shared : shared_) {
                shared.place = kUnmapped;
                shared.references = 0;
                shared.record = 0;
            }
            for (const FoundShared& found : bench_.shared) {
                shared_[found.block.value].place = found.place;
            }
            for (std::uint32_t lpn = 0; lpn < kStreamLpns; ++lpn) {
                map_[lpn] = scan.newest(Lpn{lpn});
                if (is_shared(map_[lpn])) {
                    ++shared_[block_of(map_[lpn]).value].references;
                }
                std::erase_if(history_[lpn], [records](const Event& event) {
                    return event.record != kPage && event.record >= records;
                });
                // As found; data that a lazy trim has removed may still come back.
                const std::uint32_t content = content_of(lpn);
                history_[lpn].push_back(Event{sequence_, content, kPage, lazy_ && content == 0});
            }
        });
    }

    ScanBench bench_;
    std::mt19937_64 random_;
    bool bounded_;
    bool lazy_;  // trims leave no record
    std::uint64_t sequence_ = 0;
    std::vector<Ppa> map_;
    std::array<Shared, kBlocks> shared_{};
    std::vector<std::vector<Event>> history_;
    std::map<Ppa, Unit> units_;
    std::vector<std::uint32_t> written_;  // pages, by superblock
    std::uint32_t open_ = 0;
    std::vector<LogRecord> records_;  // all since the beginning
    std::size_t persisted_ = 0;       // this many records are on flash for certain
    std::size_t covered_ = 0;         // this many records are included in the checkpoint
    LogContent log_;                  // the valid checkpoint
    std::optional<Checkpoint> checkpoint_;
};

class SharedStreams : public ::testing::TestWithParam<int> {};

TEST_P(SharedStreams, HoldTheNewestThingOnFlashWhereverPowerIsCut) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    SmallDrive drive(seed, seed % 2 == 0, seed % 3 == 0);
    for (int i = 0; i < 600 && !HasFatalFailure(); ++i) {
        drive.step();
        drive.cut_everywhere();
    }
    EXPECT_EQ(drive.cuts, 600U);
    EXPECT_GT(drive.boots, 1000U);
    EXPECT_GE(drive.most_shared, 4U);
    EXPECT_GT(drive.moves_of_shared, 5U);
    EXPECT_GT(drive.reused_numbers, 5U);
    EXPECT_GT(drive.checkpoints, 5U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SharedStreams, ::testing::Range(1, usual_or_sanitized(31, 11)));

}  // namespace
}  // namespace solidtlm::fw::testing
